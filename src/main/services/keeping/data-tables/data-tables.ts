/** Tables that users and flows keep records in. */
import { say } from '../../../../shared/contract/base/message.ts'
import type { Filter } from '../../../../shared/contract/base/common.ts'
import type { z } from 'zod'
import type { ListQuery } from '../../../../shared/contract/base/common.ts'
import { AppError, fieldErrors } from '../../../../shared/contract/base/errors.ts'
import {
  type ChangedRows,
  DATA_TABLE_LIMITS,
  type DataRow,
  type DataTable,
  type DataTablePatch,
  type importDataRowsRoute,
  type listDataRowsRoute,
} from '../../../../shared/contract/data/data-tables.ts'
import {
  type Data,
  getKey,
  isDictionary,
  isList,
  OWN_JSON_LIMITS,
  parseJson,
  writeJson,
} from '@millrace/jinja/data'
import type { DataTablePort } from '../../../engine/flow/model/ports.ts'
import type { CountedDataTable, DataColumn, Store } from '../../../store/index.ts'
import type { EventsService } from '../../kit/live-events.ts'
import { parseKeyedListQuery, parseListQuery } from '../../kit/list-query.ts'
import { type KeyedPage, filledPage, type RecordPage, toPage } from '../../kit/pages.ts'
import type { SecureRandom } from '../../kit/ports.ts'
import { createApplyChange, type RowChange, type RowsOptions } from './data-rows.ts'
import { columnsFor, headOf, readRowFile, type RowFormat, writeRows } from './import-rows.ts'
import { toRecord } from './row-values.ts'

export interface DataTablesService {
  list(query: ListQuery): RecordPage<DataTable>
  /** @throws AppError `not_found` */
  read(id: string): DataTable
  /** @throws AppError `conflict` if the name is taken, or there are too many tables */
  create(body: NewDataTable): Promise<DataTable>
  /** Absent keys stay unchanged. */
  update(id: string, patch: DataTablePatch): Promise<DataTable>
  remove(id: string): Promise<void>
  rows(id: string, query: z.output<typeof listDataRowsRoute.query>): Promise<KeyedPage<DataRow>>
  insert(id: string, rows: readonly unknown[]): Promise<ChangedRows>
  upsert(id: string, rows: readonly unknown[], key: readonly string[]): Promise<ChangedRows>
  updateRows(id: string, filter: readonly string[] | undefined, values: unknown): Promise<ChangedRows>
  deleteRows(id: string, filter: readonly string[] | undefined): Promise<{ readonly deleted: number }>
  importRows(
    id: string,
    file: z.output<typeof importDataRowsRoute.body>,
  ): Promise<z.output<typeof importDataRowsRoute.result>>
  exportRows(id: string, format: RowFormat): Promise<string>
  /** Used for the steps of flows. */
  readonly port: DataTablePort
}

export type NewDataTable = DataTablePatch & Pick<DataTable, 'name'>

export interface DataTablesOptions extends RowsOptions {
  readonly store: Pick<Store, 'dataTables' | 'write'>
  readonly random: Pick<SecureRandom, 'uuid'>
  readonly events: Pick<EventsService, 'emit'>
  readonly yieldToEventLoop: () => Promise<void>
}

