import { expect, test } from 'vitest'
import { createHomeStore } from '../../../../src/renderer/features/home/home-store.ts'
import { AppError } from '../../../../src/shared/contract/base/errors.ts'
import { answeringApi } from '../../../helpers/answering-api.ts'

const webhook = { url: 'http://127.0.0.1:4747/v1/flow-webhook/f1', token: 'mr_whk_x' }
const sample = { id: 'f1', name: 'Receive an order', webhook, steps: [] }

test('the first start stays the first start on this page, also once something ran', async () => {
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

test('where something ran already, it is no first start', async () => {
  const store = createHomeStore(answeringApi(answersWith(() => [{ id: 'r1' }])).api)
  await store.getState().reload()
  expect(store.getState().firstStart).toBe(false)
})

test('the test request goes to the webhook with its token, and its answer or failure is kept', async () => {
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

test('what comes next is asked of each active flow with a schedule, the soonest first', async () => {
  const flow = (id: string, type: string) => ({ id, name: id, steps: [{ type }] })
  const { api } = answeringApi({
    ...answersWith(() => []),
    'GET /v1/flows': [flow('late', 'schedule'), flow('hook', 'webhook'), flow('soon', 'schedule')],
    'GET /v1/flows/:id/schedule': ({ params }: { params: { id: string } }) => ({
      next: params.id === 'late' ? ['2027-05-21T00:00:00.000Z'] : ['2027-05-20T00:00:00.000Z'],
    }),
  })
  const store = createHomeStore(api)
  await store.getState().reload()
  expect(store.getState().known?.upcoming.map(({ flow: { id }, at }) => [id, at])).toEqual([
    ['soon', '2027-05-20T00:00:00.000Z'],
    ['late', '2027-05-21T00:00:00.000Z'],
  ])
})

function answersWith(runs: () => unknown[]) {
  return {
    'GET /v1/flows': [sample],
    'GET /v1/flow-runs': runs,
    'GET /v1/personal-access-tokens': [],
  }
}
