import { expect, test } from 'vitest'
import { createWebhooksStore } from '../../../../src/renderer/features/webhooks/webhooks-store.ts'
import { answeringApi, until } from '../../../helpers/answering-api.ts'

test('a paused list counts new requests, and shows them when it resumes', async () => {
  const request = (id: string) => ({ id, flow_run_id: null })
  let requests = [request('1')]
  const { api, emit } = answeringApi({
    'GET /v1/webhook-requests': () => requests,
    'GET /v1/webhook-requests/paused': [],
    'GET /v1/flows': [],
  })
  const store = createWebhooksStore(api)
  const close = store.getState().opened()
  await until(store, (state) => state.requests !== null)
  store.getState().holdPressed()
  requests = ['3', '2', '1'].map(request)
  emit({ type: 'created', noun: 'webhook_request', id: '2' })
  // One that started a run is announced by that.
  emit({ type: 'updated', noun: 'flow_run', id: '3' })
  const held = await until(store, (now) => now.held === 2)
  expect(held.requests?.length).toBe(1)
  store.getState().holdPressed()
  const state = await until(store, (now) => now.requests?.length === 3)
  close()
  expect(state.held).toBeNull()
})

test('only flows with a webhook are offered, and rejected requests have a reason', async () => {
  const filters: unknown[] = []
  const { api } = answeringApi({
    'GET /v1/webhook-requests': ({ query }: { query: { filter: unknown } }) => {
      filters.push(query.filter)
      return []
    },
    'GET /v1/webhook-requests/paused': [],
    'GET /v1/flows': [
      { id: 'a', webhook: null },
      { id: 'b', webhook: { url: 'http://x', token: null } },
    ],
  })
  const store = createWebhooksStore(api)
  store.getState().filtered({ show: 'refused', flow: 'b' })
  const close = store.getState().opened()
  await until(store, (state) => state.requests !== null && state.flows.length > 0)
  close()
  expect(store.getState().flows.map(({ id }) => id)).toEqual(['b'])
  expect(filters[0]).toEqual(['flow_id,eq,b', 'reason,ne,null'])
})

test('the newest request that reached a flow gives the body of the snippets', async () => {
  const received = { encoding: 'text', body: '{"id":7}', truncated: false, kind: 'json', input: {}, keys: [] }
  const filters: unknown[] = []
  const { api } = answeringApi({
    'GET /v1/webhook-requests': ({ query }: { query: { filter: unknown } }) => {
      filters.push(query.filter)
      return [{ id: 'r' }]
    },
    'GET /v1/webhook-requests/:id': { request: { id: 'r' }, received, answer: null, rate_limit: null },
  })
  const store = createWebhooksStore(api)
  await store.getState().sampleWanted('a')
  expect({ samples: store.getState().samples, filters }).toEqual({
    samples: { a: received },
    filters: [['flow_id,eq,a', 'flow_run_id,ne,null']],
  })
})