export function createDataTablesService(options: DataTablesOptions): DataTablesService {
  const { store, clock, random, events, yieldToEventLoop } = options
  const tables = store.dataTables
  const apply = createApplyChange(options)
  const now = () => new Date(clock.now()).toISOString()
  const announce = (type: 'created' | 'updated' | 'deleted', id: string) =>
    events.emit({ type, noun: 'data_table', id })

  function find(id: string): CountedDataTable {
    const table = tables.get(id)
    if (table === null)
      throw new AppError('not_found', say('There is no table "{{id}}"', { id: id.slice(0, 60) }))
    return table
  }

  function requireFreeName(name: string, ownId: string | null): void {
    const holder = tables.named(name)
    if (holder === null || holder.id === ownId) return
    throw new AppError('conflict', say('A table "{{name}}" already exists; choose another name', { name }))
  }

  function named(name: string): CountedDataTable {
    const table = tables.byNameOrId(name)
    if (table !== null) return table
    throw new AppError(
      'not_found',
      say('There is no table "{{name}}"; create it under Tables, or choose another', {
        name: name.slice(0, 100),
      }),
    )
  }

  async function change(id: string, wanted: RowChange): Promise<Data> {
    const { result } = await store.write(() => apply(find(id), wanted))
    announce('updated', id)
    return result
  }

  return {
    list(query) {
      const request = parseListQuery(query)
      return toPage(tables.list(request) as RecordPage<DataTable>, request)
    },
    read: (id) => find(id) as DataTable,
    async create({ name, description = '', columns = [] }) {
      const id = random.uuid()
      const table = await store.write(() => {
        requireFreeName(name, null)
        if (tables.totals().tables >= DATA_TABLE_LIMITS.tables) {
          throw new AppError(
            'conflict',
            say("The limit of {{most}} tables is reached; delete one that you don't need", {
              most: DATA_TABLE_LIMITS.tables,
            }),
          )
        }
        const at = now()
        tables.insert({
          id,
          name,
          description,
          columns: columnsAfter([], columns),
          created_at: at,
          updated_at: at,
        })
        return find(id) as DataTable
      })
      announce('created', id)
      return table
    },
    async update(id, { name, description, columns }) {
      const table = await store.write(() => {
        const before = find(id)
        if (name !== undefined) requireFreeName(name, id)
        tables.update({
          ...before,
          name: name ?? before.name,
          description: description ?? before.description,
          columns: columns === undefined ? before.columns : columnsAfter(before.columns, columns),
          updated_at: now(),
        })
        return find(id) as DataTable
      })
      announce('updated', id)
      return table
    },
    async remove(id) {
      await store.write(() => {
        find(id)
        tables.delete(id)
      })
      announce('deleted', id)
    },
    async rows(id, query) {
      const table = find(id)
      const request = parseKeyedListQuery(query)
      const filters = checked(request.filters)
      const total = tables.count(table, filters)
      const sort = parseListQuery({ sort: query.sort }).sort
      return await filledPage(({ after, perPage }) => {
        const found = tables.rows(table, { filters, sort, after: rowKey(after), limit: perPage + 1 })
        const rows = found.slice(0, perPage)
        return {
          records: rows.map((row) => toRecord(row, table.columns) as DataRow),
          total,
          next: found.length > perPage ? String(rows.at(-1)?.key) : null,
        }
      }, request)
    },
    insert: async (id, rows) =>
      (await change(id, {
        kind: 'insert',
        rows: rows as Data[],
        key: [],
        ignoresUnknown: false,
      })) as unknown as ChangedRows,
    upsert: async (id, rows, key) =>
      (await change(id, {
        kind: 'upsert',
        rows: rows as Data[],
        key,
        ignoresUnknown: false,
      })) as unknown as ChangedRows,
    updateRows: async (id, filter, values) =>
      (await change(id, {
        kind: 'update',
        filters: checked(parseListQuery({ filter: [...(filter ?? [])] }).filters),
        values: values as Data,
        ignoresUnknown: false,
      })) as unknown as ChangedRows,
    deleteRows: async (id, filter) =>
      (await change(id, {
        kind: 'delete',
        filters: checked(parseListQuery({ filter: [...(filter ?? [])] }).filters),
      })) as { readonly deleted: number },
    async importRows(id, { format, text, key, add_columns: addsColumns }) {
      const file = readRowFile(text, format, find(id).columns)
      const result = await store.write(() => {
        const before = find(id)
        const added = addsColumns ? columnsFor(file, before.columns, format) : []
        const columns = columnsAfter(before.columns, [...before.columns, ...added])
        const table = { ...before, columns }
        if (added.length > 0) tables.update({ ...table, updated_at: now() })
        const { result: changed } = apply(table, {
          kind: 'upsert',
          rows: file.rows,
          key: key ?? [],
          ignoresUnknown: false,
        })
        return {
          inserted: lengthOf(changed, 'inserted'),
          updated: lengthOf(changed, 'updated'),
          columns_added: added.map(({ name }) => name),
        }
      })
      announce('updated', id)
      return result
    },
    async exportRows(id, format) {
      const table = find(id)
      const parts = [headOf(table.columns, format)]
      for (let after: number | null = null; ;) {
        const rows = tables.rows(table, { filters: [], sort: null, after, limit: ROWS_AT_ONCE })
        const records = rows.map((row) => toRecord(row, table.columns))
        parts.push(writeRows(records, table.columns, format))
        if (rows.length < ROWS_AT_ONCE) return parts.join('')
        after = rows.at(-1)?.key ?? null
        await yieldToEventLoop()
      }
    },
    port: {
      read(name, { filters, sort, after, limit }) {
        const table = named(name)
        const request = parseListQuery(sort === '' ? {} : { sort })
        const rows = tables.rows(table, { filters: checked(filters), sort: request.sort, after, limit })
        return {
          records: rows.map((row) => toRecord(row, table.columns)),
          last: rows.at(-1)?.key ?? null,
        }
      },
      count: (name, filters) => tables.count(named(name), checked(filters)),
      async change(name, { id: changeId, runId, ...wanted }) {
        let changed: string | null = null
        const outcome = await store.write(() => {
          const stored = tables.resultOf(changeId)
          if (stored !== null) return { result: parseJson(stored, OWN_JSON_LIMITS), merged: null }
          const table = named(name)
          const made = apply(
            table,
            'filters' in wanted ? { ...wanted, filters: checked(wanted.filters) } : wanted,
          )
          tables.noteChange(changeId, runId, writeJson(made.result))
          changed = table.id
          return made
        })
        if (changed !== null) announce('updated', changed)
        return outcome
      },
    },
  }
}

