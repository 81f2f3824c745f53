import { statSync } from 'node:fs'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import type { Store, StoredStep } from '../../../src/main/store/index.ts'
import { runIdOfRequest, runStepId, webhookRequestId } from '../../../src/main/store/history/ids.ts'
import type { FlowRun } from '../../../src/shared/contract/flow-runs.ts'
import type { Flow } from '../../../src/shared/contract/flows.ts'
import { aFlow, aFlowRun, aRunStep, aWebhookRequest } from '../../helpers/records.ts'
import { aStore } from '../../helpers/store.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'

const NOW = '2026-03-01T12:00:00.000Z'

describe('a run that is stored at its end', () => {
  it('is read as it was stored, with its steps, its state and its request', async () => {
    const { store, flow } = await aStoreWithFlow()
    const error = {
      code: 'flow_error',
      message: 'no',
      ref_id: 'set1',
      field: null,
      line: 1,
      column: 2,
      data: { a: [1] },
    }
    const run = aFlowRun({
      id: store.flowRuns.newId(),
      flow_id: flow.id,
      status: 'error',
      title: 'Order 7',
      error,
      warnings: [{ code: 'cut_by_max_pages', message: 'cut' }],
    })
    const steps = [
      aRunStep({ ref_id: 'web1', type: 'webhook', output: { order: 7 } }),
      aRunStep({
        path: '2.steps.1',
        iteration: [2, 0],
        status: 'error',
        input: { a: null },
        output: false,
        error,
        warnings: [{ code: 'x', message: 'y' }],
        http: [
          {
            attempt: 1,
            page: null,
            started_at: NOW,
            duration_ms: 1,
            request: { method: 'GET', url: 'http://x', headers: {}, body: null },
            response: null,
            error: 'timeout',
          },
        ],
        duration_ms: null,
        attempt: 3,
        truncated: true,
      }),
    ]
    const request = aWebhookRequest({ flow_id: flow.id, status: 500 })
    await store.write(() => store.flowRuns.insert(run, { steps, state: ['{"order":7}', 'second'], request }))

    expect(store.flowRuns.get(run.id)).toEqual(run)
    expect(store.flowRuns.get(run.id.toUpperCase())).toEqual(run)
    expect(store.runSteps.ofRun(run.id)).toEqual({
      records: steps.map((step, position) => ({
        ...step,
        id: runStepId(run.id, position),
        flow_run_id: run.id,
      })),
      next: null,
      total: null,
    })
    expect(store.runStates.of(run.id)).toEqual(['{"order":7}', 'second'])
    expect(store.webhookRequests.list().records).toEqual([
      {
        ...request,
        id: webhookRequestId(run.id),
        flow_run_id: run.id,
        title: run.title,
        hold: null,
        outcome: 'run',
      },
    ])
    expect(runIdOfRequest(webhookRequestId(run.id))).toBe(run.id)
  })

  it("is rejected with an id that the store didn't generate, and for an unknown flow", async () => {
    const { store, flow } = await aStoreWithFlow()
    const strange = aFlowRun({ id: flow.id, flow_id: flow.id })
    await expect(store.write(() => store.flowRuns.insert(strange))).rejects.toThrow(/not made by newId/)
    const homeless = aFlowRun({ id: store.flowRuns.newId(), flow_id: '00000000-0000-4000-8000-000000000000' })
    await expect(store.write(() => store.flowRuns.insert(homeless))).rejects.toThrow(/There is no flow/)
  })

  it('is deleted with its steps and state; its request stays', async () => {
    const { store, flow } = await aStoreWithFlow()
    const run = aFlowRun({ id: store.flowRuns.newId(), flow_id: flow.id })
    const parts = { steps: [aRunStep()], state: ['x'], request: aWebhookRequest({ flow_id: flow.id }) }
    await store.write(() => store.flowRuns.insert(run, parts))
    expect(await store.write(() => store.flowRuns.delete(run.id))).toBe(true)
    expect(await store.write(() => store.flowRuns.delete(run.id))).toBe(false)
    expect({
      run: store.flowRuns.get(run.id),
      steps: store.runSteps.ofRun(run.id).records,
      states: store.runStates.of(run.id),
    }).toEqual({ run: null, steps: [], states: [] })
    expect(store.webhookRequests.list().records).toMatchObject([
      { id: webhookRequestId(run.id), flow_run_id: null, headers: parts.request.headers },
    ])
  })

  it("doesn't reappear under the id of a deleted one when its key is reused", async () => {
    const dataDir = temporaryFolder()
    const { store, flow } = await aStoreWithFlow({ dataDir })
    const old = aFlowRun({ id: store.flowRuns.newId(), flow_id: flow.id })
    await store.write(() => store.flowRuns.insert(old))
    await store.write(() => store.flowRuns.delete(old.id))
    store.close()
    const next = await aStore({ dataDir })
    const fresh = aFlowRun({ id: next.flowRuns.newId(), flow_id: flow.id })
    await next.write(() => next.flowRuns.insert(fresh, { steps: [aRunStep()], state: ['x'] }))
    expect(next.flowRuns.get(old.id)).toBe(null)
    expect(next.runSteps.ofRun(old.id).records).toEqual([])
    expect(next.runStates.of(old.id)).toEqual([])
    expect(next.flowRuns.get(fresh.id)).toEqual(fresh)
  })
})

