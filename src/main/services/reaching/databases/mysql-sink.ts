/**
 * Writes records to tables of MySQL and MariaDB: stages them in a temporary table, then writes them in one transaction
 * with the state. There, changing the table itself ends a transaction, so such changes come first.
 */
import { say, sentenceOf, type Said } from '../../../../shared/contract/base/message.ts'
import { createHash } from 'node:crypto'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { type Data, getKey, isDictionary, OWN_JSON_LIMITS, parseJson, writeJson } from '@millrace/jinja/data'
import type {
  MergeCounts,
  RecordSink,
  SinkNote,
  SinkState,
  SinkWrite,
} from '../../../engine/flow/model/ports.ts'
import { columnNames, MYSQL_NAMES } from '../../../engine/sql/column-names.ts'
import { type Column, type ColumnKind, ColumnSet, NO_FIELDS, otherType } from '../../../engine/sql/columns.ts'
import { plainTime } from '../../../engine/sql/plain-time.ts'
import { quoteIn } from '../../../engine/sql/quote-name.ts'
import { scaledDecimal, typedValue } from '../../../engine/sql/typed-value.ts'
import { partsOf } from '../../../engine/sql/select-rows.ts'
import { type MysqlSession, openMysqlSession } from './mysql.ts'
import { type RejectedFile, RejectedRecords } from './rejected-records.ts'
import { type DatabaseServer, refusalOf } from './server-address.ts'
import { SYNC_TABLE } from './sqlite-messages.ts'
import { tooManyColumns } from './staged-records.ts'
import { createStorable } from './storable.ts'

export async function openMysqlSink(
  server: DatabaseServer,
  table: string,
  write: SinkWrite,
  file: RejectedFile,
): Promise<RecordSink> {
  if (server.database === '') {
    throw new AppError(
      'validation',
      say('The URL of the database server names no database; write it as mysql://host:3306/database'),
    )
  }
  const session = await openMysqlSession(server, { timeoutMs: WHOLE_MS, signal: write.signal })
  const target = placeOf(table, server.database)
  const columns = new ColumnSet(write.types)
  const storable = createStorable()
  const rejected = RejectedRecords.begin(file, write.id, write.isBadRecordFatal)
  const refusing = <T>(work: Promise<T>) =>
    work.catch((error: unknown) => {
      throw refusalOf(error, server)
    })
  try {
    const [stored, [[limit] = []]] = await refusing(
      Promise.all([
        readStored(session, table),
        session.query('SELECT @@max_allowed_packet'),
        session.query(
          `CREATE TEMPORARY TABLE millrace_stage (seq bigint AUTO_INCREMENT PRIMARY KEY, record longtext NOT NULL) ${TEXT}`,
        ),
      ]),
    )
    const mostBytes = Number(limit) - PACKET_MARGIN
    let count = 0
    return {
      done: stored?.id === write.id ? stored : null,
      cursor: stored?.cursor ?? null,
      async write(records) {
        const texts = records.flatMap((given) => {
          const { record, json } = storable.of(given)
          const text = `(${session.escape(json)})`
          if (Buffer.byteLength(text) > mostBytes)
            rejected.add(
              given,
              say("the record has more than {{mostBytes}} bytes, the server's limit (max_allowed_packet)", {
                mostBytes,
              }),
            )
          else if (columns.add(record, MOST_COLUMNS)) return [text]
          else rejected.add(given, tooManyColumns(record, MOST_COLUMNS))
          return []
        })
        count += texts.length
        for (const part of inParts(texts, Math.min(mostBytes, PART_BYTES)))
          await refusing(session.query(`INSERT INTO millrace_stage (record) VALUES ${part.join(',')}`))
      },
      reject: (item, reason) => rejected.add(item, reason),
      async commit(cursor) {
        const job = { session, target, write, columns: columns.list, count, rejected }
        const { result, notes, merged } = await refusing(commit(job, cursor))
        return { result, notes: [...storable.notes([]), ...notes, ...rejected.notes()], merged }
      },
      async close() {
        session.close()
        rejected.drop()
      },
    }
  } catch (error) {
    session.close()
    rejected.drop()
    throw error
  }
}

