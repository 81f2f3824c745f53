import { expect, it } from 'vitest'
import { type WaitingRun, WaitingRuns } from '../../../src/main/services/running/runs/waiting-runs.ts'

it('takes the oldest run of the flow with the fewest in progress, and none of a flow that may start no more', () => {
  const waiting = aQueue(['a1', 'a2', 'a3', 'b4', 'c5', 'b6'])
  const inProgress = new Map<string, number>()
  const taken: (string | undefined)[] = []
  for (let next = 0; next < 6; next++) {
    const run = waiting.take((flowId) => (flowId === 'c' ? null : (inProgress.get(flowId) ?? 0)))
    taken.push(run?.id)
    if (run !== null) inProgress.set(run.flowId, (inProgress.get(run.flowId) ?? 0) + 1)
  }
  expect({ taken, left: waiting.size }).toEqual({
    taken: ['a1', 'b4', 'a2', 'b6', 'a3', undefined],
    left: 1,
  })
})

it('gives out again first what was put back, in its order, and only what has waited long enough if that is asked', () => {
  const waiting = aQueue(['a1', 'a2', 'a3'])
  const take = (since?: number) => waiting.take(() => 0, since)
  const both = [take(), take()].filter((run) => run !== null)
  waiting.putBack(both)
  const ids = [take(1), take(1), take(2), take(), take()].map((run) => run?.id)
  expect({ ids, left: waiting.size }).toEqual({ ids: ['a1', undefined, 'a2', 'a3', undefined], left: 0 })
})

it('keeps the order over thousands of runs that come and go', () => {
  const waiting = new WaitingRuns()
  const taken: number[] = []
  for (let at = 0; at < 5_000; at++) {
    waiting.add({ id: String(at), flowId: 'a', at })
    if (at % 3 > 0) taken.push(Number(waiting.take(() => 0)?.id))
  }
  while (waiting.size > 0) taken.push(Number(waiting.take(() => 0)?.id))
  expect(taken).toEqual(Array.from({ length: 5_000 }, (_, at) => at))
})

/** Runs whose names begin with the flow and end with the time at which they were accepted. */
function aQueue(names: readonly string[]): WaitingRuns {
  const waiting = new WaitingRuns()
  for (const id of names)
    waiting.add({ id, flowId: id.slice(0, 1), at: Number(id.slice(1)) } satisfies WaitingRun)
  return waiting
}