describe('the steps of a run in progress', () => {
  it('are added and replaced one by one or many at a time, and keep their order', async () => {
    const { store, flow } = await aStoreWithFlow()
    const run = aFlowRun({
      id: store.flowRuns.newId(),
      flow_id: flow.id,
      status: 'running',
      finished_at: null,
    })
    await store.write(() => store.flowRuns.insert(run, { steps: [aRunStep({ ref_id: 's0' })] }))
    const save = (position: number, ...names: string[]) =>
      store.write(() =>
        store.runSteps.save(
          run.id,
          position,
          names.map((ref_id) => aRunStep({ ref_id })),
        ),
      )
    await save(1, 's1-running')
    await save(4, 's4')
    await save(2, 's2', 's3', 's4-again', 's5')
    await save(1, 's1-done', 's2-again')
    await save(0, 's0-again')
    const names = () => store.runSteps.ofRun(run.id).records.map((step) => step.ref_id)
    expect(names()).toEqual(['s0-again', 's1-done', 's2-again', 's3', 's4-again', 's5'])
  })

  it('take little space if their calls repeat each other, and are read and replaced as others', async () => {
    const dataDir = temporaryFolder()
    const { store, flow } = await aStoreWithFlow({ dataDir })
    const run = aFlowRun({
      id: store.flowRuns.newId(),
      flow_id: flow.id,
      status: 'running',
      finished_at: null,
    })
    const http = Array.from({ length: 100 }, (_, page) => aPageCall(page))
    const ended = aRunStep({ ref_id: 'pages', http })
    await store.write(() =>
      store.flowRuns.insert(run, { steps: [aRunStep({ ref_id: 'pages', status: 'running' })] }),
    )
    await store.write(() => store.runSteps.save(run.id, 0, [ended]))
    await store.write(() => store.runSteps.append(run.id, 1, [aRunStep({ ref_id: 'after' })]))
    await store.write(() => store.flowRuns.save({ ...run, status: 'success', finished_at: NOW }))
    expect(store.runSteps.ofRun(run.id).records).toMatchObject([ended, { ref_id: 'after' }])
    expect(store.runSteps.list({ perPage: 1 }).records).toMatchObject([{ ref_id: 'after' }])
    await store.write(() => store.runSteps.save(run.id, 0, [aRunStep({ ref_id: 'pages-again' })]))
    expect(store.runSteps.ofRun(run.id).records.map((step) => step.ref_id)).toEqual(['pages-again', 'after'])
    await store.write(() => store.runSteps.save(run.id, 0, [ended]))
    store.close()
    // A new database takes up 0.4 MB.
    expect(JSON.stringify(http).length).toBeGreaterThan(1_500_000)
    expect(statSync(join(dataDir, 'millrace.db')).size).toBeLessThan(700_000)
  })

  it('keep long bodies of calls as the bytes that came, also while they are in flight', async () => {
    const { store, flow } = await aStoreWithFlow()
    const run = aFlowRun({
      id: store.flowRuns.newId(),
      flow_id: flow.id,
      status: 'running',
      finished_at: null,
    })
    const [first, second, third] = ['a', 'é→', '\u{1f600}'].map((sign) => sign.repeat(5_000))
    const aCall = (body: string | null, answer: string) => ({
      ...aPageCall(0),
      request: { method: 'POST', url: 'http://x', headers: {}, body },
      response: { status: 200, headers: {}, body: answer, bytes: 1 },
    })
    const calls = [aCall(first ?? '', 'short'), aCall(null, second ?? ''), aCall('{}', third ?? '')]
    const came = calls.map(({ request, response, ...rest }) => ({
      ...rest,
      request: { ...request, body: request.body && Buffer.from(request.body) },
      response: { ...response, body: Buffer.from(response.body) },
    }))
    const step = aRunStep({ ref_id: 'pages', status: 'running' })
    await store.write(() =>
      store.flowRuns.insert(run, { steps: [aRunStep(), { ...step, http: came.slice(0, 2) }, aRunStep()] }),
    )
    const httpOf = () => store.runSteps.ofRun(run.id).records.map(({ http }) => http)
    expect(httpOf()).toEqual([[], calls.slice(0, 2), []])
    await store.write(() => store.runSteps.save(run.id, 1, [{ ...step, http: came }]))
    expect(httpOf()).toEqual([[], calls, []])
    await store.write(() => store.flowRuns.save({ ...run, status: 'error', finished_at: NOW }))
    expect(store.runSteps.at(run.id, 1)).toMatchObject({ status: 'error', http: calls })
  })

  it('are read from rows of earlier versions, which had all bodies in the text', async () => {
    const dataDir = temporaryFolder()
    const { store, flow } = await aStoreWithFlow({ dataDir })
    const run = aFlowRun({ id: store.flowRuns.newId(), flow_id: flow.id })
    const http = Array.from({ length: 3 }, (_, page) => aPageCall(page))
    await store.write(() => store.flowRuns.insert(run, { steps: [aRunStep({ http })] }))
    store.close()
    const text = JSON.stringify([{ ref_id: 'pages', type: 'rest', path: '2', started_at: 0, http }])
    const db = new Database(join(dataDir, 'millrace.db'))
    db.prepare('UPDATE history_parts SET packed = ? WHERE packed IS NOT NULL').run(
      zstdCompressSync(Buffer.from(text)),
    )
    db.close()
    const { records } = (await aStore({ dataDir })).runSteps.ofRun(run.id)
    expect(records).toMatchObject([{ ref_id: 'pages', http }])
  })

  it('page by key, many of them', async () => {
    const { store, flow } = await aStoreWithFlow()
    const run = aFlowRun({ id: store.flowRuns.newId(), flow_id: flow.id })
    const steps = Array.from({ length: 3_000 }, (_, index) =>
      aRunStep({
        ref_id: `s${index}`,
        output: 'x'.repeat(100),
        status: index % 1_000 === 500 ? 'error' : 'success',
      }),
    )
    await store.write(() => store.flowRuns.insert(run, { steps }))
    const names: string[] = []
    for (let after: string | null = null, first = true; first || after !== null; first = false) {
      const page: ReturnType<typeof store.runSteps.ofRun> = store.runSteps.ofRun(run.id, {
        after,
        perPage: 200,
      })
      names.push(...page.records.map((step) => step.ref_id))
      after = page.next
    }
    expect(names).toEqual(steps.map((step) => step.ref_id))
    const failed = { field: 'status', operator: 'eq', value: 'error' } as const
    expect(store.runSteps.ofRun(run.id, { filters: [failed] }).records.map((step) => step.ref_id)).toEqual([
      's500',
      's1500',
      's2500',
    ])
    expect(
      store.runSteps
        .list({ filters: [failed, { field: 'flow_run_id', operator: 'eq', value: run.id }] })
        .records.map((step) => step.ref_id),
    ).toEqual(['s2500', 's1500', 's500'])
  })

  it('are found across all runs, however far apart the matches are', async () => {
    const { store, flow } = await aStoreWithFlow()
    const ids = Array.from({ length: 1_200 }, () => store.flowRuns.newId())
    await store.write(() => {
      for (const [index, id] of ids.entries()) {
        const steps = [aRunStep({ ref_id: `s${index}`, status: index % 600 === 0 ? 'error' : 'success' })]
        store.flowRuns.insert(aFlowRun({ id, flow_id: flow.id }), { steps })
      }
    })
    const filters = [{ field: 'status', operator: 'eq', value: 'error' }] as const
    const names: string[] = []
    let pages = 0
    for (let after: string | null = null, first = true; first || after !== null; first = false) {
      const page: ReturnType<typeof store.runSteps.list> = store.runSteps.list({ filters, after, perPage: 1 })
      names.push(...page.records.map((step) => step.ref_id))
      after = page.next
      pages++
    }
    expect(names).toEqual(['s600', 's0'])
    expect(pages).toBeLessThan(8)
  })
})

