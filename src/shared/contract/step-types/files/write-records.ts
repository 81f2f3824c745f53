import { doc } from '../../base/doc.ts'
import { say } from '../../base/message.ts'
import { z } from 'zod'
import { json, text } from '../../base/common.ts'
import { WHEN_IN_DOUBT } from '../../base/pagination-config.ts'
import { COLUMN_TYPES, isTable, sink, sinkFields, sinkProblems, reachesServer } from '../parts/sink.ts'
import { stepType, shown } from '../parts/step-type.ts'

export const WRITE_MODES = ['append', 'replace', 'merge'] as const

export const writeRecords = stepType({
  family: 'files',
  label: 'Write records',
  purpose: 'Writes a list to a file or table, page by page',
  words:
    'save store database sync sink load warehouse etl upsert merge incremental table jsonl csv parquet duckdb sqlite postgres',
  icon: 'database-zap',
  refId: 'synced',
  reaches: reachesServer,
  config: z
    .strictObject({
      records: json.describe(
        'The list of records. If it is the result of the paginated step directly before, the pages are written as they arrive.',
      ),
      ...sink,
      mode: z
        .enum(WRITE_MODES)
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
          'For `parquet`, `sqlite`, `postgres` and `mysql`: fields whose columns have a type that JSON lacks, such as `{"created_at": "timestamp"}`: `date`, `timestamp` (a moment, stored in UTC to the microsecond) or `decimal` (exact, from numbers or text). An empty string becomes null; a record with any other value is a bad record.',
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
    .meta(
      doc(
        'Writes records to a file or a table: all of them or none, and once even if the computer fails in between. New fields become columns.',
        {
          records: '{{ web1.orders }}',
          target: 'sqlite',
          path: 'shop.db',
          table: 'orders',
          mode: 'merge',
          key: ['id'],
        },
      ),
    ),
  fields: {
    records: {
      label: 'Records',
      kind: 'template',
      hint: 'The result of the paginated step directly before this one is written page by page.',
      placeholder: '{{ orders }}',
    },
    ...sinkFields,
    mode: {
      label: 'Existing records',
      options: { append: 'Keep all', replace: 'Replace all', merge: 'Replace records with the same key' },
    },
    when_in_doubt: {
      label: 'When in doubt',
      hint: 'What to do if a list of this run may be incomplete.',
      initial: 'fail',
      options: { fail: 'Fail and replace nothing', warn: 'Replace, with a warning' },
      when: ({ mode }) => mode === 'replace',
    },
    key: {
      label: 'Key',
      plain: true,
      hint: 'The fields that identify a record, for example ["id"].',
      when: ({ mode }) => mode === 'merge',
    },
    types: {
      label: 'Column types',
      kind: 'json',
      plain: true,
      optional: true,
      hint: 'Use date, timestamp or decimal for dates, times and exact numbers, for example {"created_at": "timestamp"}.',
      when: ({ target }) => target === 'parquet' || isTable({ target }),
    },
    formulas: {
      label: 'Formulas',
      hint: 'Text that begins with =, +, - or @, which a spreadsheet can execute.',
      options: { keep: 'Write as they are', quote: 'Put an apostrophe in front' },
      when: ({ target }) => target === 'csv',
    },
    on_bad_record: {
      label: 'Records that can’t be written',
      hint: 'For example, records that break a rule of the table.',
      options: { set_aside: 'Set them aside in a file and write the others', fail: 'Fail and write nothing' },
    },
    cursor: {
      label: 'Cursor field',
      optional: true,
      hint: 'A field such as updated_at. Its highest value is kept for the next run.',
      when: ({ mode }) => mode !== 'replace',
    },
  },
  result: z
    .object({ records: z.int(), rejected: z.int(), cursor: json })
    .describe(
      'An object with `records`, the number of records written, `rejected`, the number of those set aside, `rejected_file`, where they are if there are any, and `cursor`, the highest value so far.',
    ),
  rules: (config) => [
    ...sinkProblems(config),
    ...(config.mode === 'merge' && config.key.length === 0
      ? [['config.key', say('is required for merge: the fields that identify a record')] as const]
      : []),
    ...(config.mode === 'replace' && config.cursor
      ? [['config.cursor', say("can't be combined with replace, which needs all records each time")] as const]
      : []),
  ],
  sample: {
    config: {
      records: '{{ web1.orders }}',
      target: 'sqlite',
      path: 'shop.db',
      table: 'orders',
      mode: 'merge',
      key: ['id'],
    },
  },
  summary: (config, { t }) => shown(config.table ?? config.path, t('no target yet')),
})
