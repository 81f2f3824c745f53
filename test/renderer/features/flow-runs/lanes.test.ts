import { expect, test } from 'vitest'
import { findLanes } from '../../../../src/renderer/features/flow-runs/lanes.ts'
import type { FlowRunStep } from '../../../../src/shared/contract/flow-runs.ts'

const BEGIN = Date.parse('2026-03-01T12:00:00Z')
const ran = (path: string, [from, to]: readonly [number, number], more: Partial<FlowRunStep> = {}) =>
  ({
    id: `${path} ${more.iteration?.join('.') ?? ''}`,
    ref_id: path,
    type: 'set',
    path,
    iteration: [],
    status: 'success',
    http: [],
    started_at: new Date(BEGIN + from).toISOString(),
    duration_ms: to - from,
    ...more,
  }) as unknown as FlowRunStep

const seen = (steps: readonly FlowRunStep[]) =>
  [...findLanes(steps, BEGIN + 1_000)].map(([place, { most, pieces }]) => [
    place,
    most,
    pieces.map(({ lane, start, end, shown }) => `${lane}: ${start - BEGIN}-${end - BEGIN} ${shown.status}`),
  ])

test('each branch of a parallel step has a lane, with all of its steps', () => {
  expect(
    seen([
      ran('1', [0, 90], { type: 'parallel' }),
      ran('1.cases.1.steps.1', [0, 40]),
      ran('1.cases.2.steps.1', [0, 90], { status: 'error' }),
      ran('1.cases.1.steps.2', [40, 80]),
      // The cases of a switch run one after the other, if at all.
      ran('2', [90, 95], { type: 'switch' }),
      ran('2.cases.1.steps.1', [90, 95]),
    ]),
  ).toEqual([['1#', 2, ['0: 0-80 success', '1: 0-90 error']]])
})

test('iterations at the same time share as few lanes as possible; others need none', () => {
  const turn = (loop: string, index: number, times: readonly [number, number], more: object = {}) =>
    ran(`${loop}.steps.1`, times, { iteration: [index], ...more })
  expect(
    seen([
      ran('1', [0, 100], { type: 'loop' }),
      turn('1', 0, [0, 50]),
      turn('1', 1, [1, 30]),
      turn('1', 2, [31, 100]),
      turn('1', 3, [50, 90], { duration_ms: null }),
      ran('2', [100, 140], { type: 'loop' }),
      turn('2', 0, [100, 120]),
      turn('2', 1, [119, 140]),
    ]),
  ).toEqual([['1#', 2, ['0: 0-50 success', '1: 1-30 success', '1: 31-100 success', '0: 50-1000 success']]])
})

test('thousands of iterations are drawn as few pieces, of which none that failed is lost', () => {
  const steps = Array.from({ length: 4_000 }, (_, index) =>
    ran('1.steps.1', [index * 5, index * 5 + 9], {
      iteration: [index],
      status: index === 2_000 ? 'error' : 'success',
    }),
  )
  const [found] = findLanes([ran('1', [0, 20_000], { type: 'loop' }), ...steps], BEGIN).values()
  expect(found?.most).toBe(2)
  expect(found?.pieces.length).toBeLessThan(20)
  expect(found?.pieces.filter(({ shown }) => shown.status === 'error')).toHaveLength(1)
})
