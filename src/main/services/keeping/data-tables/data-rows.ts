/** Reads and changes rows, for the API and for steps. */
import { say } from '../../../../shared/contract/base/message.ts'
import { AppError, fieldErrors } from '../../../../shared/contract/base/errors.ts'
import { DATA_TABLE_LIMITS } from '../../../../shared/contract/data/data-tables.ts'
import { type Data, dictionaryOf, writeJson } from '@millrace/jinja/data'
import type { Redactor } from '../../../engine/redaction/redactor.ts'
import type { TableOutcome } from '../../../engine/flow/model/ports.ts'
import type { Clock } from '../../../engine/ports.ts'
import type { CountedDataTable, Store } from '../../../store/index.ts'
import type { Filter } from '../../../../shared/contract/base/common.ts'
import { type Cells, matchOf, readCells, toCells, toRecord, writeCells } from './row-values.ts'

export interface RowsOptions {
  readonly store: Pick<Store, 'dataTables'>
  readonly clock: Pick<Clock, 'now'>
  /** Redacts every known secret. */
  readonly redactor: () => Pick<Redactor, 'redactText'>
}

export type RowChange =
  | {
      readonly kind: 'insert' | 'upsert'
      readonly rows: readonly Data[]
      /** Names of columns; empty for `insert`. */
      readonly key: readonly string[]
      readonly ignoresUnknown: boolean
    }
  | {
      readonly kind: 'update'
      readonly filters: readonly Filter[]
      readonly values: Data
      readonly ignoresUnknown: boolean
    }
  | { readonly kind: 'delete'; readonly filters: readonly Filter[] }

/** Makes a change; call it inside a write of the store. */
export type ApplyChange = (table: CountedDataTable, change: RowChange) => TableOutcome

export function createApplyChange({ store, clock, redactor }: RowsOptions): ApplyChange {
  const tables = store.dataTables

  function insertOrUpsert(
    table: CountedDataTable,
    change: RowChange & { kind: 'insert' | 'upsert' },
  ): TableOutcome {
    const { columns, name } = table
    const { ignoresUnknown } = change
    if (change.rows.length > DATA_TABLE_LIMITS.rows) throw fullTable(table, change.rows.length)
    const rows = change.rows.map((row, at) =>
      toCells(row, { table: name, columns, row: at + 1, ignoresUnknown }),
    )
    const at = nowIso(clock)
    const inserted: number[] = []
    const updated = new Set<number>()
    const changed = new Set<number>()
    /** The rows with each key, as changed so far. */
    const known = new Map<string, { readonly key: number; cells: Cells }[]>()
    const keyIds = change.key.map((column) => columnId(table, column))
    const matches =
      keyIds.length === 0 ? [] : rows.map((cells, index) => keyOf(cells, keyIds, index, change.key))
    for (const { match, key, cells } of keyIds.length === 0 ? [] : tables.withKeys(table, keyIds, matches)) {
      const same = known.get(match) ?? []
      same.push({ key, cells: readCells(cells) })
      known.set(match, same)
    }
    for (const [index, cells] of rows.entries()) {
      const match = matches[index]
      const same = match === undefined ? undefined : known.get(match)
      if (same === undefined) {
        if (table.row_count + inserted.length >= DATA_TABLE_LIMITS.rows) throw fullTable(table, rows.length)
        const key = tables.insertRow(table.id, write(NO_CELLS, cells, index), at)
        inserted.push(key)
        if (match !== undefined) known.set(match, [{ key, cells }])
        continue
      }
      for (const row of same) {
        const text = write(row.cells, cells, index)
        if (text !== writeCells(row.cells, NO_CELLS)) changed.add(row.key)
        tables.updateRow(row.key, text, at)
        row.cells = new Map([...row.cells, ...cells])
        updated.add(row.key)
      }
    }
    requireRoom()
    const added = new Set(inserted)
    const others = [...updated].filter((key) => !added.has(key))
    const changes = others.filter((key) => changed.has(key)).length
    return {
      result: outcome(table, inserted, others),
      merged:
        change.kind === 'insert'
          ? null
          : { new: inserted.length, changed: changes, unchanged: others.length - changes },
    }
  }

  function update(table: CountedDataTable, change: RowChange & { kind: 'update' }): TableOutcome {
    const { columns, name } = table
    const cells = toCells(change.values, {
      table: name,
      columns,
      row: null,
      ignoresUnknown: change.ignoresUnknown,
    })
    const at = nowIso(clock)
    const rows = tables.rows(table, {
      filters: required(change.filters),
      sort: null,
      after: null,
      limit: DATA_TABLE_LIMITS.rows,
    })
    for (const row of rows) tables.updateRow(row.key, write(readCells(row.cells), cells, null), at)
    requireRoom()
    const keys = rows.map(({ key }) => key)
    return { result: outcome(table, [], keys), merged: null }
  }

  function outcome(table: CountedDataTable, inserted: readonly number[], updated: readonly number[]): Data {
    return dictionaryOf([
      ['inserted', recordsOf(table, inserted)],
      ['updated', recordsOf(table, updated)],
    ])
  }

  function recordsOf(table: CountedDataTable, keys: readonly number[]): readonly Data[] {
    return tables.rowsOf(keys).map((row) => toRecord(row, table.columns))
  }

  /** Filters and sorting need unencrypted cells, so known secrets must not get into them. */
  function write(before: Cells, after: Cells, index: number | null): string {
    const text = writeCells(before, after)
    if (redactor().redactText(text) === text) return text
    throw new AppError(
      'validation',
      index === null
        ? say(
            'The values contain a secret that Millrace knows; tables aren\'t encrypted. Keep it in a secret variable, or with a step "Key and value"',
          )
        : say(
            'row {{row}} contains a secret that Millrace knows; tables aren\'t encrypted. Keep it in a secret variable, or with a step "Key and value"',
            { row: index + 1 },
          ),
    )
  }

  function requireRoom(): void {
    const { bytes } = tables.totals()
    if (bytes <= DATA_TABLE_LIMITS.bytes) return
    throw new AppError(
      'conflict',
      say(
        'All tables together would take up {{size}} MB; the limit is {{limit}} MB. Delete rows, or use a database (steps "SQL" and "Write records")',
        { size: megabytes(bytes), limit: megabytes(DATA_TABLE_LIMITS.bytes) },
      ),
    )
  }

  return (table, change) => {
    if (change.kind === 'delete') {
      const deleted = tables.deleteRows(table, required(change.filters))
      return { result: dictionaryOf([['deleted', deleted]]), merged: null }
    }
    return change.kind === 'update' ? update(table, change) : insertOrUpsert(table, change)
  }
}