describe('the list of runs', () => {
  it('is sorted newest first, pages by key, and continues after a run that has been deleted', async () => {
    const { store, flow } = await aStoreWithFlow()
    const ids = await manyRuns(store, flow, 120)
    const first = store.flowRuns.list()
    expect({ records: first.records.length, total: first.total, next: first.next }).toEqual({
      records: 50,
      total: 120,
      next: ids[70],
    })
    await store.write(() => store.flowRuns.delete(ids[70] ?? ''))
    const second = store.flowRuns.list({ after: first.next })
    const third = store.flowRuns.list({ after: second.next, perPage: 100 })
    const seen = [...first.records, ...second.records, ...third.records].map((run) => run.id)
    expect(seen).toEqual(ids.toReversed())
    expect(third.next).toBe(null)
    expect(() => store.flowRuns.list({ after: 'nonsense' })).toThrow(/must be the ID of a flow run/)
  })

  it('is filtered by every operator, and counted if an index finds the matches', async () => {
    const { store, flow } = await aStoreWithFlow()
    const other = aFlow({ name: 'Other' })
    await store.write(() => store.flows.insert(other))
    const ids = [0, 1, 2, 3].map(() => store.flowRuns.newId())
    const records: FlowRun[] = [
      { title: 'Order 7', status: 'success', duration_ms: 5 },
      { title: 'order_8', status: 'error', duration_ms: 50, flow_id: other.id },
      { title: 'Ä order', status: 'running', duration_ms: null, finished_at: null },
      {
        title: 'Invoice',
        status: 'success',
        trigger: 'manual' as const,
        started_at: '2026-03-02T00:00:00.000Z',
        attempt: 2,
      },
    ].map((run, index) => aFlowRun({ id: ids[index] ?? '', flow_id: flow.id, ...(run as Partial<FlowRun>) }))
    await store.write(() => records.forEach((run) => store.flowRuns.insert(run)))
    const found = (field: string, operator: 'eq', value: unknown) => {
      const list = store.flowRuns.list({ filters: [{ field, operator, value: value as string }] })
      return [list.records.map((run) => ids.indexOf(run.id)).toSorted((a, b) => a - b), list.total]
    }
    const probes = (
      [
        ['flow_id', 'eq', flow.id, [0, 2, 3], 3],
        ['flow_id', 'ne', flow.id, [1], null],
        ['flow_id', 'in', [flow.id, other.id], [0, 1, 2, 3], null],
        ['id', 'eq', ids[2], [2], 1],
        ['id', 'in', [ids[0], 'x'], [0], null],
        ['status', 'eq', 'error', [1], 1],
        ['status', 'eq', 'success', [0, 3], null],
        ['status', 'in', ['error', 'running'], [1, 2], null],
        ['title', 'like', 'order%', [0, 1], null],
        ['title', 'like', '%_8', [1], null],
        ['title', 'like', 'ä%', [2], null],
        ['title', 'eq', 'Order 7', [0], null],
        ['duration_ms', 'gt', '5', [1], null],
        ['duration_ms', 'le', '5', [0, 3], null],
        ['duration_ms', 'eq', 'null', [2], null],
        ['duration_ms', 'ne', 'null', [0, 1, 3], null],
        ['started_at', 'ge', '2026-03-02', [3], null],
        ['started_at', 'lt', '2026-03-01T13:00:00+01:00', [], null],
        ['started_at', 'like', '2026-03-02T%', [3], null],
        ['attempt', 'eq', '2', [3], null],
        ['trigger', 'eq', 'manual', [3], null],
        ['parent_run_id', 'eq', 'null', [0, 1, 2, 3], null],
      ] as const
    ).map(([field, operator, value, matches, total]) => ({ field, operator, value, matches, total }))
    expect(probes.map(({ field, operator, value }) => found(field, operator as 'eq', value))).toEqual(
      probes.map(({ matches, total }) => [matches, total]),
    )
  })

  it('rejects an unknown field and a value of another type, naming them', async () => {
    const { store } = await aStoreWithFlow()
    const list = (field: string, operator: 'eq', value: string) => () =>
      store.flowRuns.list({ filters: [{ field, operator, value }] })
    expect(list('secret', 'eq', 'x')).toThrow(/no field "secret"; the fields are id, flow_id/)
    expect(list('toString', 'eq', 'x')).toThrow(/no field "toString"/)
    expect(list('attempt', 'eq', 'many')).toThrow(/"attempt" must be a number, got "many"/)
    expect(list('started_at', 'eq', 'yesterday')).toThrow(/"started_at" must be a time/)
    expect(list('id', 'like' as 'eq', '%')).toThrow(/"id" supports the operators eq, ne and in/)
  })
})

