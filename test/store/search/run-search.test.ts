import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import type { Json } from '../../../src/shared/contract/base/common.ts'
import type { FlowRun } from '../../../src/shared/contract/flow-runs.ts'
import type { Store } from '../../../src/main/store/index.ts'
import { jsonCodec } from '../../../src/main/services/kit/json-codec.ts'
import type { NewRunParts } from '../../../src/main/store/runs/flow-runs.ts'
import { aFlow, aFlowRun, aRunStep, aWebhookRequest } from '../../helpers/records.ts'
import { aStore } from '../../helpers/store.ts'

const flow = aFlow()
const other = aFlow({ name: 'Invoices' })

async function aHistory(): Promise<Store> {
  const store = await aStore({ json: jsonCodec })
  await store.write(() => [flow, other].forEach((each) => store.flows.insert(each)))
  return store
}

async function add(store: Store, parts: NewRunParts = {}, more: Partial<FlowRun> = {}): Promise<string> {
  const id = store.flowRuns.newId()
  await store.write(() =>
    store.flowRuns.insert(aFlowRun({ id, flow_id: flow.id, title: 'Order', ...more }), parts),
  )
  return id
}

const noPause = () => Promise.resolve()

async function index(store: Store): Promise<void> {
  for (;;) {
    const gathered = await store.runSearch.gather(50, noPause)
    if (gathered === null) return
    await store.write(() => store.runSearch.add(gathered))
  }
}

const withOutput = (output: Json, more = {}): NewRunParts => ({
  steps: [aRunStep({ ref_id: 'web1', output, ...more })],
})

test('indexing is bounded per batch, whatever time there is; a large run is indexed alone', async () => {
  const store = await aHistory()
  const words = (count: number) => Array.from({ length: count }, (_, at) => `word${at}`).join(' ')
  for (const count of [4_000, 4_000, 4_000, 40_000, 10]) await add(store, withOutput({ words: words(count) }))
  const portions: number[] = []
  for (;;) {
    const gathered = await store.runSearch.gather(60_000, noPause)
    if (gathered === null) break
    await store.write(() => store.runSearch.add(gathered))
    portions.push(gathered.ended.length)
  }
  expect(portions).toEqual([2, 2, 1])
})

test('a long run is read with pauses, and one that is resumed meanwhile is read again', async () => {
  const store = await aHistory()
  const steps = Array.from({ length: 2_000 }, (_, at) =>
    aRunStep({ ref_id: 'each', output: { same: 'x'.repeat(100), no: `n${at}` } }),
  )
  const id = await add(store, { steps })
  let pauses = 0
  const resumed = await store.runSearch.gather(0, async () => {
    if (pauses++ > 0) return
    await store.write(() => {
      const run = store.flowRuns.get(id)
      if (run === null) throw new Error('the run is stored')
      store.runSteps.append(id, steps.length, [aRunStep({ ref_id: 'late', output: { fruit: 'apple' } })])
      store.flowRuns.save({ ...run, finished_at: '2026-11-20T10:00:00.000Z' })
    })
  })
  if (resumed !== null) await store.write(() => store.runSearch.add(resumed))
  await index(store)
  const found = ['apple', 'n1999'].map((text) => store.flowRuns.search(text).records.map((run) => run.id))
  expect({ isPaused: pauses > 2_000, found }).toEqual({ isPaused: true, found: [[id], [id]] })
})

test('many batches are merged piece by piece, and found throughout', async () => {
  const store = await aHistory()
  const found = () => store.flowRuns.search('apple', { perPage: 100 }).records.length
  let merges = 0
  for (let run = 0; run < 40; run++) {
    await add(store, withOutput({ fruit: 'apple', no: `n${run}` }))
    const gathered = await store.runSearch.gather(50, noPause)
    if (gathered !== null) await store.write(() => store.runSearch.add(gathered))
    if (run % 8 === 7) while (await store.write(() => store.runSearch.merge())) merges++
  }
  expect({ hasMerged: merges > 0, found: found() }).toEqual({ hasMerged: true, found: 40 })
})

