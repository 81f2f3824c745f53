/** Converts parsed filters and sort orders to SQL, using a table of the fields a noun can be filtered by. */
import { closest, say, type Said } from '../../../shared/contract/base/message.ts'
import type { Filter, FilterValue } from '../../../shared/contract/base/common.ts'
import { fieldErrors } from '../../../shared/contract/base/errors.ts'
import { toSqlLike } from './like.ts'
import type { SqlValue } from './statement.ts'

export interface Sort {
  readonly field: string
  readonly descending: boolean
}

/** A list that is paged by number; without `perPage`, it returns everything. */
export interface ListQuery {
  readonly filters?: readonly Filter[] | undefined
  readonly sort?: Sort | null | undefined
  readonly page?: number | undefined
  readonly perPage?: number | undefined
}

/** A list that is paged by key; `after` is the id of the last record seen. */
export interface KeyedQuery {
  readonly filters?: readonly Filter[] | undefined
  readonly after?: string | null | undefined
  readonly perPage?: number | undefined
}

/** The stored form of a field. Times are milliseconds, and flags 0 or 1; callers write ISO 8601, and true or false. */
export interface Column {
  readonly sql: string
  readonly type: 'text' | 'number' | 'flag' | 'time'
  /** The string `null` means no value. */
  readonly nullable?: boolean
  /** Whether an index finds and counts the rows that `eq` selects. */
  readonly indexed?: boolean
  /** The index only has the rows that meet the condition `sql`; `eq` uses it for any value except `value`. */
  readonly indexedUnless?: { readonly value: string; readonly sql: string }
  /** Set if it reads another table for each row; then a page scans fewer rows. */
  readonly isSlow?: true
  /** Used for an id that contains its key, so that only the keys are compared. */
  readonly keyOf?: (id: string) => number | null
  /**
   * Used for an id of another table, whose key here is `sql`. Finds keys by the condition inserted into it, so that an
   * index on the key is used. Example: `SELECT key FROM flows WHERE id ?`.
   */
  readonly keysWhere?: (condition: string) => string
  /** Set for a JSON list of strings. A filter matches if any item does, `ne` if none does. */
  readonly isList?: true
}
export type Columns = Readonly<Record<string, Column>>

/** An SQL fragment with the values of its `?`s. */
export interface Condition {
  readonly sql: string
  readonly values: readonly SqlValue[]
  /** Set if no index finds its rows. */
  readonly scans?: true
}

/**
 * One condition for each filter; all must match.
 *
 * @throws AppError `validation` naming an unknown field, or a value that cannot be compared with it
 */
export function filterConditions(filters: readonly Filter[], columns: Columns): Condition[] {
  return filters.map((filter) => toCondition(filterColumn(filter, columns), filter))
}

/** @throws AppError `validation` naming an unknown field */
export function filterColumn({ field, operator, value }: Filter, columns: Columns): Column {
  const column = Object.hasOwn(columns, field) ? columns[field] : undefined
  if (column === undefined) {
    throw invalid('filter', unknownField(field, columns))
  }
  if (Array.isArray(value) && operator !== 'in') {
    throw invalid('filter', say('"{{field}}": a list of values needs the operator in', { field }))
  }
  return column
}

export function unknownField(field: string, columns: Columns): Said {
  const near = closest(field, Object.keys(columns))
  const given = field.slice(0, 60)
  return near === undefined
    ? say('has no field "{{field}}"; the fields are {{known}}', { field: given, known: knownFields(columns) })
    : say('has no field "{{field}}"; did you mean "{{near}}"?', { field: given, near })
}

/** `ORDER BY`, with the key last so that equal values keep their order across pages. */
export function orderBy(sort: Sort | null, columns: Columns, key: string): string {
  if (sort === null) return `ORDER BY ${key} DESC`
  const sortable = Object.fromEntries(Object.entries(columns).filter(([, column]) => hasOrder(column)))
  const column = Object.hasOwn(sortable, sort.field) ? sortable[sort.field] : undefined
  if (column === undefined) {
    throw invalid('sort', unknownField(sort.field, sortable))
  }
  const direction = sort.descending ? 'DESC' : 'ASC'
  const collation = column.type === 'text' ? ' COLLATE NOCASE' : ''
  return `ORDER BY ${column.sql}${collation} ${direction}, ${key} ${direction}`
}

const hasOrder = ({ keysWhere, isList }: Column) => keysWhere === undefined && isList === undefined

export function whereAll(conditions: readonly Condition[]): Condition {
  if (conditions.length === 0) return { sql: '', values: [] }
  return {
    sql: `WHERE ${conditions.map((condition) => condition.sql).join(' AND ')}`,
    values: conditions.flatMap((condition) => condition.values),
  }
}

/** Whether an index covers the filters, so that all matches can be counted and read. */
export function isIndexed(filters: readonly Filter[], columns: Columns): boolean {
  return filters.every(({ field, operator, value }) => {
    const column = columns[field]
    if (column === undefined || operator !== 'eq') return false
    if (column.keyOf) return true
    return (
      column.indexed === true ||
      (column.indexedUnless !== undefined && column.indexedUnless.value !== String(value))
    )
  })
}

export function isSlow(filters: readonly Filter[], columns: Columns): boolean {
  return filters.some(({ field }) => columns[field]?.isSlow === true)
}

const COMPARISONS = { eq: 'IS', ne: 'IS NOT', gt: '>', ge: '>=', lt: '<', le: '<=' } as const

