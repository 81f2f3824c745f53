import { expect, test } from 'vitest'
import { createPaginationStore } from '../../../../src/renderer/features/pagination-tests/pagination-store.ts'
import {
  applyPageEvent,
  changedParameters,
  IDLE,
  KEPT_RECORDS,
} from '../../../../src/renderer/features/pagination-tests/progress.ts'
import { EMPTY_FORM, toBody } from '../../../../src/renderer/features/pagination-tests/test-form.ts'
import { AppError } from '../../../../src/shared/contract/errors.ts'
import type { PaginationEvent } from '../../../../src/shared/contract/pagination.ts'
import { answeringApi } from '../../../helpers/answering-api.ts'

const EVENTS: readonly PaginationEvent[] = [
  aRequest(0),
  aResponse(0, 200, 2, 2),
  { type: 'records', page: 0, records: [{ id: 1 }, { id: 2 }] },
  aRequest(1),
  aResponse(1, 429, 0, 2),
  { type: 'retry', page: 1, attempt: 2, reason: 'answered 429', wait_ms: 100 },
  { ...aRequest(1), attempt: 2 },
  aResponse(1, 200, 0, 2),
  { type: 'warning', page: 1, code: 'page_size', message: 'above 100' },
  {
    type: 'done',
    pages: 2,
    total_records: 2,
    stop_reason: 'no_records',
    warnings: ['page_size'],
    duration_ms: 5,
  },
]

test('events fold into pages with their attempts, the records and the end', () => {
  const progress = EVENTS.reduce(applyPageEvent, IDLE)
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
  expect([progress.status, progress.records, progress.totalRecords]).toEqual([
    'done',
    [{ id: 1 }, { id: 2 }],
    2,
  ])
})

test('of a million records the first thousands are kept and all are counted', () => {
  const records = Array.from({ length: 4_000 }, (_, index) => index)
  const progress = [0, 1, 2].reduce(
    (all, page) =>
      [{ type: 'records', page, records } as const, aResponse(page, 200, 4_000, 4_000 * (page + 1))].reduce(
        applyPageEvent,
        all,
      ),
    applyPageEvent(IDLE, aRequest(0)),
  )
  expect([progress.records.length, progress.totalRecords]).toEqual([KEPT_RECORDS, 12_000])
})

test('what changed between two requests is named', () => {
  expect(changedParameters('http://a/x?page=2&q=1', 'http://a/x?page=3')).toEqual(['page 2 → 3', 'q removed'])
  expect(changedParameters('http://a/x', 'http://a/x/more?after=z')).toEqual(['path /x/more', 'after z'])
  expect(changedParameters(undefined, 'http://a/x')).toEqual([])
})

test('a test run ends with all its events shown, a refused one with the reason', async () => {
  const answers: Record<string, unknown> = { 'POST /v1/pagination-tests': EVENTS }
  const store = createPaginationStore(answeringApi(answers).api)
  await store.getState().started()
  expect(store.getState().progress.status).toBe('done')
  answers['POST /v1/pagination-tests'] = () => {
    throw new AppError('not_found', 'No connector has this id')
  }
  await store.getState().started()
  expect([store.getState().progress.status, store.getState().failure?.message]).toEqual([
    'failed',
    'No connector has this id',
  ])
})

test('the form becomes the body of either kind', () => {
  const form = {
    ...EMPTY_FORM,
    connectorId: 'c',
    action: 'list',
    config: null,
    maxPages: '3',
    maxRecords: 'many',
  }
  expect(toBody(form)).toEqual({ connector_id: 'c', action: 'list', input: {}, max_pages: 3 })
  expect(
    toBody({ ...form, source: 'address', baseUrl: 'http://a', endpoint: 'x', config: { query: '{}' } }),
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
