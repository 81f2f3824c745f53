/**
 * Writes records to tables of PostgreSQL: stages them in a temporary table, then writes them in one transaction with
 * the state.
 */
import { say, type Said } from '../../../../shared/contract/base/message.ts'
import { finished } from 'node:stream/promises'
import type { Client, DatabaseError } from 'pg'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import {
  type Data,
  type Dictionary,
  dictionaryOf,
  entriesOf,
  keysOf,
  OWN_JSON_LIMITS,
  parseJson,
  writeJson,
} from '@millrace/jinja/data'
import type {
  MergeCounts,
  RecordSink,
  SinkNote,
  SinkState,
  SinkWrite,
} from '../../../engine/flow/model/ports.ts'
import {
  type Column,
  type ColumnKind,
  ColumnSet,
  NO_FIELDS,
  NUMBERS,
  otherType,
} from '../../../engine/sql/columns.ts'
import { columnName, POSTGRES_NAMES } from '../../../engine/sql/column-names.ts'
import { replaceOnConflict } from '../../../engine/sql/on-conflict.ts'
import { quoteName } from '../../../engine/sql/quote-name.ts'
import { partsOf } from '../../../engine/sql/select-rows.ts'
import { type OpenPostgres, openPostgres, usePostgres } from './postgres.ts'
import { hasParts, type RejectedFile, RejectedRecords } from './rejected-records.ts'
import type { DatabaseServer } from './server-address.ts'
import { SYNC_TABLE } from './sqlite-messages.ts'
import { tooManyColumns } from './staged-records.ts'
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
  date: 'date',
  timestamp: 'timestamp with time zone',
  decimal: 'numeric',
}

/** The kinds of values that columns of these types can hold; for other types, PostgreSQL converts the values. */
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
  file: RejectedFile,
): Promise<RecordSink> {
  const connection = await openPostgres(server, { timeoutMs: WHOLE_MS, signal: write.signal })
  const staging = createStaging(connection)
  const named = {
    ...write,
    key: write.key.map(nameOf),
    types: new Map([...write.types].map(([field, type]) => [nameOf(field), type])),
  }
  const columns = new ColumnSet(named.types)
  const storable = createStorable()
  const place = placeOf(table)
  const names = createNames()
  const rejected = RejectedRecords.begin(file, write.id, write.isBadRecordFatal)
  try {
    const stored = await connection.run(async (client) => {
      const found = await readStored(client, table)
      if (found?.id === write.id && hasParts(file.path)) {
        // Waits until the process that wrote the part has certainly ended.
        await lock(client, place)
        rejected.settle(found.id)
        await unlock(client, place)
      }
      await client.query(
        'CREATE TEMPORARY TABLE millrace_stage (seq bigserial PRIMARY KEY, record json NOT NULL)',
      )
      return found
    })
    return {
      done: stored?.id === write.id ? stored : null,
      cursor: stored?.cursor ?? null,
      async write(records) {
        let lines = ''
        for (const given of records) {
          const { record, json } = storable.of(given)
          const row = names.of(record)
          if (columns.add(row, MOST_COLUMNS)) lines += `${row === record ? json : writeJson(row)}\n`
          else rejected.add(given, tooManyColumns(record, MOST_COLUMNS))
        }
        await staging.add(lines)
      },
      reject: (item, reason) => rejected.add(item, reason),
      async commit(cursor) {
        await staging.end()
        const { result, changes, merged } = await connection.run((client) =>
          commit(client, place, named, columns.list, cursor, rejected),
        )
        return { result, notes: [...storable.notes(changes), ...names.notes(), ...rejected.notes()], merged }
      },
      async close() {
        connection.close()
        rejected.drop()
      },
    }
  } catch (error) {
    connection.close()
    throw error
  }
}

/** Sends lines of JSON to the stage. While the server receives some, the next are collected. */
function createStaging(connection: OpenPostgres) {
  let waiting = ''
  let sending: Promise<void> = Promise.resolve()

  async function send(): Promise<void> {
    await sending
    const lines = waiting
    waiting = ''
    sending = connection.run((client) => copy(client, lines))
    // The error reaches whoever awaits `sending`.
    sending.catch(() => {})
  }

  return {
    async add(lines: string) {
      waiting += lines
      if (waiting.length >= COPY_CHARACTERS) await send()
    },
    async end() {
      await send()
      await sending
    },
  }
}

async function copy(client: Client, lines: string): Promise<void> {
  if (lines === '') return
  const { from } = await import('pg-copy-streams')
  const stream = client.query(from(COPY_LINES))
  stream.end(lines)
  await finished(stream)
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

const nameOf = (field: string) => columnName(field, POSTGRES_NAMES)

/** Renames fields whose names can't be column names. */
function createNames() {
  const names = new Map<string, string>()
  return {
    of(record: Dictionary): Dictionary {
      let isRenamed = false
      for (const field of keysOf(record)) {
        const known = names.get(field)
        const name = known ?? nameOf(field)
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
          said: say('The field "{{field}}" is in the column "{{name}}"', { field, name }),
        })),
  }
}

