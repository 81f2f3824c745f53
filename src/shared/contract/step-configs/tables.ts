/** The step that reads and changes tables of Millrace. */
import { z } from 'zod'
import { json, text } from '../base/common.ts'
import { dictionary, flag, numeric, template } from './fields.ts'

export const TABLE_OPERATIONS = ['read', 'count', 'insert', 'upsert', 'update', 'delete'] as const
export const TABLE_COMPARISONS = ['eq', 'ne', 'gt', 'ge', 'lt', 'le', 'in', 'like'] as const

export const dataTableStep = z
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
            .enum(TABLE_COMPARISONS)
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
        'For `read`: the column to sort by; a leading `-` sorts in descending order. Empty: oldest first.',
      ),
    limit: numeric.optional().describe('For `read`: return at most this many rows. Absent: all.'),
    rows: json
      .optional()
      .describe('For `insert` and `upsert`: a list of objects, or a single one, with values by column name.'),
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
  .meta({
    description:
      'Reads and changes a table in Millrace. A change is made once, even if the computer fails in between.',
    result:
      'For `read` the list of rows, for `count` an object with `count`, for `delete` with `deleted`, otherwise with the lists `inserted` and `updated`.',
    examples: [
      { table: 'customers', operation: 'read', filter: [{ column: 'email', value: '{{ web1.email }}' }] },
    ],
  })