/** Empty text is an empty cell. SQLite accepts a limited number of values in a statement. */
function checked(filters: readonly Filter[]): readonly Filter[] {
  const longest = Math.max(0, ...filters.map(({ value }) => (Array.isArray(value) ? value.length : 1)))
  if (longest > MOST_IN_LIST) {
    throw fieldErrors({
      filter: [
        say('has a list of {{count}} values; the limit is {{limit}}', {
          count: longest,
          limit: MOST_IN_LIST,
        }),
      ],
    })
  }
  return filters.map((filter) =>
    filter.value === '' && filter.operator !== 'like' ? { ...filter, value: null } : filter,
  )
}

type SentColumns = NonNullable<DataTablePatch['columns']>

/** New columns get an ID that no other has; those that are sent without one are found by their name. */
function columnsAfter(before: readonly DataColumn[], sent: SentColumns): readonly DataColumn[] {
  if (sent.length > DATA_TABLE_LIMITS.columns) {
    throw fieldErrors({
      columns: [
        say('has {{count}} columns; the limit for a table is {{limit}}', {
          count: sent.length,
          limit: DATA_TABLE_LIMITS.columns,
        }),
      ],
    })
  }
  const taken = new Set(sent.flatMap(({ id }) => (id === undefined ? [] : [id])))
  let newest = Math.max(0, ...before.map(({ id }) => Number(id.slice(1))))
  const names = new Set<string>()
  const ids = new Set<string>()
  return sent.map(({ id: sentId, name, type }, at) => {
    const old =
      sentId === undefined
        ? before.find((column) => column.name === name && !taken.has(column.id))
        : before.find((column) => column.id === sentId)
    const problem =
      sentId !== undefined && old === undefined
        ? say("names a column {{id}} that the table doesn't have; leave the ID out of new columns", {
            id: writeJson(sentId.slice(0, 20)),
          })
        : names.has(name)
          ? say('has the same name as another column: {{name}}', { name: writeJson(name) })
          : old !== undefined && ids.has(old.id)
            ? say('is the same column as another')
            : old !== undefined && old.type !== type
              ? say("can't be changed to {{type}}: a column keeps its type. Add another column instead", {
                  type,
                })
              : null
    if (problem !== null) throw fieldErrors({ [`columns[${at}]`]: [problem] })
    const id = old?.id ?? `c${++newest}`
    names.add(name)
    ids.add(id)
    return { id, name, type }
  })
}

function rowKey(after: string | null): number | null {
  if (after === null) return null
  if (/^\d{1,15}$/.test(after)) return Number(after)
  throw fieldErrors({ after: [say('must be the _id of a row')] })
}

function lengthOf(changed: Data, name: string): number {
  const list = isDictionary(changed) ? getKey(changed, name) : null
  return isList(list ?? null) ? (list as readonly Data[]).length : 0
}

const ROWS_AT_ONCE = 500
const MOST_IN_LIST = 1_000
