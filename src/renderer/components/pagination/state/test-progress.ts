import type { PaginationEvent } from '../../../../shared/contract/pagination.ts'
import { appendRecords, NO_RECORDS } from './record-log.ts'
import type { RecordLog } from './record-log.ts'

export type EventOf<T extends PaginationEvent['type']> = Extract<PaginationEvent, { type: T }>

/** A wait, with the time at which it ends, in milliseconds of the clock passed to `applyTestEvent`. */
export type Wait = EventOf<'retry'> & { readonly endsAt: number }

/** One request with its result; a page that is retried has several. */
export interface Attempt {
  readonly request: EventOf<'request'>
  /** Milliseconds of the clock passed to `applyTestEvent`. */
  readonly sentAt: number
  readonly response: EventOf<'response'> | null
  /** Null if there was none, or if it is no longer kept. */
  readonly body: EventOf<'body'> | null
  /** The wait before it is retried. */
  readonly retry: Wait | null
}

export interface PageLine {
  readonly page: number
  /** The plan of its request; a page that is planned but not sent has no attempts. */
  readonly plan: EventOf<'plan'> | null
  /** The wait before its first request, if the rate limit is used up. */
  readonly wait: Wait | null
  readonly attempts: readonly Attempt[]
  readonly warnings: readonly EventOf<'warning'>[]
  /** Position of its first record in the flat list. */
  readonly firstRecord: number
  /** The choices that a form would offer from its records, if this is a search. */
  readonly choices: NonNullable<EventOf<'records'>['choices']>
}

export interface TestProgress {
  readonly status: 'idle' | 'running' | 'paused' | 'done' | 'failed' | 'cancelled'
  /** The ID for pausing and continuing it. */
  readonly id: string | null
  /** Sorted by their numbers. */
  readonly pages: readonly PageLine[]
  /** The first records, as many as are kept for display. */
  readonly records: RecordLog
  readonly totalRecords: number
  readonly bytes: number
  /** The output if nothing is paginated, instead of records. */
  readonly output: { readonly value: unknown } | null
  readonly done: EventOf<'done'> | null
  readonly failed: EventOf<'failed'>['error'] | null
  /** Number of response characters kept, and the first page whose response is kept. */
  readonly kept: { readonly characters: number; readonly from: number }
}

export const NO_TEST: TestProgress = {
  status: 'idle',
  id: null,
  pages: [],
  records: NO_RECORDS,
  totalRecords: 0,
  bytes: 0,
  output: null,
  done: null,
  failed: null,
  kept: { characters: 0, from: 0 },
}

export const KEPT_RECORDS = 250_000
/** Responses of the newest pages, about 64 MB of memory. */
export const KEPT_CHARACTERS = 32_000_000

/** The state after one more event, which arrived at `at` (milliseconds of any clock). */
export function applyTestEvent(progress: TestProgress, event: PaginationEvent, at = 0): TestProgress {
  // The table pairs each type with its event, but the compiler cannot follow that through a lookup.
  return (APPLY[event.type] as Fold<never>)(progress, event as never, at)
}

type Fold<E> = (progress: TestProgress, event: E, at: number) => TestProgress

/** One reducer per event type, so that a type added to the contract doesn't compile without one. */
const APPLY: { readonly [T in PaginationEvent['type']]: Fold<EventOf<T>> } = {
  started: (progress, { id }) => ({ ...progress, id }),
  paused: (progress) => ({ ...progress, status: 'paused' }),
  plan: (progress, event) => changePage(progress, event.page, (line) => ({ ...line, plan: event })),
  request: (progress, event, at) => ({
    ...changePage(progress, event.page, (line) => ({
      ...line,
      attempts: [...line.attempts, { request: event, sentAt: at, response: null, body: null, retry: null }],
    })),
    status: 'running',
  }),
  response: (progress, event) => ({
    ...changeAttempt(progress, event.page, (attempt) => ({ ...attempt, response: event })),
    totalRecords: event.total_records,
    bytes: progress.bytes + event.bytes,
  }),
  body: (progress, event) => {
    const changed = changeAttempt(progress, event.page, (attempt) => ({ ...attempt, body: event }))
    const { characters, from } = progress.kept
    return forgetOldest({ ...changed, kept: { characters: characters + event.text.length, from } })
  },
  retry: (progress, event, at) => {
    const wait = { ...event, endsAt: at + event.wait_ms }
    return changePage(progress, event.page, (line) =>
      line.attempts.length === 0
        ? { ...line, wait }
        : withLast(line, (attempt) => ({ ...attempt, retry: wait })),
    )
  },
  warning: (progress, event) =>
    changePage(progress, event.page, (line) => ({ ...line, warnings: [...line.warnings, event] })),
  records: (progress, { page, records, choices = [] }) => {
    const room = Math.max(0, KEPT_RECORDS - progress.records.length)
    const firstRecord = progress.totalRecords - records.length
    return {
      ...changePage(progress, page, (line) => ({ ...line, firstRecord, choices })),
      records: appendRecords(progress.records, records.slice(0, room)),
    }
  },
  output: (progress, { value }) => ({ ...progress, output: { value } }),
  done: (progress, event) => ({
    ...progress,
    status: 'done',
    done: event,
    totalRecords: event.total_records,
  }),
  failed: (progress, { error }) => ({ ...progress, status: 'failed', failed: error }),
}

/** Pages that were requested. */
export function sentPages(pages: readonly PageLine[]): number {
  return pages.length - (pages.at(-1)?.attempts.length === 0 ? 1 : 0)
}

function changePage(
  progress: TestProgress,
  page: number,
  change: (line: PageLine) => PageLine,
): TestProgress {
  const { pages, totalRecords } = progress
  const last = pages.at(-1)
  if (last === undefined || page > last.page) {
    const line = { page, plan: null, wait: null, attempts: [], warnings: [], choices: [] }
    return { ...progress, pages: [...pages, change({ ...line, firstRecord: totalRecords })] }
  }
  const at = last.page === page ? pages.length - 1 : pages.findIndex((line) => line.page === page)
  const line = pages[at]
  return line === undefined ? progress : { ...progress, pages: pages.with(at, change(line)) }
}

function changeAttempt(
  progress: TestProgress,
  page: number,
  change: (attempt: Attempt) => Attempt,
): TestProgress {
  return changePage(progress, page, (line) => withLast(line, change))
}

function withLast(line: PageLine, change: (attempt: Attempt) => Attempt): PageLine {
  const last = line.attempts.at(-1)
  return last === undefined ? line : { ...line, attempts: [...line.attempts.slice(0, -1), change(last)] }
}

/** Responses of the oldest pages are dropped; that of the newest page is always kept. */
function forgetOldest(progress: TestProgress): TestProgress {
  let { characters, from } = progress.kept
  if (characters <= KEPT_CHARACTERS) return progress
  const pages = [...progress.pages]
  for (; characters > KEPT_CHARACTERS && from < pages.length - 1; from += 1) {
    const line = pages[from]
    if (line === undefined) continue
    for (const { body } of line.attempts) characters -= body?.text.length ?? 0
    pages[from] = { ...line, attempts: line.attempts.map((attempt) => ({ ...attempt, body: null })) }
  }
  return { ...progress, pages, kept: { characters, from } }
}
