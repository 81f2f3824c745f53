import type { PaginationEvent, StopReason } from '../../../shared/contract/pagination.ts'

type Of<T extends PaginationEvent['type']> = Extract<PaginationEvent, { type: T }>

/** One request with what came of it; a page that is tried again has several. */
export interface Attempt {
  readonly request: Of<'request'>
  readonly response: Of<'response'> | null
  readonly retry: Of<'retry'> | null
}

export interface PageLine {
  readonly page: number
  readonly attempts: readonly Attempt[]
  readonly warnings: readonly Of<'warning'>[]
}

export interface Progress {
  readonly status: 'idle' | 'running' | 'done' | 'failed' | 'cancelled'
  readonly pages: readonly PageLine[]
  /** The first records, as many as are kept for looking at. */
  readonly records: readonly unknown[]
  readonly totalRecords: number
  /** Instead of records, where nothing is paginated. */
  readonly output: { readonly value: unknown } | null
  readonly done: Of<'done'> | null
  readonly failed: Of<'failed'>['error'] | null
}

export const IDLE: Progress = {
  status: 'idle',
  pages: [],
  records: [],
  totalRecords: 0,
  output: null,
  done: null,
  failed: null,
}

export const KEPT_RECORDS = 5_000

/** What is known after one more event. */
export function applyPageEvent(progress: Progress, event: PaginationEvent): Progress {
  return (APPLY[event.type] as (progress: Progress, event: PaginationEvent) => Progress)(progress, event)
}

/** One fold an event type: a type added to the contract does not compile until it has one. */
const APPLY: {
  readonly [T in PaginationEvent['type']]: (progress: Progress, event: Of<T>) => Progress
} = {
  request: (progress, event) =>
    changePage(progress, event.page, (line) => ({
      ...line,
      attempts: [...line.attempts, { request: event, response: null, retry: null }],
    })),
  response: (progress, event) => ({
    ...changeAttempt(progress, event.page, (attempt) => ({ ...attempt, response: event })),
    totalRecords: event.total_records,
  }),
  retry: (progress, event) =>
    changeAttempt(progress, event.page, (attempt) => ({ ...attempt, retry: event })),
  warning: (progress, event) =>
    changePage(progress, event.page, (line) => ({ ...line, warnings: [...line.warnings, event] })),
  records: (progress, { records }) => ({
    ...progress,
    records: [...progress.records, ...records.slice(0, Math.max(0, KEPT_RECORDS - progress.records.length))],
  }),
  started: (progress) => progress,
  paused: (progress) => progress,
  plan: (progress) => progress,
  body: (progress) => progress,
  output: (progress, { value }) => ({ ...progress, output: { value } }),
  done: (progress, event) => ({
    ...progress,
    status: 'done',
    done: event,
    totalRecords: event.total_records,
  }),
  failed: (progress, { error }) => ({ ...progress, status: 'failed', failed: error }),
}

export const STOP_WORDS: { readonly [R in StopReason]: string } = {
  no_records: 'a page held no records',
  no_next: 'the response names no next page',
  repeated_page: 'a page repeated the one before',
  not_found: 'a page answered 404',
  not_paginated: 'nothing here is paginated',
  no_config_matched: 'no configuration applied',
  cut_by_max_pages: 'the wished number of pages or records was reached',
}

/** Which query parameters differ from the request before: `page 2 → 3`. */
export function changedParameters(before: string | undefined, now: string): readonly string[] {
  if (before === undefined || !URL.canParse(before) || !URL.canParse(now)) return []
  const [old, next] = [new URL(before), new URL(now)]
  const names = new Set([...old.searchParams.keys(), ...next.searchParams.keys()])
  const changes = [...names].flatMap((name) => {
    const [was, is] = [old.searchParams.getAll(name).join(), next.searchParams.getAll(name).join()]
    if (was === is) return []
    return [`${name} ${next.searchParams.has(name) ? (was === '' ? '' : `${was} → `) + is : 'removed'}`]
  })
  return old.pathname === next.pathname ? changes : [`path ${next.pathname}`, ...changes]
}

function changePage(progress: Progress, page: number, change: (line: PageLine) => PageLine): Progress {
  const last = progress.pages.at(-1)
  if (last?.page === page) return { ...progress, pages: [...progress.pages.slice(0, -1), change(last)] }
  const at = progress.pages.findIndex((line) => line.page === page)
  if (at === -1)
    return { ...progress, pages: [...progress.pages, change({ page, attempts: [], warnings: [] })] }
  return { ...progress, pages: progress.pages.map((line, index) => (index === at ? change(line) : line)) }
}

function changeAttempt(progress: Progress, page: number, change: (attempt: Attempt) => Attempt): Progress {
  return changePage(progress, page, (line) => ({
    ...line,
    attempts: line.attempts.map((attempt, index) =>
      index === line.attempts.length - 1 ? change(attempt) : attempt,
    ),
  }))
}
