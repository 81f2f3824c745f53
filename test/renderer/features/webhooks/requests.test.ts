import { expect, test } from 'vitest'
import { cached } from '../../../../src/renderer/api/resource.ts'
import {
  heldBack,
  newestBodyOf,
  requestsOf,
  sizeOf,
  wordsToMark,
} from '../../../../src/renderer/features/webhooks/requests.ts'
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
    // More requests arrived than a page holds, so the list starts over.
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
  // A request that started a run is announced by its run.
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

test.each([
  ['zoe', 'Zoë', 'a zoe, Zoë and zoetrope', ['zoe', 'Zoë']],
  ['inv*', undefined, 'invoice inv reinvent', ['invoice', 'inv']],
  ['"order 7" a+b', undefined, 'order 7, order 8, a+b and aab', ['order 7', 'a+b']],
  ['"" .', undefined, 'nothing .', null],
])('of %s it marks whole words, and what matched in the list', (q, matched, text, marked) => {
  const match =
    matched === undefined
      ? null
      : { snippet: `…${matched}`, marks: [[1, 1 + matched.length] as [number, number]] }
  const words = wordsToMark(q, match)
  expect(words && text.match(words)).toEqual(marked)
})

test.each([
  [{ size: 0, reason: 'x' }, '–'],
  [{ size: 0, reason: null }, '0 B'],
  [{ size: 7_340_032, status: 413, reason: 'x', headers: { 'content-length': '7340032' } }, '7 MB'],
  [{ size: 5_242_881, status: 413, reason: 'x' }, '> 5 MB'],
])('the size of %j is %s', (request, shown) => {
  expect(sizeOf({ status: 200, headers: {}, ...request } as ListedRequest)).toBe(shown)
})
