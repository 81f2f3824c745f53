import Database from 'better-sqlite3'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { describe, expect, it, onTestFinished } from 'vitest'
import { aClock, aMasterKey } from '../../helpers/fixtures.ts'
import { aFlow, aFlowRun, aRunStep, aWebhookRequest } from '../../helpers/records.ts'
import { aStore } from '../../helpers/store.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'
import { openStore, type Store, StoreWriteError } from '../../../src/main/store/index.ts'
import { isRecording } from '../../../src/main/store/sql/statement.ts'

describe('runs that the thread writes', () => {
  it('are stored as the main thread stores them', async () => {
    const { store, flow } = await aBusyStore()
    const long = 'Wörter →, again and again. '.repeat(1_000)
    const insert = (id: string) => {
      const steps = [aRunStep({ output: { text: 'ä → b' } }), aRunStep({ ref_id: 'set2', output: { long } })]
      store.flowRuns.insert(aFlowRun({ id, flow_id: flow, title: 'Größe →' }), {
        steps,
        state: [`input ${long.repeat(5)}`, 'more → of it'],
        request: aWebhookRequest({ flow_id: flow, flow_run_id: id, headers: { 'x-name': 'Zoë' } }),
      })
    }
    const ids = Array.from({ length: 20 }, () => store.flowRuns.newId())
    await Promise.all(ids.map((id) => store.append(() => insert(id), 1)))
    const here = store.flowRuns.newId()
    await store.write(() => insert(here))
    const [expected, ...all] = [here, ...ids].map((id) => shown(store, id))
    expect(all).toEqual(ids.map(() => expected))
    expect(expected).toMatchObject({ state: [`input ${long.repeat(5)}`, 'more → of it'] })
  })

  it('belong to their flow, and to anyone if it is open to anyone', async () => {
    const { store, flow, dataDir, close } = await aBusyStore()
    const open = aFlow({ settings: { webhook_token_enabled: false } })
    await store.write(() => store.flows.insert(open))
    const runs = Array.from({ length: 12 }, (_, index) => ({
      id: store.flowRuns.newId(),
      flow_id: index % 2 === 0 ? open.id : flow,
      trigger: index < 6 ? ('webhook' as const) : ('manual' as const),
    }))
    const insert = (run: (typeof runs)[number]) =>
      store.flowRuns.insert(aFlowRun(run), {
        request: aWebhookRequest({ flow_id: run.flow_id, flow_run_id: run.id }),
      })
    await Promise.all(runs.map((run) => store.append(() => insert(run), 1)))
    close()
    const db = new Database(join(dataDir, 'millrace.db'), { readonly: true })
    onTestFinished(() => void db.close())
    const stored = db
      .prepare(
        `SELECT r.id, f.id, r.from_anyone, q.flow_key = r.flow_key
         FROM flow_runs r JOIN flows f ON f.key = r.flow_key JOIN webhook_requests q ON q.key = r.key ORDER BY r.key`,
      )
      .raw()
      .all()
    expect(stored).toEqual(
      runs.map(({ id, flow_id, trigger }) => [
        id,
        flow_id,
        flow_id === open.id && trigger === 'webhook' ? 1 : 0,
        1,
      ]),
    )
  })

  it('are found as soon as they are acknowledged, in the order of the calls', async () => {
    const { store, flow } = await aBusyStore()
    for (let round = 0; round < 30; round++) {
      const ids = Array.from({ length: 8 }, () => store.flowRuns.newId())
      const found = ids.map((id) =>
        store
          .append(() => store.flowRuns.insert(aFlowRun({ id, flow_id: flow })), 1)
          .then(() => store.flowRuns.get(id)),
      )
      // Writes in the same iteration of the event loop, or while the batch is on its way.
      if (round % 2 === 0) await new Promise((resolve) => setImmediate(resolve))
      const deleted = await store.write(() => store.flowRuns.delete(ids[3] ?? ''))
      expect((await Promise.all(found)).filter((run) => run === null).length).toBeLessThanOrEqual(1)
      expect([deleted, store.flowRuns.get(ids[3] ?? ''), store.flowRuns.get(ids[4] ?? '')?.id]).toEqual([
        true,
        null,
        ids[4],
      ])
    }
  })

  it("don't wait for other work, which is done after them", async () => {
    const { store, flow } = await aBusyStore()
    const order: string[] = []
    const note = (what: string) => () => void order.push(what)
    const isOfThread: boolean[] = []
    const insert = (id: string) => {
      isOfThread.push(isRecording())
      store.flowRuns.insert(aFlowRun({ id, flow_id: flow }))
    }
    const ids = Array.from({ length: 6 }, () => store.flowRuns.newId())
    const found = store
      .write(() => ids.map((id) => store.flowRuns.get(id)?.id))
      .then((all) => {
        order.push('other work')
        return all
      })
    await Promise.all(ids.map((id) => store.append(() => insert(id), 1).then(note('run'))))
    expect(await found).toEqual(ids)
    expect({ order, isOfThread }).toEqual({
      order: [...ids.map(() => 'run'), 'other work'],
      isOfThread: ids.map(() => true),
    })
  })

  it('are accepted, start, write their first steps and end there, as on the main thread', async () => {
    const { store, flow } = await aBusyStore()
    const runs = Array.from({ length: 9 }, () =>
      aFlowRun({ id: store.flowRuns.newId(), flow_id: flow, status: 'queued', finished_at: null }),
    )
    const [deleted, ...others] = runs
    const isOfThread = new Set<boolean>()
    const onThread = (work: (run: (typeof runs)[number]) => void) =>
      Promise.all(
        others.map((run) =>
          store.append(() => {
            isOfThread.add(isRecording())
            work(run)
          }, 1),
        ),
      )
    await Promise.all(
      runs.map((run) => store.append(() => store.flowRuns.insert(run, { state: ['start'] }), 1)),
    )
    await onThread(({ id }) => store.runQueue.take(id, 1))
    expect(store.runQueue.count()).toEqual({ ready: 0, parked: 0, taken: 8 })
    await onThread((run) => {
      store.runSteps.append(run.id, 0, [aRunStep()])
      store.flowRuns.save({ ...run, status: 'success' })
      store.runStates.truncate(run.id, 1)
      store.runStates.save(run.id, 1, 'results')
    })
    await store.write(() => store.flowRuns.deleteWhole(deleted?.id ?? ''))
    await Promise.all(
      [deleted, ...others].map((run) =>
        store.append(() => store.runSteps.append(run?.id ?? '', 1, [aRunStep({ ref_id: 'set2' })]), 1),
      ),
    )
    expect(isOfThread).toEqual(new Set([true]))
    expect(store.runQueue.count()).toEqual({ ready: 0, parked: 0, taken: 0 })
    const all = others.map(({ id }) => ({
      status: store.flowRuns.get(id)?.status,
      steps: store.runSteps.ofRun(id).records.map(({ ref_id }) => ref_id),
      state: store.runStates.of(id),
    }))
    const expected = { status: 'success', steps: [aRunStep().ref_id, 'set2'], state: ['start', 'results'] }
    expect(all).toEqual(others.map(() => expected))
    expect(store.runSteps.list({ perPage: 99 }).records).toHaveLength(2 * others.length)
  })

  it('fail one by one', async () => {
    const { store, flow } = await aBusyStore()
    const ids = Array.from({ length: 9 }, () => store.flowRuns.newId())
    const outcomes = await Promise.allSettled(
      ids.map((id, index) =>
        store.append(() => {
          store.flowRuns.insert(aFlowRun({ id, flow_id: index === 4 ? aFlow().id : flow }))
          if (index === 6) throw new Error('no')
        }, 1),
      ),
    )
    expect(outcomes.map(({ status }) => status)).toEqual(
      ids.map((_, index) => (index === 4 || index === 6 ? 'rejected' : 'fulfilled')),
    )
    expect(outcomes[4]).toMatchObject({ reason: { message: expect.stringContaining('There is no flow') } })
    expect(ids.map((id) => store.flowRuns.get(id) !== null)).toEqual(
      ids.map((_, index) => index !== 4 && index !== 6),
    )
  })

  it('can read after all, and return what they found', async () => {
    const { store, flow } = await aBusyStore()
    const before = store.flowRuns.newId()
    await append(store, flow, before)
    const seen: unknown[] = []
    await Promise.all(
      Array.from({ length: 8 }, () => store.append(() => seen.push(store.flowRuns.get(before)?.id), 1)),
    )
    expect(new Set(seen)).toEqual(new Set([before]))
  })

  it('that are too much for the memory are refused, and the caller is told to come again', async () => {
    const { store, flow } = await aBusyStore()
    const megabytes = 1_048_576
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, () => append(store, flow, store.flowRuns.newId(), 60 * megabytes)),
    )
    const refused = outcomes.filter(({ status }) => status === 'rejected')
    expect(refused).toHaveLength(6)
    expect(refused[0]).toMatchObject({
      reason: { kind: 'slow', code: 'unavailable', headers: { 'Retry-After': '5' } },
    })
    await append(store, flow, store.flowRuns.newId(), 300 * megabytes)
  })

  it('count what came before and during the write', async () => {
    const { store, flow, dataDir, close } = await aBusyStore()
    const count = () => store.rateLimits.count('a client', { now: 1_000, windowMs: 60_000 })
    count()
    const written = Promise.all(Array.from({ length: 8 }, () => append(store, flow, store.flowRuns.newId())))
    await new Promise((resolve) => setImmediate(resolve))
    count()
    await written
    count()
    close()
    const next = await aStore({ dataDir })
    expect(next.rateLimits.peek('a client', { now: 1_000, windowMs: 60_000 })).toMatchObject({ count: 3 })
  })
})

