/** Records in tables of PostgreSQL: staged in a temporary table, written in one transaction with the state. */
import type { Client } from 'pg'
import { AppError } from '../../../shared/contract/base/errors.ts'
import { OWN_JSON_LIMITS, parseJson, writeJson } from '../../engine/data/json.ts'
import type { Data } from '../../engine/data/value.ts'
import type { RecordSink, SinkState, SinkWrite } from '../../engine/flow/model/ports.ts'
import { type Column, type ColumnKind, ColumnSet } from '../../engine/sql/columns.ts'
import { quoteName } from '../../engine/sql/quote-name.ts'
import { type OpenPostgres, openPostgres, usePostgres } from './postgres.ts'
import type { DatabaseServer } from './server-address.ts'
import { SYNC_TABLE } from './sqlite-messages.ts'

const TYPES: Readonly<Record<NonNullable<ColumnKind>, string>> = {
  boolean: 'boolean',
  integer: 'bigint',
  long: 'bigint',
  number: 'double precision',
  text: 'text',
  json: 'jsonb',
}

/** What the types that records get by themselves can hold; into columns of other types PostgreSQL converts values. */
const HOLDS: Readonly<Record<string, readonly ColumnKind[]>> = {
  boolean: ['boolean'],
  smallint: ['integer'],
  integer: ['integer'],
  bigint: ['integer', 'long'],
  real: ['integer', 'number'],
  'double precision': ['integer', 'long', 'number'],
}

export async function openPostgresSink(
  server: DatabaseServer,
  table: string,
  write: SinkWrite,
): Promise<RecordSink> {
  const connection = await openPostgres(server, { timeoutMs: WHOLE_MS, signal: write.signal })
  const columns = new ColumnSet()
  try {
    const stored = await connection.run(async (client) => {
      const found = await readStored(client, table)
      await client.query(
        'CREATE TEMPORARY TABLE millrace_stage (seq bigserial PRIMARY KEY, record json NOT NULL)',
      )
      return found
    })
    return {
      done: stored?.id === write.id ? stored : null,
      cursor: stored?.cursor ?? null,
      async write(records) {
        for (const record of records) columns.add(record)
        // PostgreSQL has no text with NUL.
        const text = writeJson(records).replaceAll(String.raw`\u0000`, '')
        await stage(connection, text)
      },
      commit: (state) => connection.run((client) => commit(client, table, write, columns.list, state)),
      close: async () => connection.close(),
    }
  } catch (error) {
    connection.close()
    throw error
  }
}

function stage(connection: OpenPostgres, text: string): Promise<unknown> {
  return connection.run((client) =>
    client.query('INSERT INTO millrace_stage (record) SELECT value FROM json_array_elements($1::json)', [
      text,
    ]),
  )
}

export async function readPostgresCursor(
  server: DatabaseServer,
  table: string,
  signal: AbortSignal,
): Promise<Data> {
  const stored = await usePostgres(server, { timeoutMs: READ_MS, signal }, (client) =>
    readStored(client, table),
  )
  return stored?.cursor ?? null
}

async function readStored(
  client: Client,
  table: string,
): Promise<(SinkState & { readonly id: string }) | null> {
  const known = await client.query<{ found: string | null }>('SELECT to_regclass($1)::text AS found', [
    SYNC_TABLE,
  ])
  const [place] = known.rows
  if (place === undefined || place.found === null) return null
  const { rows } = await client.query<{ cursor: string; write_id: string; result: string }>(
    `SELECT cursor, write_id, result FROM ${SYNC_TABLE} WHERE name = $1`,
    [table],
  )
  const [row] = rows
  if (row === undefined) return null
  const read = (text: string) => parseJson(text, OWN_JSON_LIMITS)
  return { id: row.write_id, cursor: read(row.cursor), result: read(row.result) }
}

async function commit(
  client: Client,
  table: string,
  { id, mode, key }: SinkWrite,
  columns: readonly Column[],
  { cursor, result }: SinkState,
): Promise<string[]> {
  await client.query('BEGIN')
  await client.query(
    `CREATE TABLE IF NOT EXISTS ${SYNC_TABLE} (name text PRIMARY KEY, cursor text NOT NULL, write_id text NOT NULL, result text NOT NULL)`,
  )
  const changes = await prepareTable(client, table, columns)
  if (mode === 'replace' && (await existing(client, table)).size > 0)
    await client.query(`DELETE FROM ${quoteName(table)}`)
  if (columns.length > 0) {
    if (mode === 'merge') await requireKey(client, table, key)
    await insertAll(client, table, { mode, key }, columns)
  }
  await client.query(
    `INSERT INTO ${SYNC_TABLE} VALUES ($1, $2, $3, $4) ON CONFLICT (name) DO UPDATE SET cursor = excluded.cursor, write_id = excluded.write_id, result = excluded.result`,
    [table, writeJson(cursor), id, writeJson(result)],
  )
  await client.query('COMMIT')
  return changes
}

