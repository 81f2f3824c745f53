/** Reads values from HTML with CSS selectors. */
import { compile, selectAll, selectOne } from 'css-select'
import { type AnyNode, type Document, type Element, isTag, isText } from 'domhandler'
import { getInnerHTML } from 'domutils'
import type { ExtractedField, HtmlExtract } from '../../../shared/contract/step-types/files/html-extract.ts'
import { type Data, dictionaryOf } from '@millrace/jinja/data'
import { HtmlError } from './html-error.ts'
import { parseHtml } from './parse-html.ts'

export type Extraction = Pick<HtmlExtract, 'each' | 'fields'>

/**
 * Returns an object with the fields, or a list of such objects with `each`.
 *
 * @throws HtmlError naming the selector that can't be read, or the limit that was exceeded
 */
export function extractFields(html: string, { each, fields }: Extraction): Data {
  const limits = new Limits()
  const readRecord = recordOf(fields, 'fields')
  if (each === undefined) return readRecord(parseHtml(html), limits)
  checkSelector(each, 'each')
  return selectAll<AnyNode, Element>(each, parseHtml(html)).map((row) => readRecord(row, limits))
}

type Scope = Document | Element
type Read = (scope: Scope, limits: Limits) => Data

/** Selectors are checked even if no element is found to use them in. */
function recordOf(fields: Readonly<Record<string, ExtractedField>>, place: string): Read {
  const reads = Object.entries(fields).map(
    ([name, field]) => [name, fieldOf(field, `${place}.${name}`)] as const,
  )
  return (scope, limits) => {
    limits.takeRecord()
    return dictionaryOf(reads.map(([name, read]) => [name, read(scope, limits)]))
  }
}

function fieldOf(field: ExtractedField, place: string): Read {
  const { selector, list, fields } = field
  const read = fields === undefined ? valueOf(field) : recordOf(fields, `${place}.fields`)
  if (selector === '') return (scope, limits) => (list ? [read(scope, limits)] : read(scope, limits))
  checkSelector(selector, `${place}.selector`)
  if (list)
    return (scope, limits) => selectAll<AnyNode, Element>(selector, scope).map((one) => read(one, limits))
  return (scope, limits) => {
    const found = selectOne<AnyNode, Element>(selector, scope)
    return found === null ? null : read(found, limits)
  }
}

function valueOf(field: ExtractedField): Read {
  return (element, limits) => {
    const value = readElement(element, field)
    limits.takeText(value ?? '')
    return value
  }
}

function checkSelector(selector: string, place: string): void {
  try {
    compile(selector)
  } catch (error) {
    throw new HtmlError(
      `${JSON.stringify(selector.slice(0, 100))} isn't a CSS selector: ${(error as Error).message.slice(0, 200)}`,
      place,
    )
  }
}

function readElement(element: Scope, { take, attribute }: ExtractedField): string | null {
  switch (take) {
    case 'text':
      return tidy(textWithin(element))
    case 'own_text':
      return tidy(element.children.map((child) => (isText(child) ? child.data : ' ')).join(''))
    case 'html':
      return getInnerHTML(element)
    case 'attribute':
      return attributeOf(element, attribute ?? '')
    default:
      return formValue(element)
  }
}

/** The text as it appears on the screen. Blocks and line breaks separate words; scripts and styles are left out. */
function textWithin(node: AnyNode): string {
  if (isText(node)) return node.data
  if (!('children' in node)) return ''
  if (isTag(node) && HIDDEN.has(node.name)) return ''
  let text = ''
  for (const child of node.children) text += textWithin(child)
  return isTag(node) && !INLINE.has(node.name) ? ` ${text} ` : text
}

const tidy = (text: string) => text.replaceAll(/\s+/g, ' ').trim()

function attributeOf(element: Scope, name: string): string | null {
  if (!isTag(element)) return null
  return Object.hasOwn(element.attribs, name) ? (element.attribs[name] ?? null) : null
}

/** The value that a form would send. */
function formValue(element: Scope): string | null {
  if (!isTag(element)) return null
  if (element.name === 'textarea')
    return element.children.map((child) => (isText(child) ? child.data : '')).join('')
  if (element.name === 'select') {
    const chosen = selectOne<AnyNode, Element>('option[selected]', element)
    const option = chosen ?? selectOne<AnyNode, Element>('option', element)
    return option === null ? null : formValue(option)
  }
  const value = attributeOf(element, 'value')
  return value === null && element.name === 'option' ? tidy(textWithin(element)) : value
}

/** Limits the result, because fields that contain each other could make a result of any size out of a small page. */
class Limits {
  #characters = 0
  #records = 0

  takeText(text: string): void {
    this.#characters += text.length
    if (this.#characters <= MOST_CHARACTERS) return
    throw new HtmlError(
      `the fields exceed the limit of ${MOST_CHARACTERS.toLocaleString('en-US')} characters; read less with narrower selectors`,
    )
  }

  takeRecord(): void {
    if (++this.#records <= MOST_RECORDS) return
    throw new HtmlError(
      `the page exceeds the limit of ${MOST_RECORDS.toLocaleString('en-US')} records; use narrower selectors`,
    )
  }
}

const MOST_CHARACTERS = 20_000_000
const MOST_RECORDS = 200_000

const HIDDEN: ReadonlySet<string> = new Set(['script', 'style', 'template', 'noscript', 'head'])
const INLINE: ReadonlySet<string> = new Set(
  'a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q s samp small span strike strong sub sup time tt u var wbr'.split(
    ' ',
  ),
)
