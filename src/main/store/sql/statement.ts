/**
 * Prepared statements.
 *
 * better-sqlite3 generates code for its row objects, and this process disables code generation from strings, so a plain
 * `get()` throws and leaves the connection busy. So rows are read as arrays and given their names here. Every statement
 * of the store goes through these functions.
 */
import type { Database } from 'better-sqlite3'

export type SqlValue = string | number | null | Uint8Array
/** Values in the order of the `?`s, or one object for `@name`s. */
export type SqlParameters =
  | readonly (SqlValue | UnmadeValue)[]
  | readonly [Readonly<Record<string, SqlValue>>]

/** A value of recorded work that is only made when the statement is performed: sealed for its owner, or packed. */
export class UnmadeValue {
  readonly make: 'seal' | 'pack'
  readonly owner: string
  readonly text: string

  constructor(make: 'seal' | 'pack', owner: string, text: string) {
    this.make = make
    this.owner = owner
    this.text = text
  }
}

export interface Query<Row> {
  get(...parameters: SqlParameters): Row | undefined
  all(...parameters: SqlParameters): Row[]
  /** Reads row by row; the connection is busy until the loop has ended. */
  each(...parameters: SqlParameters): Iterable<Row>
}

/** A statement that returns rows with several columns. */
export function rows<Row extends object>(db: Database, sql: string): Query<Row> {
  const statement = db.prepare(sql).raw(true)
  const names = statement.columns().map((column) => column.name)
  const toRow = (values: unknown) => nameColumns(names, values as readonly unknown[]) as Row
  return {
    get(...parameters) {
      requireReading()
      const values = statement.get(...parameters)
      return values === undefined ? undefined : toRow(values)
    },
    all(...parameters) {
      requireReading()
      return statement.all(...parameters).map(toRow)
    },
    *each(...parameters) {
      requireReading()
      for (const values of statement.iterate(...parameters)) yield toRow(values)
    },
  }
}

/** A statement that returns one column. */
export function scalar<T>(db: Database, sql: string): Query<T> {
  const statement = db.prepare(sql).pluck(true)
  return {
    get(...parameters) {
      requireReading()
      return statement.get(...parameters) as T | undefined
    },
    all(...parameters) {
      requireReading()
      return statement.all(...parameters) as T[]
    },
    each(...parameters) {
      requireReading()
      return statement.iterate(...parameters) as Iterable<T>
    },
  }
}

/** A statement that returns no rows; `run` returns how many rows it changed. */
export function command(db: Database, sql: string): { run(...parameters: SqlParameters): number } {
  const statement = db.prepare(sql)
  return {
    run(...parameters) {
      if (recording === null) return statement.run(...parameters).changes
      recording.add(sql, parameters)
      return 1
    },
  }
}

/** Collects statements instead of the database. */
export interface Recording {
  readonly add: (sql: string, parameters: SqlParameters) => void
}

let recording: Recording | null = null
export const isRecording = () => recording !== null

/** Adds the writes of `work` to a recording instead of performing them. `work` can't read. */
export function record(into: Recording, work: () => void): void {
  recording = into
  try {
    work()
  } finally {
    recording = null
  }
}

/** Throws during a recording, because a read wouldn't find the recorded writes. */
function requireReading(): void {
  if (recording !== null) throw new Error('Recorded work must not read')
}

/** The single value that a pragma returns. */
export function pragma(db: Database, source: string): unknown {
  return db.pragma(source, { simple: true })
}

function nameColumns(names: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  for (let index = 0; index < names.length; index++) row[names[index] as string] = values[index]
  return row
}