export async function readMysqlCursor(
  server: DatabaseServer,
  table: string,
  signal: AbortSignal,
): Promise<Data> {
  const session = await openMysqlSession(server, { timeoutMs: READ_MS, signal })
  try {
    return (await readStored(session, table))?.cursor ?? null
  } catch (error) {
    throw refusalOf(error, server)
  } finally {
    session.close()
  }
}

interface Place {
  readonly name: string
  readonly schema: string
  readonly table: string
  /** The name quoted for statements. */
  readonly quoted: string
}

/** `shop.orders` is a table in another database on the server, as in `sql_trigger`. */
function placeOf(name: string, database: string): Place {
  const parts = partsOf(name) ?? [name]
  const [table = name, schema = database] = parts.toReversed()
  return { name, schema, table, quoted: [schema, table].map(quote).join('.') }
}

interface Job {
  readonly session: MysqlSession
  readonly target: Place
  readonly write: SinkWrite
  readonly columns: readonly Column[]
  /** Number of staged records. */
  readonly count: number
  readonly rejected: RejectedRecords
}

interface Committed {
  readonly result: Data
  readonly notes: readonly SinkNote[]
  /** Null if it isn't a merge, if the records were already written, or if the server doesn't say what it did. */
  readonly merged: MergeCounts | null
}

async function commit(job: Job, cursor: Data): Promise<Committed> {
  const { session, target, write, rejected } = job
  await locked(session, SYNC_TABLE, () =>
    session.query(
      `CREATE TABLE IF NOT EXISTS ${SYNC_TABLE} (name varchar(255) PRIMARY KEY, \`cursor\` longtext NOT NULL, write_id longtext NOT NULL, result longtext NOT NULL, fields longtext NOT NULL) ENGINE=InnoDB ${TEXT}`,
    ),
  )
  return locked(session, `${target.schema}.${target.table}`, async () => {
    const last = await readStored(session, target.name)
    rejected.settle(last?.id ?? null)
    if (last?.id === write.id) {
      // The server committed this write for a Millrace process that was killed, and it is now being repeated.
      rejected.forget()
      return { result: last.result, notes: [], merged: null }
    }
    const prepared = await prepareTable(job)
    await session.query('START TRANSACTION')
    if (write.mode === 'replace' && prepared.types.size > 0)
      await session.query(`DELETE FROM ${target.quoted}`)
    const absent = (last?.fields ?? []).filter(
      (name) => prepared.types.has(name) && ![...prepared.names.values()].includes(name),
    )
    const { written, merged } = await insertAll(job, prepared, absent)
    const result = rejected.resultOf(written, cursor)
    const fields = [...prepared.names.values(), ...absent]
    await session.query(
      `REPLACE INTO ${SYNC_TABLE} (name, \`cursor\`, write_id, result, fields) VALUES (?, ?, ?, ?, ?)`,
      [target.name, writeJson(cursor), write.id, writeJson(result), JSON.stringify(fields)],
    )
    rejected.keep()
    await session.query('COMMIT')
    rejected.publish()
    return { result, notes: prepared.notes, merged }
  })
}

async function readStored(
  session: MysqlSession,
  table: string,
): Promise<(SinkState & { readonly id: string; readonly fields: readonly string[] }) | null> {
  const known = await session.query(
    'SELECT 1 FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ?',
    [SYNC_TABLE],
  )
  if (known.length === 0) return null
  const [row] = await session.query(
    `SELECT \`cursor\`, write_id, result, fields FROM ${SYNC_TABLE} WHERE name = ?`,
    [table],
  )
  if (row === undefined) return null
  const [cursor, id, result, fields] = row.map(String)
  const read = (text = 'null') => parseJson(text, OWN_JSON_LIMITS)
  return {
    id: id ?? '',
    cursor: read(cursor),
    result: read(result),
    fields: JSON.parse(fields ?? '[]') as string[],
  }
}

/** Two writes that create the same table at once would fail, and two writes to a table must take turns. */
async function locked<T>(session: MysqlSession, what: string, work: () => Promise<T>): Promise<T> {
  const name = `millrace:${createHash('sha1').update(what).digest('hex')}`
  await session.query('SELECT GET_LOCK(?, 86400)', [name])
  const result = await work()
  await session.query('SELECT RELEASE_LOCK(?)', [name])
  return result
}

