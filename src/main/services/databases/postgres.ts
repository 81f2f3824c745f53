/** PostgreSQL, on `pg`, which is loaded with the first call. */
import type { Client } from 'pg'
import type PgCursor from 'pg-cursor'
import { AppError } from '../../../shared/contract/base/errors.ts'
import { OWN_JSON_LIMITS, parseJson, writeJson } from '../../engine/data/json.ts'
import { type Data, Float, isList } from '../../engine/data/value.ts'
import type { SqlResult, SqlStatement } from '../../engine/flow/model/ports.ts'
import { dateTimeOf, decimalOf, floatOf, integerOf, rowOf } from '../../engine/sql/to-data.ts'
import type { DatabaseServer } from './server-address.ts'
import { refusalOf } from './server-address.ts'
import type { ServerCall } from './sql.ts'
import { withinTime } from './time-limit.ts'

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

/** Connects, works within the time limit and disconnects; what isn't committed by then has no effect. */
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
  /** Cuts the connection: one that still works on something would be waited for. */
  close(): void
}

export async function openPostgres(
  server: DatabaseServer,
  { timeoutMs, signal }: TimeLimits,
): Promise<OpenPostgres> {
  const endsAt = performance.now() + timeoutMs
  const { default: pg } = await import('pg')
  const client = new pg.Client({
    host: server.address,
    port: server.port,
    database: server.database || server.user,
    user: server.user,
    password: server.password,
    ssl: server.tls ?? false,
    connectionTimeoutMillis: CONNECT_MS,
    types: { getTypeParser: TYPE_PARSER },
    application_name: 'millrace',
  })
  // The pending call reports it as well.
  client.on('error', () => {})
  const close = () =>
    (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()

  async function run<T>(work: (one: Client) => Promise<T>): Promise<T> {
    try {
      const remainingMs = Math.max(1, endsAt - performance.now())
      return await withinTime(work(client), { timeoutMs: remainingMs, signal }, close, timeoutMs)
    } catch (error) {
      signal.throwIfAborted()
      throw refusalOf(error, server)
    }
  }

  try {
    await run(async () => {
      await client.connect()
      // The server ends a statement by itself even if it doesn't notice that nobody waits any longer.
      await client.query(
        `SET statement_timeout = ${Math.ceil(timeoutMs)}; SET TIME ZONE 'UTC'; SET datestyle = 'ISO'; SET intervalstyle = 'iso_8601'`,
      )
    })
  } catch (error) {
    close()
    throw error
  }
  return { run, close }
}

async function runOne(
  client: Client,
  { statement, parameters }: SqlStatement,
  takeRows: (rows: readonly Data[]) => Promise<void>,
): Promise<SqlResult> {
  if (!isList(parameters)) {
    throw new AppError(
      'validation',
      '"parameters" must be a list for PostgreSQL, whose placeholders are $1, $2, …',
    )
  }
  const { default: Cursor } = await import('pg-cursor')
  const cursor = client.query(new Cursor<Data[]>(statement, parameters.map(toSent), { rowMode: 'array' }))
  for (;;) {
    const { rows, result } = await readSome(cursor)
    const fields = result.fields ?? []
    const columns = fields.map(({ name }) => name)
    if (rows.length > 0) await takeRows(rows.map((values) => rowOf(columns, values)))
    if (rows.length < BATCH_ROWS) {
      await cursor.close()
      return { hasRows: fields.length > 0, changed: result.rowCount ?? 0, lastId: null }
    }
  }
}

interface Some {
  readonly rows: readonly (readonly Data[])[]
  readonly result: {
    readonly fields?: readonly { readonly name: string }[]
    readonly rowCount: number | null
  }
}

function readSome(cursor: PgCursor<Data[]>): Promise<Some> {
  return new Promise((resolve, reject) => {
    cursor.read(BATCH_ROWS, (error: Error | undefined, rows, result) => {
      if (error) reject(error)
      else resolve({ rows, result })
    })
  })
}

/** Lists and objects are sent as JSON, for columns of that type. */
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

/** Lists of the types above, by the type of the list. */
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

/** Every other type is read as PostgreSQL writes it. */
const TYPE_PARSER = (oid: number): Parse => {
  const of = LISTS[oid]
  return of === undefined ? (PARSERS[oid] ?? asText) : (text) => listOf(text, PARSERS[of] ?? asText)
}

/** `{1,NULL,"a \"b\"",{2}}`, as PostgreSQL writes lists, possibly after their bounds. */
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

const BATCH_ROWS = 500
const CONNECT_MS = 10_000
