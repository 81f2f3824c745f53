/** Writes staged records to a table, in one transaction with the state of their reading. */
import { say, type Said } from '../../../../shared/contract/base/message.ts'
import { closeSync, openSync, readSync } from 'node:fs'
import type { Database } from 'better-sqlite3'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import {
  type Data,
  type Dictionary,
  Float,
  getKey,
  OWN_JSON_LIMITS,
  parseJson,
  writeJson,
} from '@millrace/jinja/data'
import { type Column, type ColumnKind, NO_FIELDS } from '../../../engine/sql/columns.ts'
import { columnNames, SQLITE_NAMES } from '../../../engine/sql/column-names.ts'
import { replaceOnConflict } from '../../../engine/sql/on-conflict.ts'
import { floatOf } from '../../../engine/sql/to-data.ts'
import { quoteName } from '../../../engine/sql/quote-name.ts'
import type { MergeCounts } from '../../../engine/flow/model/ports.ts'
import { RejectedRecords } from './rejected-records.ts'
import { toBound } from './sqlite-values.ts'
import { type Loaded, type LoadRequest, MOST_COLUMNS, SYNC_TABLE } from './sqlite-messages.ts'

const TYPES: Readonly<Record<NonNullable<ColumnKind>, string>> = {
  boolean: 'INTEGER',
  integer: 'INTEGER',
  long: 'INTEGER',
  big: 'INTEGER',
  number: 'REAL',
  exact: 'NUMERIC',
  text: 'TEXT',
  json: 'TEXT',
  date: 'TEXT',
  timestamp: 'TEXT',
  // A number would only keep 15 digits.
  decimal: 'TEXT',
}

/** A load whose columns have the names used in the table. */
interface NamedLoad extends LoadRequest {
  /** The field of each column. */
  readonly fields: readonly string[]
}

export function load(db: Database, given: LoadRequest): Loaded {
  const rejected = new RejectedRecords(given.rejected)
  try {
    db.exec('BEGIN IMMEDIATE')
    const loaded = loadInto(db, given, rejected)
    db.exec('COMMIT')
    rejected.publish()
    return { ...loaded, rejected: rejected.soFar }
  } catch (error) {
    if (db.inTransaction) db.exec('ROLLBACK')
    rejected.drop()
    throw error
  }
}

function loadInto(
  db: Database,
  given: LoadRequest,
  rejected: RejectedRecords,
): Pick<Loaded, 'changes' | 'result' | 'merged'> {
  const request = withNames(db, given)
  const { table, columns, mode, key, id } = request
  db.exec(
    `CREATE TABLE IF NOT EXISTS ${SYNC_TABLE} (name TEXT PRIMARY KEY, cursor TEXT NOT NULL, write_id TEXT NOT NULL, result TEXT NOT NULL, fields TEXT)`,
  )
  if (!existing(db, SYNC_TABLE).some(({ name }) => name === 'fields'))
    db.exec(`ALTER TABLE ${SYNC_TABLE} ADD COLUMN fields TEXT`)
  const last = lastWrite(db, table)
  rejected.settle(last?.id ?? null)
  if (last?.id === id) {
    // A process that outlived Millrace already committed this load, and Millrace now repeats it.
    rejected.forget()
    return { changes: [], result: last.result, merged: null }
  }
  const absent = absentFields(db, request)
  const { changes, stuck } = prepareTable(db, request)
  if (mode === 'replace' && existing(db, table).length > 0) db.exec(`DELETE FROM ${quoteName(table)}`)
  if (mode === 'merge' && columns.length > 0) requireKey(db, table, key)
  const { written, merged } = insertAll(db, request, absent, stuck, rejected)
  const result = writeJson(rejected.resultOf(written, parseJson(given.cursor, OWN_JSON_LIMITS)))
  db.prepare(
    `INSERT INTO ${SYNC_TABLE} (name, cursor, write_id, result, fields) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET cursor = excluded.cursor, write_id = excluded.write_id, result = excluded.result, fields = excluded.fields`,
  ).run(table, given.cursor, id, result, JSON.stringify([...columns.map(({ name }) => name), ...absent]))
  return { changes, result, merged }
}

function lastWrite(db: Database, table: string): { readonly id: string; readonly result: string } | null {
  const [row] = db
    .prepare(`SELECT write_id, result FROM ${SYNC_TABLE} WHERE name = ?`)
    .raw(true)
    .all(table) as [string, string][]
  return row === undefined ? null : { id: row[0], result: row[1] }
}

