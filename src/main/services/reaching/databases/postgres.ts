/** PostgreSQL, through `pg`, which is loaded with the first call. */
import { say } from '../../../../shared/contract/base/message.ts'
import type { Duplex } from 'node:stream'
import type { Socket } from 'node:net'
import type { Client, Connection as PgConnection } from 'pg'
import type PgCursor from 'pg-cursor'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { type Data, Float, isList, OWN_JSON_LIMITS, parseJson, writeJson } from '@millrace/jinja/data'
import type { SqlResult, SqlStatement } from '../../../engine/flow/model/ports.ts'
import { columnNames, dateTimeOf, decimalOf, floatOf, integerOf, rowOf } from '../../../engine/sql/to-data.ts'
import { contain, containSocket } from '../../../engine/request/contain.ts'
import { createLengthCheck, POSTGRES_FRAMING, rowTooLarge } from './row-size.ts'
import type { DatabaseServer, ServerCall } from './server-address.ts'
import { refusalOf } from './server-address.ts'
import { withinTime } from './time-limit.ts'
import type { UrlWishes } from './url-wishes.ts'

export async function runPostgres(server: DatabaseServer, call: ServerCall): Promise<readonly SqlResult[]> {
  return usePostgres(server, call, async (client) => {
    const { statements, inTransaction, takeRows } = call
    if (inTransaction) await client.query('BEGIN')
    const results: SqlResult[] = []
    for (const [at, one] of statements.entries())
      results.push(await runOne(client, one, (rows) => takeRows(at, rows)))
    if (inTransaction) await client.query('COMMIT')
    return results
  })
}

/** Connects, works within the time limit and disconnects; uncommitted changes then have no effect. */
export async function usePostgres<T>(
  server: DatabaseServer,
  limits: TimeLimits,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const connection = await openPostgres(server, limits)
  try {
    return await connection.run(work)
  } finally {
    connection.close()
  }
}

