/** Records in tables of PostgreSQL: staged in a temporary table, written in one transaction with the state. */
import type { Client } from 'pg'
import { OWN_JSON_LIMITS, parseJson, writeJson } from '../../engine/data/json.ts'
import { type Data, type Dictionary, dictionaryOf, entriesOf, keysOf } from '../../engine/data/value.ts'
import type { RecordSink, SinkNote, SinkState, SinkWrite } from '../../engine/flow/model/ports.ts'
import { type Column, type ColumnKind, ColumnSet } from '../../engine/sql/columns.ts'
import { columnName, POSTGRES_NAMES } from '../../engine/sql/column-names.ts'
import { replaceOnConflict } from '../../engine/sql/on-conflict.ts'
import { quoteName } from '../../engine/sql/quote-name.ts'
import { partsOf } from '../../engine/sql/select-rows.ts'
import { type OpenPostgres, openPostgres, usePostgres } from './postgres.ts'
import type { DatabaseServer } from './server-address.ts'
import { SYNC_TABLE } from './sqlite-messages.ts'
import { createStorable } from './storable.ts'

const TYPES: Readonly<Record<NonNullable<ColumnKind>, string>> = {
  boolean: 'boolean',
  integer: 'bigint',
  long: 'bigint',
  big: 'bigint',
  number: 'double precision',
  exact: 'numeric',
  text: 'text',
  json: 'jsonb',
}

/** What the types that records get by themselves can hold; into columns of other types PostgreSQL converts values. */
const HOLDS: Readonly<Record<string, readonly ColumnKind[]>> = {
  boolean: ['boolean'],
  smallint: ['integer'],
  integer: ['integer'],
  bigint: ['integer', 'long', 'big'],
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
  const storable = createStorable()
  const place = placeOf(table)
  const names = createNames()
  const named = { ...write, key: write.key.map((field) => columnName(field, POSTGRES_NAMES)) }
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
        const texts = records.map((given) => {
          const { record, json } = storable.of(given)
          const row = names.of(record)
          columns.add(row)
          return row === record ? json : writeJson(row)
        })
        await stage(connection, `[${texts.join(',')}]`)
      },
      commit: async (state) => [
        ...storable.notes(
          await connection.run((client) => commit(client, place, named, columns.list, state)),
        ),
        ...names.notes(),
      ],
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

/** Gives fields that no column can be named after another name. */
function createNames() {
  const names = new Map<string, string>()
  return {
    of(record: Dictionary): Dictionary {
      let isRenamed = false
      for (const field of keysOf(record)) {
        const known = names.get(field)
        const name = known ?? columnName(field, POSTGRES_NAMES)
        if (known === undefined) names.set(field, name)
        if (name !== field) isRenamed = true
      }
      if (!isRenamed) return record
      return dictionaryOf(entriesOf(record).map(([field, value]) => [names.get(field) ?? field, value]))
    },
    notes: (): SinkNote[] =>
      [...names]
        .filter(([field, name]) => field !== name)
        .map(([field, name]) => ({
          code: 'columns_changed',
          message: `The field "${field}" is in the column "${name}"`,
        })),
  }
}

interface Place {
  readonly table: string
  /** For statements. */
  readonly quoted: string
}

/** `sales.orders` is a table of a schema, as in the trigger of SQL databases. */
function placeOf(table: string): Place {
  return { table, quoted: (partsOf(table) ?? [table]).map(quoteName).join('.') }
}

async function commit(
  client: Client,
  { table, quoted }: Place,
  { id, mode, key }: SinkWrite,
  columns: readonly Column[],
  { cursor, result }: SinkState,
): Promise<string[]> {
  await client.query('BEGIN')
  // Two that create the same table at once would fail, even with IF NOT EXISTS; two writes of a table take turns.
  await client.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [LOCKS, SYNC_TABLE])
  const isThere = (await existing(client, SYNC_TABLE)).has('fields')
  if (!isThere) {
    await client.query(
      `CREATE TABLE IF NOT EXISTS ${SYNC_TABLE} (name text PRIMARY KEY, cursor text NOT NULL, write_id text NOT NULL, result text NOT NULL, fields text)`,
    )
    await client.query(`ALTER TABLE ${SYNC_TABLE} ADD COLUMN IF NOT EXISTS fields text`)
  }
  await client.query('COMMIT')
  await client.query('BEGIN')
  await client.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [LOCKS, quoted])
  const absent = await absentFields(client, table, quoted, columns)
  const changes = await prepareTable(client, table, quoted, columns)
  if (mode === 'replace' && (await existing(client, quoted)).size > 0)
    await client.query(`DELETE FROM ${quoted}`)
  if (columns.length > 0) {
    if (mode === 'merge') await requireKey(client, quoted, key)
    await insertAll(client, quoted, { mode, key }, columns, absent)
  }
  await client.query(
    `INSERT INTO ${SYNC_TABLE} (name, cursor, write_id, result, fields) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (name) DO UPDATE SET cursor = excluded.cursor, write_id = excluded.write_id, result = excluded.result, fields = excluded.fields`,
    [
      table,
      writeJson(cursor),
      id,
      writeJson(result),
      JSON.stringify([...columns.map(({ name }) => name), ...absent]),
    ],
  )
  await client.query('COMMIT')
  return changes
}

