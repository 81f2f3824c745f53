import { expect, test } from 'vitest'
import { scoreMatch } from '../../../src/renderer/lib/fuzzy.ts'

const NAMES = ['New flow', 'Nightly flow', 'Flows', 'Overflow report', 'GitHub']
const found = (typed: string) =>
  NAMES.map((name) => ({ name, score: scoreMatch(typed, name) }))
    .filter(({ score }) => score !== null)
    .toSorted((a, b) => (b.score ?? 0) - (a.score ?? 0))
    .map(({ name }) => name)

test('a match at the start ranks before one at the start of a later word, and that before one inside a word', () => {
  expect(found('flow')).toEqual(['Flows', 'New flow', 'Nightly flow', 'Overflow report'])
})

test('words match in any order, all of them are required, and initials are enough', () => {
  expect([found('flow new'), found('flow zzz'), found('nf'), found('GIT')]).toEqual([
    ['New flow'],
    [],
    ['New flow', 'Nightly flow'],
    ['GitHub'],
  ])
})
