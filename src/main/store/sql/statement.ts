/**
 * Prepared statements.
 *
 * better-sqlite3 makes the objects of its rows with generated code, and this process runs with code generation from
 * strings switched off: a plain `get()` throws there and leaves the connection busy. So rows are read as arrays and
 * named here. Every statement of the store goes through these functions.
 */
import type { Database } from 'better-sqlite3'

export type SqlValue = string | number | null | Uint8Array
/** Values in the order of the `?`s, or one object for `@name`s. */
export type SqlParameters = readonly SqlValue[] | readonly [Readonly<Record<string, SqlValue>>]

export interface Query<Row> {
  get(...parameters: SqlParameters): Row | undefined
  all(...parameters: SqlParameters): Row[]
  /** Reads row by row; the connection can do nothing else until the loop has ended. */
  each(...parameters: SqlParameters): Iterable<Row>
}

/** A statement that yields rows with several columns. */
export function rows<Row extends object>(db: Database, sql: string): Query<Row> {
  const statement = db.prepare(sql).raw(true)
  const names = statement.columns().map((column) => column.name)
  const toRow = (values: unknown) => nameColumns(names, values as readonly unknown[]) as Row
  return {
    get(...parameters) {
      const values = statement.get(...parameters)
      return values === undefined ? undefined : toRow(values)
    },
    all: (...parameters) => statement.all(...parameters).map(toRow),
    *each(...parameters) {
      for (const values of statement.iterate(...parameters)) yield toRow(values)
    },
  }
}

/** A statement that yields one column. */
export function scalar<T>(db: Database, sql: string): Query<T> {
  const statement = db.prepare(sql).pluck(true)
  return {
    get: (...parameters) => statement.get(...parameters) as T | undefined,
    all: (...parameters) => statement.all(...parameters) as T[],
    each: (...parameters) => statement.iterate(...parameters) as Iterable<T>,
  }
}

/** A statement that yields nothing; `run` tells how many rows it changed. */
export function command(db: Database, sql: string): { run(...parameters: SqlParameters): number } {
  const statement = db.prepare(sql)
  return { run: (...parameters) => statement.run(...parameters).changes }
}

/** The one value that a pragma answers. */
export function pragma(db: Database, source: string): unknown {
  return db.pragma(source, { simple: true })
}

function nameColumns(names: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  for (let index = 0; index < names.length; index++) row[names[index] as string] = values[index]
  return row
}
