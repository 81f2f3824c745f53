import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { expect, it } from 'vitest'
import { parseXml } from '../../src/xml/parse-xml.ts'
import { recorded } from './recorded.ts'

const parser = new XMLParser({
  attributeNamePrefix: '@',
  // fast-xml-parser treats numeric character references as HTML entities.
  htmlEntities: true,
  ignoreAttributes: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
  parseAttributeValue: false,
  parseTagValue: false,
  trimValues: false,
})

it('reads what fast-xml-parser reads, in recorded and random documents that both accept', () => {
  const random = createGenerator(42)
  const documents = [...recorded.map(({ xml }) => xml), ...Array.from({ length: 2_000 }, random)].filter(
    (xml) => !LINE_END_IN_ATTRIBUTE.test(xml) && !xml.includes('\uFEFF'),
  )
  const both = documents.flatMap((xml) => {
    const ours = tryTo(() => parseXml(xml))
    const theirs = tryTo(
      () => (XMLValidator.validate(xml) === true ? parser.parse(xml) : undefined) as unknown,
    )
    return ours === undefined || theirs === undefined
      ? []
      : [{ xml, ours: JSON.stringify(trimmed(ours)), theirs: JSON.stringify(trimmed(theirs)) }]
  })
  expect(both.filter(({ ours, theirs }) => ours !== theirs)).toEqual([])
  expect(both.length).toBeGreaterThan(2_300)
})

/** XML replaces it with a space; fast-xml-parser keeps it. */
const LINE_END_IN_ATTRIBUTE = /="[^"<]*[\t\n][^"<]*"/

function tryTo(read: () => unknown): unknown {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** Our parser trims a string as a whole and reads an empty element as null; the order of keys differs. */
function trimmed(value: unknown): unknown {
  if (typeof value === 'string') return value.trim()
  if (Array.isArray(value)) return value.map(trimmed)
  if (typeof value !== 'object' || value === null) return ''
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, item]) => [key, key.startsWith('@') ? (item as unknown) : trimmed(item)] as const)
      .filter(([key, item]) => key !== '#text' || item !== '')
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  )
}

/** Well-formed documents with everything that text, attributes and elements can contain. */
function createGenerator(seed: number): () => string {
  let state = seed
  const below = (limit: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
  const pick = <T>(choices: readonly T[]): T => choices[below(choices.length)] as T
  const name = () => pick(['a', 'b', 'item', 'ns:c', 'é', 'x-y', 'n.1', '_z'])
  const text = () =>
    pick([
      't',
      ' 5 ',
      '\n  ',
      'ß',
      '😀',
      '&amp;',
      '&lt;&gt;',
      '&#65;',
      '&#x1F600;',
      '"\'',
      '>',
      '  two  words ',
    ])
  const attributes = () =>
    [...new Set(Array.from({ length: below(3) }, name))]
      .map(
        (key) => ` ${key}=${pick(['"1"', "'2'", '""', '" x "', '"&quot;&amp;"', "'\"'", '"ü>"', '"&#65;"'])}`,
      )
      .join('')
  const element = (depth: number): string => {
    const tag = name()
    if (below(4) === 0) return `<${tag}${attributes()}/>`
    const parts = Array.from({ length: below(5) }, () =>
      pick([
        text,
        text,
        () => '<![CDATA[<x> & ]]>',
        () => '<!-- <c> -->',
        () => '<?p i?>',
        () => (depth > 4 ? '' : element(depth + 1)),
        () => (depth > 4 ? '' : element(depth + 1)),
      ])(),
    )
    return `<${tag}${attributes()}>${parts.join('')}</${tag}${pick(['', ' '])}>`
  }
  return () =>
    `${pick(['', '<?xml version="1.0" encoding="UTF-8"?>\n', '<!-- c -->'])}${element(0)}${pick(['', '\n'])}`
}
