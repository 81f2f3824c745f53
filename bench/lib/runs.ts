import { setTimeout as sleep } from 'node:timers/promises'
import type { StartedMillrace } from './millrace.ts'

const LOOK_EVERY_MS = 50

/** Counts runs with a filter on an indexed field. */
export async function countRuns(
  { port, bearer }: Pick<StartedMillrace, 'port' | 'bearer'>,
  condition: 'flow_id,eq' | 'status,eq',
  value: string,
): Promise<number> {
  const response = await fetch(
    `http://127.0.0.1:${port}/v1/flow-runs?per_page=1&filter=${condition},${value}`,
    { headers: { Authorization: `Bearer ${bearer}` } },
  )
  if (!response.ok) throw new Error(`the runs were not listed: ${await response.text()}`)
  return Number(response.headers.get('X-Total-Count'))
}

/** Waits until every accepted run has ended. */
export async function untilNoneWaits(millrace: Pick<StartedMillrace, 'port' | 'bearer'>): Promise<void> {
  const waiting = async () =>
    (await countRuns(millrace, 'status,eq', 'queued')) + (await countRuns(millrace, 'status,eq', 'running'))
  while ((await waiting()) > 0) await sleep(LOOK_EVERY_MS)
}
