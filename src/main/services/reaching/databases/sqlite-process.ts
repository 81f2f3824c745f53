/** Runs SQLite in a separate process, so that no query blocks Millrace, and every query can be ended. */
import { SAID } from '../../../../shared/contract/base/message.ts'
import Database from 'better-sqlite3'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import {
  type Data,
  entriesOf,
  isDictionary,
  isList,
  OWN_JSON_LIMITS,
  parseJson,
  writeJson,
} from '@millrace/jinja/data'
import { columnNames, floatOf } from '../../../engine/sql/to-data.ts'
import { LARGEST_ROW, sizeOf } from './row-size.ts'
import { load } from './sqlite-load.ts'
import {
  BAD_RECORDS,
  OWN_DATABASE,
  ROW_TOO_LARGE,
  type SqliteReply,
  type SqliteRequest,
  type SqliteResult,
  type SqliteStatement,
} from './sqlite-messages.ts'
import { toBound } from './sqlite-values.ts'

interface Port {
  send(reply: SqliteReply): void
  onMessage(listener: (request: SqliteRequest) => void): void
}

// Only the owner can access the files it creates.
process.umask(0o077)

const port = openPort()
let onMore = () => {}

port.onMessage((request) => {
  if (request.kind === 'more') return onMore()
  answer(request).then(
    (reply) => port.send(reply),
    (error: unknown) => {
      if (!(error instanceof Error)) throw error
      const { code = '', message } = error as Error & { code?: string }
      if (error instanceof AppError)
        return port.send({ kind: 'failed', code: BAD_RECORDS, message, said: error[SAID] })
      port.send({ kind: 'failed', code, message })
    },
  )
})

async function answer(request: Exclude<SqliteRequest, { kind: 'more' }>): Promise<SqliteReply> {
  const mayCreate = request.kind === 'load' || request.create
  const db = new Database(request.path, { fileMustExist: !mayCreate, timeout: BUSY_MS })
  try {
    db.defaultSafeIntegers(true)
    db.pragma('trusted_schema = OFF')
    if (db.pragma('application_id', { simple: true }) === BigInt(request.ownApplicationId))
      throw Object.assign(new Error('A database of Millrace'), { code: OWN_DATABASE })
    if (request.kind === 'load') return { kind: 'loaded', ...load(db, request) }
    if (!request.inTransaction) return { kind: 'done', results: await runAll(db, request.statements) }
    db.exec('BEGIN IMMEDIATE')
    const results = await runAll(db, request.statements)
    db.exec('COMMIT')
    return { kind: 'done', results }
  } finally {
    // A transaction that is still open is rolled back.
    db.close()
  }
}

async function runAll(
  db: Database.Database,
  statements: readonly SqliteStatement[],
): Promise<SqliteResult[]> {
  const results: SqliteResult[] = []
  for (const [at, { statement, parameters }] of statements.entries()) {
    const prepared = db.prepare<unknown[], unknown[]>(statement)
    const given = bindings(parseJson(parameters, OWN_JSON_LIMITS))
    if (prepared.reader) {
      await sendRows(prepared, given, at)
      results.push({ hasRows: true, changed: 0, lastId: null })
    } else {
      const { changes, lastInsertRowid } = prepared.run(...given)
      results.push({ hasRows: false, changed: changes, lastId: String(lastInsertRowid) })
    }
  }
  return results
}

/** The next rows are read once these have been taken, so that neither side holds many. */
async function sendRows(
  prepared: Database.Statement<unknown[], unknown[]>,
  given: readonly unknown[],
  statement: number,
): Promise<void> {
  const columns = columnNames(prepared.columns().map(({ name }) => name))
  let texts: string[] = []
  let size = 0
  const flush = async () => {
    const taken = new Promise<void>((resolve) => {
      onMore = resolve
    })
    port.send({ kind: 'rows', statement, columns, rows: `[${texts.join(',')}]` })
    texts = []
    size = 0
    await taken
  }
  for (const row of prepared.raw(true).iterate(...given)) {
    if (sizeOf(row) > LARGEST_ROW)
      throw Object.assign(new Error('A row is too large'), { code: ROW_TOO_LARGE })
    const text = writeJson(row.map(toData))
    texts.push(text)
    size += text.length
    if (size > BATCH_CHARACTERS || texts.length >= BATCH_ROWS) await flush()
  }
  if (texts.length > 0) await flush()
}

function toData(value: unknown): Data {
  if (typeof value === 'bigint') {
    const number = Number(value)
    return Number.isSafeInteger(number) ? number : value
  }
  if (typeof value === 'number') return floatOf(value)
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : (value as string | null)
}

function bindings(parameters: Data): unknown[] {
  if (isList(parameters)) return parameters.map(toBound)
  if (!isDictionary(parameters)) return []
  const named: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  for (const [name, value] of entriesOf(parameters)) named[name] = toBound(value)
  return [named]
}

function openPort(): Port {
  // Set in the desktop app, where this is a utility process.
  const { parentPort } = process as typeof process & { parentPort?: Electron.ParentPort }
  if (parentPort !== undefined) {
    return {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a process, not a window
      send: (reply) => parentPort.postMessage(reply),
      onMessage: (listener) => parentPort.on('message', ({ data }) => listener(data as SqliteRequest)),
    }
  }
  process.once('disconnect', () => process.exit())
  return {
    send: (reply) => process.send?.(reply),
    onMessage: (listener) => process.on('message', listener),
  }
}

const BATCH_ROWS = 500
const BATCH_CHARACTERS = 262_144
/** Time that a query waits for another program that writes to the file. */
const BUSY_MS = 5_000
