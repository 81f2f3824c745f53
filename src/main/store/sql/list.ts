/** Reads lists: filtered, sorted and paged by number, or filtered and paged by key. */
import type { Database } from 'better-sqlite3'
import type { Filter } from '../../../shared/contract/base/common.ts'
import {
  filterConditions,
  isIndexed,
  isSlow,
  orderBy,
  whereAll,
  type Columns,
  type Condition,
  type KeyedQuery,
  type ListQuery,
} from './list-query.ts'
import { BIN } from './bins.ts'
import { rows, scalar, type Query } from './statement.ts'

export interface Listed<T> {
  readonly records: readonly T[]
  /** Number of records that match the filters, across all pages. */
  readonly total: number
}

export interface KeyedList<T> {
  readonly records: readonly T[]
  /** The id to continue after; null at the end of the list. */
  readonly next: string | null
  /** Null if counting would require reading every record. */
  readonly total: number | null
}

export interface Source<Row extends { readonly key: number }, T> {
  /** `SELECT … FROM … JOIN …`, without a condition. Must contain a column `key`. */
  readonly select: string
  /** `FROM …` for counting, with only the tables that the conditions need. */
  readonly from: string
  /** The key as named in `select` and `from`. */
  readonly key: string
  readonly columns: Columns
  readonly toRecord: (row: Row) => T
  /** The columns that `tally` reads, besides `duration_ms`. */
  readonly tallied?: { readonly at: string; readonly status: string }
}

/** The number of records with one status that began in one bucket, with durations in one range. */
export interface TallyRow {
  readonly at: number
  readonly status: string
  /** The range of the duration (see bins.ts); null without a duration. */
  readonly bin: number | null
  readonly count: number
}

export interface TallyQuery {
  readonly filters: readonly Filter[]
  readonly from: number
  readonly until: number
  /** The size of a bucket, in ms. */
  readonly size: number
}

export interface TallyPart {
  readonly rows: readonly TallyRow[]
  /** The key to continue below, and the time of the records there; null at the end. */
  readonly next: { readonly key: number; readonly at: number } | null
}

export interface Lister<T> {
  /** `fixed` conditions apply in addition to the filters: the records' owner or flow. */
  page(query: ListQuery, fixed?: readonly Condition[]): Listed<T>
  /** Newest first. `afterKey` is the key of the query's `after` record. */
  keyed(query: KeyedQuery, afterKey: number | null, fixed?: readonly Condition[]): KeyedPage<T>
  /** Counts the records of a bounded number of keys, newest first. */
  tally(query: TallyQuery, belowKey: number | null, fixed?: readonly Condition[]): TallyPart
}

export interface KeyedPage<T> {
  readonly records: readonly T[]
  /** The key to continue after; null at the end of the list. */
  readonly nextKey: number | null
  /** Null if counting would require reading every record. */
  readonly total: number | null
}

export const DEFAULT_PER_PAGE = 50
/**
 * A filter without an index scans at most this many keys per page; a rare match can be on a later page. So a page of a
 * long history takes no longer than one of a short history.
 */
const KEYS_PER_LOOK = 100_000
const KEYS_PER_SLOW_LOOK = 5_000
/** Fewer than above, because all of them are counted. */
const KEYS_PER_TALLY = 5_000
/** Few combinations of filters are normally in use; this limits the memory if a caller tries all of them. */
const CACHED_STATEMENTS = 100

