import { expect, test } from 'vitest'
import { createHomeStore } from '../../../../src/renderer/features/home/home-store.ts'
import { AppError } from '../../../../src/shared/contract/base/errors.ts'
import { answeringApi } from '../../../helpers/answering-api.ts'

const webhook = { url: 'http://127.0.0.1:4747/v1/flow-webhook/f1', token: 'mr_whk_x' }
const sample = { id: 'f1', name: 'Receive an order', webhook, steps: [] }

test('the page keeps showing the first start, even after the first run', async () => {
  let runs: unknown[] = []
  const { api } = answeringApi(answersWith(() => runs))
  const store = createHomeStore(api)
  await store.getState().reload()
  runs = [{ id: 'r1', flow_id: 'f1' }]
  await store.getState().reload()
  expect({
    firstStart: store.getState().firstStart,
    recentRuns: store.getState().known?.recent.length,
  }).toEqual({ firstStart: true, recentRuns: 1 })
})

test("it isn't the first start if something has run before", async () => {
  const store = createHomeStore(answeringApi(answersWith(() => [{ id: 'r1' }])).api)
  await store.getState().reload()
  expect(store.getState().firstStart).toBe(false)
})

test('the test request is sent to the webhook with its token, and its response or failure is kept', async () => {
  const sent: unknown[] = []
  const answer = { status: 200, headers: { 'content-type': 'application/json' }, body: '{}', durationMs: 3 }
  let answers = true
  const store = createHomeStore(answeringApi(answersWith(() => [])).api, async (url, token) => {
    sent.push([url, token])
    if (!answers) throw new AppError('unavailable', 'nobody')
    return answer
  })
  await store.getState().reload()
  await store.getState().testSent()
  expect({ sent, answer: store.getState().answer, sending: store.getState().sending }).toEqual({
    sent: [[webhook.url, webhook.token]],
    answer,
    sending: false,
  })
  answers = false
  await store.getState().testSent()
  expect({ answer: store.getState().answer, message: store.getState().sendFailure?.message }).toEqual({
    answer: null,
    message: 'nobody',
  })
})

test('flows that ran today come first, then scheduled ones, then drafts', async () => {
  const flow = (id: string, status: string, type: string) => ({ id, name: id, status, steps: [{ type }] })
  const { api } = answeringApi({
    ...answersWith(() => []),
    'GET /v1/flows': [
      flow('paused', 'paused', 'schedule'),
      flow('draft', 'draft', 'schedule'),
      flow('scheduled', 'active', 'schedule'),
      flow('ran', 'draft', 'webhook'),
    ],
    'GET /v1/flow-runs/activity': [{ flow_id: 'ran', hours: [{ success: 2, error: 1 }] }],
    'GET /v1/flows/:id/schedule': { next: ['2027-05-20T00:00:00.000Z'] },
  })
  const store = createHomeStore(api)
  await store.getState().reload()
  expect(store.getState().known?.flows.map(({ flow: { id }, hours, nextAt }) => [id, hours, nextAt])).toEqual(
    [
      ['ran', [{ success: 2, error: 1 }], null],
      ['scheduled', null, '2027-05-20T00:00:00.000Z'],
      ['draft', null, null],
      ['paused', null, null],
    ],
  )
})

test('failures with one cause are one group; resuming it resumes each of its runs', async () => {
  const now = new Date().toISOString()
  const failed = (id: string, ref: string, status: number) => ({
    id,
    flow_id: 'f1',
    created_at: now,
    error: { code: 'http_error', message: 'refused', ref_id: ref, data: { status } },
  })
  const old = { ...failed('r0', 'users', 401), created_at: '2020-01-01T00:00:00.000Z' }
  const runs = [failed('r3', 'users', 401), failed('r2', 'orders', 500), failed('r1', 'users', 401), old]
  const resumed: string[] = []
  const { api } = answeringApi({
    ...answersWith(() => runs),
    'GET /v1/flows': [{ ...sample, steps: [{ ref_id: 'users', type: 'rest', config: { auth_id: 'a1' } }] }],
    'POST /v1/flow-runs/:id/resume': ({ params }: { params: { id: string } }) => {
      resumed.push(params.id)
      if (params.id === 'r1') throw new AppError('conflict', 'gone')
      return { flow_run_id: params.id }
    },
  })
  const store = createHomeStore(api)
  await store.getState().reload()
  const groups = store.getState().known?.failures ?? []
  const refused = groups[0] === undefined ? null : await store.getState().resumed(groups[0])
  expect({
    groups: groups.map(({ refId, status, authId, runs: all }) => [refId, status, authId, all.length]),
    resumed,
    refused,
  }).toEqual({
    groups: [
      ['users', 401, 'a1', 2],
      ['orders', 500, null, 1],
    ],
    resumed: ['r3', 'r1'],
    refused: 1,
  })
})

function answersWith(runs: () => unknown[]) {
  return {
    'GET /v1/flows': [sample],
    'GET /v1/flow-runs': runs,
    'GET /v1/personal-access-tokens': [],
    'GET /v1/flow-runs/activity': [],
    'GET /v1/connector-auths': [],
  }
}
