import { doc } from '../../base/doc.ts'
import { z } from 'zod'
import { json, jsonObject, text } from '../../base/common.ts'
import { databaseAuth, template } from '../parts/fields.ts'
import { NO_TEMPLATES, databaseFields } from '../parts/faces.ts'
import { stepType, shown } from '../parts/step-type.ts'
import { isEmpty } from '../parts/values.ts'

const statement = text(65_536).describe(
  'One SQL statement, without templates. Values are `?` (SQLite, MySQL) or `$1` (PostgreSQL), taken from `parameters`.',
)

const parameters = z
  .union([z.array(json).max(1_000), jsonObject, template])
  .default([])
  .describe(
    'Values for the placeholders in order, or an object for `:name` (SQLite, MySQL), or a template that returns either.',
  )

export const sql = stepType({
  family: 'calls',
  label: 'SQL',
  purpose: 'Queries SQLite, PostgreSQL or MySQL',
  words: 'database query select insert update postgres postgresql mysql mariadb sqlite table rows',
  icon: 'database',
  refId: 'query',
  reaches: ({ file }) => (file ? null : 'auth'),
  config: z
    .strictObject({
      auth_id: databaseAuth,
      file: template
        .nullable()
        .optional()
        .describe(
          'SQLite file, inside a folder that the settings allow. `CREATE` creates it. Either this or `auth_id`.',
        ),
      statement: statement.optional(),
      parameters,
      statements: z
        .array(z.strictObject({ statement, parameters }))
        .min(1)
        .max(50)
        .optional()
        .describe(
          'Instead of `statement`: several statements in one transaction. If one fails, none has an effect.',
        ),
      timeout_seconds: z
        .number()
        .positive()
        .max(3_600)
        .default(60)
        .describe('Seconds that the statements can take in all, at most 3600. Then they are interrupted.'),
    })
    .meta(
      doc('Runs SQL statements on a SQLite file, PostgreSQL, MySQL or MariaDB.', {
        file: 'shop.db',
        statement: 'SELECT name, total FROM orders WHERE total > ? ORDER BY total',
        parameters: ['{{ web1.total }}'],
      }),
    ),
  fields: {
    ...databaseFields,
    statement: {
      label: 'Statement',
      kind: 'code',
      hint: NO_TEMPLATES,
      when: ({ statements }) => isEmpty(statements),
    },
    parameters: {
      label: 'Parameters',
      kind: 'json',
      orText: true,
      hint: 'A list with a value for each ? or $1, for example ["{{ web1.id }}"].',
      when: ({ statements }) => isEmpty(statements),
    },
    statements: {
      label: 'Or several statements in one transaction',
      hint: 'A list of objects with statement and parameters. If one fails, none takes effect.',
      when: ({ statement }) => isEmpty(statement),
    },
    timeout_seconds: { label: 'Timeout (seconds)', optional: true, placeholder: '60' },
  },
  result: json.describe(
    'The list of rows, each an object. If columns have the same name, the second `id` is `id_2`. A statement without rows returns an object with `changed`, the number of rows. With `statements`: the list of their results.',
  ),
  sample: {
    config: {
      file: 'shop.db',
      statement: 'SELECT * FROM orders WHERE id = ?',
      parameters: ['{{ web1.id }}'],
    },
  },
  summary: (config, { t }) => shown(config.statement, t('no statement yet')),
})
