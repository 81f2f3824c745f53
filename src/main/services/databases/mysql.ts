/** MySQL and MariaDB, on `mysql2`, which is loaded with the first call. */
import type { Connection, ConnectionOptions } from 'mysql2'
import { OWN_JSON_LIMITS, parseJson, writeJson } from '../../engine/data/json.ts'
import { type Data, entriesOf, Float, isDictionary, isList } from '../../engine/data/value.ts'
import type { SqlResult, SqlStatement } from '../../engine/flow/model/ports.ts'
import { dateTimeOf, decimalOf, floatOf, integerOf, rowOf } from '../../engine/sql/to-data.ts'
import { type DatabaseServer, refusalOf } from './server-address.ts'
import type { ServerCall } from './sql.ts'
import { withinTime } from './time-limit.ts'

export async function runMysql(server: DatabaseServer, call: ServerCall): Promise<readonly SqlResult[]> {
  const { createConnection } = await import('mysql2')
  const options: ConnectionOptions = {
    host: server.address,
    port: server.port,
    ...(server.database === '' ? {} : { database: server.database }),
    user: server.user,
    password: server.password,
    ...(server.tls === null ? {} : { ssl: server.tls }),
    connectTimeout: CONNECT_MS,
    // The program makes no code from text.
    disableEval: true,
    // A server could ask for any file.
    flags: ['-LOCAL_FILES'],
    namedPlaceholders: true,
    rowsAsArray: true,
    dateStrings: true,
    supportBigNumbers: true,
    bigNumberStrings: true,
    jsonStrings: true,
    charset: 'utf8mb4',
  }
  const connection = createConnection(options)
  // The pending call reports it as well.
  connection.on('error', () => {})
  const interrupt = () => {
    // The server would go on with the statement.
    const killer = createConnection(options)
    killer.on('error', () => {})
    killer.query(`KILL ${connection.threadId}`, () => killer.destroy())
    connection.destroy()
  }
  try {
    return await withinTime(runAll(connection, call), call, interrupt)
  } catch (error) {
    call.signal.throwIfAborted()
    throw refusalOf(error, server)
  } finally {
    connection.destroy()
  }
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
  readonly insertId: number | string
}

async function runOne(
  connection: Connection,
  { statement, parameters }: SqlStatement,
  takeRows: (rows: readonly Data[]) => Promise<void>,
): Promise<SqlResult> {
  const query = connection.execute(statement, sentParameters(parameters) as never)
  let fields: readonly Field[] | null = null
  let header: Header | null = null
  const onFields = (given: readonly Field[] | undefined) => {
    fields ??= given ?? null
  }
  query.on('fields', onFields as never)
  query.on('result', ((row: unknown) => {
    if (!Array.isArray(row)) header = row as Header
  }) as never)
  let batch: Data[] = []
  for await (const row of query.stream({ highWaterMark: BATCH_ROWS }) as AsyncIterable<unknown>) {
    if (!Array.isArray(row)) continue
    const known: readonly Field[] = fields ?? []
    batch.push(
      rowOf(
        known.map(({ name }) => name),
        row.map((value, at) => toData(value, known[at])),
      ),
    )
    if (batch.length < BATCH_ROWS) continue
    await takeRows(batch)
    batch = []
  }
  if (batch.length > 0) await takeRows(batch)
  const done = header as Header | null
  if (done === null) return { hasRows: true, changed: 0, lastId: null }
  const lastId = String(done.insertId ?? 0)
  return { hasRows: false, changed: done.affectedRows, lastId: lastId === '0' ? null : integerOf(lastId) }
}

function sentParameters(parameters: Data): unknown {
  if (isList(parameters)) return parameters.map(toSent)
  if (!isDictionary(parameters)) return []
  return Object.fromEntries(entriesOf(parameters).map(([name, value]) => [name, toSent(value)]))
}

function toSent(value: Data): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value
  if (typeof value === 'boolean') return value ? 1 : 0
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

const BATCH_ROWS = 500
const CONNECT_MS = 10_000