async function prepareTable(client: Client, table: string, columns: readonly Column[]): Promise<string[]> {
  const long = columns.find(
    ({ name }) => name === '' || name.includes('\0') || Buffer.byteLength(name) > MOST_NAME_BYTES,
  )
  if (long !== undefined) {
    throw new AppError(
      'validation',
      `the field "${long.name.slice(0, 80)}" can't be a column: names have 1 to ${MOST_NAME_BYTES} bytes; rename it first`,
    )
  }
  const before = await existing(client, table)
  if (before.size === 0) {
    const list = columns.map(({ name, kind }) => `${quoteName(name)} ${TYPES[kind ?? 'text']}`)
    if (list.length > 0) await client.query(`CREATE TABLE ${quoteName(table)} (${list.join(', ')})`)
    return []
  }
  const added: string[] = []
  const widened: string[] = []
  for (const { name, kind } of columns) {
    const type = before.get(name)
    if (type === undefined) {
      await client.query(
        `ALTER TABLE ${quoteName(table)} ADD COLUMN ${quoteName(name)} ${TYPES[kind ?? 'text']}`,
      )
      added.push(name)
      continue
    }
    const next = widerType(type, kind)
    if (next === null) continue
    await client.query(
      `ALTER TABLE ${quoteName(table)} ALTER COLUMN ${quoteName(name)} TYPE ${next} USING ${quoteName(name)}::${next}`,
    )
    widened.push(`${name} (${type} to ${next})`)
  }
  return [
    ...(added.length === 0 ? [] : [`New columns in "${table}": ${added.join(', ')}`]),
    ...(widened.length === 0 ? [] : [`Wider columns in "${table}": ${widened.join(', ')}`]),
  ]
}

/** Null if the column can stay as it is. */
function widerType(type: string, kind: ColumnKind): string | null {
  const holds = HOLDS[type]
  if (holds === undefined || kind === null || holds.includes(kind)) return null
  if (type === 'boolean' || !(kind === 'long' || kind === 'number')) return 'text'
  return kind === 'long' && type !== 'real' ? 'bigint' : 'double precision'
}

async function existing(client: Client, table: string): Promise<Map<string, string>> {
  const { rows } = await client.query<{ name: string; type: string }>(
    `SELECT attname AS name, format_type(atttypid, NULL) AS type FROM pg_attribute
     WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
    [quoteName(table)],
  )
  return new Map(rows.map(({ name, type }) => [name, type]))
}

async function requireKey(client: Client, table: string, key: readonly string[]): Promise<void> {
  const { rows } = await client.query<{ columns: string[] }>(
    `SELECT array_agg(a.attname::text ORDER BY a.attname) AS columns FROM pg_index i
     JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
     WHERE i.indrelid = to_regclass($1) AND i.indisunique AND i.indpred IS NULL AND i.indexprs IS NULL GROUP BY i.indexrelid`,
    [quoteName(table)],
  )
  const wanted = writeJson(key.toSorted())
  if (rows.some(({ columns }) => writeJson(columns.toSorted()) === wanted)) return
  await client.query(`CREATE UNIQUE INDEX ON ${quoteName(table)} (${key.map(quoteName).join(', ')})`)
}

async function insertAll(
  client: Client,
  table: string,
  { mode, key }: Pick<SinkWrite, 'mode' | 'key'>,
  columns: readonly Column[],
): Promise<void> {
  const types = await existing(client, table)
  const names = columns.map(({ name }) => name)
  const list = names.map(quoteName).join(', ')
  const shape = names.map((name) => `${quoteName(name)} ${types.get(name) ?? 'text'}`).join(', ')
  const keys = key.map(quoteName).join(', ')
  const values = names.map((name) => `r.${quoteName(name)}`).join(', ')
  const from = `FROM millrace_stage s, json_to_record(s.record) AS r(${shape})`
  if (mode !== 'merge') {
    await client.query(`INSERT INTO ${quoteName(table)} (${list}) SELECT ${values} ${from} ORDER BY s.seq`)
    return
  }
  const rest = names.filter((name) => !key.includes(name))
  const update =
    rest.length === 0
      ? 'NOTHING'
      : `UPDATE SET ${rest.map((name) => `${quoteName(name)} = excluded.${quoteName(name)}`).join(', ')}`
  const byKey = key.map((name) => `r.${quoteName(name)}`).join(', ')
  // Of records with the same key the last one is written.
  await client.query(
    `INSERT INTO ${quoteName(table)} (${list}) SELECT DISTINCT ON (${byKey}) ${values} ${from} ORDER BY ${byKey}, s.seq DESC
     ON CONFLICT (${keys}) DO ${update}`,
  )
}

const MOST_NAME_BYTES = 63
const READ_MS = 30_000
/** Pages can take long to arrive. */
const WHOLE_MS = 24 * 3_600_000
