import { SQL_CONNECTOR_ID } from '../../../../../shared/contract/connectors.ts'
import { english } from '../../../../lib/i18n.ts'
import { type FormField, formOf } from '../../fields/form-of.tsx'

export const isSet = (value: unknown) => value !== undefined && value !== null && value !== ''

/** Which database: a server, or a file. */
export const databaseFields: readonly FormField[] = [
  {
    kind: 'auth',
    name: 'auth_id',
    label: english('Connector auth'),
    newFor: SQL_CONNECTOR_ID,
    when: (config) => !isSet(config.file),
  },
  {
    kind: 'template',
    name: 'file',
    label: english('Or a SQLite file'),
    optional: true,
    hint: english('In one of the allowed folders from the settings. Relative paths start in the first one.'),
    placeholder: 'shop.db',
    when: (config) => !isSet(config.auth_id),
  },
]

export const SqlForm = formOf([
  ...databaseFields,
  {
    kind: 'code',
    name: 'statement',
    label: english('Statement'),
    hint: english('Templates aren’t allowed here: write ? or, for PostgreSQL, $1 for each value.'),
    when: (config) => !isSet(config.statements),
  },
  {
    kind: 'json',
    name: 'parameters',
    label: english('Parameters'),
    orText: true,
    hint: english('A list with a value for each ? or $1, for example ["{{ web1.id }}"].'),
    when: (config) => !isSet(config.statements),
  },
  {
    kind: 'json',
    name: 'statements',
    label: english('Or several statements in one transaction'),
    hint: english('A list of objects with statement and parameters. If one fails, none has an effect.'),
    when: (config) => !isSet(config.statement),
  },
  {
    kind: 'number',
    name: 'timeout_seconds',
    label: english('Timeout (seconds)'),
    optional: true,
    placeholder: '60',
  },
])
