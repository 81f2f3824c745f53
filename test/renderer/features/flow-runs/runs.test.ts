import { expect, test } from 'vitest'
import { cached } from '../../../../src/renderer/api/resource.ts'
import { runsOf } from '../../../../src/renderer/features/flow-runs/runs.ts'
import { layOutSteps, pagesRead, waitedMs } from '../../../../src/renderer/features/flow-runs/timeline.ts'
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

test('bars show when their steps ran, with the calls in them, the waits between them and a time axis', () => {
  const step = aStep(100, 300, [
    [100, 50, 200, 20],
    [350, 50, 429],
  ])
  const steps = [aStep(0, 100, []), step]
  const { barOf, ticks, pauses } = layOutSteps(steps, 0)
  expect({ bars: steps.map(barOf), pauses }).toEqual({
    bars: [
      { from: 0, width: 0.25, attempts: [{ from: 0, width: 0.25 }], waits: [], calls: [] },
      {
        from: 0.25,
        width: 0.75,
        attempts: [{ from: 0.25, width: 0.75 }],
        waits: [{ from: 0.375, width: 0.5 }],
        calls: [
          { from: 0.25, width: 0.125, failed: false, height: 1 },
          { from: 0.875, width: 0.125, failed: true, height: 1 },
        ],
      },
    ],
    pauses: [],
  })
  expect(ticks).toEqual([
    { at: 0, ms: 0 },
    { at: 0.25, ms: 100 },
    { at: 0.5, ms: 200 },
    { at: 0.75, ms: 300 },
    { at: 1, ms: 400 },
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

test('pages are as high as their records, and an empty last page is not counted', () => {
  const step = aStep(0, 400, [
    [0, 100, 200, 10],
    [100, 100, 429],
    [200, 100, 200, 5],
    [300, 100, 200],
  ])
  expect(
    layOutSteps([step], 0)
      .barOf(step)
      .calls.map(({ height }) => height),
  ).toEqual([1, 1, 0.5, 0])
  expect([pagesRead(step), pagesRead(aStep(0, 0, []))]).toEqual([{ pages: 3, records: 15 }, null])
})

test('a step that was resumed begins with its first attempt, and the time in between is a gap of fixed width', () => {
  const failed = aStep(0, 100, [[0, 100, 500]])
  const resumed = aStep(HOUR_MS, 100, [[HOUR_MS, 100, 200]])
  const { started_at, http } = failed
  const step = {
    ...resumed,
    earlier_attempts: [{ started_at, http, duration_ms: 100, error: null }],
  } as unknown as FlowRunStep
  const { barOf, ticks, pauses } = layOutSteps([step], 0)
  const rounded = (value: unknown): unknown =>
    JSON.parse(
      JSON.stringify(value, (_, part) => (typeof part === 'number' ? Number(part.toFixed(3)) : part)),
    )
  expect(rounded({ bar: barOf(step), ticks: ticks.map(({ at, ms }) => [ms, at]), pauses })).toEqual({
    bar: {
      from: 0,
      width: 1,
      attempts: [
        { from: 0, width: 0.485 },
        { from: 0.515, width: 0.485 },
      ],
      waits: [],
      calls: [
        { from: 0, width: 0.485, failed: true, height: 1 },
        { from: 0.515, width: 0.485, failed: false, height: 1 },
      ],
    },
    ticks: [
      [0, 0],
      [50, 0.242],
      [100, 0.485],
      [150, 0.758],
      [200, 1],
    ],
    pauses: [{ from: 0.485, width: 0.03, until: START + HOUR_MS }],
  })
})

test('a step in progress lasts until now; one that only waits is a wait', () => {
  const running = { ...aStep(0, 0, []), type: 'delay', duration_ms: null }
  const all = { from: 0, width: 1 }
  expect(layOutSteps([running], START + 500).barOf(running)).toEqual({
    ...all,
    attempts: [all],
    waits: [all],
    calls: [],
  })
})

const HOUR_MS = 3_600_000
const START = Date.parse('2027-01-01T00:00:00Z')

function aRun(id: string, status = 'success') {
  return { id, status, title: `Run ${id}` }
}

function aStep(
  from: number,
  durationMs: number,
  calls: readonly (readonly [from: number, ms: number, status: number, records?: number])[],
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
    http: calls.map(([at, duration_ms, status, records], page) => ({
      attempt: 1,
      page,
      ...(records === undefined ? {} : { records }),
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
