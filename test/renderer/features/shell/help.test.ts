import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { STEP_TYPES } from '../../../../src/shared/contract/step-types/index.ts'
import { CONFIG_KEYS } from '../../../../src/renderer/components/pagination/config/config-keys.ts'
import { searchSections, splitSections } from '../../../../src/shared/docs.ts'
import { linkedSection, SECTIONS } from '../../../../src/renderer/features/shell/help/docs.ts'
import { findHelp } from '../../../../src/renderer/features/shell/help/find-help.ts'
import { Markdown } from '../../../../src/renderer/components/values/markdown.tsx'
import { FIELDS, PARTS } from '../../../../src/renderer/features/shell/help/content/fields.ts'
import { SCREENS, VIEWS } from '../../../../src/renderer/features/shell/help/content/screens.ts'

const withoutCode = (text: string) => text.replaceAll(/```[\s\S]*?```|`[^`]*`/g, '')

const html = (text: string) =>
  renderToStaticMarkup(
    createElement(Markdown, {
      text,
      openerOf: (target) => linkedSection(SECTIONS, 'steps', target) && (() => undefined),
    }),
  )

test('every step type and every key of a pagination configuration has its help in the documentation', () => {
  const steps = STEP_TYPES.filter(
    (term) => !findHelp(SECTIONS, { doc: 'steps', term })?.entry?.includes(term),
  )
  const keys = Object.keys(CONFIG_KEYS).filter(
    (term) => !findHelp(SECTIONS, { doc: 'pagination', heading: 'Keys', term })?.entry?.includes(term),
  )
  expect({ steps, keys }).toEqual({ steps: [], keys: [] })
  expect(findHelp(SECTIONS, { doc: 'pagination', term: 'dedupe_by' })?.section.heading).toContain('dedupe_by')
})

test('all help leads to an existing section of the documentation, and is three sentences at most', () => {
  const views = Object.values(VIEWS).flatMap((views) => Object.values(views))
  const all = [...Object.values(SCREENS), ...views, ...FIELDS, ...Object.values(PARTS)]
  const lost = all.filter(({ doc }) => {
    const found = findHelp(SECTIONS, doc)
    return (
      found?.section.doc !== doc.doc || (doc.heading !== undefined && found.section.heading !== doc.heading)
    )
  })
  const long = all.filter(({ text }) => (text as unknown as string).split(/[.:] (?=\p{Lu})/u).length > 4)
  expect({ lost, long }).toEqual({ lost: [], long: [] })
})

test('a search finds sections by their words, headings first', () => {
  const [first] = searchSections(SECTIONS, 'retry_when')
  expect(first?.heading).toContain('retry_when')
  expect(searchSections(SECTIONS, 'zzz nowhere')).toEqual([])
  const words = [
    'getting started',
    'ngrok',
    'environment variable',
    'pagination not working',
    'url',
    'response',
  ]
  const more = ['docs', 'credentials', 'connection']
  expect([...words, ...more].filter((typed) => searchSections(SECTIONS, typed).length === 0)).toEqual([])
})

test('links between documents open the section that they name; links to files outside of the help stay text', () => {
  const links = SECTIONS.flatMap(({ doc, text }) =>
    [...withoutCode(text).matchAll(/(?<!!\[[^\]]*)\]\(([^)\s]+)\)/g)].map(([, target = '']) => ({
      doc,
      target,
    })),
  ).filter(({ target }) => !target.startsWith('http'))
  const lost = links.filter(({ doc, target }) => linkedSection(SECTIONS, doc, target) === undefined)
  expect(lost.filter(({ target }) => !/CONTRIBUTING\.md|internals\//.test(target))).toEqual([])
  expect({ many: links.length > 40, outside: html('[x](../CONTRIBUTING.md)') }).toEqual({
    many: true,
    outside: '<p>x</p>',
  })
})

test('a document is split at its headings, not at a # inside code', () => {
  const sections = splitSections(
    'x',
    '# A\n\nintro\n\n## B\n\n```\n# no heading\n```\n\n### C\n\nunder\n\n## D\n',
  )
  expect(sections.map(({ heading, text }) => [heading, text.split('\n')[0]])).toEqual([
    ['A', 'intro'],
    ['B', '```'],
    ['C', 'under'],
    ['D', ''],
  ])
})

test('Markdown becomes elements, and HTML or a script URL stays text', () => {
  expect(html('Say `<b>` **loud**, <script>alert(1)</script>')).toContain('&lt;script&gt;')
  expect(html('[x](javascript:alert(1))')).not.toContain('href')
  expect(html('[x](../reference/steps.md#limits)')).toMatch(/<button[^>]*>x<\/button>/)
  expect(html('[x](https://example.com/a.md)')).toContain('href="https://example.com/a.md"')
  expect(html('| a | b |\n|---|---|\n| `c` | d |')).toMatch(/<th[^>]*>a<\/th>.*<code[^>]*>c<\/code>/)
  expect(html('- one\n  more\n- two')).toMatch(/<li>one more<\/li><li>two<\/li>/)
  expect(html('1. one\n   more\n2. two')).toMatch(/<ol start="1"[^>]*><li>one more<\/li><li>two<\/li><\/ol>/)
})