function toCondition(column: Column, filter: Filter): Condition {
  const { keysWhere, isList } = column
  if (isList) return compareEntries(column, filter)
  if (keysWhere === undefined) return compare(column.sql, column, filter)
  if (column.nullable && (filter.value === null || filter.value === 'null')) {
    return { sql: `${column.sql} ${filter.operator === 'ne' ? 'IS NOT NULL' : 'IS NULL'}`, values: [] }
  }
  const { sql, values } = compare('', column, filter)
  // With a single key, the index also provides the list's order; IN would sort all matches.
  const operator = filter.operator === 'eq' ? '=' : 'IN'
  return { sql: `${column.sql} ${operator} (${keysWhere(sql)})`, values }
}

function compare(sql: string, column: Column, { field, operator, value }: Filter): Condition {
  if (column.keyOf) return compareKeys(sql, column.keyOf, { field, operator, value })
  if (operator === 'in') {
    const list = Array.isArray(value) ? (value as readonly FilterValue[]) : [value as FilterValue]
    const values = list.map((item) => toSqlValue(column, field, item))
    return { sql: `${sql} IN (${values.map(() => '?').join(', ')})`, values }
  }
  const single = value as FilterValue
  if (operator === 'like') return likeCondition(sql, column, String(single))
  const converted = toSqlValue(column, field, single)
  const { indexedUnless } = column
  const usesIndex = indexedUnless !== undefined && operator === 'eq' && String(single) !== indexedUnless.value
  // A partial index is only used if the query contains its condition.
  return {
    sql: `${sql} ${COMPARISONS[operator]} ?${usesIndex ? ` AND ${indexedUnless.sql}` : ''}`,
    values: [converted],
  }
}

function compareEntries({ sql }: Column, { operator, ...filter }: Filter): Condition {
  if (operator !== 'eq' && operator !== 'ne' && operator !== 'in' && operator !== 'like') {
    throw invalid(
      'filter',
      say('"{{field}}" is a list, so its operators are eq, ne, in and like', { field: filter.field }),
    )
  }
  const asked = { ...filter, operator: operator === 'ne' ? 'eq' : operator } as const
  const entry = compare(ENTRY.sql, ENTRY, asked)
  const isThere = `EXISTS (SELECT 1 FROM json_each(${sql}) AS entry WHERE ${entry.sql})`
  return { sql: operator === 'ne' ? `NOT ${isThere}` : isThere, values: entry.values }
}

const ENTRY: Column = { sql: 'entry.value', type: 'text' }

function compareKeys(
  sql: string,
  keyOf: (id: string) => number | null,
  { field, operator, value }: Filter,
): Condition {
  if (operator !== 'eq' && operator !== 'ne' && operator !== 'in') {
    throw invalid('filter', say('"{{field}}" supports the operators eq, ne and in', { field }))
  }
  const ids = (Array.isArray(value) ? value : [value]) as readonly FilterValue[]
  const keys = ids.map((id) => keyOf(String(id)) ?? -1)
  return {
    sql: `${sql} ${operator === 'ne' ? 'NOT IN' : 'IN'} (${keys.map(() => '?').join(', ')})`,
    values: keys,
  }
}

function likeCondition(sql: string, column: Column, pattern: string): Condition {
  const text = TEXT_OF[column.type](sql)
  if (column.keysWhere === undefined && /\P{ASCII}/u.test(pattern)) {
    return { sql: `folded_like(?, ${text})`, values: [pattern] }
  }
  return { sql: `${text} LIKE ? ESCAPE '\\'`, values: [toSqlLike(pattern)] }
}

/** The API's representation of a column. */
const TEXT_OF: Readonly<Record<Column['type'], (sql: string) => string>> = {
  text: (sql) => sql,
  number: (sql) => `CAST(${sql} AS TEXT)`,
  flag: (sql) => `iif(${sql}, 'true', 'false')`,
  time: (sql) =>
    `(strftime('%Y-%m-%dT%H:%M:%S', ${sql} / 1000, 'unixepoch') || printf('.%03dZ', ${sql} % 1000))`,
}

/** @throws AppError `validation` if the value can't be compared with the field */
export function toSqlValue({ type, nullable }: Column, field: string, value: FilterValue): SqlValue {
  return nullable && (value === null || value === 'null') ? null : SQL_VALUE_OF[type](field, value)
}

const SQL_VALUE_OF: Readonly<Record<Column['type'], (field: string, value: FilterValue) => SqlValue>> = {
  text: (_field, value) => String(value),
  number: numberValue,
  flag: flagValue,
  time: timeValue,
}

function numberValue(field: string, value: FilterValue): number {
  const number =
    typeof value === 'number' || (typeof value === 'string' && value.trim() !== '') ? Number(value) : NaN
  if (Number.isFinite(number)) return number
  throw invalid(
    'filter',
    say('"{{field}}" must be a number, got "{{value}}"', { field, value: shorten(value) }),
  )
}

function flagValue(field: string, value: FilterValue): number {
  if (value === true || value === 'true') return 1
  if (value === false || value === 'false') return 0
  throw invalid(
    'filter',
    say('"{{field}}" must be true or false, got "{{value}}"', { field, value: shorten(value) }),
  )
}

/** A time without a zone is UTC, like all times of the API. */
function timeValue(field: string, value: FilterValue): number {
  const text = String(value)
  const hasNoZone = /^\d{4}-\d\d-\d\dT[\d:.]+$/.test(text)
  const time = /^\d{4}-\d\d/.test(text) ? Date.parse(hasNoZone ? `${text}Z` : text) : NaN
  if (Number.isFinite(time)) return time
  throw invalid(
    'filter',
    say('"{{field}}" must be a time such as 2026-03-01T12:00:00Z, got "{{value}}"', {
      field,
      value: shorten(value),
    }),
  )
}

const shorten = (value: FilterValue) => String(value).slice(0, 60)
const knownFields = (columns: Columns) => Object.keys(columns).join(', ')
const invalid = (parameter: string, sentence: Said) => fieldErrors({ [parameter]: [sentence] })
