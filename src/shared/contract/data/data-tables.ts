/** Tables that users and flows keep records in. */
import { doc } from '../base/doc.ts'
import { fault, say } from '../base/message.ts'
import { z } from 'zod'
import {
  idParams,
  json,
  keyedListQuery,
  listQuery,
  nonEmptyText,
  repeatable,
  text,
  timestamp,
} from '../base/common.ts'
import { LIMITS } from '../base/limits.ts'
import { can, defineRoute } from '../base/route.ts'

export const DATA_COLUMN_TYPES = ['text', 'number', 'boolean', 'datetime', 'json'] as const

/** Tables are for small data; larger ones belong in a database. */
export const DATA_TABLE_LIMITS = {
  tables: 100,
  columns: 64,
  rows: 20_000,
  cellCharacters: 100_000,
  /** The total size of all tables in bytes. */
  bytes: 104_857_600,
} as const

export const dataColumnName = nonEmptyText(100).refine(
  (name) => /^[^_-]/u.test(name) && !/[,{}\t\r\n]/.test(name) && name === name.trim(),
  "can't contain commas, braces or line breaks, start with _ or -, or start or end with a space",
)

const tableName = nonEmptyText(100).refine(
  (name) => name === name.trim() && !/[{}\t\r\n]/.test(name),
  "can't contain braces or line breaks, or start or end with a space",
)

export const dataColumn = z.strictObject({
  id: text(20).meta(doc('ID of the column, which it keeps when it is renamed.', 'c1')),
  name: dataColumnName.meta(doc('Name of the column: the key of its values in rows.', 'email')),
  type: z
    .enum(DATA_COLUMN_TYPES)
    .describe(
      'Type of its values: `text`, `number`, `boolean`, `datetime` (ISO 8601, stored in UTC) or `json` (any value).',
    ),
})

export const dataTable = z.object({
  id: z.string().describe('ID of the table.'),
  name: tableName.meta(doc('Name that steps use for the table. Unique.', 'customers')),
  description: text(1_000).meta(doc('What the table is for.', 'Everyone who has ordered')),
  columns: z
    .array(dataColumn)
    .meta(doc('The columns in their order.', [{ id: 'c1', name: 'email', type: 'text' }])),
  row_count: z
    .int()
    .meta(doc(`How many rows it has; at most ${DATA_TABLE_LIMITS.rows.toLocaleString('en-US')}.`, 2)),
  bytes: z.int().meta(doc('Size of all its cells.', 84)),
  created_at: timestamp.describe('When the table was created, in UTC.'),
  updated_at: timestamp.describe('When its name, description or columns were last changed, in UTC.'),
})
export type DataTable = z.output<typeof dataTable>

const sentColumns = z
  .array(
    dataColumn.extend({
      id: dataColumn.shape.id
        .optional()
        .describe(
          'ID of an existing column, to rename or move it. If absent, it is found by its name, or created.',
        ),
    }),
  )
  .max(
    DATA_TABLE_LIMITS.columns,
    fault('has more than {{count}} columns, the limit for a table', { count: DATA_TABLE_LIMITS.columns }),
  )
  .describe('All columns in their order. Those that are left out are removed with their values.')
  .meta({ examples: [[{ name: 'email', type: 'text' }]] })

const dataTablePatch = z.strictObject({
  name: dataTable.shape.name.optional(),
  description: dataTable.shape.description.optional(),
  columns: sentColumns.optional(),
})
export type DataTablePatch = z.output<typeof dataTablePatch>

const READ_ONLY = ['id', 'row_count', 'bytes', 'created_at', 'updated_at'] as const

export const createDataTableRoute = defineRoute({
  method: 'POST',
  path: '/v1/data-tables',
  summary: 'Create a table',
  access: can('data_tables', 'create'),
  status: 201,
  body: dataTablePatch.required({ name: true }),
  readOnly: READ_ONLY,
  result: dataTable,
})

export const listDataTablesRoute = defineRoute({
  method: 'GET',
  path: '/v1/data-tables',
  summary: 'List tables',
  access: can('data_tables', 'read'),
  status: 200,
  query: listQuery,
  result: z.array(dataTable),
})

export const readDataTableRoute = defineRoute({
  method: 'GET',
  path: '/v1/data-tables/:id',
  summary: 'Read the columns and size of a table',
  access: can('data_tables', 'read'),
  status: 200,
  params: idParams,
  result: dataTable,
})

export const updateDataTableRoute = defineRoute({
  method: 'PUT',
  path: '/v1/data-tables/:id',
  summary: 'Rename a table, or add, rename, move and remove its columns; absent keys keep their value',
  access: can('data_tables', 'update'),
  status: 200,
  params: idParams,
  body: dataTablePatch,
  readOnly: READ_ONLY,
  result: dataTable,
})

export const deleteDataTableRoute = defineRoute({
  method: 'DELETE',
  path: '/v1/data-tables/:id',
  summary: 'Delete a table with its rows',
  access: can('data_tables', 'delete'),
  status: 204,
  params: idParams,
})

/** A row's cells by column name, plus `_id`, `_created_at` and `_updated_at`. */
export const dataRow = z.record(z.string(), json).meta(
  doc(
    'Cells by column name; empty ones are null. `_id`, `_created_at` and `_updated_at` belong to the row.',
    {
      _id: 1,
      _created_at: '2026-03-01T12:00:00.000Z',
      _updated_at: '2026-03-01T12:00:00.000Z',
      email: 'ann@example.com',
    },
  ),
)
export type DataRow = z.output<typeof dataRow>