interface Place {
  readonly table: string
  /** The name quoted for statements. */
  readonly quoted: string
}

/** `sales.orders` is a table in the schema `sales`, as in `sql_trigger`. */
function placeOf(table: string): Place {
  return { table, quoted: (partsOf(table) ?? [table]).map(quoteName).join('.') }
}

interface Committed {
  readonly result: Data
  readonly changes: readonly Said[]
  /** Null if it isn't a merge, if the records were already written, or if the table can't be compared with them. */
  readonly merged: MergeCounts | null
}

async function commit(
  client: Client,
  place: Place,
  write: SinkWrite,
  columns: readonly Column[],
  cursor: Data,
  rejected: RejectedRecords,
): Promise<Committed> {
  const { id, mode, key } = write
  const { table, quoted } = place
  await client.query('BEGIN')
  // Two writes that create the same table at once would fail, even with IF NOT EXISTS, and two writes to a table must
  // take turns.
  await client.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [LOCKS, SYNC_TABLE])
  const isThere = (await existing(client, SYNC_TABLE)).has('fields')
  if (!isThere) {
    await client.query(
      `CREATE TABLE IF NOT EXISTS ${SYNC_TABLE} (name text PRIMARY KEY, cursor text NOT NULL, write_id text NOT NULL, result text NOT NULL, fields text)`,
    )
    await client.query(`ALTER TABLE ${SYNC_TABLE} ADD COLUMN IF NOT EXISTS fields text`)
  }
  await client.query('COMMIT')
  // Held beyond the transaction, so that the next write finds the records that this write set aside in the file.
  await lock(client, place)
  await client.query('BEGIN')
  const last = await readStored(client, table)
  rejected.settle(last?.id ?? null)
  if (last?.id === id) {
    // The server committed this write for a Millrace process that was killed, and it is now being repeated.
    rejected.forget()
    await client.query('COMMIT')
    return { result: last.result, changes: [], merged: null }
  }
  const absent = await absentFields(client, table, quoted, columns)
  const changes = await prepareTable(client, table, quoted, columns)
  const unlike = await unlikeTypes(client, place, write, columns)
  if (mode === 'replace' && (await existing(client, quoted)).size > 0)
    await client.query(`DELETE FROM ${quoted}`)
  await checkAtOnce(client, quoted, mode)
  if (mode === 'merge' && columns.length > 0) await requireKey(client, quoted, key)
  const { written, merged } = await insertAll(client, quoted, write, columns, absent, rejected)
  const result = rejected.resultOf(written, cursor)
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
  rejected.keep()
  await client.query('COMMIT')
  rejected.publish()
  await unlock(client, place)
  return { result, changes: [...changes, ...unlike], merged }
}

/**
 * Checks constraints at once, because a deferred one would refuse all records at the end. When a table is replaced,
 * references to its records stay deferred: other tables can refer to replaced records, and records to later ones.
 */
async function checkAtOnce(client: Client, quoted: string, mode: SinkWrite['mode']): Promise<void> {
  if (mode !== 'replace') return void (await client.query('SET CONSTRAINTS ALL IMMEDIATE'))
  const { rows } = await client.query<{ schema: string; name: string }>(
    `SELECT n.nspname AS schema, c.conname AS name FROM pg_constraint c JOIN pg_namespace n ON n.oid = c.connamespace
     WHERE c.conrelid = to_regclass($1) AND c.condeferrable AND c.confrelid <> c.conrelid`,
    [quoted],
  )
  if (rows.length === 0) return
  const names = rows.map(({ schema, name }) => `${quoteName(schema)}.${quoteName(name)}`)
  await client.query(`SET CONSTRAINTS ${names.join(', ')} IMMEDIATE`)
}

const lock = (client: Client, { quoted }: Place) =>
  client.query('SELECT pg_advisory_lock($1, hashtext($2))', [LOCKS, quoted])

const unlock = (client: Client, { quoted }: Place) =>
  client.query('SELECT pg_advisory_unlock($1, hashtext($2))', [LOCKS, quoted])

/** Columns that earlier records filled and these don't have. Other columns of the table don't belong to the records. */
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
): Promise<Said[]> {
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
    const change = `ALTER TABLE ${quoted} ALTER COLUMN ${column} TYPE ${next} USING ${column}::text::${next}`
    // A view or a reference can prevent the change; records that don't fit are then rejected.
    if (await succeeds(client, change)) widened.push(`${name} (${type} to ${next})`)
  }
  return [
    ...(added.length === 0
      ? []
      : [say('New columns in "{{table}}": {{names}}', { table, names: added.join(', ') })]),
    ...(widened.length === 0
      ? []
      : [say('Wider columns in "{{table}}": {{names}}', { table, names: widened.join(', ') })]),
  ]
}