interface TimeLimits {
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

export interface OpenPostgres {
  run<T>(work: (client: Client) => Promise<T>): Promise<T>
  /** Cuts the connection, because closing it properly would wait for the current statement. */
  close(): void
}

export async function openPostgres(
  server: DatabaseServer,
  { timeoutMs, signal }: TimeLimits,
): Promise<OpenPostgres> {
  const endsAt = performance.now() + timeoutMs
  const wishes: Partial<UrlWishes> = server.wishes ?? {}
  const { default: pg } = await import('pg')
  const client = new pg.Client({
    host: server.address,
    port: server.port,
    database: server.database || server.user,
    user: server.user,
    password: server.password,
    ssl: server.tls ?? false,
    connectionTimeoutMillis: wishes.connectMs ?? CONNECT_MS,
    enableChannelBinding: wishes.channelBinding === 'prefer' || wishes.channelBinding === 'require',
    types: { getTypeParser: TYPE_PARSER },
    application_name: wishes.applicationName ?? 'millrace',
  })
  const { lost, fail, close } = watchConnection(client)
  if (wishes.channelBinding === 'require') requireChannelBinding(client)
  const interrupt = () => {
    close()
    void cancelOn(server, client)
  }

  async function run<T>(work: (one: Client) => Promise<T>): Promise<T> {
    try {
      const remainingMs = Math.max(1, endsAt - performance.now())
      const working = Promise.race([work(client), lost])
      return await withinTime(working, { timeoutMs: remainingMs, signal }, interrupt, timeoutMs)
    } catch (error) {
      signal.throwIfAborted()
      fail(error as Error)
      throw refusalOf(error, server)
    }
  }

  try {
    await run(async () => {
      await client.connect()
      // The server ends the statement itself, even if it doesn't notice that nobody is waiting any longer.
      await client.query(
        `SET statement_timeout = ${Math.ceil(timeoutMs)}; SET TIME ZONE 'UTC'; SET datestyle = 'ISO'; SET intervalstyle = 'iso_8601'`,
      )
      await requireSession(client, wishes.session)
    })
  } catch (error) {
    close()
    throw error
  }
  return { run, close }
}

/** Sends no password to a server that doesn't prove that it sees the same TLS connection. */
function requireChannelBinding(client: Client): void {
  let isBound = false
  const requireBound = () => {
    if (isBound) return
    throw new Error(
      'it doesn\'t offer the channel binding that "channel_binding" in the database URL requires; check that nobody is in between, or remove the parameter',
    )
  }
  const wire = wireOf(client)
  // Runs before the library's own listeners.
  wire.on('authenticationSASL', ({ mechanisms }: { readonly mechanisms: readonly string[] }) => {
    isBound = mechanisms.includes('SCRAM-SHA-256-PLUS')
    requireBound()
  })
  for (const event of ['authenticationOk', 'authenticationCleartextPassword', 'authenticationMD5Password'])
    wire.on(event, requireBound)
}

/** Checks `target_session_attrs` on the only server there is. */
async function requireSession(client: Client, wanted: UrlWishes['session'] = 'any'): Promise<void> {
  if (wanted === 'any' || wanted === 'prefer-standby') return
  const { rows } = await client.query<{ standby: boolean; closed: string }>(
    "SELECT pg_is_in_recovery() AS standby, current_setting('transaction_read_only') AS closed",
  )
  const isStandby = rows[0]?.standby === true
  const isReadOnly = isStandby || rows[0]?.closed === 'on'
  const isRight = {
    'read-write': !isReadOnly,
    'read-only': isReadOnly,
    primary: !isStandby,
    standby: isStandby,
  }
  if (isRight[wanted]) return
  throw new Error(
    `it is a ${isStandby ? 'standby' : isReadOnly ? 'read-only server' : 'primary that can be written to'}, and "target_session_attrs" in the database URL is ${wanted}; use the URL of another server`,
  )
}

type Wire = PgConnection & {
  readonly stream: Duplex
  attachListeners(stream: Duplex): void
  connect(port: number, host: string): void
  requestSsl(): void
  cancel(processId: number, secretKey: number): void
}

const wireOf = (client: Client) => (client as unknown as { readonly connection: Wire }).connection

interface Watched {
  /** Rejects once the connection can't be used any longer. */
  readonly lost: Promise<never>
  readonly fail: (error: Error) => void
  readonly close: () => void
}

/** Ends the connection if the library can't handle something. */
function watchConnection(client: Client): Watched {
  const { promise: lost, reject } = Promise.withResolvers<never>()
  lost.catch(() => {})
  client.on('error', reject)
  const wire = wireOf(client)
  const close = () => wire.stream.destroy()
  const fail = (error: Error) => {
    reject(error)
    close()
  }
  containSocket(wire.stream as Socket)
  contain(wire, 'emit', fail)
  const attach = wire.attachListeners.bind(wire)
  wire.attachListeners = (stream) => {
    const isAcceptable = createLengthCheck(POSTGRES_FRAMING)
    // With TLS, this stream differs from the one that the connection began with.
    containSocket(stream as Socket)
    stream.once('data', (chunk: Buffer) => {
      if (!FIRST_LETTERS.has(chunk[0] ?? 0)) fail(notPostgres())
    })
    stream.on('data', (chunk: Buffer) => {
      if (!isAcceptable(chunk)) fail(rowTooLarge())
    })
    attach(stream)
  }
  return { lost, fail, close }
}

/** Cancels a statement on the server, which would otherwise continue with it until it has something to send. */
async function cancelOn(server: DatabaseServer, client: Client): Promise<void> {
  const { processID, secretKey } = client as unknown as Record<'processID' | 'secretKey', number | null>
  if (processID === null || secretKey === null) return
  const { default: pg } = await import('pg')
  const wire = new pg.Connection({ ssl: server.tls ?? false }) as Wire
  wire.on('error', () => {})
  containSocket(wire.stream as Socket)
  contain(wire, 'emit', () => wire.stream.destroy())
  const timer = setTimeout(() => wire.stream.destroy(), CONNECT_MS).unref()
  wire.on('end', () => clearTimeout(timer))
  if (server.tls !== null) wire.on('connect', () => wire.requestSsl())
  wire.on(server.tls === null ? 'connect' : 'sslconnect', () => wire.cancel(processID, secretKey))
  wire.connect(server.port, server.address)
}

async function runOne(
  client: Client,
  { statement, parameters }: SqlStatement,
  takeRows: (rows: readonly Data[]) => Promise<void>,
): Promise<SqlResult> {
  if (!isList(parameters)) {
    throw new AppError(
      'validation',
      say('"parameters" must be a list for PostgreSQL, whose placeholders are $1, $2, …'),
    )
  }
  const { default: Cursor } = await import('pg-cursor')
  const hasLists = parameters.some(isList)
  const types = hasLists ? await parameterTypes(client, statement) : []
  const sent = parameters.map((value, at) =>
    isList(value) && !TAKES_JSON.has(types[at] ?? 0) ? toSentList(value) : toSent(value),
  )
  const cursor = client.query(
    refusingCopies(new Cursor<Data[]>(statement, sent, { rowMode: 'array' }), client),
  )
  const { stream } = wireOf(client) as unknown as { readonly stream: Socket }
  const bytesBefore = stream.bytesRead
  let count = 0
  for (let wanted = FIRST_ROWS; ;) {
    const { rows, result } = await readSome(cursor, wanted)
    const fields = result.fields ?? []
    const columns = columnNames(fields.map(({ name }) => name))
    if (rows.length > 0) await takeRows(rows.map((values) => rowOf(columns, values)))
    if (rows.length < wanted) {
      await cursor.close()
      return { hasRows: fields.length > 0, changed: result.rowCount ?? 0, lastId: null }
    }
    count += rows.length
    const bytesEach = (stream.bytesRead - bytesBefore) / count
    wanted = Math.min(BATCH_ROWS, Math.max(1, Math.floor(BATCH_BYTES / bytesEach)))
  }
}

/** Rejects COPY, because the library can't handle a server that sends data by itself, or waits for data. */
function refusingCopies(cursor: PgCursor<Data[]>, client: Client): PgCursor<Data[]> {
  const refuse = () => {
    throw new AppError(
      'validation',
      say(
        'the statement copies data to or from the client, which steps don\'t support; read rows with SELECT, and write them with INSERT or a step "write_records"',
      ),
    )
  }
  wireOf(client).once('copyOutResponse', refuse)
  return Object.assign(cursor, { handleCopyInResponse: refuse, handleCopyData: refuse })
}

/** The types that the server expects for the parameters of a statement. */
function parameterTypes(client: Client, text: string): Promise<readonly number[]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly number[]>()
  let types: readonly number[] = []
  const wire = wireOf(client)
  const onTypes = (message: { readonly dataTypeIDs: readonly number[] }) => {
    types = message.dataTypeIDs
  }
  wire.once('parameterDescription', onTypes)
  client.query({
    submit(connection: PgConnection) {
      connection.parse({ text, name: '', types: [] }, true)
      connection.describe({ type: 'S', name: '' }, true)
      connection.sync()
    },
    handleRowDescription() {},
    handleError(error: Error) {
      wire.off('parameterDescription', onTypes)
      reject(error)
    },
    handleReadyForQuery: () => resolve(types),
  } as never)
  return promise
}