const sentRows = z
  .array(json)
  .min(1, 'needs at least one row')
  .max(
    DATA_TABLE_LIMITS.rows,
    fault('has more than {{count}} rows, the limit for a table', { count: DATA_TABLE_LIMITS.rows }),
  )
  .describe('Rows as objects: cells by column name. `_id` and other fields that start with `_` are ignored.')
  .meta({ examples: [[{ email: 'ann@example.com' }]] })

const keyColumns = z
  .array(dataColumnName)
  .min(1)
  .max(8)
  .describe('Columns that identify a row: those with the same values are changed, others are added.')
  .meta({ examples: [['email']] })

const changedRows = z.object({
  inserted: z.array(dataRow).describe('The rows that were added.'),
  updated: z.array(dataRow).describe('The rows that were changed, as they are now.'),
})
export type ChangedRows = z.output<typeof changedRows>

/** Rows that match all filters. */
const byFilter = z.strictObject({
  filter: repeatable
    .optional()
    .describe(
      '`column,operator,value` with eq, ne, gt, ge, lt, le, in or like (`%` matches any characters); `null` is an empty cell. Required, repeatable; all must match. All rows: `_id,gt,0`.',
    ),
})

export const listDataRowsRoute = defineRoute({
  method: 'GET',
  path: '/v1/data-tables/:id/rows',
  summary: 'List the rows of a table, oldest first unless sorted',
  access: can('data_tables', 'read'),
  status: 200,
  params: idParams,
  query: keyedListQuery.extend({
    after: keyedListQuery.shape.after.describe(
      '`_id` of the last row of the previous page. Defaults to the first page.',
    ),
    sort: listQuery.shape.sort.describe('Column to sort by. A leading `-` sorts in descending order.'),
  }),
  result: z.array(dataRow),
})

export const insertDataRowsRoute = defineRoute({
  method: 'POST',
  path: '/v1/data-tables/:id/rows',
  name: 'insert_data_rows',
  summary: 'Add rows to a table',
  access: can('data_tables', 'update'),
  status: 200,
  params: idParams,
  bodyLimit: 'large',
  body: z.strictObject({ rows: sentRows }),
  result: changedRows,
})

export const upsertDataRowsRoute = defineRoute({
  method: 'POST',
  path: '/v1/data-tables/:id/rows/upsert',
  name: 'upsert_data_rows',
  summary: 'Change the rows with the same key, and add the others',
  access: can('data_tables', 'update'),
  status: 200,
  params: idParams,
  bodyLimit: 'large',
  body: z.strictObject({ rows: sentRows, key: keyColumns }),
  result: changedRows,
})

export const updateDataRowsRoute = defineRoute({
  method: 'PUT',
  path: '/v1/data-tables/:id/rows',
  name: 'change_data_rows',
  summary: 'Change cells of all rows that match the filters',
  access: can('data_tables', 'update'),
  status: 200,
  params: idParams,
  query: byFilter,
  body: z.strictObject({
    values: json
      .describe(
        'The new values by column name; null empties a cell. Columns that are left out stay as they are.',
      )
      .meta({ examples: [{ email: 'ann@example.com' }] }),
  }),
  result: changedRows,
})

export const deleteDataRowsRoute = defineRoute({
  method: 'DELETE',
  path: '/v1/data-tables/:id/rows',
  name: 'remove_data_rows',
  summary: 'Delete all rows that match the filters',
  access: can('data_tables', 'delete'),
  status: 200,
  params: idParams,
  query: byFilter,
  result: z.object({ deleted: z.int().describe('How many rows were deleted.') }),
})

export const importDataRowsRoute = defineRoute({
  method: 'POST',
  path: '/v1/data-tables/:id/import',
  name: 'import_data_rows',
  summary: 'Add rows from CSV or JSON lines: all of them or none',
  access: can('data_tables', 'update'),
  status: 200,
  params: idParams,
  bodyLimit: 'large',
  whenTooLarge: say('import it in several parts'),
  body: z.strictObject({
    format: z
      .enum(['csv', 'jsonl'])
      .describe('`csv` with the column names in its first line, or `jsonl`, an object per line.'),
    text: text(LIMITS.largeBodyBytes)
      .describe('The content of the file. An empty field of CSV is an empty cell.')
      .meta({ examples: ['email\nann@example.com\n'] }),
    key: keyColumns
      .optional()
      .describe('Columns that identify a row, to change existing rows. If absent, all rows are added.'),
    add_columns: z
      .boolean()
      .default(false)
      .describe('If true, missing columns are added with a matching type.'),
  }),
  result: z.object({
    inserted: z.int().describe('How many rows were added.'),
    updated: z.int().describe('How many rows were changed.'),
    columns_added: z.array(z.string()).describe('Names of the columns that were added.'),
  }),
})

export const exportDataRowsRoute = defineRoute({
  method: 'GET',
  path: '/v1/data-tables/:id/export',
  name: 'export_data_rows',
  summary: 'Export all rows as CSV or JSON lines',
  access: can('data_tables', 'read'),
  status: 200,
  params: idParams,
  query: z.strictObject({
    format: z.enum(['csv', 'jsonl']).default('csv').describe('`csv` or `jsonl`. Default: `csv`.'),
  }),
  text: 'text/plain; charset=utf-8',
  result: z.string().meta(doc('The rows as text.', 'email\r\nann@example.com\r\n')),
})

export const dataTableRoutes = {
  createDataTableRoute,
  listDataTablesRoute,
  readDataTableRoute,
  updateDataTableRoute,
  deleteDataTableRoute,
  listDataRowsRoute,
  insertDataRowsRoute,
  upsertDataRowsRoute,
  updateDataRowsRoute,
  deleteDataRowsRoute,
  importDataRowsRoute,
  exportDataRowsRoute,
}