/** Reports columns of an existing table whose types differ from the declared ones. */
async function unlikeTypes(
  client: Client,
  { table, quoted }: Place,
  { types }: SinkWrite,
  columns: readonly Column[],
): Promise<Said[]> {
  if (types.size === 0) return []
  const there = await existing(client, quoted)
  return columns.flatMap(({ name }) => {
    const [type, declared] = [there.get(name) ?? '', types.get(name)]
    const wanted = declared === undefined ? type : TYPES[declared]
    return type === wanted ? [] : [otherType(table, name, type, wanted)]
  })
}

async function succeeds(client: Client, statement: string): Promise<boolean> {
  await client.query('SAVEPOINT millrace_change')
  try {
    await client.query(statement)
    await client.query('RELEASE SAVEPOINT millrace_change')
    return true
  } catch (error) {
    if (!/^(?:0A000|2BP01|42)/.test((error as { readonly code?: string }).code ?? '')) throw error
    await client.query('ROLLBACK TO SAVEPOINT millrace_change; RELEASE SAVEPOINT millrace_change')
    return false
  }
}

/** Null if the column can stay as it is. */
function widerType(type: string, kind: ColumnKind): string | null {
  const holds = HOLDS[type]
  if (holds === undefined || kind === null || holds.includes(kind)) return null
  if (type === 'boolean' || !NUMBERS.includes(kind)) return 'text'
  const isFloat = type === 'real' || type === 'double precision'
  if (kind === 'exact' || kind === 'decimal' || (kind === 'big' && isFloat)) return 'numeric'
  return kind === 'number' || isFloat ? 'double precision' : 'bigint'
}

/** Whether a 64-bit column has integers that a double would round. */
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
  { mode, key, isBadRecordFatal }: SinkWrite,
  columns: readonly Column[],
  absent: readonly string[],
  rejected: RejectedRecords,
): Promise<{ readonly written: number; readonly merged: MergeCounts | null }> {
  const { rows } = await client.query<{ count: number }>('SELECT count(*)::int FROM millrace_stage')
  const count = rows[0]?.count ?? 0
  if (count === 0) return { written: 0, merged: null }
  if (columns.length === 0) throw new AppError('validation', NO_FIELDS)
  const types = await existing(client, quoted)
  const names = columns.map(({ name }) => name)
  const list = names.map(quoteName).join(', ')
  const typeOf = (name: string) => types.get(name) ?? 'text'
  const shape = names.map((name) => `${quoteName(name)} ${SHAPES[typeOf(name)] ?? typeOf(name)}`).join(', ')
  const keys = key.map(quoteName).join(', ')
  const valueOf = (name: string) => {
    const value = `r.${quoteName(name)}`
    if (typeOf(name) !== NO_ZONE) return value
    // PostgreSQL itself would ignore the offset.
    return `CASE WHEN ${value} ~ '${OFFSET}' THEN ${value}::timestamptz AT TIME ZONE 'UTC' ELSE ${value}::timestamp END`
  }
  const values = names.map(valueOf).join(', ')
  const from = `FROM millrace_stage s, json_to_record(s.record) AS r(${shape})`
  const where = 'WHERE s.seq BETWEEN $1 AND $2'
  const insertInto = `INSERT INTO ${quoted} (${list})`
  const byKey = key.map(valueOf).join(', ')
  const named = names.map((name) => `${valueOf(name)} AS ${quoteName(name)}`).join(', ')
  // Of several records with the same key, the last one is written.
  const given = `SELECT DISTINCT ON (${byKey}) ${named} ${from} ${where} ORDER BY ${byKey}, s.seq DESC`
  const onConflict = `ON CONFLICT (${keys}) DO ${replaceOnConflict(names, key, absent)}`
  const counting = mode === 'merge' ? await countingOf(client, quoted, names, key, absent) : null
  const merged = { new: 0, changed: 0, unchanged: 0 }
  const statement =
    mode !== 'merge'
      ? `${insertInto} SELECT ${values} ${from} ${where} ORDER BY s.seq`
      : counting === null
        ? `${insertInto} ${given} ${onConflict}`
        : // The whole statement sees the table as it was before.
          `WITH given AS MATERIALIZED (${given}), written AS (${insertInto} SELECT ${list} FROM given ${onConflict}) ${counting}`

  /** Halves failing records until the bad one is found. */
  async function insert(first: number, last: number): Promise<void> {
    await client.query('SAVEPOINT millrace_part')
    try {
      const done = await client.query<{ [S in keyof MergeCounts]?: string }>(statement, [first, last])
      await client.query('RELEASE SAVEPOINT millrace_part')
      const [counts = {}] = done.rows
      for (const state of STATES) merged[state] += Number(counts[state] ?? 0)
    } catch (error) {
      if (!isAboutRecord(error)) throw error
      if (isBadRecordFatal) throw error
      await client.query('ROLLBACK TO SAVEPOINT millrace_part; RELEASE SAVEPOINT millrace_part')
      if (first === last) return rejected.add(await recordAt(client, first), reasonOf(error))
      const middle = Math.floor((first + last) / 2)
      await insert(first, middle)
      await insert(middle + 1, last)
    }
  }

  // Without statistics, the server doesn't know that the numbers are already in order.
  await client.query('ANALYZE millrace_stage')
  const before = rejected.count
  await insert(1, count)
  return { written: count - (rejected.count - before), merged: counting === null ? null : merged }
}

