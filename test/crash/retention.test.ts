import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Store } from '../../src/main/store/index.ts'
import { aFlow, aFlowRun, aRunStep } from '../helpers/records.ts'
import { aClock, aStore } from '../helpers/store.ts'
import { report, scale } from './scale.ts'

const RUNS = scale(100_000, 3_000)
const KEPT = 100
const DAY_MS = 86_400_000
const MB = 1024 * 1024

it('a long history that is searched and pruned leaves a file at most twice the size of a fresh one, and a small log', async () => {
  const clock = aClock()
  const [store, fresh] = [await aStore({ clock }), await aStore({ clock })]
  const log = join(store.dataDir, 'millrace.db-wal')
  let largestLog = 0
  const look = () => {
    largestLog = Math.max(largestLog, statSync(log).size)
  }
  const old = new Date(clock.now() - 40 * DAY_MS).toISOString()
  const young = new Date(clock.now()).toISOString()
  await fill(store, RUNS - KEPT, old, look)
  await fill(store, KEPT, young, look)
  await fill(fresh, KEPT, young, () => undefined)
  const full = store.maintenance.size().bytes
  while (await store.write(() => store.retention.deleteExpired(clock.now()))) look()
  while (await store.write(() => store.runSearch.merge())) look()
  while (store.maintenance.shrink(500)) look()
  await store.write(() => undefined)
  const [pruned, small] = [store.maintenance.size().bytes, fresh.maintenance.size().bytes]
  report('retention', {
    runs: RUNS,
    kept: KEPT,
    'bytes before': full,
    'bytes after': pruned,
    'bytes of a fresh one': small,
    'largest log': largestLog,
  })
  expect(store.flowRuns.list({ perPage: 200 }).records.length).toBe(KEPT)
  expect({ isPruned: pruned <= 2 * small, logStaysSmall: largestLog < 64 * MB }).toEqual({
    isPruned: true,
    logStaysSmall: true,
  })
})

async function index(store: Store): Promise<void> {
  const words = await store.runSearch.gather(50, () => Promise.resolve())
  if (words === null) return
  await store.write(() => store.runSearch.add(words))
  while (await store.write(() => store.runSearch.merge())) continue
}

async function fill(store: Store, count: number, at: string, look: () => void): Promise<void> {
  const flow = store.flows.list().records[0] ?? aFlow()
  if (store.flows.get(flow.id) === null) await store.write(() => store.flows.insert(flow))
  for (let from = 0; from < count; from += 100) {
    await store.write(() => {
      for (let run = from; run < Math.min(count, from + 100); run++) {
        const id = store.flowRuns.newId()
        const times = { created_at: at, started_at: at, finished_at: at }
        store.flowRuns.insert(aFlowRun({ id, flow_id: flow.id, ...times }), {
          steps: [aRunStep(), aRunStep({ path: '2', ref_id: 'set2', output: { text: 'x'.repeat(500) } })],
          state: ['a state of some hundred characters'.repeat(10)],
        })
      }
    })
    await new Promise((resolve) => setImmediate(resolve))
    await index(store)
    look()
  }
}
