/** Forms of the steps that write records and read where that stopped. */
import { SQL_CONNECTOR_ID } from '../../../../../shared/contract/connectors.ts'
import { isServerTarget } from '../../../../../shared/contract/step-configs/sinks.ts'
import { english } from '../../../../lib/i18n.ts'
import { formOf } from '../../fields/form-of.tsx'
import type { FormField } from '../../fields/form-of.tsx'

type Config = Readonly<Record<string, unknown>>

const targetOf = (config: Config) => config.target ?? 'jsonl'
const isServer = (config: Config) => isServerTarget(targetOf(config))
const isTable = (config: Config) => isServer(config) || targetOf(config) === 'sqlite'

const target: readonly FormField[] = [
  {
    kind: 'choice',
    name: 'target',
    label: english('Target'),
    initial: 'jsonl',
    options: {
      jsonl: [english('JSON lines'), english('A file with one object per line')],
      csv: 'CSV',
      parquet: [english('Parquet'), english('Columns in a compressed file, for DuckDB, Spark or pandas')],
      sqlite: [english('SQLite table'), english('A database in a file')],
      postgres: [english('PostgreSQL table'), english('A database on a server')],
      mysql: [english('MySQL or MariaDB table'), english('A database on a server')],
    },
  },
  {
    kind: 'auth',
    name: 'auth_id',
    label: english('Connector auth'),
    newFor: SQL_CONNECTOR_ID,
    when: isServer,
  },
  {
    kind: 'template',
    name: 'path',
    label: english('Path'),
    hint: english('In one of the allowed folders from the settings. Relative paths start in the first one.'),
    placeholder: 'shop.db',
    when: (config) => !isServer(config),
  },
  { kind: 'template', name: 'table', label: english('Table'), placeholder: 'orders', when: isTable },
]

export const WriteRecordsForm = formOf([
  {
    kind: 'template',
    name: 'records',
    label: english('Records'),
    hint: english('The result of the paginated step directly before this one is written page by page.'),
    placeholder: '{{ orders }}',
  },
  ...target,
  {
    kind: 'choice',
    name: 'mode',
    label: english('Existing records'),
    initial: 'append',
    options: {
      append: english('Keep all'),
      replace: english('Replace all'),
      merge: english('Replace records with the same key'),
    },
  },
  {
    kind: 'choice',
    name: 'when_in_doubt',
    label: english('When in doubt'),
    hint: english('If a list of this run may be incomplete.'),
    initial: 'fail',
    options: { fail: english('Fail and replace nothing'), warn: english('Replace, with a warning') },
    when: (config) => config.mode === 'replace',
  },
  {
    kind: 'json',
    name: 'key',
    label: english('Key'),
    hint: english('The fields that identify a record, for example ["id"].'),
    when: (config) => config.mode === 'merge',
  },
  {
    kind: 'json',
    name: 'types',
    label: english('Column types'),
    optional: true,
    hint: english(
      'For dates, times and exact numbers: date, timestamp or decimal, for example {"created_at": "timestamp"}.',
    ),
    when: (config) => isTable(config) || targetOf(config) === 'parquet',
  },
  {
    kind: 'choice',
    name: 'formulas',
    label: english('Formulas'),
    hint: english('Text that begins with =, +, - or @, which a spreadsheet can execute.'),
    initial: 'keep',
    options: { keep: english('Write as they are'), quote: english('Put an apostrophe in front') },
    when: (config) => targetOf(config) === 'csv',
  },
  {
    kind: 'choice',
    name: 'on_bad_record',
    label: english('Records that can’t be written'),
    hint: english('Such as those that break a rule of the table.'),
    initial: 'set_aside',
    options: {
      set_aside: english('Set them aside in a file and write the others'),
      fail: english('Fail and write nothing'),
    },
  },
  {
    kind: 'text',
    name: 'cursor',
    label: english('Cursor field'),
    optional: true,
    hint: english('Its highest value is kept for the next run, for example updated_at.'),
    when: (config) => config.mode !== 'replace',
  },
])

export const ReadCursorForm = formOf([
  ...target,
  {
    kind: 'number',
    name: 'look_back',
    label: english('Start earlier by'),
    optional: true,
    hint: english('Seconds for times, otherwise a number. Finds records that changed late.'),
    placeholder: '0',
  },
  {
    kind: 'json',
    name: 'initial',
    label: english('The first time, start at'),
    orText: true,
    hint: english('Returned until something has been written, for example "2020-01-01T00:00:00Z".'),
  },
])