describe('webhook requests', () => {
  it('of rejected calls are listed among those that ran, newest first, and paged by key', async () => {
    const { store, flow } = await aStoreWithFlow()
    const ids = await manyRuns(store, flow, 3, { flow_id: flow.id })
    const refused = await store.write(() =>
      store.webhookRequests.insert(
        aWebhookRequest({ status: 404, reason: 'no such flow', flow_id: 'nobody' }),
      ),
    )
    await manyRuns(store, flow, 1, { flow_id: flow.id })
    const first = store.webhookRequests.list({ perPage: 2 })
    const second = store.webhookRequests.list({ perPage: 2, after: first.next })
    const third = store.webhookRequests.list({ perPage: 2, after: second.next })
    const statuses = [first, second, third].map((page) => page.records.map((request) => request.status))
    expect(statuses).toEqual([[200, 404], [200, 200], [200]])
    expect(first.records[1]).toEqual({ ...refused, flow_id: null, flow_run_id: null })
    expect(third.records[0]?.flow_run_id).toBe(ids[0])
    expect(third.next).toBe(null)
    const byFlow = { field: 'flow_id', operator: 'eq', value: flow.id } as const
    expect(store.webhookRequests.list({ filters: [byFlow] }).records).toHaveLength(4)
    const stray = { field: 'flow_id', operator: 'eq', value: 'null' } as const
    expect(store.webhookRequests.list({ filters: [stray] }).records).toMatchObject([{ status: 404 }])
    const byRun = { field: 'flow_run_id', operator: 'eq', value: ids[1] ?? '' } as const
    expect(store.webhookRequests.list({ filters: [byRun] }).records).toMatchObject([{ flow_run_id: ids[1] }])
  })

  it('of a run in progress are stored once they have a response', async () => {
    const { store, flow } = await aStoreWithFlow()
    const id = store.flowRuns.newId()
    const run = aFlowRun({ id, flow_id: flow.id, status: 'running' })
    const request = aWebhookRequest({ flow_id: flow.id, flow_run_id: id, status: 201, headers: { a: 'b' } })
    await store.write(() => store.flowRuns.insert(run, { state: ['x'] }))
    const stored = await store.write(() => store.webhookRequests.insert(request))
    expect(stored).toEqual({
      ...request,
      id: webhookRequestId(id),
      title: run.title,
      hold: null,
      outcome: 'run',
    })
    expect(store.webhookRequests.list().records).toEqual([stored])
    expect(store.runStates.of(id)).toEqual(['x'])
  })

  it('to paused flows are counted and kept across a restart', async () => {
    const dataDir = temporaryFolder()
    const { store, flow } = await aStoreWithFlow({ dataDir })
    store.pausedRequests.add(flow.id, Date.parse(NOW))
    store.pausedRequests.add(flow.id, Date.parse(NOW) + 1_000)
    const counted = [{ flow_id: flow.id, count: 2, last_at: '2026-03-01T12:00:01.000Z' }]
    expect(store.pausedRequests.list()).toEqual(counted)
    store.close()
    const next = await aStore({ dataDir })
    expect(next.pausedRequests.list()).toEqual(counted)
    next.pausedRequests.add(flow.id, Date.parse(NOW) + 2_000)
    expect(next.pausedRequests.list()).toMatchObject([{ count: 3 }])
  })
})