interface Prepared {
  /** Column names, by field. */
  readonly names: ReadonlyMap<string, string>
  /** Types as in `COLUMN_TYPE`, by column. */
  readonly types: ReadonlyMap<string, string>
  readonly notes: readonly SinkNote[]
}

async function prepareTable({ session, target, write, columns }: Job): Promise<Prepared> {
  const before = await existing(session, target)
  const names = columnNames(
    columns.map(({ name }) => name),
    [...before.keys()],
    MYSQL_NAMES,
  )
  const nameOf = (field: string) => names.get(field) ?? field
  const key = write.key.map(nameOf)
  const noText = await exactText(session)
  const typeOf = (name: string, kind: ColumnKind) =>
    write.mode === 'merge' && key.includes(name) && (kind === 'text' || kind === 'json' || kind === null)
      ? `varchar(${Math.floor(KEY_LENGTH / key.length)}) ${noText}`
      : TYPES[kind ?? 'text'] + (kind === null || kind === 'text' || kind === 'json' ? ` ${noText}` : '')
  const added: string[] = []
  const widened: string[] = []
  if (before.size === 0) {
    const list = columns.map(({ name, kind }) => `${quote(nameOf(name))} ${typeOf(nameOf(name), kind)}`)
    if (list.length > 0)
      await session.query(`CREATE TABLE ${target.quoted} (${list.join(', ')}) ENGINE=InnoDB ${TEXT}`)
  } else {
    await requireTransactions(session, target)
    const plain = await plainColumns(session, target)
    for (const { name: field, kind } of columns) {
      const name = nameOf(field)
      const type = before.get(name)
      if (type === undefined) {
        await session.query(`ALTER TABLE ${target.quoted} ADD COLUMN ${quote(name)} ${typeOf(name, kind)}`)
        added.push(name)
        continue
      }
      const wider = plain.has(name) ? await widerType(session, target, name, type, kind) : null
      if (wider === null) continue
      const next = wider === 'longtext' ? typeOf(name, 'text') : wider
      // An index or a foreign key can prevent the change; records that don't fit are then rejected.
      if (await succeeds(session, `ALTER TABLE ${target.quoted} MODIFY COLUMN ${quote(name)} ${next}`))
        widened.push(`${name} (${type} to ${baseOf(next)})`)
    }
  }
  if (write.mode === 'merge' && columns.length > 0)
    await requireKey(session, target, key, [...names.values()])
  const types = await existing(session, target)
  const says = (said: Said): SinkNote => ({ code: 'columns_changed', said })
  return {
    names,
    types,
    notes: [
      ...(added.length === 0
        ? []
        : [
            says(
              say('New columns in "{{table}}": {{names}}', { table: target.name, names: added.join(', ') }),
            ),
          ]),
      ...(widened.length === 0
        ? []
        : [
            says(
              say('Wider columns in "{{table}}": {{names}}', {
                table: target.name,
                names: widened.join(', '),
              }),
            ),
          ]),
      ...[...names]
        .filter(([field, name]) => field !== name)
        .map(([field, name]) =>
          says(say('The field "{{field}}" is in the column "{{name}}"', { field, name })),
        ),
      ...[...write.types].flatMap(([field, declared]) => {
        const [name = '', wanted] = [names.get(field), TYPES[declared]]
        const type = types.get(name) ?? wanted
        return type === wanted ? [] : [says(otherType(target.name, name, type, wanted))]
      }),
    ],
  }
}

async function existing(session: MysqlSession, { schema, table }: Place): Promise<Map<string, string>> {
  const rows = await session.query(
    'SELECT COLUMN_NAME, COLUMN_TYPE FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? ORDER BY ORDINAL_POSITION',
    [schema, table],
  )
  return new Map(rows.map(([name, type]) => [String(name), String(type).toLowerCase()]))
}

