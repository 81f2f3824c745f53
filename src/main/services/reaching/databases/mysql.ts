/** MySQL and MariaDB, through `mysql2`, which is loaded with the first call. */
import { connect, type Socket } from 'node:net'
import type { Connection, ConnectionOptions } from 'mysql2'
import {
  type Data,
  dictionaryOf,
  entriesOf,
  Float,
  isDictionary,
  isList,
  OWN_JSON_LIMITS,
  parseJson,
  writeJson,
} from '@millrace/jinja/data'
import type { MergeCounts, SqlResult, SqlStatement } from '../../../engine/flow/model/ports.ts'
import { columnNames, dateTimeOf, decimalOf, floatOf, integerOf, rowOf } from '../../../engine/sql/to-data.ts'
import { plainTime } from '../../../engine/sql/plain-time.ts'
import { contain, containSocket } from '../../../engine/request/contain.ts'
import { createLengthCheck, MYSQL_FRAMING, rowTooLarge, sizeOf } from './row-size.ts'
import { type DatabaseServer, type ServerCall, refusalOf } from './server-address.ts'
import type { DatabaseTls } from './server-tls.ts'
import { withinTime } from './time-limit.ts'

export async function runMysql(server: DatabaseServer, call: ServerCall): Promise<readonly SqlResult[]> {
  const { connection, lost, close } = await openMysql(server)
  const interrupt = () => {
    const { threadId } = connection
    close()
    if (typeof threadId === 'number') void killOn(server, threadId)
  }
  try {
    return await withinTime(Promise.race([runAll(connection, call), lost]), call, interrupt)
  } catch (error) {
    call.signal.throwIfAborted()
    throw refusalOf(error, server)
  } finally {
    close()
  }
}

export interface MysqlSession {
  /** Rows as lists of strings, numbers and nulls. */
  query(statement: string, values?: readonly unknown[]): Promise<readonly (readonly unknown[])[]>
  /**
   * Runs an `INSERT`, with or without `ON DUPLICATE KEY UPDATE`, and counts the changes; null if the server doesn't
   * say.
   */
  insert(statement: string, count: number): Promise<MergeCounts | null>
  /** The value as a literal for a statement. */
  escape(value: string): string
  close(): void
}