interface Some {
  readonly rows: readonly (readonly Data[])[]
  readonly result: {
    readonly fields?: readonly { readonly name: string }[]
    readonly rowCount: number | null
  }
}

function readSome(cursor: PgCursor<Data[]>, count: number): Promise<Some> {
  return new Promise((resolve, reject) => {
    cursor.read(count, (error: Error | undefined, rows, result) => {
      if (error) reject(error)
      else resolve({ rows, result })
    })
  })
}

/** Types that take a list as one JSON value; all others take it as an array. */
const TAKES_JSON: ReadonlySet<number> = new Set([25, 114, 705, 1042, 1043, 3802])

/** The library writes these lists as arrays. */
const toSentList = (list: readonly Data[]): unknown[] =>
  list.map((item) => (isList(item) ? toSentList(item) : toSent(item)))

/** Sends lists and objects as JSON, for columns of that type. */
export function toSent(value: Data): unknown {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  return value instanceof Float ? String(value.value) : writeJson(value)
}

type Parse = (text: string) => Data

const PARSERS: Readonly<Record<number, Parse>> = {
  16: (text) => text === 't',
  17: (text) => Buffer.from(text.slice(2), 'hex').toString('base64'),
  20: integerOf,
  21: Number,
  23: Number,
  26: Number,
  114: (text) => parseJson(text, OWN_JSON_LIMITS),
  700: (text) => floatOf(Number(text)),
  701: (text) => floatOf(Number(text)),
  1114: (text) => dateTimeOf(text, false),
  1184: (text) => dateTimeOf(text, true),
  1700: decimalOf,
  3802: (text) => parseJson(text, OWN_JSON_LIMITS),
}

/** The types of items, by the type of their list. */
const LISTS: Readonly<Record<number, number>> = {
  1000: 16,
  1001: 17,
  1005: 21,
  1007: 23,
  1009: 25,
  1015: 25,
  1016: 20,
  1021: 700,
  1022: 701,
  1115: 1114,
  1182: 25,
  1185: 1184,
  1231: 1700,
  199: 114,
  2951: 25,
  3807: 3802,
}

const asText: Parse = (text) => text

/** Values of all other types are read as PostgreSQL writes them. */
const TYPE_PARSER = (oid: number): Parse => {
  const of = LISTS[oid]
  return of === undefined ? (PARSERS[oid] ?? asText) : (text) => listOf(text, PARSERS[of] ?? asText)
}

/** Parses `{1,NULL,"a \"b\"",{2}}`, as PostgreSQL writes lists, possibly after their bounds. */
function listOf(text: string, parse: Parse): Data {
  const lists: Data[][] = [[]]
  for (const [token, quoted] of text
    .slice(text.indexOf('{'))
    .matchAll(/"((?:[^"\\]|\\.)*)"|[{},]|[^{},"]+/gs)) {
    if (token === '{') lists.push([])
    else if (token === '}') {
      const done = lists.pop() ?? []
      lists.at(-1)?.push(done)
    } else if (token !== ',') {
      const value = quoted === undefined ? token : quoted.replaceAll(/\\(.)/gs, '$1')
      lists.at(-1)?.push(quoted === undefined && token === 'NULL' ? null : parse(value))
    }
  }
  return lists[0]?.[0] ?? []
}

/** First letters of the messages with which a server can begin: login, protocol, error or notice. */
const FIRST_LETTERS: ReadonlySet<number> = new Set(Buffer.from('RvEN'))
const NOT_POSTGRES = say("the server there isn't PostgreSQL; check the port")
const notPostgres = () => Object.assign(new Error(String(NOT_POSTGRES)), { said: NOT_POSTGRES })
const BATCH_ROWS = 500
const BATCH_BYTES = 4_194_304
/** The first read is small, because the size of the rows isn't known yet. */
const FIRST_ROWS = 4
const CONNECT_MS = 10_000