function withNames(db: Database, given: LoadRequest): NamedLoad {
  const { table, columns, key } = given
  const fields = columns.map(({ name }) => name)
  const before = existing(db, table).map(({ name }) => name)
  const names = columnNames(fields, before, SQLITE_NAMES)
  const nameOf = (field: string) => names.get(field) ?? field
  return {
    ...given,
    fields,
    columns: columns.map(({ name, kind }) => ({ name: nameOf(name), kind })),
    key: key.map(nameOf),
  }
}

/** Reports new columns whose names differ from those of their fields. */
const renamed = (fields: readonly string[], columns: readonly Column[], isNew: (name: string) => boolean) =>
  columns.flatMap(({ name }, at) =>
    name !== fields[at] && isNew(name)
      ? [say('The field "{{field}}" is in the column "{{name}}"', { field: fields[at] ?? '', name })]
      : [],
  )

/** Columns that earlier records filled and these don't have. Other columns of the table don't belong to the records. */
function absentFields(db: Database, { table, columns }: LoadRequest): string[] {
  const [row] = db.prepare(`SELECT fields FROM ${SYNC_TABLE} WHERE name = ?`).raw(true).all(table) as [
    string | null,
  ][]
  if (row === undefined) return []
  const there = existing(db, table).map(({ name }) => name)
  const [text] = row
  const known = text === null ? there : (JSON.parse(text) as string[])
  const given = new Set(columns.map(({ name }) => name.toLowerCase()))
  return known.filter((name) => there.includes(name) && !given.has(name.toLowerCase()))
}

interface Prepared {
  readonly changes: readonly Said[]
  /** Columns that should have this type but can't change, such as those of a primary key or with a default. */
  readonly stuck: ReadonlyMap<string, Wider>
}

type Wider = 'TEXT' | 'NUMERIC'

function prepareTable(db: Database, { table, columns, fields }: NamedLoad): Prepared {
  requireFewEnough(columns)
  const before = existing(db, table)
  if (before.length === 0) {
    const list = columns.map(({ name, kind }) => `${quoteName(name)} ${TYPES[kind ?? 'text']}`)
    if (list.length > 0) db.exec(`CREATE TABLE ${quoteName(table)} (${list.join(', ')})`)
    return { changes: renamed(fields, columns, () => true), stuck: new Map() }
  }
  const stuck = new Map<string, Wider>()
  const added: string[] = []
  const widened: string[] = []
  for (const { name, kind } of columns) {
    const known = before.find((column) => column.name.toLowerCase() === name.toLowerCase())
    if (known === undefined) {
      db.exec(`ALTER TABLE ${quoteName(table)} ADD COLUMN ${quoteName(name)} ${TYPES[kind ?? 'text']}`)
      added.push(name)
      continue
    }
    const wider = widerType(known.type, kind)
    if (wider === null) continue
    if (isPlain(db, table, known.name) && widen(db, table, known.name, wider))
      widened.push(`${name} (${known.type} to ${wider})`)
    else stuck.set(name, wider)
  }
  const changes = [
    ...renamed(fields, columns, (name) => added.includes(name)),
    ...(added.length === 0
      ? []
      : [say('New columns in "{{table}}": {{names}}', { table, names: added.join(', ') })]),
    ...(widened.length === 0
      ? []
      : [say('Wider columns in "{{table}}": {{names}}', { table, names: widened.join(', ') })]),
  ]
  return { changes, stuck }
}

/** Null if the column can stay as it is. */
function widerType(type: string, kind: ColumnKind): Wider | null {
  if (isNumeric(type) && (kind === 'text' || kind === 'json' || kind === 'decimal')) return 'TEXT'
  // As a float, a 64-bit integer would be rounded.
  return /REAL|FLOA|DOUB/i.test(type) && (kind === 'big' || kind === 'exact') ? 'NUMERIC' : null
}

/** SQLite would turn `007` into 7 there. */
function isNumeric(type: string): boolean {
  return /INT|REAL|FLOA|DOUB|NUM|DEC|BOOL|DATE/i.test(type) && !/CHAR|CLOB|TEXT/i.test(type)
}

