import { doc } from '../../base/doc.ts'
import { z } from 'zod'
import { json, jsonObject, text } from '../../base/common.ts'
import { databaseAuth, template } from '../parts/fields.ts'
import { polling, pollingFields, everyMinutes } from '../parts/polling.ts'
import { NO_TEMPLATES, databaseFields } from '../parts/faces.ts'
import { stepType, shown } from '../parts/step-type.ts'
import { isEmpty } from '../parts/values.ts'

/** A column of a table. */
const column = text(200)

export const sqlTrigger = stepType({
  family: 'triggers',
  label: 'Rows in a table',
  purpose: 'Starts the flow for new or changed rows in SQLite, PostgreSQL or MySQL',
  words: 'new row every record changed updated poll database sql postgresql mariadb watch trigger table',
  icon: 'database-zap',
  refId: 'row',
  trigger: { starts: 'list', polls: true, hint: 'If it is left empty, the newest row is used.' },
  reaches: ({ file }) => (file ? null : 'auth'),
  config: z
    .strictObject({
      auth_id: databaseAuth,
      file: template
        .nullable()
        .optional()
        .describe('SQLite file, inside a folder that the settings allow. Either this or `auth_id`.'),
      table: text(500)
        .optional()
        .describe(
          'Table or view to look at: `orders`, or `sales.orders` with its schema. Either this or `statement`.',
        ),
      statement: text(65_536)
        .optional()
        .describe(
          'Instead of `table`: a statement that returns the rows, without templates. Values are `?` (SQLite, MySQL) or `$1` (PostgreSQL), taken from `parameters`.',
        ),
      parameters: z
        .union([z.array(json).max(1_000), jsonObject, template])
        .default([])
        .describe(
          'For `statement`: values for the placeholders. Templates can read `since`: the highest value of `cursor_field` minus `look_back`, null at the first check.',
        ),
      timeout_seconds: z
        .number()
        .positive()
        .max(600)
        .default(60)
        .describe('Seconds that a check can take in the database, at most 600. Then it is interrupted.'),
      ...polling,
      key: z
        .array(column)
        .max(20)
        .default([])
        .describe(
          'Columns that identify a row, such as `["id"]`. Leave empty for the whole row, so that a changed row counts as new.',
        ),
      cursor_field: column
        .nullable()
        .default(null)
        .describe(
          'Column that only grows, such as `id` or `updated_at`; an index on it keeps checks fast. Only rows from its highest value so far on are read, and a row whose value changed is found again. If null, all rows are read, at most 50000.',
        ),
    })
    .meta(
      doc(
        'Starts the flow for new or changed rows of a table in SQLite, PostgreSQL, MySQL or MariaDB, while it is active. Only triggers can be above it.',
        { file: 'shop.db', table: 'orders', key: ['id'], cursor_field: 'updated_at', every_minutes: 5 },
      ),
    ),
  fields: {
    ...databaseFields,
    table: {
      label: 'Table',
      hint: 'A table or view, with its schema if needed, for example sales.orders',
      placeholder: 'orders',
      when: ({ statement }) => isEmpty(statement),
    },
    statement: {
      label: 'Or a statement',
      kind: 'code',
      hint: NO_TEMPLATES,
      when: ({ table }) => isEmpty(table),
    },
    parameters: {
      label: 'Parameters',
      kind: 'json',
      orText: true,
      reads: 'since',
      hint: 'For example ["{{ since or 0 }}"], where since is the highest value of the cursor column so far.',
      when: ({ statement }) => !isEmpty(statement),
    },
    timeout_seconds: { label: 'Timeout (seconds)', when: () => false },
    every_minutes: everyMinutes,
    key: {
      label: 'Key columns',
      plain: true,
      hint: 'The columns that identify a row, for example ["id"]. If empty, a row that changes counts as new.',
    },
    cursor_field: {
      label: 'Cursor column',
      hint: 'A column whose value only increases. With id, the trigger finds new rows, and with updated_at also changed ones. Only rows from its highest value on are read.',
      optional: true,
      placeholder: 'updated_at',
    },
    ...pollingFields,
  },
  result: json.describe(
    'The row: `{{ row.name }}`. With `runs: together`, an object with the list `entries`, oldest first. A manual run without input gets the newest row.',
  ),
  sample: { config: { file: 'shop.db', table: 'orders', key: ['id'], cursor_field: 'updated_at' } },
  summary: (config, { t }) =>
    t('{{what}}, every {{minutes}} minutes', {
      what: shown(config.table, shown(config.statement, t('no table yet'))),
      minutes: shown(config.every_minutes, '15'),
    }),
})