/** Columns whose type can change without losing anything, because they have no default, comment or other rule. */
async function plainColumns(session: MysqlSession, { schema, table }: Place): Promise<Set<string>> {
  const rows = await session.query(
    "SELECT COLUMN_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND IS_NULLABLE = 'YES' AND EXTRA = '' AND COLUMN_COMMENT = '' AND (COLUMN_DEFAULT IS NULL OR COLUMN_DEFAULT = 'NULL')",
    [schema, table],
  )
  return new Set(rows.map(([name]) => String(name)))
}

/** A collation in which strings are equal only if all their characters are, including trailing spaces. */
async function exactText(session: MysqlSession): Promise<string> {
  const rows = await session.query(
    "SHOW COLLATION WHERE Collation IN ('utf8mb4_nopad_bin', 'utf8mb4_0900_bin')",
  )
  const [name] = rows.map(([found]) => String(found))
  return `CHARACTER SET utf8mb4 COLLATE ${name ?? 'utf8mb4_bin'}`
}

/** Requires an engine with transactions, so that either all records are written or none. */
async function requireTransactions(session: MysqlSession, { schema, table, name }: Place): Promise<void> {
  const [row] = await session.query(
    'SELECT t.ENGINE, e.TRANSACTIONS FROM information_schema.TABLES t JOIN information_schema.ENGINES e ON e.ENGINE = t.ENGINE WHERE t.TABLE_SCHEMA = ? AND t.TABLE_NAME = ?',
    [schema, table],
  )
  if (row === undefined || row[1] === 'YES') return
  throw new AppError(
    'validation',
    say(
      'The table "{{table}}" uses the engine {{engine}}, which has no transactions, so a failure could leave only some of the records written; change it with ALTER TABLE … ENGINE=InnoDB',
      { table: name, engine: String(row[0]) },
    ),
  )
}

async function succeeds(session: MysqlSession, statement: string): Promise<boolean> {
  try {
    await session.query(statement)
    return true
  } catch (error) {
    if (!NOT_CHANGEABLE.has((error as { readonly errno?: number }).errno ?? 0)) throw error
    return false
  }
}

const baseOf = (type: string) => /^[a-z]+/.exec(type)?.[0] ?? type

/** Null if the column can stay as it is. */
async function widerType(
  session: MysqlSession,
  { quoted }: Place,
  name: string,
  type: string,
  kind: ColumnKind,
): Promise<string | null> {
  const holds = type === 'tinyint(1)' ? (['boolean'] as const) : HOLDS[baseOf(type)]
  if (holds === undefined || kind === null || holds.includes(kind)) return null
  if (kind === 'text' || kind === 'json' || kind === 'date' || kind === 'timestamp') return 'longtext'
  const isFloat = /^(?:float|double)/.test(type)
  if (kind === 'exact' || kind === 'decimal' || (kind === 'big' && isFloat)) return DECIMAL
  if (isFloat) return 'double'
  if (kind !== 'number') return 'bigint'
  const column = quote(name)
  const [big] = await session.query(
    `SELECT 1 FROM ${quoted} WHERE ${column} NOT BETWEEN -9007199254740991 AND 9007199254740991 LIMIT 1`,
  )
  return big === undefined ? 'double' : DECIMAL
}

async function requireKey(
  session: MysqlSession,
  { schema, table, quoted, name }: Place,
  key: readonly string[],
  given: readonly string[],
): Promise<void> {
  const rows = await session.query(
    'SELECT INDEX_NAME, COLUMN_NAME, SUB_PART FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND NON_UNIQUE = 0',
    [schema, table],
  )
  const indexes = Map.groupBy(rows, ([index]) => String(index))
  const isSame = (columns: readonly string[]) => columns.toSorted().join('\n') === key.toSorted().join('\n')
  let isThere = false
  for (const [index, parts] of indexes) {
    const columns = parts.map(([, column]) => String(column))
    if (isSame(columns) && parts.every(([, , part]) => part === null)) isThere = true
    // The server replaces a record if its value is already in any unique index.
    else if (columns.every((column) => given.includes(column)))
      throw new AppError(
        'validation',
        say(
          'The table "{{table}}" has another unique index ({{index}}: {{columns}}), so a merge could replace a record with another key; drop the index, or make it the key',
          { table: name, index, columns: columns.join(', ') },
        ),
      )
  }
  if (!isThere)
    await session.query(`CREATE UNIQUE INDEX millrace_key ON ${quoted} (${key.map(quote).join(', ')})`)
}

