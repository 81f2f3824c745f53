import { describe, expect, it } from 'vitest'
import type { FlowRun } from '../../../src/shared/contract/flow-runs.ts'
import { addBins, type FiguresQuery, percentile, type Store } from '../../../src/main/store/index.ts'
import { aFlow, aFlowRun, aWebhookRequest } from '../../helpers/records.ts'
import { aStore } from '../../helpers/store.ts'

const NOON = Date.parse('2026-03-01T12:00:00.000Z')
const HOUR_MS = 3_600_000
const isoAt = (time: number) => new Date(time).toISOString()

describe('figures', () => {
  it('count runs and requests that the thread writes like those of the main thread', async () => {
    const { store, flow } = await aStoreWithFlow()
    const insert = () => {
      const id = store.flowRuns.newId()
      const parts = { request: aWebhookRequest({ flow_id: flow, flow_run_id: id }) }
      return () => store.flowRuns.insert(aFlowRun({ id, flow_id: flow }), parts)
    }
    for (let round = 0; round < 20; round++)
      await Promise.all(Array.from({ length: 10 }, () => store.append(insert(), 1)))
    await store.write(insert())
    expect([counts(store), counts(store, { of: 'webhooks' }), counts(store, { flowId: flow })]).toEqual([
      { success: 201 },
      { '2xx': 201 },
      { success: 201 },
    ])
  })

  it('follow a run that fails, is resumed and succeeds, and count it once', async () => {
    const { store, flow } = await aStoreWithFlow()
    const id = store.flowRuns.newId()
    const run = (changes: Partial<FlowRun>) => aFlowRun({ id, flow_id: flow, ...changes })
    const seen: unknown[] = []
    await store.write(() => store.flowRuns.insert(run({ status: 'running', finished_at: null })))
    for (const status of ['error', 'running', 'success'] as const) {
      const finished_at = status === 'running' ? null : isoAt(NOON)
      await store.write(() => store.flowRuns.save(run({ status, finished_at })))
      seen.push(counts(store))
    }
    expect(seen).toEqual([{ error: 1 }, {}, { success: 1 }])
  })

  it('leave out what was rolled back, tests, and a request that another one replaced', async () => {
    const { store, flow } = await aStoreWithFlow()
    const [kept, test] = [store.flowRuns.newId(), store.flowRuns.newId()]
    const failed = store.write(() => {
      store.flowRuns.insert(aFlowRun({ id: store.flowRuns.newId(), flow_id: flow }))
      throw new Error('no')
    })
    const written = store.write(() => {
      store.flowRuns.insert(aFlowRun({ id: kept, flow_id: flow }))
      store.flowRuns.insert(aFlowRun({ id: test, flow_id: flow, trigger: 'test' }))
      for (const status of [202, 408])
        store.webhookRequests.insert(aWebhookRequest({ flow_id: flow, flow_run_id: kept, status }))
    })
    await Promise.allSettled([failed, written])
    expect([counts(store), counts(store, { of: 'webhooks' })]).toEqual([{ success: 1 }, { '4xx': 1 }])
  })

  it('outlive the runs, but not the flow, which stays in the figures of all flows', async () => {
    const { store, flow } = await aStoreWithFlow()
    await addRuns(store, flow, [NOON])
    const [run] = store.flowRuns.list().records
    await store.write(() => store.flowRuns.delete(run?.id ?? ''))
    const afterRun = counts(store, { flowId: flow })
    await store.write(() => store.flows.delete(flow, isoAt(NOON)))
    while (await store.write(() => store.retention.deleteRemains()));
    const next = aFlow()
    await store.write(() => store.flows.insert(next))
    expect([afterRun, counts(store, { flowId: next.id }), counts(store)]).toEqual([
      { success: 1 },
      {},
      { success: 1 },
    ])
  })

  it('are dropped by size: hours after 70 days, days much later', async () => {
    const { store, flow } = await aStoreWithFlow()
    await addRuns(store, flow, [NOON])
    const sizes = () =>
      (['hour', 'day'] as const).filter((bucket) => counts(store, { bucket })['success'] === 1)
    const kept: unknown[] = []
    for (const days of [60, 80, 1_300]) {
      while (await store.write(() => store.figures.prune(NOON + days * 24 * HOUR_MS)));
      kept.push(sizes())
    }
    expect(kept).toEqual([['hour', 'day'], ['day'], []])
  })
})

it('a percentile of the figures is at most 5 % off', async () => {
  const { store, flow } = await aStoreWithFlow()
  const durations = Array.from({ length: 2_000 }, (_, index) => 1.005 ** index)
  await store.write(() => {
    for (const duration_ms of durations)
      store.flowRuns.insert(aFlowRun({ id: store.flowRuns.newId(), flow_id: flow, duration_ms }))
  })
  const bins = addBins(store.figures.read(query()).map((figure) => figure.bins))
  for (const share of [0.01, 0.5, 0.95, 1]) {
    const exact = durations[Math.ceil(share * durations.length) - 1] ?? 0
    expect(Math.abs((percentile(bins, share) ?? 0) / exact - 1)).toBeLessThan(0.05)
  }
})

async function aStoreWithFlow() {
  const store = await aStore()
  const flow = aFlow()
  await store.write(() => store.flows.insert(flow))
  return { store, flow: flow.id }
}

const addRuns = (store: Store, flow: string, times: readonly number[]) =>
  store.write(() => {
    for (const time of times) {
      const at = isoAt(time)
      store.flowRuns.insert(
        aFlowRun({ id: store.flowRuns.newId(), flow_id: flow, created_at: at, finished_at: at }),
      )
    }
  })

const query = (more: Partial<FiguresQuery> = {}): FiguresQuery => ({
  of: 'runs',
  flowId: null,
  from: NOON - 12 * HOUR_MS,
  until: NOON + 12 * HOUR_MS,
  bucket: 'hour',
  ...more,
})

function counts(store: Store, more: Partial<FiguresQuery> = {}): Record<string, number> {
  const found: Record<string, number> = {}
  for (const { status, count } of store.figures.read(query(more)))
    found[status] = (found[status] ?? 0) + count
  return Object.fromEntries(Object.entries(found).filter(([, count]) => count !== 0))
}
