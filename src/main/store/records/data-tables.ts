/** Tables that users and flows keep records in. */
import type { Filter } from '../../../shared/contract/base/common.ts'
import type { DATA_COLUMN_TYPES } from '../../../shared/contract/data/data-tables.ts'
import type { Database } from 'better-sqlite3'
import { PLAIN_JSON, toIso, toTime } from '../sql/codec.ts'
import {
  filterConditions,
  whereAll,
  type Columns,
  type Condition,
  type ListQuery,
  type Sort,
  unknownField,
} from '../sql/list-query.ts'
import { createRecordMapper } from '../sql/records.ts'
import { fieldErrors } from '../../../shared/contract/base/errors.ts'
import { say } from '../../../shared/contract/base/message.ts'
import { command, rows, scalar, type SqlValue } from '../sql/statement.ts'

export interface DataColumn {
  /** `c1`, `c2` and so on, which is the key of its values in a row's cells. */
  readonly id: string
  readonly name: string
  readonly type: (typeof DATA_COLUMN_TYPES)[number]
}

export interface DataTable {
  readonly id: string
  /** Unique. */
  readonly name: string
  readonly description: string
  readonly columns: readonly DataColumn[]
  readonly created_at: string
  readonly updated_at: string
}

export interface CountedDataTable extends DataTable {
  readonly row_count: number
  /** The size in bytes of all cells. */
  readonly bytes: number
}

export interface DataRow {
  readonly key: number
  /** A JSON object of values, by column ID. */
  readonly cells: string
  readonly created_at: string
  readonly updated_at: string
}

export interface RowQuery {
  readonly filters: readonly Filter[]
  /** Null for the order in which they were added. */
  readonly sort: Sort | null
  /** The key of the last row before these; null at the beginning. */
  readonly after: number | null
  readonly limit: number
}

/** A row whose key columns have one of the combinations of values that were searched for. */
export interface KeyedRow extends DataRow {
  /** The key's values as JSON, separated by commas. */
  readonly match: string
}

export type DataTableRepository = ReturnType<typeof createDataTableRepository>

interface CellsRow {
  readonly key: number
  readonly cells: string
  readonly created_at: number
  readonly updated_at: number
}

const TABLE_COLUMNS: Columns = {
  id: { sql: 'id', type: 'text' },
  name: { sql: 'name', type: 'text' },
  description: { sql: 'description', type: 'text' },
  row_count: { sql: 'row_count', type: 'number' },
  bytes: { sql: 'bytes', type: 'number' },
  created_at: { sql: 'created_at', type: 'time' },
  updated_at: { sql: 'updated_at', type: 'time' },
}

const SELECT =
  'SELECT key, id, name, description, columns, row_count, bytes, created_at, updated_at FROM data_tables'
const KINDS = { columns: 'labels', created_at: 'time', updated_at: 'time' } as const
const SELECT_ROW = 'SELECT key, cells, created_at, updated_at FROM data_rows'