describe('the thread', () => {
  it('that dies takes nothing acknowledged with it; its callers are told, and another one is started', async () => {
    const lost: unknown[] = []
    const { store, flow, workers } = await aBusyStore({ onWriterLost: (error) => lost.push(error) })
    const stored: string[] = []
    const refusals: unknown[] = []
    for (let round = 0; round < 12; round++) {
      const ids = Array.from({ length: 40 }, () => store.flowRuns.newId())
      const all = Promise.allSettled(ids.map((id) => append(store, flow, id)))
      if (round % 3 === 1) await new Promise((resolve) => setImmediate(resolve))
      if (round % 3 === 2) await new Promise((resolve) => setTimeout(resolve, 1))
      await workers.at(-1)?.terminate()
      for (const [index, outcome] of (await all).entries())
        if (outcome.status === 'fulfilled') stored.push(ids[index] ?? '')
        else refusals.push(outcome.reason)
      await untilOpen(store, flow)
    }
    expect(stored.filter((id) => store.flowRuns.get(id) === null)).toEqual([])
    expect(lost.length).toBeGreaterThanOrEqual(12)
    for (const reason of refusals) {
      expect(reason).toBeInstanceOf(StoreWriteError)
      expect(reason).toMatchObject({ code: 'unavailable', headers: { 'Retry-After': '5' } })
    }
  })

  it('that dies right after its commit has acknowledged it', async () => {
    const { store, flow, workers } = await aBusyStore()
    const outcomes: string[] = []
    for (let round = 0; round < 8; round++) {
      const ids = Array.from({ length: 20 }, () => store.flowRuns.newId())
      const all = Promise.allSettled(ids.map((id) => append(store, flow, id)))
      await new Promise((resolve) => setImmediate(resolve))
      await new Promise((resolve) => setImmediate(resolve))
      // Meanwhile nobody reads its reply.
      const until = performance.now() + 500
      const isStored = () => store.flowRuns.get(ids[0] ?? '') !== null
      while (!isStored() && performance.now() < until);
      const wasStored = isStored()
      await workers.at(-1)?.terminate()
      if (wasStored) outcomes.push(...(await all).map(({ status }) => status))
      await all
      await untilOpen(store, flow)
    }
    expect(new Set(outcomes)).toEqual(new Set(['fulfilled']))
  })

  it('has finished when the store is closed', async () => {
    const { store, flow, dataDir, close } = await aBusyStore()
    const ids = Array.from({ length: 200 }, () => store.flowRuns.newId())
    const all = Promise.all(ids.map((id) => append(store, flow, id)))
    await new Promise((resolve) => setImmediate(resolve))
    await new Promise((resolve) => setImmediate(resolve))
    close()
    await all
    const next = await aStore({ dataDir })
    expect([next.endedCleanly, ids.filter((id) => next.flowRuns.get(id) === null)]).toEqual([true, []])
  })

  it('leaves the file to a backup, which has all that was acknowledged before', async () => {
    const { store, flow, dataDir } = await aBusyStore()
    const stored: string[] = []
    const over = new AbortController()
    const callers = Array.from({ length: 16 }, async () => {
      while (!over.signal.aborted) {
        const id = store.flowRuns.newId()
        await append(store, flow, id)
        stored.push(id)
      }
    })
    for (const name of ['one', 'two', 'three']) {
      const before = stored.length
      const path = join(dataDir, `${name}.copy`)
      await store.backups.writeTo(path)
      const db = new Database(path, { readonly: true })
      const found = new Set(db.prepare('SELECT id FROM flow_runs').pluck().all())
      expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
      db.close()
      expect(stored.slice(0, before).filter((id) => !found.has(id))).toEqual([])
    }
    over.abort()
    await Promise.all(callers)
  })

  it('seals with the newest key', async () => {
    const { store, flow } = await aBusyStore()
    const other = await aStore({ masterKey: aMasterKey() })
    await store.dataKeys.importKeys(other.dataKeys.exportKeys(), 1)
    await untilOpen(store, flow)
    const id = store.flowRuns.newId()
    await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        store.append(
          () =>
            store.flowRuns.insert(
              aFlowRun({ id: index === 0 ? id : store.flowRuns.newId(), flow_id: flow }),
              {
                state: ['the input'],
              },
            ),
          1,
        ),
      ),
    )
    expect(store.runStates.of(id)).toEqual(['the input'])
  })
})