/** A connection for many of Millrace's own statements, in strict mode, so that nothing is cut or rounded to fit. */
export async function openMysqlSession(
  server: DatabaseServer,
  limits: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<MysqlSession> {
  const { connection, lost, close } = await openMysql(server, ['-FOUND_ROWS'])
  const endsAt = performance.now() + limits.timeoutMs
  const interrupt = () => {
    const { threadId } = connection
    close()
    if (typeof threadId === 'number') void killOn(server, threadId)
  }
  async function send(statement: string, values: readonly unknown[] = []): Promise<unknown> {
    const answered = new Promise<unknown>((resolve, reject) => {
      connection.query(statement, [...values] as never, (error, result) =>
        error ? reject(error) : resolve(result),
      )
    })
    const timeoutMs = Math.max(1, endsAt - performance.now())
    try {
      return await withinTime(
        Promise.race([answered, lost]),
        { ...limits, timeoutMs },
        interrupt,
        limits.timeoutMs,
      )
    } finally {
      limits.signal.throwIfAborted()
    }
  }
  async function query(statement: string, values?: readonly unknown[]) {
    const rows = await send(statement, values)
    return Array.isArray(rows) ? (rows as unknown[][]) : []
  }
  try {
    await query(
      "SET SESSION time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,ERROR_FOR_DIVISION_BY_ZERO', wait_timeout = 86400",
    )
  } catch (error) {
    close()
    throw refusalOf(error, server)
  }
  return {
    query,
    insert: async (statement, count) => mergedIn((await send(statement)) as Header, count),
    escape: (value) => connection.escape(value),
    close,
  }
}

/**
 * A row counts once if it is new, and twice if it changed. For several rows, the server also says how many changed, in
 * its own language: "Records: 3 Duplicates: 1 Warnings: 0".
 */
export function mergedIn({ affectedRows, info }: Header, count: number): MergeCounts | null {
  const [, duplicates] = info?.match(/\d+/g) ?? []
  if (count > 1 && duplicates === undefined) return null
  const changed = count > 1 ? Number(duplicates) : Math.floor(affectedRows / 2)
  const fresh = affectedRows - 2 * changed
  const unchanged = count - fresh - changed
  return fresh < 0 || unchanged < 0 ? null : { new: fresh, changed, unchanged }
}

interface OpenMysql {
  readonly connection: Connection
  /** Rejects once the connection can't be used any longer. */
  readonly lost: Promise<never>
  readonly close: () => void
}

/** The library reports a lost connection only as an event of the connection, not to the statement that is running. */
async function openMysql(server: DatabaseServer, flags: readonly string[] = []): Promise<OpenMysql> {
  const { createConnection } = await import('mysql2')
  const { promise: lost, reject } = Promise.withResolvers<never>()
  lost.catch(() => {})
  const connection = createConnection({
    // The name that the certificate must be for.
    host: server.name,
    port: server.port,
    stream: () => connectTo(server),
    ...(server.database === '' ? {} : { database: server.database }),
    user: server.user,
    password: server.password,
    ...(server.tls === null
      ? {}
      : {
          ssl: {
            rejectUnauthorized: server.tls.rejectUnauthorized,
            verifyIdentity: server.tls.checksHost,
            ...certificatesOf(server.tls),
          },
        }),
    connectTimeout: server.wishes?.connectMs ?? CONNECT_MS,
    // Millrace runs with a flag that prevents code from being made from strings.
    disableEval: true,
    // Without this flag, a server could request any local file.
    flags: ['-LOCAL_FILES', ...flags],
    namedPlaceholders: true,
    rowsAsArray: true,
    dateStrings: true,
    supportBigNumbers: true,
    bigNumberStrings: true,
    jsonStrings: true,
    charset: 'utf8mb4',
  } satisfies ConnectionOptions)
  const close = () => connection.destroy()
  const fail = (error: Error) => {
    reject(error)
    close()
  }
  connection.on('error', fail)
  const { packetParser } = connection as unknown as { packetParser: { execute(chunk: Buffer): void } }
  const isAcceptable = createLengthCheck(MYSQL_FRAMING)
  const execute = packetParser.execute.bind(packetParser)
  packetParser.execute = (chunk) => (isAcceptable(chunk) ? execute(chunk) : fail(rowTooLarge()))
  contain(packetParser, 'execute', fail)
  return { connection, lost, close }
}

/** Leaves out undefined properties, which the library would treat as values. */
const certificatesOf = ({ ca, cert, key, passphrase }: DatabaseTls) => ({
  ...(ca !== undefined && { ca }),
  ...(cert !== undefined && { cert }),
  ...(key !== undefined && { key }),
  ...(passphrase !== undefined && { passphrase }),
})

function connectTo({ address, port, name }: DatabaseServer): Socket {
  const socket = containSocket(connect({ host: address, port }))
  socket.setNoDelay(true)
  // Node.js checks the certificate against the name that a socket was connected to.
  return Object.assign(socket, { _host: name })
}

/** Ends a statement on the server, which would otherwise continue with it. */
async function killOn(server: DatabaseServer, threadId: number): Promise<void> {
  const { connection, close } = await openMysql(server)
  const timer = setTimeout(close, CONNECT_MS).unref()
  connection.query(`KILL ${threadId}`, () => {
    clearTimeout(timer)
    close()
  })
}

async function runAll(
  connection: Connection,
  { statements, inTransaction, takeRows }: ServerCall,
): Promise<SqlResult[]> {
  await runPlain(connection, "SET time_zone = '+00:00'")
  if (inTransaction) await runPlain(connection, 'START TRANSACTION')
  const results: SqlResult[] = []
  for (const [at, one] of statements.entries())
    results.push(await runOne(connection, one, (rows) => takeRows(at, rows)))
  if (inTransaction) await runPlain(connection, 'COMMIT')
  return results
}

function runPlain(connection: Connection, statement: string): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.query(statement, (error) => (error ? reject(error) : resolve()))
  })
}

