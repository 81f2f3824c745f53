/** Messages, labels and samples that refer people to a place in Settings name it by its label. */
import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const read = (pattern: string) =>
  globSync(pattern).map((path) => ({ path, text: readFileSync(path, 'utf8') }))

test('each place in Settings that a message names is a label of that screen', () => {
  const screen = read('src/renderer/features/settings/**/*.tsx').map(({ text }) => text)
  const sources = [
    ...read('src/main/**/*.ts'),
    ...read('src/renderer/**/*.{ts,tsx}'),
    ...read('resources/samples/*.json'),
  ]
  const named = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/\b(?:in|under) Settings, (?:under )?([A-Z][A-Za-z]*(?: [a-z]+)*)/g)].map((found) => ({
      path,
      place: found[1] ?? '',
    })),
  )
  const isLabel = (place: string) => {
    const words = place.split(' ')
    // The place is followed by more words of the sentence.
    return words.some((_, at) =>
      screen.some((text) => text.includes(`'${words.slice(0, at + 1).join(' ')}'`)),
    )
  }
  expect(named.length).toBeGreaterThan(5)
  expect(named.filter(({ place }) => !isLabel(place))).toEqual([])
})