describe('the rate limit', () => {
  it('counts each client in separate windows and continues after a restart', async () => {
    const dataDir = temporaryFolder()
    const options = { now: 1_000, windowMs: 500 }
    const store = await aStore({ dataDir })
    const counts = [
      store.rateLimits.count('a', options),
      store.rateLimits.count('a', { ...options, now: 1_400 }),
      store.rateLimits.count('b', { ...options, now: 1_400 }),
    ]
    expect(counts).toEqual([
      { count: 1, windowEndsAt: 1_500 },
      { count: 2, windowEndsAt: 1_500 },
      { count: 1, windowEndsAt: 1_900 },
    ])
    store.close()
    const next = await aStore({ dataDir })
    expect(next.rateLimits.count('a', { ...options, now: 1_499 })).toEqual({ count: 3, windowEndsAt: 1_500 })
    expect(next.rateLimits.count('a', { ...options, now: 1_500 })).toEqual({ count: 1, windowEndsAt: 2_000 })
    expect(next.rateLimits.count('a', { ...options, now: 900 })).toEqual({ count: 1, windowEndsAt: 1_400 })
  })
})

describe('the queue', () => {
  it('hands out runs in the order they were accepted, as many as a flow allows', async () => {
    const { store, flow } = await aStoreWithFlow()
    const single = aFlow({ settings: { concurrency: 1 } })
    await store.write(() => store.flows.insert(single))
    const accepted = await accept(store, [single, single, flow, single, flow])
    const claim = (limit: number) =>
      store.writeNow(() => store.runQueue.claim({ limit, now: 0 })).map((id) => accepted.indexOf(id))
    expect(claim(2)).toEqual([0, 2])
    expect(claim(9)).toEqual([4])
    expect(store.runQueue.count()).toEqual({ ready: 2, parked: 0, taken: 3 })
    await store.write(() =>
      store.flowRuns.save({ ...required(store.flowRuns.get(accepted[0] ?? '')), status: 'success' }),
    )
    expect(claim(9)).toEqual([1])
    expect(claim(9)).toEqual([])
  })

  it('gives each flow its share, however many runs of another were accepted before', async () => {
    const { store, flow: busy } = await aStoreWithFlow()
    const [second, third] = [aFlow(), aFlow()]
    await store.write(() => [second, third].forEach((flow) => store.flows.insert(flow)))
    const accepted = await accept(store, [busy, busy, busy, busy, second, third, second])
    const claim = (limit: number, more = {}) =>
      store.writeNow(() => store.runQueue.claim({ limit, now: 0, ...more })).map((id) => accepted.indexOf(id))
    expect([claim(1), claim(3), claim(9, { mostOfFlow: 3 }), claim(9)]).toEqual([[0], [4, 5, 1], [6, 2], [3]])
  })

  it('keeps a parked run until its time, and takes back one that is released', async () => {
    const { store, flow } = await aStoreWithFlow()
    const [id = ''] = await accept(store, [flow])
    const claim = (now: string) =>
      store.writeNow(() => store.runQueue.claim({ limit: 9, now: Date.parse(now) }))
    expect(claim(NOW)).toEqual([id])
    store.writeNow(() => store.runQueue.park(id, '2026-03-01T13:00:00.000Z'))
    expect({ claimed: claim(NOW), nextWakeAt: store.runQueue.nextWakeAt() }).toEqual({
      claimed: [],
      nextWakeAt: '2026-03-01T13:00:00.000Z',
    })
    expect(claim('2026-03-01T13:00:00.000Z')).toEqual([id])
    store.writeNow(() => store.runQueue.release(id))
    expect({ claimed: claim(NOW), nextWakeAt: store.runQueue.nextWakeAt() }).toEqual({
      claimed: [id],
      nextWakeAt: null,
    })
  })

  it('survives a restart: claimed runs are ready again, runs whose caller waited are interrupted', async () => {
    const dataDir = temporaryFolder()
    const { store, flow } = await aStoreWithFlow({ dataDir })
    const [taken = '', waiting = '', parked = ''] = await accept(store, [flow, flow, flow])
    store.writeNow(() => store.runQueue.park(parked, '2026-03-01T13:00:00.000Z'))
    store.writeNow(() => store.runQueue.claim({ limit: 1, now: 0 }))
    store.writeNow(() => store.flowRuns.save({ ...required(store.flowRuns.get(taken)), status: 'running' }))
    // These are accepted, but not in the queue yet.
    const [before, cancelled] = [store.flowRuns.newId(), store.flowRuns.newId()]
    await store.write(() => {
      for (const id of [before, cancelled])
        store.flowRuns.insert(aFlowRun({ id, flow_id: flow.id, status: 'queued', finished_at: null }))
      store.flowRuns.save({ ...required(store.flowRuns.get(cancelled)), status: 'cancelled' })
      store.runQueue.take(cancelled, 1)
    })
    const sync = store.flowRuns.newId()
    const steps = [aRunStep(), aRunStep({ ref_id: 'call', status: 'running', duration_ms: null })]
    await store.write(() =>
      store.flowRuns.insert(aFlowRun({ id: sync, flow_id: flow.id, status: 'running', finished_at: null }), {
        steps,
      }),
    )
    const done = (await manyRuns(store, flow, 1))[0] ?? ''
    store.close()

    const next = await aStore({ dataDir })
    const fresh = next.flowRuns.newId()
    await next.write(() => next.flowRuns.insert(aFlowRun({ id: fresh, flow_id: flow.id, status: 'running' })))
    const recovered = await next.write(() => next.recover('2026-03-01T14:00:00.000Z'))
    expect(recovered).toEqual({ requeued: [taken], setAside: [], interrupted: [sync] })
    const status = (id: string) => next.flowRuns.get(id)?.status
    expect([taken, waiting, parked, before, cancelled, sync, done, fresh].map(status)).toEqual([
      'queued',
      'queued',
      'queued',
      'queued',
      'cancelled',
      'error',
      'success',
      'running',
    ])
    expect(next.flowRuns.get(sync)).toMatchObject({
      finished_at: '2026-03-01T14:00:00.000Z',
      error: { code: 'interrupted' },
    })
    expect(next.runSteps.ofRun(sync).records).toMatchObject([
      { status: 'success', error: null },
      { status: 'error', error: { code: 'interrupted', ref_id: 'call' } },
    ])
    expect(next.writeNow(() => next.runQueue.claim({ limit: 9, now: 0 }))).toEqual([taken, waiting, before])
  })
})