type Options = Partial<Parameters<typeof openStore>[0]>

/** A store whose thread is open. */
async function aBusyStore(options: Options = {}) {
  const workers: Worker[] = []
  const note = (worker: Worker) => workers.push(worker)
  process.on('worker', note)
  onTestFinished(() => void process.off('worker', note))
  const dataDir = temporaryFolder()
  const store = await openStore({
    dataDir,
    clock: aClock(),
    appVersion: '0.0.0-test',
    masterKey: aMasterKey(),
    ...options,
  })
  onTestFinished(() => store.close())
  const flow = aFlow()
  await store.write(() => store.flows.insert(flow))
  await untilOpen(store, flow.id)
  return { store, flow: flow.id, workers, dataDir, close: () => store.close() }
}

/** Writes until the thread is open; from then on, work is recorded instead of performed. */
async function untilOpen(store: Store, flow: string): Promise<void> {
  const isOfThread = async () => {
    let isRecorded = false
    const insert = () => {
      store.flowRuns.insert(aFlowRun({ id: store.flowRuns.newId(), flow_id: flow }))
      isRecorded = isRecording()
    }
    await Promise.all(Array.from({ length: 8 }, () => store.append(insert, 1)))
    return isRecorded
  }
  await expect.poll(isOfThread).toBe(true)
}

const append = (store: Store, flow: string, id: string, bytes = 1) =>
  store.append(
    () => store.flowRuns.insert(aFlowRun({ id, flow_id: flow }), { state: [`input of ${id}`] }),
    bytes,
  )

function shown(store: Store, id: string) {
  const { id: _id, ...run } = store.flowRuns.get(id) ?? {}
  const steps = store.runSteps.ofRun(id).records.map(({ id: _step, flow_run_id: _run, ...step }) => step)
  const request = store.webhookRequests.list({ perPage: 200 }).records.find((one) => one.flow_run_id === id)
  return { run, steps, state: store.runStates.of(id), request: { ...request, id: '', flow_run_id: '' } }
}