test('text is found in every part of a run, with its place, before and after it is indexed', async () => {
  const store = await aHistory()
  const error = {
    code: 'http_error',
    message: 'Page 4 answered Unwilling',
    ref_id: 'get',
    field: null,
    line: null,
    column: null,
    data: null,
  }
  const call = {
    attempt: 1,
    page: null,
    started_at: '2026-03-01T12:00:00.000Z',
    duration_ms: 1,
    request: { method: 'GET', url: 'https://api.example/teapots?page=4', headers: {}, body: null },
    // Long enough to be stored next to the steps.
    response: { status: 401, headers: {}, body: `{"reason":"Kettle"}${' '.repeat(5_000)}`, bytes: 5_020 },
    error: null,
  }
  const id = await add(
    store,
    {
      steps: [
        aRunStep({
          ref_id: 'web1',
          type: 'webhook',
          output: {
            customer: { name: 'Frau Müller-Özdemir', mail: 'anna@example.com' },
            lines: [{ sku: 'A-1' }, { sku: '漢字テスト' }],
          },
        }),
        aRunStep({
          ref_id: 'get',
          path: '2',
          status: 'error',
          error,
          http: [call],
          // Stored inputs can contain integers beyond the range of the type Json.
          input: { page: 4n } as never,
        }),
      ],
      request: aWebhookRequest({ headers: { 'x-github-delivery': '72d3162e-cc78' } }),
    },
    { status: 'error', error, title: 'Order of Ann' },
  )
  await add(store, withOutput({ customer: { name: 'Herr Meier' } }))
  const look = (text: string) => {
    const { records } = store.flowRuns.search(text)
    return records.map((run) => [
      run.id === id,
      ...run.matches.map(({ ref_id, field, at }) => [ref_id, field, at.join('.')].join(' ')),
    ])
  }
  const found = {
    mueller: [],
    'muller ozdemir': [[true, 'web1 output customer.name']],
    '"ozdemir müller"': [],
    'anna@example.com': [[true, 'web1 output customer.mail']],
    'exam*': [[true, 'web1 output customer.mail']],
    'ozdemir unwilling': [[true, ' error ', 'web1 output customer.name']],
    字テ: [[true, 'web1 output lines.1.sku']],
    cc78: [[true, ' request x-github-delivery']],
    'order ann': [[true, ' title ']],
    teapots: [[true, 'get http 0.request.url']],
    kettle: [[true, 'get http 0.response.body']],
    '"name": "frau': [[true, 'web1 output customer.name']],
    'page 4': [[true, ' error ']],
    'frau meier': [],
  }
  const before = Object.fromEntries(Object.keys(found).map((text) => [text, look(text)]))
  await index(store)
  expect(before).toEqual(found)
  expect(Object.fromEntries(Object.keys(found).map((text) => [text, look(text)]))).toEqual(found)
})

test('a snippet shows the match, even in the middle of a long string', async () => {
  const store = await aHistory()
  const text = `${'lorem ipsum '.repeat(40)}\n😀 Needle in\tthe hay${' dolor sit'.repeat(40)}`
  await add(store, withOutput({ text }))
  const [run] = store.flowRuns.search('"needle in" hay').records
  const match = run?.matches[0]
  const [from, to] = match?.marks[0] ?? [0, 0]
  expect({
    found: match?.snippet.slice(from, to),
    length: match?.snippet.length,
    startsCut: match?.snippet.startsWith('…'),
    endsCut: match?.snippet.endsWith('…'),
  }).toEqual({ found: 'Needle in', length: 162, startsCut: true, endsCut: true })
  expect(match?.marks.map(([begin, end]) => match.snippet.slice(begin, end))).toEqual(['Needle in', 'hay'])
})

test('any query is read as words', async () => {
  const store = await aHistory()
  await add(store, withOutput({ text: 'near or not and column' }))
  await index(store)
  const ask = (text: string) => {
    try {
      return store.flowRuns.search(text).records.length
    } catch (error) {
      return (error as Error).message
    }
  }
  expect([
    ask('near OR not'),
    ask('words : near'),
    ask('"near'),
    ask(`near') OR 1=1 --`),
    ask('near\0 "or" ^not -and {column}'),
    ask('NEAR(or, 2)'),
    ask('col*'),
  ]).toEqual([1, 0, 1, 0, 1, 0, 1])
  expect([ask('***'), ask(''), ask('co*'), ask('a '.repeat(21))]).toEqual([
    expect.stringContaining('no letters or digits'),
    expect.stringContaining('no letters or digits'),
    expect.stringContaining('at least 3 letters'),
    expect.stringContaining('at most 20'),
  ])
})

