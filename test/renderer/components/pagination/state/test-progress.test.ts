import { quoted } from '../../../../../src/shared/contract/base/message.ts'
import { expect, test } from 'vitest'
import { createPaginationStore } from '../../../../../src/renderer/components/pagination/state/pagination-store.ts'
import {
  applyTestEvent,
  NO_TEST,
  KEPT_CHARACTERS,
  KEPT_RECORDS,
} from '../../../../../src/renderer/components/pagination/state/test-progress.ts'
import { harCalls } from '../../../../../src/renderer/components/pagination/state/har-calls.ts'
import { recordsOf } from '../../../../../src/renderer/components/pagination/state/record-log.ts'
import { EMPTY_FORM, toBody } from '../../../../../src/renderer/components/pagination/state/test-form.ts'
import { AppError } from '../../../../../src/shared/contract/base/errors.ts'
import type { PaginationEvent } from '../../../../../src/shared/contract/pagination.ts'
import { toHar } from '../../../../../src/shared/har.ts'
import { answeringApi } from '../../../../helpers/answering-api.ts'

const EVENTS: readonly PaginationEvent[] = [
  aRequest(0),
  aResponse(0, 200, 2, 2),
  { type: 'records', page: 0, records: [{ id: 1 }, { id: 2 }] },
  aRequest(1),
  aResponse(1, 429, 0, 2),
  { type: 'retry', page: 1, attempt: 2, reason: 'returned 429', wait_ms: 100 },
  { ...aRequest(1), attempt: 2 },
  aResponse(1, 200, 0, 2),
  { type: 'warning', page: 1, code: 'page_size', message: 'above 100' },
  {
    type: 'done',
    pages: 2,
    total_records: 2,
    stop_reason: 'no_records',
    complete: true,
    warnings: ['page_size'],
    duration_ms: 5,
  },
]

test('events fold into pages with their attempts, the records and the end', () => {
  const progress = folded(EVENTS)
  expect(
    progress.pages.map((line) => [
      line.page,
      line.attempts.map(({ response, retry }) => [response?.status, retry?.wait_ms]),
      line.warnings.length,
    ]),
  ).toEqual([
    [0, [[200, undefined]], 0],
    [
      1,
      [
        [429, 100],
        [200, undefined],
      ],
      1,
    ],
  ])
  expect({
    status: progress.status,
    records: recordsOf(progress.records),
    totalRecords: progress.totalRecords,
  }).toEqual({ status: 'done', records: [{ id: 1 }, { id: 2 }], totalRecords: 2 })
})

test('of a million records the first are kept and all are counted', () => {
  const records = Array.from({ length: 100_000 }, (_, index) => index)
  const pages = Array.from({ length: 10 }, (_, page) => page)
  const progress = folded(
    pages.flatMap((page) => [
      aRequest(page),
      aResponse(page, 200, 100_000, 100_000 * (page + 1)),
      { type: 'records' as const, page, records },
    ]),
  )
  expect({
    records: progress.records.length,
    totalRecords: progress.totalRecords,
    firstRecord: progress.pages.at(-1)?.firstRecord,
  }).toEqual({ records: KEPT_RECORDS, totalRecords: 1_000_000, firstRecord: 900_000 })
})

test('of many long responses the newest are kept', () => {
  const text = 'x'.repeat(KEPT_CHARACTERS / 4)
  const progress = folded(
    [0, 1, 2, 3, 4, 5].flatMap((page) => [
      aRequest(page),
      aResponse(page, 200, 1, page + 1),
      { type: 'body' as const, page, text, truncated: false, lists: [], records: [] },
    ]),
  )
  expect(progress.pages.map(({ attempts }) => attempts[0]?.body !== null)).toEqual([
    false,
    false,
    true,
    true,
    true,
    true,
  ])
})

