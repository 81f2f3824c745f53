/** Steps that write records, and read where that stopped. */
import { z } from 'zod'
import { json, text } from '../base/common.ts'
import { WHEN_IN_DOUBT } from '../base/pagination-config.ts'
import { template } from './fields.ts'

export const SINK_TARGETS = ['jsonl', 'csv', 'parquet', 'sqlite', 'postgres', 'mysql'] as const

/** What a field can be declared as. */
export const COLUMN_TYPES = ['date', 'timestamp', 'decimal'] as const
export type ColumnType = (typeof COLUMN_TYPES)[number]

/** Those on a server, which a connector auth names. */
export const isServerTarget = (target: unknown) => target === 'postgres' || target === 'mysql'

/** Where records are kept. */
const sink = {
  target: z
    .enum(SINK_TARGETS)
    .default('jsonl')
    .describe(
      'Where records are kept: `jsonl` (a file with one JSON object per line), `csv`, `parquet`, `sqlite` (a table in a file), or `postgres` or `mysql` (a table on a server; `mysql` is for MariaDB as well).',
    ),
  path: template
    .optional()
    .describe(
      'The file, inside a folder that the settings allow. A relative path starts in the first of them. Not for `postgres` and `mysql`.',
    ),
  auth_id: template
    .nullable()
    .optional()
    .describe('For `postgres` and `mysql`: ID of a connector auth of the connector SQL database.'),
  table: template
    .optional()
    .describe('For `sqlite`, `postgres` and `mysql`: the table. It is created if it is missing.'),
}

export const writeRecords = z
  .strictObject({
    records: json.describe(
      'The list of records. If it is the result of the paginated step directly before, the pages are written as they arrive.',
    ),
    ...sink,
    mode: z
      .enum(['append', 'replace', 'merge'])
      .default('append')
      .describe(
        '`append` adds the records, `replace` replaces all existing ones, `merge` replaces those with the same `key`.',
      ),
    key: z
      .array(text(200))
      .max(20)
      .default([])
      .describe('For `merge`: the fields that identify a record, such as `["id"]`.'),
    when_in_doubt: z
      .enum(WHEN_IN_DOUBT)
      .optional()
      .describe(
        'What happens if a list that was read before in the run may be incomplete. Default: `fail` with `replace`, so that nothing is deleted because of it; otherwise `warn`.',
      ),
    on_bad_record: z
      .enum(['set_aside', 'fail'])
      .default('set_aside')
      .describe(
        "What happens to a record that the target can't take: `set_aside` adds it to a file of JSON lines next to the target, whose name ends with `.rejected.jsonl`, and writes the others; `fail` writes nothing and fails the step.",
      ),
    types: z
      .record(text(200), z.enum(COLUMN_TYPES))
      .default({})
      .describe(
        'For `parquet`, `sqlite`, `postgres` and `mysql`: fields whose columns are to have a type that JSON has not, such as `{"created_at": "timestamp"}`: `date`, `timestamp` (a moment, stored in UTC to the microsecond) or `decimal` (exact, from numbers or text). An empty text becomes null; a record with any other value is a bad record.',
      ),
    formulas: z
      .enum(['keep', 'quote'])
      .default('keep')
      .describe(
        'For `csv`: `quote` puts an apostrophe in front of text that a spreadsheet can read as a formula: text that begins with `=`, `+`, `-`, `@`, a tab or a line break. `keep` writes it as it is.',
      ),
    cursor: text(200)
      .optional()
      .describe(
        'Field whose highest value is stored with the records, such as `updated_at`. `read_cursor` returns it.',
      ),
  })
  .meta({
    description:
      'Writes records to a file or a table: all of them or none, and once even if the computer fails in between. New fields become columns.',
    result:
      'An object with `records`, the number of records written, `rejected`, the number of those set aside, `rejected_file`, where they are if there are any, and `cursor`, the highest value so far.',
    examples: [
      {
        records: '{{ web1.orders }}',
        target: 'sqlite',
        path: 'shop.db',
        table: 'orders',
        mode: 'merge',
        key: ['id'],
      },
    ],
  })

export const readCursor = z
  .strictObject({
    ...sink,
    look_back: z
      .number()
      .min(0)
      .default(0)
      .describe(
        'How far before the cursor to start, so that late changes are found: seconds for times, otherwise a number.',
      ),
    initial: json
      .default(null)
      .describe('The `cursor` to return as long as nothing was written, such as `2020-01-01T00:00:00Z`.'),
  })
  .meta({
    description: 'Returns where the last `write_records` with a `cursor` stopped.',
    result: 'An object with `cursor`, where to start, and `stored`, the highest value so far or null.',
    examples: [{ target: 'sqlite', path: 'shop.db', table: 'orders', initial: '2020-01-01T00:00:00Z' }],
  })