interface Field {
  readonly name: string
  readonly columnType: number
}

interface Header {
  readonly affectedRows: number
  readonly info?: string
  readonly insertId: number | string
}

async function runOne(
  connection: Connection,
  { statement, parameters }: SqlStatement,
  takeRows: (rows: readonly Data[]) => Promise<void>,
): Promise<SqlResult> {
  const { TypedParameter } = await import('mysql2')
  let hasRows = false
  const take = (rows: readonly Data[]) => {
    hasRows = true
    return takeRows(rows)
  }
  const attempt = (given: Data) => {
    const sent = sentParameters(given, (value) => TypedParameter.BIGINT(value))
    return execute(connection, statement, sent, take)
  }
  let given = parameters
  let failure: unknown
  for (let candidates: readonly Data[] = [given], tries = 0; ;) {
    let isBetter = false
    for (const candidate of candidates) {
      if (++tries > MOST_TRIES) throw withAdvice(failure)
      try {
        return await attempt(candidate)
      } catch (error) {
        if (failure !== undefined && saidBy(error) === saidBy(failure)) continue
        failure = error
        given = candidate
        isBetter = true
        break
      }
    }
    const refused = refusedTime(failure)
    if (refused === null || hasRows) throw failure
    if (!isBetter) throw withAdvice(failure)
    candidates = [...plainTimes(statement, given, refused)]
  }
}

const saidBy = (error: unknown) => String((error as { readonly message?: unknown }).message)

/**
 * Times are read in ISO 8601 format, which the servers refuse when it is written. Only they know which column holds a
 * time and which holds text, so a time is written differently only after it was refused.
 */
function refusedTime(error: unknown): string | null {
  const { errno, message } = error as { readonly errno?: unknown; readonly message?: unknown }
  if (errno !== TRUNCATED_WRONG_VALUE) return null
  return /time value: '([^']{1,40})'/.exec(String(message))?.[1] ?? null
}

/** Adds advice for the user to the error. */
function withAdvice(error: unknown): unknown {
  if (error instanceof Error)
    error.message += "; write it as the database does, without T and Z: '2024-07-01 12:00:00'"
  return error
}

/**
 * Yields the parameters with one occurrence of the refused value changed. It was the right one if the server then
 * refuses something else or nothing. Text with the same value is never changed, because the server doesn't refuse it.
 */
function* plainTimes(statement: string, parameters: Data, refused: string): Generator<Data> {
  if (isList(parameters)) {
    const width = rowWidth(statement)
    for (const [at, value] of parameters.entries()) {
      if (value !== refused || plainTime(value) === null) continue
      // All rows of an INSERT have the same columns.
      const isColumn = (other: number) => other === at || (width !== null && other % width === at % width)
      yield parameters.map((one, other) => (isColumn(other) ? (plainTime(one) ?? one) : one))
    }
  } else if (isDictionary(parameters)) {
    for (const [name, value] of entriesOf(parameters)) {
      const plain = value === refused ? plainTime(value) : null
      // A parameter that is used twice could be text in one of its places.
      if (plain === null || [...statement.matchAll(/:(\w+)/g)].filter(([, used]) => used === name).length > 1)
        continue
      yield dictionaryOf(entriesOf(parameters).map(([key, one]) => [key, key === name ? plain : one]))
    }
  }
}

