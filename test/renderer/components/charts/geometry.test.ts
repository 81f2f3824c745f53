import { expect, test } from 'vitest'
import {
  groupPoints,
  highestOf,
  numberTicks,
  pathOfLine,
  stackBars,
  timeTicks,
  valueTicks,
} from '../../../../src/renderer/components/charts/geometry.ts'

const series = (values: readonly (number | null)[]) =>
  ({ key: 'a', label: 'A', tone: 'main', values }) as const
const one = (count: number) => Array.from({ length: count }, (_, first) => ({ first, end: first + 1 }))

test('the values of an axis are round in the unit in which they are written', () => {
  expect([
    valueTicks(0, [1]),
    valueTicks(1, [1]),
    valueTicks(7, [1]),
    valueTicks(1_284, [1]),
    valueTicks(150_000, [1, 1_000, 60_000]),
    valueTicks(3_000_000, [1, 1_024, 1_048_576]),
  ]).toEqual([
    [0, 1],
    [0, 1],
    [0, 5, 10],
    [0, 500, 1_000, 1_500],
    [0, 60_000, 120_000, 180_000],
    [0, 1_048_576, 2_097_152, 3_145_728],
  ])
})

test('times on an axis are round hours and midnights of this computer, numbers are whole', () => {
  const at = (day: number, hour = 0) => new Date(2026, 6, day, hour).getTime()
  expect(timeTicks(at(1, 5), at(2, 5), 8)).toEqual([6, 9, 12, 15, 18, 21, 24, 27].map((hour) => at(1, hour)))
  expect(timeTicks(at(1, 5), at(8, 5), 7)).toEqual([2, 3, 4, 5, 6, 7, 8].map((day) => at(day)))
  expect([numberTicks(1, 5, 10), numberTicks(1, 101, 4)]).toEqual([
    [1, 2, 3, 4],
    [50, 100],
  ])
})

test('more points than pixels are drawn together: bars add up, lines keep their lowest and highest values', () => {
  const values = Array.from({ length: 50_000 }, (_, index) => (index === 40_000 ? 9_000 : index % 7))
  const groups = groupPoints(values.length, 1_200)
  expect(groups.length).toBeLessThanOrEqual(400)
  expect(groups.at(-1)?.end).toBe(50_000)
  expect(highestOf({ at: [], step: 1, lines: [series(values)] }, groups)).toBe(9_000)
  expect(pathOfLine(series(values), groups, 3, (value) => value)).toContain(' 9000L')
  const sums = [{ first: 0, end: 3 }]
  expect(highestOf({ at: [], step: 1, bars: [series([1, 2, 3]), series([1, null, 1])] }, sums)).toBe(8)
})

test('a single failure among thousands can be seen, on top of the others', () => {
  const [worked, failed] = stackBars([series([10_000]), series([1])], one(1), (value) => value / 100, 120)
  expect([worked, failed]).toEqual([[{ group: 0, top: 20, height: 100 }], [{ group: 0, top: 18, height: 2 }]])
})

test('a line ends where nothing was measured, and a value on its own is a dot', () => {
  expect(pathOfLine(series([1, 2, null, 4, null]), one(5), 10, (value) => value)).toBe(
    'M5 1h0L15 2M35 4m-3 0h6',
  )
})