/** Whether a new column can replace this one. It can't if this one has rules, which the new one would lack. */
function isPlain(db: Database, table: string, column: string): boolean {
  const [row] = db
    .prepare(
      `SELECT c."notnull" OR c.dflt_value IS NOT NULL, s.sql FROM pragma_table_xinfo(?) c JOIN sqlite_schema s ON s.name = ? COLLATE NOCASE
       WHERE c.name = ? AND s.type = 'table'`,
    )
    .raw(true)
    .all(table, table, column) as [bigint, string][]
  const words = row?.[1].replaceAll(/"[^"]*"?|'[^']*'?|`[^`]*`?|\[[^\]]*\]?/g, ' ') ?? ''
  return row?.[0] === 0n && !/\b(?:CHECK|COLLATE)\b/i.test(words)
}

/**
 * SQLite can't change a column's type, so a new column replaces it. False if SQLite refuses to remove the old one, as
 * for keys and constraints.
 */
function widen(db: Database, table: string, column: string, type: Wider): boolean {
  db.exec('SAVEPOINT widening')
  try {
    replaceColumn(db, table, column, type)
    db.exec('RELEASE widening')
    return true
  } catch (error) {
    if ((error as { readonly code?: string }).code !== 'SQLITE_ERROR') throw error
    db.exec('ROLLBACK TO widening; RELEASE widening')
    return false
  }
}

function replaceColumn(db: Database, table: string, column: string, type: Wider): void {
  const [place, old, next] = [quoteName(table), quoteName(column), quoteName(`${column} as ${type}`)]
  // The index refers to the column and is created again later.
  db.exec(`DROP INDEX IF EXISTS ${keyIndex(table)}`)
  db.exec(`ALTER TABLE ${place} ADD COLUMN ${next} ${type}`)
  // SQLite itself converts numbers to text with only 15 digits.
  db.function('millrace_text', { deterministic: true }, (value: number) => writeJson(floatOf(value)))
  const text = `CASE typeof(${old}) WHEN 'real' THEN millrace_text(${old}) ELSE CAST(${old} AS TEXT) END`
  db.exec(`UPDATE ${place} SET ${next} = ${type === 'TEXT' ? text : `CAST(${old} AS NUMERIC)`}`)
  db.exec(`ALTER TABLE ${place} DROP COLUMN ${old}`)
  db.exec(`ALTER TABLE ${place} RENAME COLUMN ${next} TO ${old}`)
}

function requireFewEnough(columns: readonly Column[]): void {
  if (columns.length > MOST_COLUMNS)
    throw new Error(`the records have ${columns.length} fields; a table can have ${MOST_COLUMNS} columns`)
}

function existing(db: Database, table: string): { readonly name: string; readonly type: string }[] {
  const rows = db.prepare('SELECT name, type FROM pragma_table_xinfo(?)').raw(true).all(table) as [
    string,
    string,
  ][]
  return rows.map(([name, type]) => ({ name, type }))
}

function requireKey(db: Database, table: string, key: readonly string[]): void {
  const indexes = db
    .prepare('SELECT name FROM pragma_index_list(?) WHERE "unique" AND NOT partial')
    .raw(true)
    .all(table) as [string][]
  const wanted = key.toSorted().join('\n')
  const hasOne = indexes.some(([name]) => {
    const columns = db.prepare('SELECT name FROM pragma_index_info(?)').raw(true).all(name) as [
      string | null,
    ][]
    return (
      columns
        .map(([column]) => column ?? '')
        .toSorted()
        .join('\n') === wanted
    )
  })
  const primary = db.prepare('SELECT name FROM pragma_table_info(?) WHERE pk > 0').raw(true).all(table) as [
    string,
  ][]
  if (
    hasOne ||
    primary
      .map(([name]) => name)
      .toSorted()
      .join('\n') === wanted
  )
    return
  db.exec(`CREATE UNIQUE INDEX ${keyIndex(table)} ON ${quoteName(table)} (${key.map(quoteName).join(', ')})`)
}

const keyIndex = (table: string) => quoteName(`${table} by key`)

