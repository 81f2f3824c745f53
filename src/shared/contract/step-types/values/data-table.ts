import { doc } from '../../base/doc.ts'
import { say } from '../../base/message.ts'
import { z } from 'zod'
import { FILTER_OPERATORS, json, text } from '../../base/common.ts'
import { template, numeric, flag, dictionary } from '../parts/fields.ts'
import { stepType, shown, type FieldProblem, type Config } from '../parts/step-type.ts'

export const TABLE_OPERATIONS = ['read', 'count', 'insert', 'upsert', 'update', 'delete'] as const

const does =
  (...operations: readonly unknown[]) =>
  ({ operation = 'read' }: Config) =>
    operations.includes(operation)

export const dataTable = stepType({
  family: 'values',
  label: 'Table',
  purpose: 'Reads and changes a table in Millrace',
  words:
    'data table store lookup look up database rows records upsert insert seen duplicate remember spreadsheet',
  icon: 'table-properties',
  refId: 'table_rows',
  config: z
    .strictObject({
      table: template.describe('Name or ID of the table.'),
      operation: z
        .enum(TABLE_OPERATIONS)
        .default('read')
        .describe(
          '`read` returns rows, `count` their number; `insert` adds rows, `upsert` adds those that the table lacks and changes the others, `update` and `delete` change all rows that match the filter.',
        ),
      filter: z
        .array(
          z.strictObject({
            column: text(100).describe('The column, or `_id`, `_created_at`, `_updated_at`.'),
            comparison: z
              .enum(FILTER_OPERATORS)
              .default('eq')
              .describe(
                '`eq` equal, `ne` not equal, `gt` greater, `ge` greater or equal, `lt` less, `le` less or equal, `in` one of a list, `like` ignoring case, with `%` for any characters.',
              ),
            value: json.default(null).describe('The value to compare with; null is an empty cell.'),
          }),
        )
        .max(20)
        .default([])
        .describe(
          'For `read`, `count`, `update` and `delete`: rows must match all of these. Required to update and delete.',
        ),
      sort: text(101)
        .default('')
        .describe(
          'For `read`: the column to sort by; a leading `-` sorts in descending order. If empty, the oldest come first.',
        ),
      limit: numeric.optional().describe('For `read`: return at most this many rows. Defaults to all.'),
      rows: json
        .optional()
        .describe(
          'For `insert` and `upsert`: a list of objects, or a single one, with values by column name.',
        ),
      key: z
        .array(text(100))
        .max(8)
        .default([])
        .describe('For `upsert`: the columns that identify a row, such as `["email"]`.'),
      values: dictionary
        .optional()
        .describe('For `update`: the new values by column name; null empties a cell.'),
      ignore_unknown: flag
        .default(false)
        .describe('True leaves out fields for which the table has no column. Otherwise the step fails.'),
    })
    .meta(
      doc(
        'Reads and changes a table in Millrace. A change is made once, even if the computer fails in between.',
        { table: 'customers', operation: 'read', filter: [{ column: 'email', value: '{{ web1.email }}' }] },
      ),
    ),
  fields: {
    table: { label: 'Table' },
    operation: {
      label: 'Operation',
      options: {
        read: ['Read rows', 'Rows that match the filter'],
        count: ['Count rows', 'Rows that match the filter'],
        insert: ['Insert rows', 'Always adds rows'],
        upsert: ['Insert or update rows', 'Adds rows whose key is new'],
        update: ['Update rows', 'All rows that match the filter'],
        delete: ['Delete rows', 'All rows that match the filter'],
      },
    },
    rows: {
      label: 'Rows',
      orText: true,
      hint: 'A list of objects, or a single object, by column name, for example {"email": "{{ web1.email }}"}.',
      when: does('insert', 'upsert'),
    },
    key: {
      label: 'Key columns',
      plain: true,
      hint: 'The columns that identify a row, for example ["email"].',
      when: does('upsert'),
    },
    values: {
      label: 'New values',
      noun: 'value',
      hint: 'Enter values by column name. Columns that you leave out stay unchanged.',
      when: does('update'),
    },
    ignore_unknown: {
      label: 'Leave out fields without a column',
      hint: 'If off, the step fails on such a field.',
      when: does('insert', 'upsert', 'update'),
    },
    filter: {
      label: 'Filter',
      hint: 'Rows must match all conditions.',
      when: does('read', 'count', 'update', 'delete'),
    },
    sort: {
      label: 'Sort by column',
      optional: true,
      hint: 'A leading - sorts in descending order. Leave empty to start with the oldest row.',
      placeholder: '-_created_at',
      when: does('read'),
    },
    limit: {
      label: 'At most',
      optional: true,
      hint: 'Number of rows. Leave empty for all.',
      placeholder: '100',
      when: does('read'),
    },
  },
  result: json.describe(
    'For `read` the list of rows, for `count` an object with `count`, for `delete` with `deleted`, otherwise with the lists `inserted` and `updated`.',
  ),
  rules({ table, operation, rows, key, values, filter }) {
    const problems: FieldProblem[] = []
    if (table.trim() === '') problems.push(['config.table', say('must not be empty; choose a table')])
    if ((operation === 'insert' || operation === 'upsert') && rows === undefined)
      problems.push(['config.rows', say('is required to {{operation}} rows', { operation })])
    if (operation === 'upsert' && key.length === 0)
      problems.push(['config.key', say('is required to upsert rows: the columns that identify a row')])
    if (operation === 'update' && values === undefined)
      problems.push(['config.values', say('is required to update rows')])
    if ((operation === 'update' || operation === 'delete') && filter.length === 0)
      problems.push([
        'config.filter',
        say('is required to {{operation}} rows; for all rows: _id, gt, 0', { operation }),
      ])
    return problems
  },
  first: { operation: 'read' },
  sample: {
    config: {
      table: 'customers',
      operation: 'read',
      filter: [{ column: 'email', value: '{{ web1.email }}' }],
    },
  },
  summary: (config) => `${shown(config.operation, 'read')} ${shown(config.table, '…')}`,
})
