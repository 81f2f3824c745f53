/** Calls to a served program, and its runs until they end. */
import type { FlowRun } from '../../src/shared/contract/flow-runs.ts'
import type { Served } from './program.ts'

export async function api<T>(served: Served, method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(`${served.url}${path}`, {
    method,
    headers: { Authorization: `Bearer ${served.bearer}`, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return (await response.json()) as T
}

/** Asks again and again: the program is killed and started meanwhile, and no stream outlives that. */
export async function untilEnded(served: Served, id: string): Promise<FlowRun> {
  for (;;) {
    const run = await api<FlowRun>(served, 'GET', `/v1/flow-runs/${id}`)
    if (run.finished_at !== null) return run
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