describe('steps in flight', () => {
  it('end with their run, however it ends and however often it was resumed', async () => {
    const { store, flow } = await aStoreWithFlow()
    const inFlight = (ref: string, status: 'running' | 'retrying') =>
      aRunStep({ ref_id: ref, status, started_at: '2026-03-01T12:00:00.000Z', duration_ms: null })
    const ends: readonly Partial<FlowRun>[] = [
      { status: 'cancelled', error: aRunError('cancelled') },
      { status: 'error', error: aRunError('timeout') },
      { status: 'error', error: aRunError('interrupted') },
      { status: 'error', error: aRunError('http_error', 'other') },
      { status: 'success' },
    ]
    const shown: unknown[] = []
    for (const end of ends) {
      const run = aFlowRun({
        id: store.flowRuns.newId(),
        flow_id: flow.id,
        status: 'running',
        finished_at: null,
      })
      const steps = [aRunStep({ output: { status: 'running' } }), inFlight('each', 'running')]
      await store.write(() => {
        store.flowRuns.insert(run, { steps })
        // This is far enough from the start to be in a separate part.
        store.runSteps.save(run.id, 500, [inFlight('call', 'retrying')])
      })
      await store.write(() =>
        store.flowRuns.save({ ...run, ...end, finished_at: '2026-03-01T12:00:02.000Z' }),
      )
      shown.push(
        store.runSteps
          .ofRun(run.id)
          .records.map(({ status, error, duration_ms }) => [status, error?.code, error?.ref_id, duration_ms]),
      )
    }
    const both = (code: string) => [
      ['success', undefined, undefined, 0.5],
      ['error', code, 'each', 2_000],
      ['error', code, 'call', 2_000],
    ]
    expect(shown).toEqual(['cancelled', 'timeout', 'interrupted', 'interrupted', 'interrupted'].map(both))
  })
})