const STATES = ['new', 'changed', 'unchanged'] as const

/** Returns SQL that counts the outcomes of the records in `given`; null if the table can't be compared with them. */
async function countingOf(
  client: Client,
  quoted: string,
  names: readonly string[],
  key: readonly string[],
  absent: readonly string[],
): Promise<string | null> {
  const { rows } = await client.query<{ name: string; type: string }>(
    `SELECT attname AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
     WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped`,
    [quoted],
  )
  const types = new Map(rows.map(({ name, type }) => [name, type]))
  const same = [
    ...names.map((name) => {
      const [type, column] = [types.get(name) ?? 'text', quoteName(name)]
      // Compares values as the column stores them: with its digits, and without the spaces that it drops.
      return `${comparable(`t.${column}`, type)} IS NOT DISTINCT FROM ${comparable(`g.${column}::${type}`, type)}`
    }),
    ...absent.map((name) => `t.${quoteName(name)} IS NULL`),
  ].join(' AND ')
  const [first = ''] = key.map(quoteName)
  const isFound = `t.${first} IS NOT NULL`
  const counts = `SELECT count(*) FILTER (WHERE NOT ${isFound}) AS new, count(*) FILTER (WHERE ${isFound} AND NOT (${same})) AS changed,
     count(*) FILTER (WHERE ${isFound} AND ${same}) AS unchanged`
  const join = key.map((name) => `t.${quoteName(name)} = g.${quoteName(name)}`).join(' AND ')
  const list = names.map(quoteName).join(', ')
  // Some types can't be compared, and some users can write to tables that they can't read.
  const isPossible = await succeeds(
    client,
    `${counts} FROM (SELECT ${list} FROM ${quoted} LIMIT 0) g LEFT JOIN ${quoted} t ON ${join}`,
  )
  return isPossible ? `${counts} FROM given g LEFT JOIN ${quoted} t ON ${join}` : null
}

const comparable = (value: string, type: string) =>
  /^(?:json|xml|point|polygon)$/.test(type) ? `(${value})::text` : value

const NO_ZONE = 'timestamp without time zone'
/**
 * Types that strings are converted to first, because without a length the column's own type holds a single character.
 */
const SHAPES: Readonly<Record<string, string>> = { character: 'bpchar', bit: 'varbit', [NO_ZONE]: 'text' }
/** The offset at the end of a time of day. */
const OFFSET = String.raw`:\d\d(\.\d+)?\s*([Zz]|[+-]\d\d(:?\d\d)?)\s*$`

async function recordAt(client: Client, seq: number): Promise<Data> {
  const { rows } = await client.query<{ text: string }>(
    'SELECT record::text AS text FROM millrace_stage WHERE seq = $1',
    [seq],
  )
  return parseJson(rows[0]?.text ?? 'null', OWN_JSON_LIMITS)
}

/**
 * Whether a record caused the error: a value that doesn't fit its column, a constraint, a row that is too large, or a
 * trigger that refuses it.
 */
function isAboutRecord(error: unknown): error is DatabaseError {
  return /^(?:22|23|44000|54000|P0001)/.test((error as { readonly code?: string }).code ?? '')
}

const reasonOf = ({ message, detail }: DatabaseError) =>
  say('PostgreSQL refused: {{reason}}', {
    reason: (detail === undefined ? message : `${message}; ${detail}`).slice(0, 500),
  })

/** The first of an advisory lock's two keys: a number that other programs are unlikely to use. */
const LOCKS = 0x6d696c6c
/** Each line is a record. JSON has no control characters, so nothing in it is a delimiter or needs escaping. */
const COPY_LINES =
  "COPY millrace_stage (record) FROM STDIN WITH (FORMAT csv, DELIMITER E'\\x02', QUOTE E'\\x01')"
const COPY_CHARACTERS = 524_288
/** PostgreSQL's limit. */
const MOST_COLUMNS = 1_600
const READ_MS = 30_000
/** Pages can take a long time to arrive. */
const WHOLE_MS = 24 * 3_600_000
