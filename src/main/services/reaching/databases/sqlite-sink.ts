/** Writes records to tables of SQLite files, in one transaction with the state. */
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { type Data, getKey, isDictionary, OWN_JSON_LIMITS, parseJson, writeJson } from '@millrace/jinja/data'
import type { RecordSink, SinkWrite } from '../../../engine/flow/model/ports.ts'
import { fileNameOf, publishLeft, REJECTED, RejectedRecords } from './rejected-records.ts'
import { MOST_COLUMNS, SYNC_TABLE } from './sqlite-messages.ts'
import type { SqliteFiles } from './sqlite.ts'
import { stageRecords } from './staged-records.ts'

interface SqliteTable {
  readonly path: string
  readonly name: string
  readonly table: string
  readonly signal: AbortSignal
}

export async function openSqliteSink(
  files: SqliteFiles,
  options: SqliteTable & SinkWrite,
): Promise<RecordSink> {
  const { path, table, id, mode, key, name, signal } = options
  const stored = await readStored(files, options)
  const isDone = stored !== null && stored.id === id
  const mark = `.${fileNameOf(table)}${REJECTED}`
  const file = { path: path + mark, name: name + mark }
  publishLeft(file.path, stored?.id ?? null)
  const rejected = RejectedRecords.begin(file, id, options.isBadRecordFatal)
  const staged = await stageRecords(path, { key: [], types: options.types }, rejected, MOST_COLUMNS)
  return {
    done: isDone ? stored : null,
    cursor: stored?.cursor ?? null,
    write: (records) => staged.write(records),
    reject: (item, reason) => rejected.add(item, reason),
    async commit(cursor) {
      await staged.end()
      const soFar = rejected.soFar
      rejected.keep()
      const loaded = await files.load({
        name,
        signal,
        timeoutMs: LOAD_MS,
        request: {
          kind: 'load',
          path,
          staged: staged.path,
          count: staged.count,
          table,
          columns: staged.columns,
          mode,
          key,
          id,
          cursor: writeJson(cursor),
          rejected: soFar,
        },
      })
      rejected.take(loaded.rejected)
      return {
        result: parseJson(loaded.result, OWN_JSON_LIMITS),
        notes: [...staged.notes(loaded.changes), ...rejected.notes()],
        merged: loaded.merged,
      }
    },
    async close() {
      await staged.remove()
      rejected.drop()
    },
  }
}

export async function readSqliteCursor(files: SqliteFiles, options: SqliteTable): Promise<Data> {
  return (await readStored(files, options))?.cursor ?? null
}

async function readStored(files: SqliteFiles, { path, name, table, signal }: SqliteTable) {
  const rows: Data[] = []
  const ask = (statement: string, parameters: Data) =>
    files.run({
      name,
      path,
      create: false,
      statements: [{ statement, parameters }],
      inTransaction: false,
      afterLoads: true,
      timeoutMs: READ_MS,
      signal,
      takeRows: async (_, more) => void rows.push(...more),
    })
  try {
    await ask('SELECT name FROM sqlite_schema WHERE name = ?', [SYNC_TABLE])
    if (rows.length === 0) return null
    rows.length = 0
    await ask(`SELECT cursor, write_id, result FROM ${SYNC_TABLE} WHERE name = ?`, [table])
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return null
    throw error
  }
  const [row] = rows
  if (row === undefined || !isDictionary(row)) return null
  const textIn = (column: string) => getKey(row, column) as string
  const read = (column: string) => parseJson(textIn(column), OWN_JSON_LIMITS)
  return { id: textIn('write_id'), cursor: read('cursor'), result: read('result') }
}

const READ_MS = 30_000
const LOAD_MS = 3_600_000