test('a test is a HAR file with each attempt at the time when it was sent', () => {
  const events: readonly PaginationEvent[] = [
    { ...aRequest(0), method: 'POST', url: 'http://a/?q=a%20b&q=50%', body: { limit: 10 } },
    aResponse(0, 429, 0, 0),
    { type: 'body', page: 0, text: 'slow down', truncated: false, lists: [], records: [] },
    { type: 'retry', page: 0, attempt: 2, reason: 'returned 429', wait_ms: 100 },
    { ...aRequest(0), attempt: 2 },
    { type: 'retry', page: 0, attempt: 3, reason: 'connection refused', wait_ms: 100 },
  ]
  const progress = events.reduce((before, event, at) => applyTestEvent(before, event, at * 1_000), NO_TEST)
  const har = toHar(harCalls(progress, Date.parse('2030-01-31T12:00:00Z')), '1.0')
  expect(har.log.entries).toMatchObject([
    {
      startedDateTime: '2030-01-31T12:00:00.000Z',
      time: 1,
      request: {
        method: 'POST',
        queryString: [
          { name: 'q', value: 'a b' },
          { name: 'q', value: '50%' },
        ],
        postData: { text: '{\n  "limit": 10\n}' },
      },
      response: { status: 429, content: { size: 10, text: 'slow down' } },
      comment: 'page 0',
    },
    {
      startedDateTime: '2030-01-31T12:00:04.000Z',
      response: { status: 0, _error: 'connection refused' },
      comment: 'page 0',
    },
  ])
})

test('a paused test has an id and a planned next page, and continues with the next request', () => {
  const started = folded([
    { type: 'started', id: 'a' },
    aRequest(0),
    aResponse(0, 200, 1, 1),
    aPlan(1),
    { type: 'paused', page: 1 },
  ])
  const after = applyTestEvent(started, aRequest(1))
  expect({
    status: started.status,
    id: started.id,
    configIndex: started.pages[1]?.plan?.config_index,
    statusAfter: after.status,
  }).toEqual({ status: 'paused', id: 'a', configIndex: 0, statusAfter: 'running' })
})

test('a test run ends with all its events shown, and a rejected one with the reason', async () => {
  const answers: Record<string, unknown> = { 'POST /v1/pagination-tests': EVENTS }
  const store = createPaginationStore(answeringApi(answers).api)
  await store.getState().started('run')
  expect(store.getState().progress.status).toBe('done')
  answers['POST /v1/pagination-tests'] = () => {
    throw new AppError('not_found', quoted('No connector has this id'))
  }
  await store.getState().started('run')
  expect({ status: store.getState().progress.status, message: store.getState().failure?.message }).toEqual({
    status: 'failed',
    message: 'No connector has this id',
  })
})

test('the form becomes the body of either kind of test', () => {
  const form = {
    ...EMPTY_FORM,
    connectorId: 'c',
    action: 'list',
    configText: '',
    maxPages: '3',
    maxRecords: 'many',
  }
  expect(toBody(form)).toEqual({
    connector_id: 'c',
    action: 'list',
    input: {},
    pagination_config: null,
    max_pages: 3,
  })
  expect(
    toBody({ ...form, source: 'address', baseUrl: 'http://a', endpoint: 'x', configText: '{"query": "{}"}' }),
  ).toEqual({
    request: {
      base_url: 'http://a',
      endpoint: 'x',
      method: 'GET',
      query: {},
      headers: {},
      supports_automatic_pagination: true,
    },
    pagination_config: { query: '{}' },
    max_pages: 3,
  })
})

function folded(events: readonly PaginationEvent[]) {
  return events.reduce((progress, event) => applyTestEvent(progress, event), NO_TEST)
}

function aPlan(page: number) {
  return {
    type: 'plan' as const,
    page,
    config_index: 0,
    conditions: [],
    templates: [],
    variables: {},
    request: { method: 'GET', url: `http://a/?page=${page}`, headers: {}, body: null },
    stop_reason: null,
  }
}

function aRequest(page: number) {
  return {
    type: 'request' as const,
    page,
    attempt: 1,
    method: 'GET',
    url: `http://a/?page=${page}`,
    headers: {},
    body: null,
    config_index: null,
  }
}

function aResponse(page: number, status: number, records: number, total: number) {
  return {
    type: 'response' as const,
    page,
    status,
    headers: {},
    duration_ms: 1,
    bytes: 10,
    records,
    total_records: total,
  }
}