test('pages continue after the last run seen, filters apply, and new runs move nothing', async () => {
  const store = await aHistory()
  const ids: string[] = []
  for (let run = 0; run < 30; run++) {
    const hit = run % 2 === 0
    const id = await add(
      store,
      withOutput({ city: hit ? 'Passau' : 'Linz' }),
      run % 4 === 0 ? { flow_id: other.id } : {},
    )
    if (hit) ids.unshift(id)
    if (run === 19) await index(store)
  }
  const seen: string[] = []
  let after: string | null = null
  do {
    const page: ReturnType<Store['flowRuns']['search']> = store.flowRuns.search('passau', {
      perPage: 4,
      after,
    })
    seen.push(...page.records.map((run) => run.id))
    after = page.next
    await add(store, withOutput({ city: 'Passau' }))
  } while (after !== null)
  expect(seen).toEqual(ids)
  const filters = [{ field: 'flow_id', operator: 'eq', value: other.id }] as const
  expect(store.flowRuns.search('passau', { filters }).records.length).toBe(8)
})

test("a run that hasn't ended, or was resumed, is found in its current state; a deleted one is not", async () => {
  const store = await aHistory()
  const open: Partial<FlowRun> = { status: 'running', finished_at: null }
  const [first, second] = [
    await add(store, withOutput({ word: 'early' }), open),
    await add(store, withOutput({ word: 'early' })),
  ]
  await index(store)
  const found = (text: string) => store.flowRuns.search(text).records.map((run) => run.id)
  const save = (id: string, run: Partial<FlowRun>, word: string) =>
    store.write(() => {
      store.runSteps.save(id, 1, [aRunStep({ path: '2', output: { word } })])
      store.flowRuns.save(aFlowRun({ id, flow_id: flow.id, ...run }))
    })
  const seen = [found('early'), found('late')]
  await save(first, {}, 'late')
  await save(second, { ...open, status: 'queued' }, 'late')
  seen.push(found('late'))
  await index(store)
  await save(second, { status: 'error' }, 'later')
  seen.push(found('late'), found('later'))
  await index(store)
  seen.push(found('late'), found('later'), found('early'))
  await store.write(() => store.flowRuns.delete(second))
  seen.push(found('early'))
  await store.write(() => store.retention.deleteExpired(Date.parse('2027-01-01')))
  seen.push(found('early'))
  expect(seen).toEqual([
    [second, first],
    [],
    [second, first],
    [first],
    [second],
    [first],
    [second],
    [second, first],
    [first],
    [],
  ])
})

test('without its index the search reads the runs directly; sealed values are in neither', async () => {
  const store = await aHistory()
  const id = await add(store, { ...withOutput({ word: 'visible' }), state: ['sealedword'] })
  await index(store)
  const file = () => readFileSync(join(store.dataDir, 'millrace.db-wal')).toString('latin1')
  expect({ sealed: file().includes('sealedword'), visible: file().includes('visible') }).toEqual({
    sealed: false,
    visible: true,
  })
  await store.write(() => store.runSearch.clear())
  expect({
    isEmpty: store.runSearch.isEmpty(),
    ids: store.flowRuns.search('visible').records.map((run) => run.id),
  }).toEqual({ isEmpty: true, ids: [id] })
  await index(store)
  expect(store.flowRuns.search('visible').records.map((run) => run.id)).toEqual([id])
})

test('keys that are reused after a restart are indexed again', async () => {
  const store = await aHistory()
  const old = await add(store, withOutput({ word: 'former' }))
  await index(store)
  await store.write(() => store.flowRuns.delete(old))
  store.close()
  const again = await aStore({ dataDir: store.dataDir })
  const id = await add(again, withOutput({ word: 'latter' }))
  await index(again)
  expect({
    former: again.flowRuns.search('former').records,
    latter: again.flowRuns.search('latter').records.map((run) => run.id),
  }).toEqual({ former: [], latter: [id] })
})

test("an unreadable run doesn't keep others from being found", async () => {
  const store = await aHistory()
  const early = await add(store, withOutput({ word: 'readable' }))
  const broken = await add(store, withOutput({ word: 'broken' }))
  const late = await add(store, withOutput({ word: 'readable' }))
  store.close()
  const db = new Database(join(store.dataDir, 'millrace.db'))
  db.prepare('UPDATE history_parts SET steps = ? WHERE steps LIKE ?').run('[{"ref_id":', '%broken%')
  db.close()
  const again = await aStore({ dataDir: store.dataDir, json: jsonCodec })
  const found = () => again.flowRuns.search('readable').records.map((run) => run.id)
  const scanned = found()
  await index(again)
  expect({ scanned, found: found(), broken: again.flowRuns.get(broken)?.id }).toEqual({
    scanned: [late, early],
    found: [late, early],
    broken,
  })
})