function insertAll(
  db: Database,
  load: NamedLoad,
  absent: readonly string[],
  stuck: Prepared['stuck'],
  rejected: RejectedRecords,
): Inserted {
  if (!hasDeferredReferences(db, load.table)) {
    return insertRecords(db, load, absent, stuck, (record, reason) => rejected.add(record, reason))
  }
  // Deferred references would refuse all records at the end, so those that refer to nothing are left out, then those
  // that refer to them.
  const orphans = new Map<number, Said>()
  for (;;) {
    const found: [Dictionary, Said][] = []
    db.exec('SAVEPOINT inserting')
    const lines = new Map<bigint, number>()
    const add = (record: Dictionary, reason: Said) => void found.push([record, reason])
    const inserted = insertRecords(db, load, absent, stuck, add, { orphans, lines })
    const before = orphans.size
    for (const [line, reason] of orphansIn(db, load.table, lines)) orphans.set(line, reason)
    if (orphans.size === before) {
      db.exec('RELEASE inserting')
      for (const [record, reason] of found) rejected.add(record, reason)
      return inserted
    }
    db.exec('ROLLBACK TO inserting; RELEASE inserting')
  }
}

interface Inserted {
  readonly written: number
  readonly merged: MergeCounts | null
}

interface Referring {
  /** The reasons why the records in these lines are left out. */
  readonly orphans: ReadonlyMap<number, Said>
  /** Filled with the lines, by the IDs of their rows. */
  readonly lines: Map<bigint, number>
}

/**
 * Whether the table has foreign keys that are checked at the end of a transaction. False for tables without row IDs,
 * because their rows can't be told apart.
 */
function hasDeferredReferences(db: Database, table: string): boolean {
  const [row] = db
    .prepare(
      `SELECT s.sql FROM pragma_table_list(?) t JOIN sqlite_schema s ON s.name = t.name
       WHERE t.schema = 'main' AND NOT t.wr AND EXISTS (SELECT 1 FROM pragma_foreign_key_list(t.name))`,
    )
    .raw(true)
    .all(table) as [string][]
  return row !== undefined && /initially\s+deferred/i.test(row[0])
}

/** The lines whose records refer to nothing; `lines` has them by the IDs of their rows. */
function orphansIn(db: Database, table: string, lines: ReadonlyMap<bigint, number>): [number, Said][] {
  const rows = db
    .prepare(`PRAGMA foreign_key_check(${quoteName(table)})`)
    .raw(true)
    .all() as [string, bigint, string][]
  return rows.flatMap(([, id, parent]) => {
    const line = lines.get(id)
    return line === undefined
      ? []
      : [
          [
            line,
            say('SQLite refused: {{reason}}', {
              reason: say('it refers to a row in "{{table}}" that doesn\'t exist', { table: parent }),
            }),
          ],
        ]
  })
}

function insertRecords(
  db: Database,
  { table, columns, fields, mode, key, staged, count }: NamedLoad,
  absent: readonly string[],
  stuck: Prepared['stuck'],
  reject: (record: Dictionary, reason: Said) => void,
  referring?: Referring,
): Inserted {
  const names = columns.map(({ name }) => name)
  if (names.length === 0 && count > 0) throw new AppError('validation', NO_FIELDS)
  const counter = mode === 'merge' ? createMergeCounter(db, table, names, absent) : null
  const update = replaceOnConflict(names, key, absent)
  // With only key columns, there is nothing to update.
  const counted = counter === null || update === 'NOTHING' ? update : `${update} WHERE ${counter.notes}`
  const conflict = mode === 'merge' ? ` ON CONFLICT (${key.map(quoteName).join(', ')}) DO ${counted}` : ''
  const places = names.map(() => '?').join(', ')
  const insert =
    names.length === 0
      ? null
      : db.prepare(
          `INSERT INTO ${quoteName(table)} (${names.map(quoteName).join(', ')}) VALUES (${places})${conflict}${referring === undefined ? '' : ' RETURNING _rowid_'}`,
        )
  const types = existing(db, table)
  const isText = names.map((name) =>
    types.some((one) => one.name === name && /CHAR|CLOB|TEXT/i.test(one.type)),
  )
  let found = 0
  let written = 0
  for (const line of linesOf(staged)) {
    found++
    const record = parseJson(line, OWN_JSON_LIMITS) as Dictionary
    const changed =
      stuck.size === 0 ? undefined : names.find((name, at) => isChanged(record, fields[at], stuck.get(name)))
    const problem =
      changed === undefined
        ? referring?.orphans.get(found)
        : say(
            'the value for the column "{{column}}" doesn\'t fit its type, which can\'t become {{type}} because of a key, default or constraint',
            { column: changed, type: String(stuck.get(changed)) },
          )
    if (problem !== undefined) {
      reject(record, problem)
      continue
    }
    try {
      const cells = fields.map((field, at) => toCell(getKey(record, field) ?? null, isText[at] === true))
      let rows = 0
      if (referring === undefined) rows = insert?.run(cells).changes ?? 0
      else
        for (const [id] of (insert?.raw(true).all(cells) ?? []) as [bigint][]) {
          referring.lines.set(id, found)
          rows++
        }
      written++
      counter?.count(rows > 0)
    } catch (error) {
      // A trigger can end the transaction.
      if (!isAboutRecord(error) || !db.inTransaction) throw error
      counter?.forget()
      reject(record, say('SQLite refused: {{reason}}', { reason: error.message.slice(0, 500) }))
    }
  }
  if (found !== count)
    throw new Error(`${found} of ${count} records were found in "${staged}"; run the flow again`)
  return { written, merged: counter?.counts ?? null }
}

