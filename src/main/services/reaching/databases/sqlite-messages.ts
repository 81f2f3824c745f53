/** Messages between the program and the process that runs SQLite. Values are JSON, which keeps every kind of number. */

import { type Said } from '../../../../shared/contract/base/message.ts'
import type { MergeCounts, SinkWrite } from '../../../engine/flow/model/ports.ts'
import type { Column } from '../../../engine/sql/columns.ts'
import type { RejectedSoFar } from './rejected-records.ts'

export interface SqliteStatement {
  readonly statement: string
  /** A list, or an object for named placeholders. */
  readonly parameters: string
}

export type SqliteRequest =
  | {
      readonly kind: 'run'
      readonly path: string
      /** Whether a missing file is created. */
      readonly create: boolean
      /** Files with this ID in their header are refused. */
      readonly ownApplicationId: number
      readonly statements: readonly SqliteStatement[]
      readonly inTransaction: boolean
    }
  | (LoadRequest & { readonly ownApplicationId: number })
  /** Asks for the next rows, after the last ones were taken. */
  | { readonly kind: 'more' }

export type SqliteReply =
  | {
      readonly kind: 'rows'
      readonly statement: number
      readonly columns: readonly string[]
      /** A list of rows, each a list. */
      readonly rows: string
    }
  | ({ readonly kind: 'loaded' } & Loaded)
  | { readonly kind: 'done'; readonly results: readonly SqliteResult[] }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string; readonly said?: Said }

export interface SqliteResult {
  readonly hasRows: boolean
  readonly changed: number
  /** A string, because the ID can be beyond the range of exact numbers. */
  readonly lastId: string | null
}

/** Refusal code if the file is a database of Millrace, or a copy of one. */
export const OWN_DATABASE = 'OWN_DATABASE'

/** Refusal code if a row is too large for a step. */
export const ROW_TOO_LARGE = 'ROW_TOO_LARGE'

/** The table in which a target stores the progress of reading its records. */
export const SYNC_TABLE = 'millrace_sync'

/** Writes staged records to a table. */
export interface LoadRequest {
  readonly kind: 'load'
  readonly path: string
  /** A file with one JSON record per line. */
  readonly staged: string
  /** The number of records that the file must have. */
  readonly count: number
  readonly table: string
  readonly columns: readonly Column[]
  readonly mode: SinkWrite['mode']
  readonly key: readonly string[]
  readonly id: string
  /** JSON. */
  readonly cursor: string
  readonly rejected: RejectedSoFar
}

export interface Loaded {
  /** The changes to the columns. */
  readonly changes: readonly Said[]
  /** The result of the step, as JSON. */
  readonly result: string
  readonly rejected: Pick<RejectedSoFar, 'count' | 'first'>
  /** Null if it isn't a merge, or if the records were already written. */
  readonly merged: MergeCounts | null
}

/** Refusal code if records can't be written; its sentence says everything. */
export const BAD_RECORDS = 'BAD_RECORDS'

/** SQLite's limit. */
export const MOST_COLUMNS = 2_000
