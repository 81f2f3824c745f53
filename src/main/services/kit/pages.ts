/** Lists as services return them: one page of records and its position. */
import { setImmediate } from 'node:timers/promises'
import type { KeyedListRequest, ListRequest } from './list-query.ts'

/** A list paged by number. */
export interface RecordPage<T> {
  readonly records: readonly T[]
  /** Across all pages. */
  readonly total: number
  /** Counts from 1. */
  readonly page: number
  /** Undefined if the whole list was returned. */
  readonly perPage: number | undefined
}

/** A list paged by key. */
export interface KeyedPage<T> {
  readonly records: readonly T[]
  /** Null if it was not counted. */
  readonly total: number | null
  /** The `after` value for the next page; null on the last page. */
  readonly next: string | null
}

/** After this time, a page is returned partly filled, with a `next` value. */
const FILL_MS = 1_000

/**
 * Reads a list paged by key up to the page with that number, and returns this page. Searches read the history in
 * portions, so that other work can run in between.
 */
export async function filledPage<T>(
  list: (request: KeyedListRequest) => KeyedPage<T>,
  request: KeyedListRequest,
): Promise<KeyedPage<T>> {
  const until = performance.now() + FILL_MS
  let found = await fill(list, request, until)
  for (let page = 1; page < request.page; page++) {
    if (found.next === null) return { ...found, records: [] }
    found = await fill(list, { ...request, after: found.next }, until)
  }
  return found
}

async function fill<T>(
  list: (request: KeyedListRequest) => KeyedPage<T>,
  request: KeyedListRequest,
  until: number,
): Promise<KeyedPage<T>> {
  let found = list(request)
  while (found.next !== null && found.records.length < request.perPage && performance.now() < until) {
    await setImmediate()
    const perPage = request.perPage - found.records.length
    const { records, next } = list({ ...request, after: found.next, perPage })
    found = { ...found, records: [...found.records, ...records], next }
  }
  return found
}

export function toPage<T>(
  { records, total }: Pick<RecordPage<T>, 'records' | 'total'>,
  { page, perPage }: ListRequest,
): RecordPage<T> {
  return { records, total, page, perPage }
}
