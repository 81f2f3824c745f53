import type { Figures } from '../../src/shared/contract/figures/figures.ts'
import type { FlowApp } from './flow-app.ts'

const RECORDS = [
  [
    { id: 1, name: 'a', more: 1.5 },
    { id: 2, name: 'b', more: 2.5 },
  ],
  [
    { id: 1, name: 'a', more: 1.5 },
    { id: 2, name: 'c', more: 2.5 },
    { id: 3, name: 'd', more: 2.5 },
    { name: 'without an ID' },
  ],
  // This lacks the fields that earlier records had.
  [{ id: 1 }],
  [{ id: 1 }, { id: 4 }],
] as const

/** Merges records into an empty target, and returns what was counted. */
export async function mergeCounts(app: FlowApp, target: object): Promise<Figures['totals']['counts']> {
  for (const records of RECORDS) {
    const config = { ...target, records, mode: 'merge', key: ['id'] }
    const { flow } = await app.addFlow([{ ref_id: 'it', type: 'write_records', config }])
    await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`)
    const [last] = app.runs()
    if (last?.error) throw new Error(last.error.message)
  }
  const { json } = await app.call('GET', '/v1/figures?of=records')
  return (json as Figures).totals.counts
}

export const MERGE_COUNTS = { written: 8, rejected: 1, new: 4, changed: 2, unchanged: 2 }
