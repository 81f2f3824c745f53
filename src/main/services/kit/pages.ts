/** Lists as services return them: one page of records and its position. */
import type { ListRequest } from './list-query.ts'

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

export function toPage<T>(
  { records, total }: Pick<RecordPage<T>, 'records' | 'total'>,
  { page, perPage }: ListRequest,
): RecordPage<T> {
  return { records, total, page, perPage }
}
