import { expect, test } from 'vitest'
import { cursorTable } from '../../../../src/renderer/features/pagination-tests/records/cursors-view.tsx'
import {
  applyTestEvent,
  NO_TEST,
} from '../../../../src/renderer/components/pagination/state/test-progress.ts'
import {
  changedParameters,
  diffAddress,
  diffHeaders,
} from '../../../../src/renderer/features/pagination-tests/detail/request-diff.ts'
import { timelineRows } from '../../../../src/renderer/components/pagination/timeline/timeline-rows.ts'
import type { PaginationEvent } from '../../../../src/shared/contract/pagination.ts'

test('each difference from the previous request is marked', () => {
  const marks = (before: string | undefined, now: string) =>
    diffAddress(before, now)
      .filter(({ text }) => text.length > 1)
      .map(({ text, difference }) => (difference === 'same' ? text : `${text} ${difference}`))
  expect([
    marks(undefined, 'http://a/x?page=2'),
    marks('http://a/x?page=2&q=1', 'http://a/x?page=3&n=1'),
    marks('http://a/x', 'http://a/x/more'),
  ]).toEqual([
    ['http://a/x?page=2'],
    ['http://a', '/x', 'page=3 changed', 'n=1 added', 'q=1 removed'],
    ['http://a', '/x/more changed'],
  ])
  expect(
    diffHeaders({ a: '1', b: '2' }, { a: '1', b: '3', c: '4' }).map(({ difference }) => difference),
  ).toEqual(['same', 'changed', 'added'])
  expect(changedParameters('http://a/x?page=2&q=1', 'http://a/x?page=3')).toEqual(['page 2 → 3', 'q removed'])
})

test('the timeline has a row for each attempt, wait, warning and planned page, and each wait has its end', () => {
  const events: readonly PaginationEvent[] = [
    aRequest(0, 1),
    aResponse(0, 503),
    { type: 'retry', page: 0, attempt: 2, reason: 'returned 503', wait_ms: 100 },
    aRequest(0, 2),
    aResponse(0, 200),
    aPlan(1, 'a', true),
    { type: 'retry', page: 1, attempt: 1, reason: 'The rate limit is used up', wait_ms: 50 },
    aRequest(1, 1),
    aResponse(1, 200),
    { type: 'warning', page: 1, code: 'cut_by_max_pages', message: 'cut' },
    aPlan(2, 'b', true),
  ]
  const { pages } = events.reduce((progress, event) => applyTestEvent(progress, event, 1_000), NO_TEST)
  const rows = (isDry: boolean) =>
    timelineRows(pages, { isDry }).map((row) => [
      row.line.page,
      row.kind,
      row.kind === 'wait' ? row.wait.endsAt : null,
    ])
  expect({ rows: rows(false), foldedRows: rows(true).length }).toEqual({
    rows: [
      [0, 'attempt', null],
      [0, 'wait', 1_100],
      [0, 'attempt', null],
      [1, 'wait', 1_050],
      [1, 'attempt', null],
      [1, 'warning', null],
      [2, 'planned', null],
    ],
    foldedRows: 6,
  })
})

test('a wait ends as soon as its request is sent, whatever the clock says, and stops with its run', () => {
  const wait = (page: number, attempt: number) =>
    ({ type: 'retry', page, attempt, reason: 'returned 503', wait_ms: 60_000 }) as const
  const events = [wait(0, 1), aRequest(0, 1), aResponse(0, 503), wait(0, 2), aRequest(0, 2), wait(1, 1)]
  const { pages } = events.reduce((progress, event) => applyTestEvent(progress, event, 0), NO_TEST)
  const states = (hasEnded: boolean) =>
    timelineRows(pages, { hasEnded }).flatMap((row) => (row.kind === 'wait' ? [row.state] : []))
  expect({ running: states(false), stopped: states(true) }).toEqual({
    running: ['over', 'over', 'waiting'],
    stopped: ['over', 'over', 'stopped'],
  })
})

test('the cursors of all pages are side by side, up to the missing one', () => {
  const events = [aPlan(1, 'a', true), aRequest(1, 1), aPlan(2, null, false)]
  const { pages } = events.reduce((progress, event) => applyTestEvent(progress, event), NO_TEST)
  const { expressions, rows } = cursorTable(pages)
  expect({
    expressions,
    rows: rows.map(({ page, sent, cells }) => [page, sent, cells.get('previous_request.next')]),
  }).toEqual({
    expressions: ['previous_request.next'],
    rows: [
      [1, true, { value: 'a', missing: false }],
      [2, false, { value: null, missing: true }],
    ],
  })
})

function aRequest(page: number, attempt: number) {
  return {
    type: 'request' as const,
    page,
    attempt,
    method: 'GET',
    url: `http://a/?page=${page}`,
    headers: {},
    body: null,
    config_index: null,
  }
}

function aResponse(page: number, status: number) {
  return {
    type: 'response' as const,
    page,
    status,
    headers: {},
    duration_ms: 1,
    bytes: 10,
    records: 1,
    total_records: page + 1,
  }
}

function aPlan(page: number, cursor: string | null, goesOn: boolean) {
  return {
    type: 'plan' as const,
    page,
    config_index: 0,
    conditions: [],
    templates: [
      {
        field: 'query',
        source: '{"after": "{{ previous_request.next }}"}',
        value: { after: cursor },
        taken: [{ source: 'previous_request.next', value: cursor, missing: cursor === null }],
      },
    ],
    variables: { page },
    request: goesOn ? { method: 'GET', url: `http://a/?page=${page}`, headers: {}, body: null } : null,
    stop_reason: goesOn ? null : ('no_next' as const),
  }
}
