/** Lists as services return them: one page of records and its position. */
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

/** The page with that number of a list paged by key: those before it are passed over. */
export function numberedPage<T>(
  list: (request: KeyedListRequest) => KeyedPage<T>,
  request: KeyedListRequest,
): KeyedPage<T> {
  let found = list(request)
  for (let page = 1; page < request.page; page++) {
    if (found.next === null) return { ...found, records: [] }
    found = list({ ...request, after: found.next })
  }
  return found
}

export function toPage<T>(
  { records, total }: Pick<RecordPage<T>, 'records' | 'total'>,
  { page, perPage }: ListRequest,
): RecordPage<T> {
  return { records, total, page, perPage }
}
