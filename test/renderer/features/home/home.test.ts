import { expect, test } from 'vitest'
import { cached } from '../../../../src/renderer/api/resource.ts'
import { groupFailures } from '../../../../src/renderer/features/home/failures.ts'
import {
  ACTIVITY,
  ASKING_RUNS,
  FAILED_RUNS,
  FIRST_WEBHOOK_RUN,
  IS_FIRST_START,
  nextStartOf,
  RECENT_RUNS,
  rowsOf,
} from '../../../../src/renderer/features/home/home.ts'
import type { Flow } from '../../../../src/shared/contract/flows.ts'
import type { FlowActivity, FlowRun } from '../../../../src/shared/contract/flow-runs.ts'
import type { LiveEvent } from '../../../../src/shared/contract/host.ts'
import { answeringApi, until } from '../../../helpers/answering-api.ts'

const RUNS = 'GET /v1/flow-runs'

test('it stays the first start, even after the first run', async () => {
  let runs: unknown[] = []
  const { api } = answeringApi({ [RUNS]: () => runs })
  const first = await cached(api, IS_FIRST_START).read()
  runs = [{ id: 'r1', flow_id: 'f1' }]
  expect([first, await cached(api, IS_FIRST_START).read()]).toEqual([true, true])
})

test("it isn't the first start if something has run before", async () => {
  const { api } = answeringApi({ [RUNS]: [{ id: 'r1' }] })
  expect(await cached(api, IS_FIRST_START).read()).toBe(false)
})

test('of each change of a run, only what it changes is read again', async () => {
  const [FAILED, ASKING, NEWEST] = [
    'status,eq,error,trigger,ne,test,resolved,eq,false',
    'asks,eq,true',
    'undefined',
  ]
  expect({
    started: await readAgainAfter({ type: 'created', id: 'a', status: 'queued' }),
    bySchedule: await readAgainAfter({
      type: 'created',
      id: 'b',
      status: 'queued',
      flow_id: 'scheduled',
    }),
    running: await readAgainAfter({ type: 'updated', id: 'a', status: 'running' }),
    successful: await readAgainAfter({ type: 'updated', id: 'a', status: 'success' }),
    failed: await readAgainAfter({ type: 'updated', id: 'b', status: 'error' }),
    answered: await readAgainAfter({ type: 'updated', id: 'asking', status: 'success' }),
    resumed: await readAgainAfter({ type: 'updated', id: 'failed', status: 'queued' }),
  }).toEqual({
    started: [NEWEST],
    bySchedule: ['schedule', NEWEST],
    running: [ASKING, NEWEST],
    successful: ['activity', NEWEST],
    failed: ['activity', FAILED, NEWEST],
    answered: ['activity', ASKING, NEWEST],
    resumed: [ASKING, FAILED, NEWEST],
  })
})

async function readAgainAfter(
  event: Partial<LiveEvent> & Pick<LiveEvent, 'type' | 'id'>,
): Promise<readonly string[]> {
  const asked: string[] = []
  const note = (what: string, result: unknown) => {
    asked.push(what)
    return result
  }
  const { api, emit } = answeringApi({
    [RUNS]: ({ query }: { query: { filter?: string | string[] } }) => {
      const filter = String(query.filter)
      const id = filter === 'asks,eq,true' ? 'asking' : filter.startsWith('status') ? 'failed' : 'other'
      return note(filter, [{ id }])
    },
    'GET /v1/flow-runs/:id/questions': [],
    'GET /v1/flow-runs/activity': () => note('activity', []),
    'GET /v1/flows/:id/schedule': () => note('schedule', { next: [] }),
  })
  const recent = cached(api, RECENT_RUNS)
  const others = [
    cached(api, ACTIVITY),
    cached(api, ASKING_RUNS),
    cached(api, FAILED_RUNS),
    cached(api, FIRST_WEBHOOK_RUN),
    cached(api, nextStartOf({ id: 'scheduled' } as Flow)),
  ] as const
  const leave = [recent, ...others].map((one) => one.watch())
  await Promise.all([recent, ...others].map((one) => one.read()))
  asked.length = 0
  const before = recent.getState().data
  emit({ noun: 'flow_run', flow_id: 'f1', ...event })
  await until(recent, ({ data }) => data !== before)
  for (const end of leave) end()
  return asked.toSorted()
}

test('flows that ran today come first, then scheduled ones, then drafts', () => {
  const flow = (id: string, status: string, type: string) =>
    ({ id, name: id, status, steps: [{ type }] }) as unknown as Flow
  const hours = [{ success: 2, error: 1 }]
  const rows = rowsOf(
    [
      flow('paused', 'paused', 'schedule'),
      flow('draft', 'draft', 'schedule'),
      flow('scheduled', 'active', 'schedule'),
      flow('ran', 'draft', 'webhook'),
    ],
    [{ flow_id: 'ran', hours } satisfies FlowActivity],
  )
  expect(rows.map((row) => [row.flow.id, row.hours])).toEqual([
    ['ran', hours],
    ['scheduled', null],
    ['draft', null],
    ['paused', null],
  ])
})

test('failures of the last week with one cause are one group', () => {
  const now = Date.parse('2027-01-08T12:00:00Z')
  const failed = (id: string, ref: string, status: number, at = '2027-01-08T11:00:00Z') =>
    ({
      id,
      flow_id: 'f1',
      created_at: at,
      error: { code: 'http_error', message: 'refused', ref_id: ref, data: { status } },
    }) as unknown as FlowRun
  const flow = {
    id: 'f1',
    steps: [{ ref_id: 'users', type: 'rest', config: { auth_id: 'a1' } }],
  } as unknown as Flow
  const groups = groupFailures(
    [
      failed('r3', 'users', 401),
      failed('r2', 'orders', 500),
      failed('r1', 'users', 401),
      failed('r0', 'users', 401, '2026-12-31T00:00:00Z'),
    ],
    [flow],
    now,
  )
  expect(groups.map(({ refId, status, authId, runs }) => [refId, status, authId, runs.length])).toEqual([
    ['users', 401, 'a1', 2],
    ['orders', 500, null, 1],
  ])
})