const aRunError = (code: string, ref: string | null = null): NonNullable<FlowRun['error']> => ({
  code,
  message: 'It ended',
  ref_id: ref,
  field: null,
  line: null,
  column: null,
  data: null,
})

/** A call that returned 100 records. */
function aPageCall(page: number): StoredStep['http'][number] {
  const records = Array.from({ length: 100 }, (_, index) => ({
    id: page * 100 + index,
    name: `Record ${index} of page ${page}`,
    email: `person.${page}.${index}@example.com`,
    tags: ['one', 'two'],
    address: { city: 'Bern', zip: '3000', country: 'Switzerland' },
  }))
  return {
    attempt: 1,
    page,
    started_at: NOW,
    duration_ms: 1,
    request: { method: 'GET', url: `http://x/?page=${page}`, headers: {}, body: null },
    response: { status: 200, headers: {}, body: JSON.stringify(records), bytes: 16_000 },
    error: null,
  }
}

async function aStoreWithFlow(options: { dataDir?: string } = {}): Promise<{ store: Store; flow: Flow }> {
  const store = await aStore(options)
  const flow = aFlow()
  await store.write(() => store.flows.insert(flow))
  return { store, flow }
}

async function manyRuns(
  store: Store,
  flow: Flow,
  count: number,
  request?: { flow_id: string },
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => store.flowRuns.newId())
  await store.write(() => {
    for (const id of ids) {
      const parts = request ? { request: aWebhookRequest(request) } : {}
      store.flowRuns.insert(aFlowRun({ id, flow_id: flow.id }), parts)
    }
  })
  return ids
}

async function accept(store: Store, flows: readonly Flow[]): Promise<string[]> {
  const queued = { status: 'queued', started_at: null, finished_at: null, duration_ms: null } as const
  const runs = flows.map((flow) => aFlowRun({ id: store.flowRuns.newId(), flow_id: flow.id, ...queued }))
  await store.write(() => runs.forEach((run) => store.flowRuns.enqueue(run, { state: ['input'] })))
  return runs.map((run) => run.id)
}

function required<T>(value: T | null): T {
  if (value === null) throw new Error('nothing there')
  return value
}