/** The columns that earlier records filled and these don't have; what else is in the table isn't theirs. */
async function absentFields(
  client: Client,
  table: string,
  quoted: string,
  columns: readonly Column[],
): Promise<string[]> {
  const { rows } = await client.query<{ fields: string | null }>(
    `SELECT fields FROM ${SYNC_TABLE} WHERE name = $1`,
    [table],
  )
  const [row] = rows
  if (row === undefined) return []
  const there = [...(await existing(client, quoted)).keys()]
  const known = row.fields === null ? there : (JSON.parse(row.fields) as string[])
  const given = new Set(columns.map(({ name }) => name))
  return known.filter((name) => there.includes(name) && !given.has(name))
}

async function prepareTable(
  client: Client,
  table: string,
  quoted: string,
  columns: readonly Column[],
): Promise<string[]> {
  const before = await existing(client, quoted)
  if (before.size === 0) {
    const list = columns.map(({ name, kind }) => `${quoteName(name)} ${TYPES[kind ?? 'text']}`)
    if (list.length > 0) await client.query(`CREATE TABLE ${quoted} (${list.join(', ')})`)
    return []
  }
  const added: string[] = []
  const widened: string[] = []
  for (const { name, kind } of columns) {
    const type = before.get(name)
    if (type === undefined) {
      await client.query(`ALTER TABLE ${quoted} ADD COLUMN ${quoteName(name)} ${TYPES[kind ?? 'text']}`)
      added.push(name)
      continue
    }
    const wider = widerType(type, kind)
    if (wider === null) continue
    const column = quoteName(name)
    const next =
      type === 'bigint' && wider === 'double precision' && (await hasBig(client, quoted, column))
        ? 'numeric'
        : wider
    // As text, a float keeps all its digits.
    await client.query(
      `ALTER TABLE ${quoted} ALTER COLUMN ${column} TYPE ${next} USING ${column}::text::${next}`,
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
  if (type === 'boolean' || kind === 'boolean' || kind === 'text' || kind === 'json') return 'text'
  const isFloat = type === 'real' || type === 'double precision'
  if (kind === 'exact' || (kind === 'big' && isFloat)) return 'numeric'
  return kind === 'number' || isFloat ? 'double precision' : 'bigint'
}

/** Whether a column of 64 bits has integers that a double would round. */
async function hasBig(client: Client, quoted: string, column: string): Promise<boolean> {
  const { rows } = await client.query(
    `SELECT 1 FROM ${quoted} WHERE ${column} NOT BETWEEN -9007199254740991 AND 9007199254740991 LIMIT 1`,
  )
  return rows.length > 0
}

async function existing(client: Client, quoted: string): Promise<Map<string, string>> {
  const { rows } = await client.query<{ name: string; type: string }>(
    `SELECT attname AS name, format_type(atttypid, NULL) AS type FROM pg_attribute
     WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
    [quoted],
  )
  return new Map(rows.map(({ name, type }) => [name, type]))
}

async function requireKey(client: Client, quoted: string, key: readonly string[]): Promise<void> {
  const { rows } = await client.query<{ columns: string[] }>(
    `SELECT array_agg(a.attname::text ORDER BY a.attname) AS columns FROM pg_index i
     JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
     WHERE i.indrelid = to_regclass($1) AND i.indisunique AND i.indpred IS NULL AND i.indexprs IS NULL GROUP BY i.indexrelid`,
    [quoted],
  )
  const wanted = writeJson(key.toSorted())
  if (rows.some(({ columns }) => writeJson(columns.toSorted()) === wanted)) return
  await client.query(`CREATE UNIQUE INDEX ON ${quoted} (${key.map(quoteName).join(', ')})`)
}

async function insertAll(
  client: Client,
  quoted: string,
  { mode, key }: Pick<SinkWrite, 'mode' | 'key'>,
  columns: readonly Column[],
  absent: readonly string[],
): Promise<void> {
  const types = await existing(client, quoted)
  const names = columns.map(({ name }) => name)
  const list = names.map(quoteName).join(', ')
  const shape = names.map((name) => `${quoteName(name)} ${types.get(name) ?? 'text'}`).join(', ')
  const keys = key.map(quoteName).join(', ')
  const values = names.map((name) => `r.${quoteName(name)}`).join(', ')
  const from = `FROM millrace_stage s, json_to_record(s.record) AS r(${shape})`
  if (mode !== 'merge') {
    await client.query(`INSERT INTO ${quoted} (${list}) SELECT ${values} ${from} ORDER BY s.seq`)
    return
  }
  const update = replaceOnConflict(names, key, absent)
  const byKey = key.map((name) => `r.${quoteName(name)}`).join(', ')
  // Of records with the same key the last one is written.
  await client.query(
    `INSERT INTO ${quoted} (${list}) SELECT DISTINCT ON (${byKey}) ${values} ${from} ORDER BY ${byKey}, s.seq DESC
     ON CONFLICT (${keys}) DO ${update}`,
  )
}

/** The first half of the numbers of advisory locks, which no one else should use. */
const LOCKS = 0x6d696c6c
const READ_MS = 30_000
/** Pages can take long to arrive. */
const WHOLE_MS = 24 * 3_600_000