/**
 * Counts the changes of a merge. SQLite itself reports an existing record while it has its row, because looking for the
 * record first would make the merge take half as long again.
 */
function createMergeCounter(
  db: Database,
  table: string,
  names: readonly string[],
  absent: readonly string[],
) {
  const counts = { new: 0, changed: 0, unchanged: 0 }
  let found: 'changed' | 'unchanged' | null = null
  db.function('millrace_found', { directOnly: true }, (isSame: unknown) => {
    found = Number(isSame) === 1 ? 'unchanged' : 'changed'
    return 1
  })
  const place = quoteName(table)
  const before = [...names, ...absent].map((name) => `${place}.${quoteName(name)}`)
  const after = [
    // Compares exactly, whatever the column's collation treats as equal.
    ...names.map((name) => `excluded.${quoteName(name)} COLLATE BINARY`),
    ...absent.map(() => 'NULL'),
  ]
  return {
    counts,
    /** The condition of the update: reports the record and is always met. */
    notes: `millrace_found((${before.join(', ')}) IS (${after.join(', ')}))`,
    /** Call it after each record that was written. */
    count(hasRow: boolean) {
      counts[found ?? (hasRow ? 'new' : 'unchanged')]++
      found = null
    },
    /** Call it after a record that was refused. */
    forget() {
      found = null
    },
  }
}

/** SQLite would convert a number to text with only 15 digits. */
function toCell(value: Data, isText: boolean): unknown {
  const isFloat = value instanceof Float || (typeof value === 'number' && !Number.isInteger(value))
  return isText && isFloat ? writeJson(value) : toBound(value)
}

/** Whether SQLite would change the value, such as `007` to 7, or round it. */
function isChanged(record: Dictionary, field: string | undefined, wanted: Wider | undefined): boolean {
  if (field === undefined || wanted === undefined) return false
  const value = getKey(record, field) ?? null
  if (wanted === 'NUMERIC') return typeof value === 'bigint'
  return (
    typeof value === 'string' || (typeof value === 'object' && value !== null && !(value instanceof Float))
  )
}

function isAboutRecord(error: unknown): error is Error {
  const { code = '' } = error as { readonly code?: string }
  return error instanceof Error && /^SQLITE_(?:CONSTRAINT|MISMATCH|TOOBIG)/.test(code)
}

/** Reads a piece at a time, so that files of any size need little memory. */
function* linesOf(path: string): Generator<string> {
  const file = openSync(path, 'r')
  try {
    let bytes = Buffer.allocUnsafe(PIECE_BYTES)
    let filled = 0
    for (;;) {
      const read = readSync(file, bytes, filled, bytes.length - filled, null)
      if (read === 0) break
      filled += read
      let from = 0
      for (let end = bytes.indexOf(NEWLINE); end !== -1 && end < filled; end = bytes.indexOf(NEWLINE, from)) {
        yield bytes.toString('utf8', from, end)
        from = end + 1
      }
      bytes.copyWithin(0, from, filled)
      filled -= from
      // A record can be longer than a piece.
      if (filled === bytes.length) bytes = Buffer.concat([bytes, Buffer.allocUnsafe(bytes.length)])
    }
    if (filled > 0) yield bytes.toString('utf8', 0, filled)
  } finally {
    closeSync(file)
  }
}

const PIECE_BYTES = 1_048_576
const NEWLINE = 10
