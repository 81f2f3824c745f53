import { AppError } from '../../../../../shared/contract/base/errors.ts'
import { say } from '../../../../../shared/contract/base/message.ts'
import type { StepConfig } from '../../../../../shared/contract/step-types/index.ts'
import { type Data, dictionaryOf, Float, isDictionary } from '@millrace/jinja/data'
import type { StepRunner, StepScope } from '../../model/compiled-step.ts'
import type { TableChange, TableFilter, TableQuery } from '../../model/ports.ts'
import { numberIn } from '../support/compare.ts'
import { atField, readList, shortText } from '../support/read-input.ts'
import { RecordSpill } from '../support/record-spill.ts'

type Config = StepConfig<'data_table'>

/** Reads and changes a table in Millrace. A change made before a crash isn't repeated. */
export const dataTable: StepRunner<'data_table'> = {
  outside: true,
  async run({ config }, scope) {
    const table = scope.renderText('config.table', config.table).trim()
    if (table === '') {
      throw scope.fail('validation', say('"table" is empty; choose a table'), { field: 'config.table' })
    }
    return OPERATIONS[config.operation](table, config, scope)
  },
}

type Operation = (table: string, config: Config, scope: StepScope) => Promise<Data>

const OPERATIONS: { readonly [O in Config['operation']]: Operation } = {
  read: readRows,
  async count(table, config, scope) {
    const filters = readFilters(config, scope)
    showInput(scope, table, config, [['filter', shownFilters(filters)]])
    const { dataTables } = scope.ports
    return dictionaryOf([['count', await at(scope, 'filter', () => dataTables.count(table, filters))]])
  },
  insert: (table, config, scope) => putRows('insert', table, config, scope),
  upsert: (table, config, scope) => putRows('upsert', table, config, scope),
  async update(table, config, scope) {
    const values = scope.evaluate('config.values', config.values ?? {})
    const filters = readFilters(config, scope)
    showInput(scope, table, config, [
      ['filter', shownFilters(filters)],
      ['values', values],
    ])
    const change = { kind: 'update', filters, values, ignoresUnknown: config.ignore_unknown } as const
    return changeRows('values', table, change, scope)
  },
  async delete(table, config, scope) {
    const filters = readFilters(config, scope)
    showInput(scope, table, config, [['filter', shownFilters(filters)]])
    return changeRows('filter', table, { kind: 'delete', filters }, scope)
  },
}

/** Reads in portions, so that other work continues in between. */
async function readRows(table: string, config: Config, scope: StepScope): Promise<Data> {
  const filters = readFilters(config, scope)
  const limit = readLimit(config, scope)
  showInput(scope, table, config, [['filter', shownFilters(filters)]])
  const spill = new RecordSpill(scope)
  try {
    let after: number | null = null
    for (let left = limit; left > 0;) {
      const wanted = Math.min(left, PORTION)
      const query: TableQuery = { filters, sort: config.sort, after, limit: wanted }
      const { records, last } = await at(scope, 'filter', () => scope.ports.dataTables.read(table, query))
      await spill.add(records)
      if (records.length < wanted) break
      left -= records.length
      after = last
      await scope.yieldIfDue()
    }
    return await spill.end()
  } finally {
    await spill.close()
  }
}

async function putRows(
  kind: 'insert' | 'upsert',
  table: string,
  config: Config,
  scope: StepScope,
): Promise<Data> {
  if (kind === 'upsert' && config.key.length === 0) {
    throw scope.fail('validation', say('"key" is empty; name the columns that identify a row'), {
      field: 'config.key',
    })
  }
  const rows = rowsIn(config, scope)
  showInput(scope, table, config, [['rows', rows.length]])
  const key = kind === 'upsert' ? config.key : []
  const change = { kind, rows: [...rows], key, ignoresUnknown: config.ignore_unknown } as const
  return changeRows('rows', table, change, scope)
}

type RowChange<C = TableChange> = C extends TableChange ? Omit<C, 'id' | 'runId'> : never

/** The ID stays the same for a step and iteration, even in a resumed run. */
async function changeRows(field: string, table: string, change: RowChange, scope: StepScope): Promise<Data> {
  const { runId, key, ports } = scope
  const { result, merged } = await at(scope, field, () =>
    ports.dataTables.change(table, { id: `${runId}/${key}`, runId, ...change }),
  )
  if (merged !== null) scope.showMerged(merged)
  return result
}

/** A list, or a single row. */
function rowsIn({ rows }: Config, scope: StepScope): readonly Data[] {
  const value = scope.evaluate('config.rows', rows ?? null)
  return isDictionary(value) ? [value] : readList('rows', value === null ? [] : rows, scope)
}

function readFilters({ filter }: Config, scope: StepScope): readonly TableFilter[] {
  return filter.map(({ column, comparison, value }, index) => {
    const field = `config.filter[${index}].value`
    if (comparison === 'in') {
      const items = readList(`filter[${index}].value`, value, scope)
      return { field: column, operator: comparison, value: items.map((item) => plain(item, field, scope)) }
    }
    return { field: column, operator: comparison, value: plain(scope.evaluate(field, value), field, scope) }
  })
}

function plain(value: Data, field: string, scope: StepScope): string | number | boolean | null {
  if (value instanceof Float) return value.value
  if (typeof value === 'bigint') return Number(value)
  if (value === null || typeof value !== 'object') return value
  throw scope.fail(
    'validation',
    say('"value" is {{value}}; it must be a string, number, boolean or null', { value: shortText(value) }),
    {
      field,
    },
  )
}

function shownFilters(filters: readonly TableFilter[]): Data {
  return filters.map(({ field, operator, value }) =>
    dictionaryOf([
      ['column', field],
      ['comparison', operator],
      ['value', value as Data],
    ]),
  )
}

function readLimit({ limit: source }: Config, scope: StepScope): number {
  if (source === undefined || source === '') return Infinity
  const value = scope.evaluate('config.limit', source)
  if (value === null || value === '') return Infinity
  const limit = numberIn(value)
  if (typeof limit === 'number' && Number.isInteger(limit) && limit >= 0) return limit
  throw scope.fail(
    'validation',
    say('"limit" is {{value}}; it must be a whole number', { value: shortText(value) }),
    {
      field: 'config.limit',
    },
  )
}

function showInput(
  scope: StepScope,
  table: string,
  { operation }: Config,
  more: readonly (readonly [string, Data])[],
): void {
  scope.showInput(dictionaryOf([['table', table], ['operation', operation], ...more]))
}

const at = <T>(scope: StepScope, field: string, work: () => T | Promise<T>): Promise<T> =>
  // If the port throws synchronously, this turns it into a rejection.
  (async () => work())().catch((error: unknown) => {
    const isTable = error instanceof AppError && error.code === 'not_found'
    return atField(scope, isTable ? 'config.table' : `config.${field}`, Promise.reject(error))
  })

const PORTION = 500