export function createDataTableRepository(db: Database, keyOfRun: (runId: string) => number | null) {
  const records = createRecordMapper<CountedDataTable>(db, KINDS)
  const tables = createRecordMapper<DataTable>(db, KINDS)
  const insert = command(
    db,
    `INSERT INTO data_tables (id, name, description, columns, created_at, updated_at)
     VALUES (@id, @name, @description, @columns, @created_at, @updated_at)`,
  )
  const update = command(
    db,
    `UPDATE data_tables SET name = @name, description = @description, columns = @columns, updated_at = @updated_at
     WHERE id = @id`,
  )
  const byId = records.query(`${SELECT} WHERE id = ?`)
  const byName = records.query(`${SELECT} WHERE name = ?`)
  const remove = command(db, 'DELETE FROM data_tables WHERE id = ?')
  const totals = rows<{ readonly tables: number; readonly bytes: number }>(
    db,
    'SELECT count(*) AS tables, coalesce(sum(bytes), 0) AS bytes FROM data_tables',
  )
  const keyOf = scalar<number>(db, 'SELECT key FROM data_tables WHERE id = ?')
  const rowOf = rows<CellsRow>(db, `${SELECT_ROW} WHERE table_key = ? AND key = ?`)
  const dropCells = command(
    db,
    `UPDATE data_rows SET cells = json_remove(cells, '$.' || @column)
     WHERE table_key = @table AND cells -> ('$.' || @column) IS NOT NULL`,
  )
  const rowsOf = rows<CellsRow>(
    db,
    `${SELECT_ROW} WHERE key IN (SELECT value FROM json_each(?)) ORDER BY key`,
  )
  const insertRow = command(
    db,
    'INSERT INTO data_rows (table_key, cells, created_at, updated_at) VALUES (@table, @cells, @at, @at)',
  )
  const lastKey = scalar<number>(db, 'SELECT last_insert_rowid()')
  const updateRow = command(db, 'UPDATE data_rows SET cells = @cells, updated_at = @at WHERE key = @key')
  const resultOf = scalar<string>(db, 'SELECT result FROM data_changes WHERE id = ?')
  const putChange = command(db, 'INSERT INTO data_changes (id, run_key, result) VALUES (@id, @run, @result)')
  const dropChanges = command(
    db,
    `DELETE FROM data_changes WHERE run_key IS NOT @run AND NOT EXISTS
       (SELECT 1 FROM flow_runs WHERE flow_runs.key = run_key AND status <> 'success')`,
  )
  const lister = records.lister({ select: SELECT, from: 'FROM data_tables', columns: TABLE_COLUMNS })

  let changes = 0

  const numberOf = (tableId: string) => keyOf.get(tableId) ?? -1
  const inTable = (tableId: string): Condition => ({ sql: 'table_key = ?', values: [numberOf(tableId)] })
  const matching = (table: DataTable, filters: readonly Filter[]) => [
    inTable(table.id),
    ...filterConditions(filters, columnsOf(table)),
  ]

  return {
    /** Throws if the name is taken. */
    insert: (table: DataTable) => void insert.run(tables.toRow(table)),
    /** Replaces name, description and columns; values of removed columns are dropped. */
    update(table: DataTable): void {
      const kept = new Set(table.columns.map(({ id }) => id))
      const gone = byId.get(table.id)?.columns.filter(({ id }) => !kept.has(id)) ?? []
      for (const { id } of gone) dropCells.run({ table: numberOf(table.id), column: id })
      update.run(tables.toRow(table))
    },
    get: (id: string) => byId.get(id),
    named: (name: string) => byName.get(name),
    byNameOrId: (nameOrId: string) => byId.get(nameOrId) ?? byName.get(nameOrId),
    list: (query: ListQuery = {}) => lister.page(query),
    delete: (id: string) => remove.run(id) > 0,
    /** The size of all tables. */
    totals: () => totals.get() ?? { tables: 0, bytes: 0 },
    /** @throws AppError `validation` naming an unknown field */
    rows(table: DataTable, { filters, sort, after, limit }: RowQuery): readonly DataRow[] {
      const order = orderOf(sort, columnsOf(table))
      const last = after === null ? undefined : rowOf.get(numberOf(table.id), after)
      const start =
        after === null ? [] : [last === undefined ? afterGone(after, order) : startAfter(db, last, order)]
      const where = whereAll([...matching(table, filters), ...start])
      return rows<CellsRow>(db, `${SELECT_ROW} ${where.sql} ${order.sql} LIMIT ?`)
        .all(...where.values, limit)
        .map(toDataRow)
    },
    /** The rows with these keys, in the order in which they were added. */
    rowsOf: (keys: readonly number[]): readonly DataRow[] =>
      rowsOf.all(PLAIN_JSON.stringify(keys)).map(toDataRow),
    count(table: DataTable, filters: readonly Filter[]): number {
      const where = whereAll(matching(table, filters))
      return scalar<number>(db, `SELECT count(*) FROM data_rows ${where.sql}`).get(...where.values) ?? 0
    },
    /** Rows whose key columns have one of these combinations of values. */
    withKeys(table: DataTable, columnIds: readonly string[], keys: readonly string[]): readonly KeyedRow[] {
      const match = columnIds.map((id) => `(cells -> '$.${id}')`).join(` || ',' || `)
      return rows<CellsRow & { readonly match: string }>(
        db,
        `SELECT key, cells, created_at, updated_at, ${match} AS match FROM data_rows
         WHERE table_key = ? AND ${match} IN (SELECT value FROM json_each(?))`,
      )
        .all(numberOf(table.id), PLAIN_JSON.stringify(keys))
        .map((row) => ({ ...toDataRow(row), match: row.match }))
    },
    /** @returns the new row's key */
    insertRow(tableId: string, cells: string, at: string): number {
      insertRow.run({ table: numberOf(tableId), cells, at: toTime(at) })
      return lastKey.get() ?? 0
    },
    updateRow: (key: number, cells: string, at: string) => void updateRow.run({ key, cells, at: toTime(at) }),
    /** @returns the number of deleted rows */
    deleteRows(table: DataTable, filters: readonly Filter[]): number {
      const where = whereAll(matching(table, filters))
      return command(db, `DELETE FROM data_rows ${where.sql}`).run(...where.values)
    },
    /** The result of a step's change, as JSON; null if the change wasn't made. */
    resultOf: (changeId: string) => resultOf.get(changeId) ?? null,
    noteChange(id: string, runId: string, result: string): void {
      const run = keyOfRun(runId)
      if (changes++ % CHANGES_PER_SWEEP === 0) dropChanges.run({ run })
      putChange.run({ id, run, result })
    },
  }
}

