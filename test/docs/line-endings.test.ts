/**
 * Everything that reads documents and data of the repository accepts CRLF as well. `npm run test:crlf` builds and tests
 * a whole copy of the tree with CRLF.
 */
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { splitSections } from '../../src/shared/docs.ts'
import { readText, withLf } from '../../scripts/lib/read-text.ts'
import { passagesOfJson, passagesOfMarkdown, passagesOfSource } from '../../scripts/prose/sources.ts'

const ROOT = join(import.meta.dirname, '../..')
const PAGES = globSync('docs/**/*.md', { cwd: ROOT })
const withCrlf = (text: string) => text.replaceAll('\n', '\r\n')

const READERS: readonly (readonly [
  what: string,
  read: (text: string) => unknown,
  files: readonly string[],
])[] = [
  ['the help of the app', (text) => splitSections('page', text), PAGES],
  ['the prose check of documents', (text) => passagesOfMarkdown('page.md', text), PAGES],
  [
    'the prose check of data',
    (text) => passagesOfJson('a.json', text),
    globSync('resources/samples/*', { cwd: ROOT }),
  ],
  ['the prose check of sources', (text) => passagesOfSource('a.ts', text), ['src/main/host/config.ts']],
  ['the generator of the reference and the tests of documents', withLf, PAGES],
]

test.each(READERS)('%s reads CRLF like LF', (_what, read, files) => {
  const differ = files.filter((path) => {
    const text = readText(path)
    return JSON.stringify(read(withCrlf(text))) !== JSON.stringify(read(text))
  })
  expect({ some: files.length > 0, differ }).toEqual({ some: true, differ: [] })
})
