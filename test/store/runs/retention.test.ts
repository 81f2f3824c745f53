import { statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Store } from '../../../src/main/store/index.ts'
import { aFlow, aFlowRun, aRunStep, aWebhookRequest } from '../../helpers/records.ts'
import { aStore } from '../../helpers/store.ts'

const NOW = Date.parse('2026-03-01T12:00:00.000Z')
const DAY_MS = 86_400_000
const daysAgo = (days: number) => new Date(NOW - days * DAY_MS).toISOString()

describe('retention', () => {
  it("deletes what has ended before its flow's retention, in batches, and nothing else", async () => {
    const store = await aStore()
    const [short, long] = [aFlow({ settings: { data_retention_days: 7 } }), aFlow()]
    await store.write(() => [short, long].forEach((flow) => store.flows.insert(flow)))
    await addRuns(store, short.id, 700, 8)
    const kept = [
      ...(await addRuns(store, short.id, 3, 6)),
      ...(await addRuns(store, long.id, 3, 8)),
      ...(await addRuns(store, short.id, 1, 8, { status: 'running', finished_at: null })),
    ]
    await store.write(() => {
      store.webhookRequests.insert(aWebhookRequest({ status: 404, at: daysAgo(31) }))
      store.webhookRequests.insert(aWebhookRequest({ status: 429, at: daysAgo(29) }))
    })
    const portions: number[] = []
    for (let more = true; more;) {
      more = await store.write(() => store.retention.deleteExpired(NOW))
      portions.push(store.flowRuns.list().total ?? 0)
    }
    expect(portions).toEqual([207, 7])
    expect(allRuns(store).toSorted()).toEqual(kept.toSorted())
    const requests = store.webhookRequests.list({ perPage: 200 }).records
    expect(requests.map((request) => request.flow_run_id ?? request.status)).toEqual([
      429,
      ...kept.toReversed(),
    ])
    expect(store.runSteps.list({ perPage: 200 }).records).toHaveLength(7)
  })

  it('deletes a run with very many steps over several batches', async () => {
    const store = await aStore()
    const flow = aFlow()
    const id = store.flowRuns.newId()
    const steps = Array.from({ length: 2_500 }, () => aRunStep({ output: 'x'.repeat(66_000) }))
    const ended = { created_at: daysAgo(40), finished_at: daysAgo(40) }
    await store.write(() => {
      store.flows.insert(flow)
      store.flowRuns.insert(aFlowRun({ id, flow_id: flow.id, ...ended }), { steps })
    })
    let portions = 0
    while (await store.write(() => store.retention.deleteExpired(NOW))) portions++
    expect({ portions, run: store.flowRuns.get(id) }).toEqual({ portions: 2, run: null })
  })

  it('deletes what a deleted flow left behind', async () => {
    const store = await aStore()
    const [gone, stays] = [aFlow(), aFlow()]
    await store.write(() => [gone, stays].forEach((flow) => store.flows.insert(flow)))
    await addRuns(store, gone.id, 600, 1)
    const kept = await addRuns(store, stays.id, 2, 1)
    await store.write(() => store.webhookRequests.insert(aWebhookRequest({ flow_id: gone.id, status: 413 })))
    await store.write(() => store.flows.delete(gone.id, daysAgo(0)))
    expect({
      runs: store.flowRuns.list().total,
      requests: store.webhookRequests.list().records.length,
    }).toEqual({ runs: 2, requests: 2 })
    let portions = 0
    while (await store.write(() => store.retention.deleteRemains())) portions++
    expect(portions).toBe(2)
    expect(allRuns(store)).toEqual(kept.toReversed())
    expect(store.webhookRequests.list().records).toHaveLength(2)
  })

  it('returns the space: a pruned history leaves a small file, and the log stays short throughout', async () => {
    const store = await aStore()
    const flow = aFlow()
    await store.write(() => store.flows.insert(flow))
    const file = join(store.dataDir, 'millrace.db')
    const fresh = store.maintenance.size().bytes
    let longestLog = 0
    for (let group = 0; group < 40; group++) {
      await addRuns(store, flow.id, 500, 40)
      await new Promise((resolve) => setImmediate(resolve))
      longestLog = Math.max(longestLog, statSync(`${file}-wal`).size)
    }
    const full = store.maintenance.size().bytes
    while (await store.write(() => store.retention.deleteOldest()));
    while (store.maintenance.shrink(500));
    expect({ runs: store.flowRuns.list().total, freeBytes: store.maintenance.size().freeBytes }).toEqual({
      runs: 0,
      freeBytes: 0,
    })
    expect(full).toBeGreaterThan(10 * fresh)
    expect(store.maintenance.size().bytes).toBeLessThan(2 * fresh)
    expect(longestLog).toBeLessThan(16 * 1024 * 1024)
    store.close()
    expect(statSync(file).size).toBeLessThan(2 * fresh)
  })
})

async function addRuns(
  store: Store,
  flowId: string,
  count: number,
  days: number,
  changes: object = {},
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => store.flowRuns.newId())
  const at = daysAgo(days)
  await store.write(() => {
    for (const id of ids) {
      const run = aFlowRun({
        id,
        flow_id: flowId,
        created_at: at,
        started_at: at,
        finished_at: at,
        ...changes,
      })
      store.flowRuns.insert(run, {
        steps: [aRunStep()],
        state: ['x'],
        request: aWebhookRequest({ flow_id: flowId, at }),
      })
    }
  })
  return ids
}

const allRuns = (store: Store) => store.flowRuns.list({ perPage: 200 }).records.map((run) => run.id)
