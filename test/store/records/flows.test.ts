import { describe, expect, it } from 'vitest'
import { aFlow, aFlowRun, aStep } from '../../helpers/records.ts'
import { aMasterKey, aStore } from '../../helpers/store.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'

const LATER = '2026-03-02T12:00:00.000Z'

describe('flows', () => {
  it('are read as they were stored, with their steps as a new version if the version increases', async () => {
    const store = await aStore()
    const flow = aFlow({ tags: ['a'], steps: [aStep({ config: { values: { 'a b': [1, null] } } })] })
    await store.write(() => store.flows.insert(flow))
    expect(store.flows.get(flow.id)).toEqual(flow)

    const renamed = { ...flow, name: 'Renamed', status: 'paused' as const, updated_at: LATER }
    const changed = { ...renamed, version: 2, steps: [aStep({ ref_id: 'other' })] }
    expect(await store.write(() => store.flows.update(renamed))).toBe(true)
    expect(await store.write(() => store.flows.update(changed))).toBe(true)
    expect(store.flows.get(flow.id)).toEqual(changed)
    await store.write(() => store.flows.nameVersion(flow.id, 1, 'Before the sale'))
    const author = { id: expect.any(String), name: expect.any(String) }
    expect(store.flows.versions(flow.id)).toEqual({
      records: [
        { flow_id: flow.id, version: 2, name: '', steps: changed.steps, author, created_at: LATER },
        {
          flow_id: flow.id,
          version: 1,
          name: 'Before the sale',
          steps: flow.steps,
          author,
          created_at: flow.created_at,
        },
      ],
      total: 2,
    })
    expect(store.flows.version(flow.id, 1)?.steps).toEqual(flow.steps)
    expect(store.flows.version(flow.id, 3)).toBe(null)
    expect(await store.write(() => store.flows.update(aFlow()))).toBe(false)
  })

  it('are listed newest first or sorted, filtered, and a page at a time', async () => {
    const store = await aStore()
    const names = ['beta', 'Alpha', 'gamma', 'ALPHA 2']
    await store.write(() => names.forEach((name) => store.flows.insert(aFlow({ name }))))
    const list = (query: Parameters<typeof store.flows.list>[0]) => {
      const { records, total } = store.flows.list(query)
      return [records.map((flow) => flow.name), total]
    }
    expect(list({})).toEqual([['ALPHA 2', 'gamma', 'Alpha', 'beta'], 4])
    expect(list({ sort: { field: 'name', descending: false } })).toEqual([
      ['Alpha', 'ALPHA 2', 'beta', 'gamma'],
      4,
    ])
    expect(list({ sort: { field: 'name', descending: true }, page: 2, perPage: 3 })).toEqual([['Alpha'], 4])
    expect(
      list({ filters: [{ field: 'name', operator: 'like', value: 'alpha%' }], page: 1, perPage: 1 }),
    ).toEqual([['ALPHA 2'], 2])
    expect(() => list({ sort: { field: 'steps', descending: false } })).toThrow(/no field "steps"/)
  })

  it('are found by the ids in their newest steps', async () => {
    const store = await aStore()
    const auth = 'a0e2c7b4-6f5d-4b7e-9d52-52f3a3f1b001'
    const using = aFlow({ name: 'uses it', steps: [aStep({ config: { auth_id: auth } })] })
    const used = { ...aFlow({ name: 'used it', steps: using.steps }) }
    await store.write(() => {
      store.flows.insert(using)
      store.flows.insert(used)
      store.flows.update({ ...used, version: 2, steps: [] })
    })
    expect(store.flows.naming(auth)).toEqual([{ id: using.id, name: 'uses it' }])
    expect([...store.flows.namedIds()]).toEqual([[auth, [{ id: using.id, name: 'uses it' }]]])
  })

  it('keep a working copy until it is deleted', async () => {
    const store = await aStore()
    const flow = aFlow()
    await store.write(() => store.flows.insert(flow))
    expect(store.flows.workingCopy(flow.id)).toBe(null)
    const copy = { steps: [{ type: 'incomplete' }, null], updated_at: LATER, written_with: null }
    await store.write(() => store.flows.saveWorkingCopy(flow.id, copy))
    expect(store.flows.workingCopy(flow.id)).toEqual(copy)
    await store.write(() => store.flows.saveWorkingCopy(flow.id, null))
    expect(store.flows.workingCopy(flow.id)).toBe(null)
  })

  it('keep their webhook token hashed for comparison and sealed for display', async () => {
    const dataDir = temporaryFolder()
    const store = await aStore({ dataDir })
    const flow = aFlow()
    await store.write(() => store.flows.insert(flow))
    expect(store.flows.webhookToken(flow.id)).toBe(null)
    const secret = { hash: 'ab'.repeat(32), token: 'mr_whk_secret' }
    await store.write(() => store.flows.setWebhookToken(flow.id, secret))
    expect(store.flows.webhookToken(flow.id)).toEqual(secret)
    store.close()
    const elsewhere = await aStore({ dataDir, masterKey: aMasterKey(2) })
    expect(elsewhere.flows.webhookToken(flow.id)).toEqual({ hash: secret.hash, token: null })
  })

  it('disappear at once when they are deleted, with everything that belongs to them', async () => {
    const store = await aStore()
    const flow = aFlow()
    const run = aFlowRun({ id: store.flowRuns.newId(), flow_id: flow.id })
    await store.write(() => {
      store.flows.insert(flow)
      store.flows.setWebhookToken(flow.id, { hash: 'x', token: 'y' })
      store.flows.saveWorkingCopy(flow.id, { steps: [], updated_at: LATER })
      store.flowRuns.enqueue(run)
    })
    expect(await store.write(() => store.flows.delete(flow.id, LATER))).toBe(true)
    expect(await store.write(() => store.flows.delete(flow.id, LATER))).toBe(false)
    expect({
      flow: store.flows.get(flow.id),
      flows: store.flows.list().records,
      versions: store.flows.versions(flow.id).records,
      workingCopy: store.flows.workingCopy(flow.id),
      webhookToken: store.flows.webhookToken(flow.id),
      run: store.flowRuns.get(run.id),
      runs: store.flowRuns.list().records,
      queued: store.runQueue.count(),
    }).toEqual({
      flow: null,
      flows: [],
      versions: [],
      workingCopy: null,
      webhookToken: null,
      run: null,
      runs: [],
      queued: { ready: 0, parked: 0, taken: 0 },
    })
  })
})
