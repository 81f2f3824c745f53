/** The runs of a served program, until they reach an expected state; and its shutdown. */
import type { FlowRun } from '../../src/shared/contract/flow-runs.ts'
import type { Served } from './program.ts'
import { callServed } from './served-api.ts'

export const untilEnded = (served: Served, id: string): Promise<FlowRun> =>
  untilSeen(served, async () => {
    const run = await callServed<FlowRun>(served, 'GET', `/v1/flow-runs/${id}`)
    return run.finished_at === null ? null : run
  })

/** Resolves once nothing is queued or running. */
export async function untilIdle(served: Served): Promise<void> {
  const open = '/v1/flow-runs?per_page=1&filter=status,in,queued,running,retrying'
  await untilSeen(served, async () => {
    const runs = await callServed<unknown[]>(served, 'GET', open)
    return Array.isArray(runs) && runs.length === 0 ? true : null
  })
}

/**
 * The result of `look`, now or after one of the program's change events.
 *
 * @throws Error if the program ends first
 */
export async function untilSeen<T>(served: Served, look: () => Promise<T | null>): Promise<T> {
  const leave = new AbortController()
  const headers = { Authorization: `Bearer ${served.bearer}` }
  const { body } = await fetch(`${served.url}/v1/events`, { headers, signal: leave.signal })
  let bell = Promise.withResolvers<void>()
  const ended = (async () => {
    for await (const _changes of body ?? []) bell.resolve()
    throw new Error(`${served.url} ended while something was waited for`)
  })()
  ended.catch(() => undefined)
  try {
    for (;;) {
      bell = Promise.withResolvers()
      const found = await look()
      if (found !== null) return found
      await Promise.race([bell.promise, ended])
    }
  } finally {
    leave.abort()
  }
}

/**
 * Call it before the program is told to stop. `begun` resolves when the program begins to stop, which it does by ending
 * its streams.
 */
export async function heedStop(served: Served): Promise<{ readonly begun: Promise<void> }> {
  const headers = { Authorization: `Bearer ${served.bearer}` }
  const { body } = await fetch(`${served.url}/v1/events`, { headers })
  return {
    begun: (async () => {
      for await (const _changes of body ?? []);
    })(),
  }
}