/** Requires a filter, because otherwise a template that renders to nothing would change all rows. */
function required(filters: readonly Filter[]): readonly Filter[] {
  if (filters.length > 0) return filters
  throw fieldErrors({
    filter: [say('is required, so that not all rows are changed by mistake; for all: _id, gt, 0')],
  })
}

export function columnId({ name: table, columns }: CountedDataTable, name: string): string {
  const column = columns.find((one) => one.name === name)
  if (column !== undefined) return column.id
  throw new AppError(
    'validation',
    say('The table "{{table}}" has no column {{name}} for its key', {
      table,
      name: writeJson(name.slice(0, 100)),
    }),
  )
}

function keyOf(cells: Cells, ids: readonly string[], index: number, names: readonly string[]): string {
  const match = matchOf(cells, ids)
  if (match !== null) return match
  const missing = names[ids.findIndex((id) => (cells.get(id) ?? null) === null)]
  throw new AppError(
    'validation',
    say('row {{row}} has no "{{column}}", which is part of the key', {
      row: index + 1,
      column: String(missing),
    }),
  )
}

function fullTable({ name, row_count: count }: CountedDataTable, more: number): AppError {
  const limit = DATA_TABLE_LIMITS.rows.toLocaleString('en-US')
  return new AppError(
    'conflict',
    say(
      'The table "{{name}}" is full: it has {{count}} rows, {{more}} more were sent, and the limit is {{limit}}. Delete rows, or use a database (steps "SQL" and "Write records")',
      { name, count: count.toLocaleString('en-US'), more: more.toLocaleString('en-US'), limit },
    ),
  )
}

const NO_CELLS: Cells = new Map()
const megabytes = (bytes: number) => Math.ceil(bytes / 1_048_576)
const nowIso = (clock: Pick<Clock, 'now'>) => new Date(clock.now()).toISOString()