async function insertAll(
  job: Job,
  { names, types }: Prepared,
  absent: readonly string[],
): Promise<{ readonly written: number; readonly merged: MergeCounts | null }> {
  const { session, target, write, columns, count, rejected } = job
  if (count === 0) return { written: 0, merged: null }
  if (columns.length === 0) throw new AppError('validation', NO_FIELDS)
  const list = columns.map(({ name }) => ({
    field: name,
    type: types.get(names.get(name) ?? name) ?? 'text',
  }))
  const into = columns.map(({ name }) => names.get(name) ?? name)
  const key = write.key.map((field) => names.get(field) ?? field)
  const assigned = [
    ...into.filter((name) => !key.includes(name)).map((name) => `${quote(name)} = VALUES(${quote(name)})`),
    ...absent.map((name) => `${quote(name)} = NULL`),
  ]
  // With only key columns, the key is set to itself.
  const [first = ''] = key.map(quote)
  const ending =
    write.mode === 'merge'
      ? ` ON DUPLICATE KEY UPDATE ${assigned.length === 0 ? `${first} = ${first}` : assigned.join(', ')}`
      : ''
  const begin = `INSERT INTO ${target.quoted} (${into.map(quote).join(', ')}) VALUES `
  let merged: MergeCounts | null = write.mode === 'merge' ? { new: 0, changed: 0, unchanged: 0 } : null

  /** Halves failing records until the bad one is found; a statement that fails changes nothing. */
  async function insert(rows: readonly Row[]): Promise<void> {
    try {
      const part = await session.insert(begin + rows.map(({ text }) => text).join(',') + ending, rows.length)
      merged = part === null ? null : added(merged, part)
    } catch (error) {
      if (!isAboutRecord(error) || write.isBadRecordFatal) throw error
      const [row] = rows
      if (rows.length === 1 && row) return rejected.add(row.record, reasonOf(error))
      const middle = Math.ceil(rows.length / 2)
      await insert(rows.slice(0, middle))
      await insert(rows.slice(middle))
    }
  }

  const before = rejected.count
  for (let seq = 0; ;) {
    const staged = await session.query(
      `SELECT seq, record FROM millrace_stage WHERE seq > ${seq} ORDER BY seq LIMIT ${await sizeOfPart(session, seq)}`,
    )
    if (staged.length === 0) break
    seq = Number(staged.at(-1)?.[0])
    const rows: Row[] = []
    for (const [, json] of staged) {
      const record = parseJson(String(json), OWN_JSON_LIMITS)
      try {
        rows.push({ record, text: tupleOf(record, list, session) })
      } catch (error) {
        if (!(error instanceof Unstorable)) throw error
        rejected.add(record, sentenceOf(error))
      }
    }
    if (rows.length > 0) await insert(rows)
  }
  return { written: count - (rejected.count - before), merged }
}

/** Null if the counts of either are unknown. */
function added(all: MergeCounts | null, part: MergeCounts): MergeCounts | null {
  if (all === null) return null
  return {
    new: all.new + part.new,
    changed: all.changed + part.changed,
    unchanged: all.unchanged + part.unchanged,
  }
}

interface Row {
  readonly record: Data
  readonly text: string
}

/** Number of the next records to read together, limited by their size. */
async function sizeOfPart(session: MysqlSession, seq: number): Promise<number> {
  const sizes = await session.query(
    `SELECT LENGTH(record) FROM millrace_stage WHERE seq > ${seq} ORDER BY seq LIMIT ${PART_ROWS}`,
  )
  let bytes = 0
  const at = sizes.findIndex(([size]) => (bytes += Number(size)) > PART_BYTES)
  return at === -1 ? PART_ROWS : Math.max(1, at)
}

class Unstorable extends Error {}

function tupleOf(
  record: Data,
  columns: readonly { readonly field: string; readonly type: string }[],
  session: MysqlSession,
): string {
  const values = columns.map(({ field, type }) => {
    const value = isDictionary(record) ? (getKey(record, field) ?? null) : null
    const text = sentAs(value, type, field)
    return text === null ? 'NULL' : session.escape(text)
  })
  return `(${values.join(', ')})`
}