export function createLister<Row extends { readonly key: number }, T>(
  db: Database,
  { select, from, key, columns, toRecord, tallied = { at: key, status: key } }: Source<Row, T>,
): Lister<T> {
  const lists = new Map<string, Query<Row>>()
  const counts = new Map<string, Query<number>>()
  const newest = scalar<number | null>(db, `SELECT max(${key}) ${from}`)
  const oldest = scalar<number | null>(db, `SELECT min(${key}) ${from}`)
  const timeAt = scalar<number>(db, `SELECT ${tallied.at} ${from} WHERE ${key} >= ? ORDER BY ${key} LIMIT 1`)
  const tallies = new Map<string, Query<TallyRow>>()
  const list = (sql: string) => remember(lists, sql, () => rows<Row>(db, sql))
  const count = ({ sql, values }: Condition) => {
    const text = `SELECT count(*) ${from} ${sql}`
    return remember(counts, text, () => scalar<number>(db, text)).get(...values) ?? 0
  }

  return {
    page({ filters = [], sort = null, page = 1, perPage }, fixed = []) {
      const where = whereAll([...fixed, ...filterConditions(filters, columns)])
      const order = orderBy(sort, columns, key)
      const paging = perPage === undefined ? '' : 'LIMIT ? OFFSET ?'
      const limits = perPage === undefined ? [] : [perPage, (page - 1) * perPage]
      const found = list(`${select} ${where.sql} ${order} ${paging}`).all(...where.values, ...limits)
      return {
        records: found.map(toRecord),
        total: perPage === undefined ? found.length : count(where),
      }
    },
    keyed({ filters = [], perPage = DEFAULT_PER_PAGE }, afterKey, fixed = []) {
      const wanted = [...fixed, ...filterConditions(filters, columns)]
      const indexed = isIndexed(filters, columns) && fixed.every(({ scans }) => scans !== true)
      const upper = afterKey ?? (newest.get() ?? 0) + 1
      const lower = indexed ? null : upper - (isSlow(filters, columns) ? KEYS_PER_SLOW_LOOK : KEYS_PER_LOOK)
      const where = whereAll([
        ...wanted,
        { sql: `${key} < ?`, values: [upper] },
        ...(lower === null ? [] : [{ sql: `${key} >= ?`, values: [lower] }]),
      ])
      const found = list(`${select} ${where.sql} ORDER BY ${key} DESC LIMIT ?`).all(
        ...where.values,
        perPage + 1,
      )
      const shown = found.slice(0, perPage)
      const hasMore = found.length > perPage
      const isLookOver = lower === null || lower <= (oldest.get() ?? 0)
      return {
        records: shown.map(toRecord),
        nextKey: hasMore ? (shown.at(-1)?.key ?? null) : isLookOver ? null : lower,
        total: indexed ? count(whereAll(wanted)) : null,
      }
    },
    tally({ filters, from: since, until, size }, belowKey, fixed = []) {
      const upper = belowKey ?? (newest.get() ?? 0) + 1
      const lower = upper - (isSlow(filters, columns) ? KEYS_PER_SLOW_LOOK : KEYS_PER_TALLY)
      const { at, status } = tallied
      const where = whereAll([
        ...fixed,
        ...filterConditions(filters, columns),
        { sql: `${key} >= ? AND ${key} < ?`, values: [lower, upper] },
        { sql: `${at} >= ? AND ${at} < ?`, values: [since, until] },
      ])
      // Numbers are bound as REAL, whose quotient has a fraction.
      const sql = `SELECT CAST(${at} / ? AS INTEGER) * ? AS at, ${status} AS status, ${BIN} AS bin, count(*) AS count ${from} ${where.sql}
        GROUP BY 1, 2, 3`
      const found = remember(tallies, sql, () => rows<TallyRow>(db, sql)).all(size, size, ...where.values)
      const reached = timeAt.get(lower)
      const isEnd = lower <= (oldest.get() ?? 0) || reached === undefined || reached < since
      return { rows: found, next: isEnd ? null : { key: lower, at: reached } }
    },
  }
}

function remember<T>(cache: Map<string, T>, key: string, make: () => T): T {
  const known = cache.get(key)
  if (known !== undefined) {
    cache.delete(key)
    cache.set(key, known) // most recently used last
    return known
  }
  const made = make()
  cache.set(key, made)
  const [oldest] = cache.keys()
  if (cache.size > CACHED_STATEMENTS && oldest !== undefined) cache.delete(oldest)
  return made
}
