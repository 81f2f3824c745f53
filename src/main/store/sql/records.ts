/**
 * Records whose keys are the names of columns. SQLite has neither times nor flags nor JSON, so these columns are
 * converted.
 */
import type { Database } from 'better-sqlite3'
import { type JsonCodec, PLAIN_JSON, toFlag, toIso, toTime } from './codec.ts'
import { createLister, type Lister, type Source } from './list.ts'
import { rows, type SqlParameters, type SqlValue } from './statement.ts'

/**
 * `labels` are JSON in the store's own format. `json?` stores null as NULL; a `json` column has the JSON `null`
 * instead.
 */
type Kind = 'time' | 'flag' | 'labels' | 'json' | 'json?'

/** `key` isn't part of the record. */
export type StoredRow = Readonly<Record<string, SqlValue>> & { readonly key: number }

export interface RecordMapper<T> {
  toRecord(row: StoredRow): T
  /** Values by column name. The statement ignores names that aren't columns. */
  toRow(record: T): Readonly<Record<string, SqlValue>>
  /** Prepares a statement that selects records. */
  query(sql: string): { get(...parameters: SqlParameters): T | null; all(...parameters: SqlParameters): T[] }
  /** Lists a table whose key column is `key`. */
  lister(source: Pick<Source<StoredRow, T>, 'select' | 'from' | 'columns'>): Lister<T>
}

export function createRecordMapper<T extends object>(
  db: Database,
  kinds: { readonly [K in keyof T]?: Kind },
  json: JsonCodec = PLAIN_JSON,
): RecordMapper<T> {
  const converted = Object.entries(kinds) as [string, Kind][]

  function toRecord({ key: _key, ...row }: StoredRow): T {
    const record: Record<string, unknown> = row
    for (const [name, kind] of converted) record[name] = read(kind, row[name] ?? null, json)
    return record as T
  }

  return {
    toRecord,
    toRow(record) {
      const row = { ...(record as Readonly<Record<string, unknown>>) }
      for (const [name, kind] of converted) row[name] = written(kind, row[name], json)
      return row as Record<string, SqlValue>
    },
    query(sql) {
      const query = rows<StoredRow>(db, sql)
      return {
        get(...parameters) {
          const row = query.get(...parameters)
          return row === undefined ? null : toRecord(row)
        },
        all: (...parameters) => query.all(...parameters).map(toRecord),
      }
    },
    lister: (source) => createLister<StoredRow, T>(db, { ...source, key: 'key', toRecord }),
  }
}

function read(kind: Kind, value: SqlValue, json: JsonCodec): unknown {
  if (value === null) return null
  if (kind === 'time') return toIso(Number(value))
  if (kind === 'flag') return value === 1
  return (kind === 'labels' ? PLAIN_JSON : json).parse(String(value))
}

function written(kind: Kind, value: unknown, json: JsonCodec): SqlValue {
  if (kind === 'flag') return toFlag(value === true)
  if (value === null && kind !== 'json') return null
  if (kind === 'time') return toTime(String(value))
  return (kind === 'labels' ? PLAIN_JSON : json).stringify(value)
}
