/** Lists as services give them: some records, and where they stand in the whole. */
import type { ListRequest } from './list-query.ts'

/** A list paged by number. */
export interface RecordPage<T> {
  readonly records: readonly T[]
  /** Over all pages. */
  readonly total: number
  /** Counts from 1. */
  readonly page: number
  /** Undefined where the list came whole. */
  readonly perPage: number | undefined
}

/** A list paged by key. */
export interface KeyedPage<T> {
  readonly records: readonly T[]
  /** Null where it was not counted. */
  readonly total: number | null
  /** What `after` must be for the next page; null on the last. */
  readonly next: string | null
}

export function toPage<T>(
  { records, total }: Pick<RecordPage<T>, 'records' | 'total'>,
  { page, perPage }: ListRequest,
): RecordPage<T> {
  return { records, total, page, perPage }
}
