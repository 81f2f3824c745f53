import { expect, test } from 'vitest'
import { scoreMatch } from '../../../src/renderer/lib/fuzzy.ts'

const NAMES = ['New flow', 'Nightly flow', 'Flows', 'Overflow report', 'GitHub']
const found = (typed: string) =>
  NAMES.map((name) => ({ name, score: scoreMatch(typed, name) }))
    .filter(({ score }) => score !== null)
    .toSorted((a, b) => (b.score ?? 0) - (a.score ?? 0))
    .map(({ name }) => name)

test('what begins with the word goes before what has it in a later word, and that before what has it inside one', () => {
  expect(found('flow')).toEqual(['Flows', 'New flow', 'Nightly flow', 'Overflow report'])
})

test('words may stand in any order, all have to be there, and initials do', () => {
  expect([found('flow new'), found('flow zzz'), found('nf'), found('GIT')]).toEqual([
    ['New flow'],
    [],
    ['New flow', 'Nightly flow'],
    ['GitHub'],
  ])
})