/** Sends strings, which the server converts without loss, even numbers beyond 53 bits. */
function sentAs(value: Data, type: string, field: string): string | null {
  if (value === null) return null
  const base = baseOf(type)
  if (base === 'json') return writeJson(value)
  const decimal = type === DECIMAL ? (typedValue(value, 'decimal')?.text ?? null) : null
  if (decimal !== null && scaledDecimal(decimal, ...DECIMAL_DIGITS) === null)
    throw new Unstorable(`"${field}" is ${writeJson(value)}, which a column ${DECIMAL} doesn't hold exactly`)
  if (typeof value === 'string') return TIMES.has(base) ? (plainTime(value) ?? value) : value
  if (typeof value === 'boolean' && !/text|char/.test(base)) return value ? '1' : '0'
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : writeJson(value)
}

function* inParts(texts: readonly string[], mostBytes: number): Generator<readonly string[]> {
  let part: string[] = []
  let bytes = 0
  for (const text of texts) {
    const size = Buffer.byteLength(text) + 1
    if (part.length > 0 && bytes + size > mostBytes) {
      yield part
      part = []
      bytes = 0
    }
    part.push(text)
    bytes += size
  }
  if (part.length > 0) yield part
}

/**
 * Whether a record caused the error: a value that doesn't fit its column, a constraint, a row that is too large, or a
 * trigger that refuses it.
 */
function isAboutRecord(error: unknown): error is Error {
  const { sqlState = '', errno = 0 } = error as { readonly sqlState?: string; readonly errno?: number }
  return /^(?:22|23|45000)/.test(sqlState) || ABOUT_RECORDS.has(errno)
}

const reasonOf = ({ message }: Error) =>
  say('The database refused: {{reason}}', { reason: message.slice(0, 500) })

/**
 * Error codes without such a state: truncated data, wrong value for the column, no default, row too long, check
 * constraint.
 */
const ABOUT_RECORDS: ReadonlySet<number> = new Set([1265, 1364, 1366, 1118, 139, 3819, 4025])

/**
 * Error codes for text in an index without a length, an index that is too long, a foreign key and a generated column.
 */
const NOT_CHANGEABLE: ReadonlySet<number> = new Set([1170, 1071, 1832, 1833, 1846, 3106])

const quote = (name: string) => quoteIn('mysql', name)

const DECIMAL_DIGITS = [65, 30] as const
const DECIMAL = `decimal(${DECIMAL_DIGITS.join(',')})`
const TYPES: Readonly<Record<NonNullable<ColumnKind>, string>> = {
  boolean: 'tinyint(1)',
  integer: 'bigint',
  long: 'bigint',
  big: 'bigint',
  number: 'double',
  exact: DECIMAL,
  text: 'longtext',
  json: 'longtext',
  date: 'date',
  timestamp: 'datetime(6)',
  decimal: DECIMAL,
}

/** The kinds of values that columns of these types can hold; for other types, the server converts the values. */
const HOLDS: Readonly<Record<string, readonly ColumnKind[]>> = {
  tinyint: ['boolean', 'integer'],
  smallint: ['boolean', 'integer'],
  mediumint: ['boolean', 'integer'],
  int: ['boolean', 'integer'],
  bigint: ['boolean', 'integer', 'long', 'big'],
  float: ['boolean', 'integer', 'number'],
  double: ['boolean', 'integer', 'long', 'number'],
}
const TIMES: ReadonlySet<string> = new Set(['datetime', 'timestamp'])

/** Used for Millrace's own tables. */
const TEXT = 'CHARACTER SET utf8mb4 COLLATE utf8mb4_bin'
/** Limit for all strings of a key together, in characters, because an index has 3,072 bytes. */
const KEY_LENGTH = 760
/** InnoDB's limit. */
const MOST_COLUMNS = 1_017
const PART_ROWS = 500
const PART_BYTES = 1_048_576
const PACKET_MARGIN = 16_384
const READ_MS = 30_000
/** Pages can take a long time to arrive. */
const WHOLE_MS = 24 * 3_600_000
