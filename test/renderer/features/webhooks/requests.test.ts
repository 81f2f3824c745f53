import { expect, test } from 'vitest'
import { cached } from '../../../../src/renderer/api/resource.ts'
import { heldBack, newestBodyOf, requestsOf } from '../../../../src/renderer/features/webhooks/requests.ts'
import type { ListedRequest } from '../../../../src/shared/contract/webhooks.ts'
import { answeringApi, until } from '../../../helpers/answering-api.ts'

const LIST = 'GET /v1/webhook-requests'
const aRequest = (id: string) => ({ id, flow_run_id: null }) as ListedRequest

test('a paused list counts new requests, and shows those that it showed', () => {
  const held = [aRequest('2'), aRequest('1')]
  const ids = (requests: readonly ListedRequest[]) => requests.map(({ id }) => id)
  const among = (...items: string[]) => {
    const { shown, waiting } = heldBack(held, items.map(aRequest))
    return [ids(shown), waiting]
  }
  expect([
    among('2', '1'),
    among('4', '3', '2', '1', '0'),
    // More arrived than a page holds: the list starts over.
    among('9', '8', '7'),
    ids(heldBack(null, held).shown),
    heldBack([], held),
  ]).toEqual([[['2', '1'], 0], [['2', '1', '0'], 2], [['2', '1'], 3], ['2', '1'], { shown: [], waiting: 2 }])
})

test('a search and filters are one question to the program, which a change of runs repeats', async () => {
  const queries: unknown[] = []
  let requests = [aRequest('1')]
  const { api, asked, emit } = answeringApi({
    [LIST]: ({ query }: { query: object }) => {
      queries.push(query)
      return requests
    },
  })
  const found = cached(api, requestsOf({ show: 'refused', flow: 'b', q: ' order ' }))
  const leave = found.watch()
  await until(found, ({ data }) => data !== null)
  requests = [aRequest('2'), aRequest('1')]
  // One that started a run is announced by that.
  emit({ type: 'updated', noun: 'flow_run', id: '2' })
  await until(found, ({ data }) => data?.items.length === 2)
  leave()
  expect({ asked, query: queries[0] }).toEqual({
    asked: [LIST, LIST],
    query: {
      preview: 'true',
      per_page: '100',
      filter: ['flow_id,eq,b', 'outcome,eq,rejected'],
      text: 'order*',
    },
  })
})

test('the newest request that reached a flow gives the body of the snippets', async () => {
  const received = { encoding: 'text', body: '{"id":7}', truncated: false, kind: 'json', input: {}, keys: [] }
  const filters: unknown[] = []
  const { api, asked, emit } = answeringApi({
    [LIST]: ({ query }: { query: { filter: unknown } }) => {
      filters.push(query.filter)
      return [{ id: 'r' }]
    },
    'GET /v1/webhook-requests/:id': { request: { id: 'r' }, received, answer: null, rate_limit: null },
  })
  const body = cached(api, newestBodyOf('a'))
  const leave = body.watch()
  await until(body, ({ data }) => data !== null)
  const before = asked.length
  emit({ type: 'created', noun: 'flow_run', id: 'r', flow_id: 'another' })
  await new Promise(setImmediate)
  leave()
  expect({ data: body.getState().data, filters, more: asked.length - before }).toEqual({
    data: received,
    filters: [['flow_id,eq,a', 'flow_run_id,ne,null']],
    more: 0,
  })
})
