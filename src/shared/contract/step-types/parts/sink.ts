/** Targets that records are written to. */
import { say } from '../../base/message.ts'
import { z } from 'zod'
import { template } from './fields.ts'
import type { Config, FieldFace, FieldProblem } from './step-type.ts'
import { IN_FOLDER } from './faces.ts'

export const SINK_TARGETS = ['jsonl', 'csv', 'parquet', 'sqlite', 'postgres', 'mysql'] as const

/** Types that can be declared for a field. */
export const COLUMN_TYPES = ['date', 'timestamp', 'decimal'] as const
export type ColumnType = (typeof COLUMN_TYPES)[number]

/** Whether the target is on a server, which a connector auth names. */
export const isServerTarget = (target: unknown) => target === 'postgres' || target === 'mysql'

export const sink = {
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
    .describe('For `postgres` and `mysql`: ID of a connector auth for the SQL database connector.'),
  table: template
    .optional()
    .describe(
      'For `sqlite`, `postgres` and `mysql`: the table. A step that writes creates it if it is missing.',
    ),
}

const isServer = ({ target }: Config) => isServerTarget(target)
export const isTable = ({ target }: Config) => target === 'sqlite' || isServerTarget(target)

export const sinkFields = {
  target: {
    label: 'Target',
    options: {
      jsonl: ['JSON lines', 'A file with one object per line'],
      csv: 'CSV',
      parquet: ['Parquet', 'Columns in a compressed file, for DuckDB, Spark or pandas'],
      sqlite: ['SQLite table', 'A database in a file'],
      postgres: ['PostgreSQL table', 'A database on a server'],
      mysql: ['MySQL or MariaDB table', 'A database on a server'],
    },
  },
  auth_id: { label: 'Connector auth', connector: 'sql', when: isServer },
  path: { label: 'Path', hint: IN_FOLDER, placeholder: 'shop.db', when: (config) => !isServer(config) },
  table: { label: 'Table', placeholder: 'orders', when: isTable },
} as const satisfies Readonly<Record<string, FieldFace<string>>>

/** Only servers need credentials. */
export const reachesServer = (config: Config) => (isServer(config) ? 'auth' : null)

export function sinkProblems({ target, path, auth_id: auth, table }: Sink): FieldProblem[] {
  const needed = isServerTarget(target) ? ({ auth_id: auth, table } as const) : ({ path } as const)
  const all = target === 'sqlite' ? { path, table } : needed
  return Object.entries(all).flatMap(([name, value]): FieldProblem[] =>
    value ? [] : [[`config.${name}`, say('is required for {{target}}', { target })]],
  )
}

interface Sink {
  readonly target: (typeof SINK_TARGETS)[number]
  readonly path?: string | undefined
  readonly auth_id?: string | null | undefined
  readonly table?: string | undefined
}
