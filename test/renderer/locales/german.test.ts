import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { placeholdersOf, readPageTexts } from '../../helpers/page-texts.ts'
import type { PageTexts } from '../../helpers/page-texts.ts'

const FOLDER = join(import.meta.dirname, '../../../src/renderer/locales/de')

interface Entry {
  readonly file: string
  readonly english: string
  readonly german: string
}

const entries = globSync(`${FOLDER}/*.json`).flatMap((path): Entry[] =>
  Object.entries(JSON.parse(readFileSync(path, 'utf8')) as Record<string, string>).map(
    ([english, german]) => ({
      file: basename(path),
      english,
      german,
    }),
  ),
)

let page: PageTexts
beforeAll(() => {
  page = readPageTexts()
})

test('every sentence of the page has a German translation in src/renderer/locales/de', () => {
  const known = new Set(entries.map(({ english }) => english))
  expect([...page.keys].filter(([english]) => !known.has(english))).toEqual([])
})

test('no German translation is unused, and none is there twice', () => {
  const files = Map.groupBy(entries, ({ english }) => english)
  const twice = [...files].filter(([, found]) => found.length > 1)
  expect(twice).toEqual([])
  expect(entries.filter(({ english }) => !page.keys.has(english))).toEqual([])
})

test("a German sentence has the values and the elements of the English one, and isn't empty", () => {
  const off = entries.filter(
    ({ english, german }) =>
      german.trim() === '' ||
      placeholdersOf(german).join() !== placeholdersOf(english).join() ||
      elementsOf(german).join() !== elementsOf(english).join(),
  )
  expect(off).toEqual([])
})

test('all text on the page goes through t, with the values that its sentence names', () => {
  expect(page.bare).toEqual([])
  expect(page.wrong).toEqual([])
})

function elementsOf(sentence: string): readonly string[] {
  return [...sentence.matchAll(/<\/?[a-z]\w*\/?>/g)].map(([tag]) => tag).toSorted()
}