/** Number of placeholders in each row of `INSERT … VALUES (?, ?), (?, ?)`; null for any other statement. */
function rowWidth(statement: string): number | null {
  const values = [...statement.matchAll(/\bvalues\b/gi)].at(-1)
  const after = values === undefined ? '' : statement.slice(values.index + values[0].length)
  if (!/^[\s(),;?]*$/.test(after)) return null
  const rows = after.split(')').slice(0, -1)
  const widths = new Set(rows.map((row) => row.split('?').length - 1))
  const [width = 0] = widths
  return widths.size === 1 && width > 0 && statement.split('?').length - 1 === width * rows.length
    ? width
    : null
}

async function execute(
  connection: Connection,
  statement: string,
  parameters: unknown,
  takeRows: (rows: readonly Data[]) => Promise<void>,
): Promise<SqlResult> {
  const query = connection.execute(statement, parameters as never)
  let fields: readonly Field[] = []
  let columns: readonly string[] = []
  let header: Header | null = null
  query.on('fields', ((given: readonly Field[] | undefined) => {
    if (fields.length > 0 || given === undefined) return
    fields = given
    columns = columnNames(given.map(({ name }) => name))
  }) as never)
  query.on('result', ((row: unknown) => {
    if (!Array.isArray(row)) header = row as Header
  }) as never)
  let batch: Data[] = []
  let size = 0
  for await (const row of query.stream({ highWaterMark: HELD_ROWS }) as AsyncIterable<unknown>) {
    if (!Array.isArray(row)) continue
    size += sizeOf(row)
    batch.push(
      rowOf(
        columns,
        row.map((value, at) => toData(value, fields[at])),
      ),
    )
    if (batch.length < BATCH_ROWS && size < BATCH_BYTES) continue
    await takeRows(batch)
    batch = []
    size = 0
  }
  if (batch.length > 0) await takeRows(batch)
  const done = header as Header | null
  if (done === null) return { hasRows: true, changed: 0, lastId: null }
  const lastId = String(done.insertId ?? 0)
  return { hasRows: false, changed: done.affectedRows, lastId: lastId === '0' ? null : integerOf(lastId) }
}

type ToInteger = (value: number) => unknown

function sentParameters(parameters: Data, toInteger: ToInteger): unknown {
  if (isList(parameters)) return parameters.map((value) => toSent(value, toInteger))
  if (!isDictionary(parameters)) return []
  return Object.fromEntries(entriesOf(parameters).map(([name, value]) => [name, toSent(value, toInteger)]))
}

/** The library sends every plain number as a double. */
function toSent(value: Data, toInteger: ToInteger): unknown {
  if (value === null || typeof value === 'string') return value
  if (typeof value === 'number') return Number.isSafeInteger(value) ? toInteger(value) : value
  if (typeof value === 'boolean') return toInteger(value ? 1 : 0)
  if (typeof value === 'bigint') return String(value)
  return value instanceof Float ? value.value : writeJson(value)
}

const INTEGER = 8
const FLOATS: ReadonlySet<number> = new Set([4, 5])
const DECIMALS: ReadonlySet<number> = new Set([0, 246])
const TIMESTAMP = 7
const DATETIME = 12
const JSON_TYPE = 245

function toData(value: unknown, field: Field | undefined): Data {
  if (value === null || value === undefined) return null
  const type = field?.columnType ?? 0
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (typeof value === 'number') return FLOATS.has(type) ? floatOf(value) : value
  if (typeof value !== 'string') return writeJson(value as Data)
  if (type === INTEGER) return integerOf(value)
  if (DECIMALS.has(type)) return decimalOf(value)
  if (type === TIMESTAMP || type === DATETIME) return dateTimeOf(value, type === TIMESTAMP)
  if (type === JSON_TYPE) return parseJson(value, OWN_JSON_LIMITS)
  return value
}

const TRUNCATED_WRONG_VALUE = 1292
const MOST_TRIES = 20

const BATCH_ROWS = 500
const BATCH_BYTES = 4_194_304
/** Number of rows that the library buffers before it stops reading. */
const HELD_ROWS = 32
const CONNECT_MS = 10_000