const CHANGES_PER_SWEEP = 200

/** The fields that rows are filtered and sorted by. IDs of columns can be part of SQL, names can't. */
function columnsOf({ columns }: DataTable): Columns {
  const own = columns.map(({ id, name, type }) => [name, { ...CELL[type](id), nullable: true }] as const)
  return Object.fromEntries([
    ['_id', { sql: 'key', type: 'number' }],
    ['_created_at', { sql: 'created_at', type: 'time' }],
    ['_updated_at', { sql: 'updated_at', type: 'time' }],
    ...own,
  ])
}

const CELL: { readonly [T in DataColumn['type']]: (id: string) => Columns[string] & object } = {
  text: (id) => ({ sql: `(cells ->> '$.${id}')`, type: 'text' }),
  number: (id) => ({ sql: `(cells ->> '$.${id}')`, type: 'number' }),
  boolean: (id) => ({ sql: `(cells ->> '$.${id}')`, type: 'flag' }),
  datetime: (id) => ({ sql: `(cells ->> '$.${id}')`, type: 'time' }),
  /** Compared as JSON. */
  json: (id) => ({ sql: `(cells -> '$.${id}')`, type: 'text' }),
}

interface Order {
  readonly sql: string
  /** The expression that rows are sorted by before their key; null to sort only by key. */
  readonly by: string | null
  readonly descending: boolean
}

function orderOf(sort: Sort | null, columns: Columns): Order {
  const descending = sort?.descending ?? false
  const direction = descending ? 'DESC' : 'ASC'
  if (sort === null || sort.field === '_id') return { sql: `ORDER BY key ${direction}`, by: null, descending }
  const column = Object.hasOwn(columns, sort.field) ? columns[sort.field] : undefined
  if (column === undefined) {
    throw fieldErrors({ sort: [unknownField(sort.field, columns)] })
  }
  const by = column.type === 'text' ? `${column.sql} COLLATE NOCASE` : column.sql
  return { sql: `ORDER BY ${by} ${direction}, key ${direction}`, by, descending }
}

/** The rows that follow this one; SQLite sorts empty values before all others. */
function startAfter(db: Database, last: CellsRow, { by, descending }: Order): Condition {
  const beyond = descending ? '<' : '>'
  if (by === null) return { sql: `key ${beyond} ?`, values: [last.key] }
  const value = scalar<SqlValue>(db, `SELECT ${by} FROM data_rows WHERE key = ?`).get(last.key) ?? null
  if (value === null) {
    const others = descending ? '' : `${by} IS NOT NULL OR `
    return { sql: `(${others}${by} IS NULL AND key ${beyond} ?)`, values: [last.key] }
  }
  const empty = descending ? ` OR ${by} IS NULL` : ''
  return {
    sql: `(${by} ${beyond} ?${empty} OR (${by} = ? AND key ${beyond} ?))`,
    values: [value, value, last.key],
  }
}

/** Used if the row after which the list should continue has been deleted, so that only its key is known. */
function afterGone(key: number, { by, descending }: Order): Condition {
  if (by === null) return { sql: `key ${descending ? '<' : '>'} ?`, values: [key] }
  throw fieldErrors({ after: [say('names a row that has been deleted; read the list from its beginning')] })
}

function toDataRow({ key, cells, created_at, updated_at }: CellsRow): DataRow {
  return { key, cells, created_at: toIso(created_at), updated_at: toIso(updated_at) }
}
