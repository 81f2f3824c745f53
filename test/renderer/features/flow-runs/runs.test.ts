import { expect, test } from 'vitest'
import { cached } from '../../../../src/renderer/api/resource.ts'
import { runsOf } from '../../../../src/renderer/features/flow-runs/runs.ts'
import { layOutSteps, waitedMs } from '../../../../src/renderer/features/flow-runs/timeline.ts'
import type { FlowRunStep } from '../../../../src/shared/contract/flow-runs.ts'
import { answeringApi, until } from '../../../helpers/answering-api.ts'

const LIST = 'GET /v1/flow-runs'

test('filters become the query, and another filter shows nothing of the one before', async () => {
  const queries: unknown[] = []
  const { api } = answeringApi({
    [LIST]: ({ query }: { query: unknown }) => {
      queries.push(query)
      return [aRun('1')]
    },
  })
  await cached(api, runsOf({})).read()
  const filtered = cached(api, runsOf({ status: 'unfinished', trigger: 'webhook', flow: 'f1', text: 'inv' }))
  expect(filtered.getState().data).toBeNull()
  await filtered.read()
  expect(queries.at(-1)).toEqual({
    per_page: '100',
    answers: 'true',
    filter: ['status,in,queued,running,retrying', 'trigger,eq,webhook', 'flow_id,eq,f1'],
    text: 'inv*',
  })
})

test('reaching the end of the list loads the next page, once', async () => {
  const { api, asked } = answeringApi({
    [LIST]: ({ query }: { query: { after?: string } }) =>
      query.after === undefined
        ? { items: [aRun('3'), aRun('2')], total: 3, after: '2' }
        : { items: [aRun('1')], total: 3, after: null },
  })
  const runs = cached(api, runsOf({}))
  await runs.read()
  const { more } = runs.getState()
  await Promise.all([more(), more()])
  await more()
  expect(runs.getState().data?.items.map(({ id }) => id)).toEqual(['3', '2', '1'])
  expect(asked.length).toBe(2)
})

test('a live change adds new runs on top, updates old ones in place and keeps the runs loaded below', async () => {
  let top = { items: [aRun('4'), aRun('3')], total: 4, after: '3' as string | null }
  const again: unknown[] = []
  const { api, emit } = answeringApi({
    [LIST]: ({ query }: { query: { after?: string; filter: string[] } }) => {
      if (query.filter[0]?.startsWith('id,in,')) {
        again.push(query.filter)
        return [aRun('2', 'success')]
      }
      return query.after === undefined
        ? top
        : { items: [aRun('2', 'running'), aRun('1'), aRun('0')], total: 5, after: null }
    },
  })
  const runs = cached(api, runsOf({}))
  const leave = runs.watch()
  await until(runs, ({ data }) => data !== null)
  await runs.getState().more()
  top = { items: [aRun('5'), aRun('4')], total: 5, after: '4' }
  emit({ type: 'created', noun: 'flow_run', id: '5' })
  emit({ type: 'updated', noun: 'flow_run', id: '2' })
  emit({ type: 'deleted', noun: 'flow_run', id: '1' })
  const { data } = await until(
    runs,
    (state) => state.data?.items.some(({ id, status }) => id === '2' && status === 'success') === true,
  )
  leave()
  expect({ rows: data?.items.map(({ id, status }) => [id, status]), again }).toEqual({
    rows: [
      ['5', 'success'],
      ['4', 'success'],
      ['3', 'success'],
      ['2', 'success'],
      ['0', 'success'],
    ],
    again: [['id,in,2,1']],
  })
})

test('bars show when their steps ran, with the calls in them', () => {
  const bars = layOutSteps(
    [
      aStep(0, 100, []),
      aStep(100, 300, [
        [100, 50, 200],
        [350, 50, 429],
      ]),
    ],
    0,
  )
  expect(bars).toEqual([
    { from: 0, width: 0.25, calls: [] },
    {
      from: 0.25,
      width: 0.75,
      calls: [
        { from: 0.25, width: 0.125, failed: false },
        { from: 0.875, width: 0.125, failed: true },
      ],
    },
  ])
  expect(
    waitedMs(
      aStep(0, 300, [
        [0, 50, 429],
        [250, 50, 200],
      ]),
    ),
  ).toBe(200)
})

test('a step that was resumed begins with its first attempt, with the calls of all of them', () => {
  const failed = aStep(0, 100, [[0, 100, 500]])
  const resumed = aStep(300, 100, [[300, 100, 200]])
  const { started_at, http } = failed
  const step = {
    ...resumed,
    earlier_attempts: [{ started_at, http, duration_ms: 100, error: null }],
  } as unknown as FlowRunStep
  expect(layOutSteps([step], 0)).toEqual([
    {
      from: 0,
      width: 1,
      calls: [
        { from: 0, width: 0.25, failed: true },
        { from: 0.75, width: 0.25, failed: false },
      ],
    },
  ])
})

test('a step in progress lasts until now', () => {
  const running = { ...aStep(0, 0, []), duration_ms: null }
  expect(layOutSteps([running], START + 500)).toEqual([{ from: 0, width: 1, calls: [] }])
})

const START = Date.parse('2027-01-01T00:00:00Z')

function aRun(id: string, status = 'success') {
  return { id, status, title: `Run ${id}` }
}

function aStep(
  from: number,
  durationMs: number,
  calls: readonly (readonly [number, number, number])[],
): FlowRunStep {
  return {
    id: '1',
    flow_run_id: 'r',
    ref_id: 'a',
    type: 'rest',
    path: '1',
    iteration: [],
    status: 'success',
    input: null,
    output: null,
    error: null,
    warnings: [],
    http: calls.map(([at, duration_ms, status]) => ({
      attempt: 1,
      page: null,
      started_at: new Date(START + at).toISOString(),
      duration_ms,
      request: { method: 'GET', url: 'http://x/', headers: {}, body: null },
      response: { status, headers: {}, body: null, bytes: 0 },
      error: null,
    })),
    started_at: new Date(START + from).toISOString(),
    duration_ms: durationMs,
    attempt: 1,
    truncated: false,
  }
}
