import { AppError } from '../../../../../shared/contract/base/errors.ts'
import { say } from '../../../../../shared/contract/base/message.ts'
import type { StepConfig } from '../../../../../shared/contract/step-types/index.ts'
import type { Data } from '@millrace/jinja/data'
import { commonKind, cursorKind, lookBackFrom } from '../../../polling/cursor.ts'
import { columnReader } from '../../../polling/entry-field.ts'
import { newestRows, rowsFrom, type WatchedTable } from '../../../sql/select-rows.ts'
import type { CompiledStep, StepScope } from '../../model/compiled-step.ts'
import type { ListRead, ListWish } from '../../model/list-read.ts'
import type { SqlCall, SqlStatement } from '../../model/ports.ts'
import { findDatabase, readParameters } from '../calls/sql.ts'
import { polledTrigger } from '../support/polled-trigger.ts'
import { sqlTriggerProblems } from './polling-problems.ts'

type Config = StepConfig<'sql_trigger'>
type SqlTriggerStep = CompiledStep<'sql_trigger'> & { readonly config: Config }

/** Starts a flow for new or changed rows of a table. */
export const sqlTrigger = polledTrigger<'sql_trigger'>(readRows, sqlTriggerProblems)

export async function readRows(
  { config }: SqlTriggerStep,
  scope: StepScope,
  wish: ListWish,
): Promise<ListRead> {
  const { field, database } = await findDatabase(config, scope)
  const read = (statement: SqlStatement) => readAll(statement, { config, database }, scope)
  try {
    return config.table
      ? await readTable(config.table, { config, database }, read, scope, wish)
      : { entries: await readStatement(config, read, scope), memo: null }
  } catch (error) {
    return scope.at(field, () => {
      throw error
    })
  }
}

interface Source {
  readonly config: Config
  readonly database: SqlCall['database']
}
type Read = (statement: SqlStatement) => Promise<readonly Data[]>

async function readTable(
  table: string,
  { config, database }: Source,
  read: Read,
  { ports }: StepScope,
  { since, newest }: ListWish,
): Promise<ListRead> {
  const { key, cursor_field: cursor } = config
  const watched: WatchedTable = { kind: ports.sql.kindOf(database), table, key, cursor }
  if (cursor === null) {
    const rows = await read(newestRows(watched, MOST_ROWS + 1))
    if (rows.length > MOST_ROWS) {
      throw new AppError(
        'too_large',
        say('"{{table}}" has more than {{count}} rows; set "cursor_field", so that only new ones are read', {
          table,
          count: MOST_ROWS.toLocaleString('en-US'),
        }),
      )
    }
    // Without a key, tables return their oldest rows first.
    return { entries: key.length === 0 ? rows.toReversed() : rows, memo: null }
  }
  if (newest === null) {
    const rows = await read(rowsFrom(watched, cursor, since, ROWS_AT_ONCE))
    return { entries: rows, memo: null, hasMore: rows.length === ROWS_AT_ONCE }
  }
  const latest = (await read(newestRows(watched, Math.max(newest, ROWS_TO_COMPARE)))).toReversed()
  const cursors = latest.map(columnReader(cursor))
  const kind = commonKind(cursors, null)
  const highest = cursors.findLast((value) => kind === null || cursorKind(value) === kind)
  if (highest === undefined) return { entries: [], memo: null }
  const from = lookBackFrom(highest, config.look_back)
  const inReach = await read(rowsFrom(watched, cursor, from, ROWS_AT_ONCE))
  const entries = inReach.length > latest.length ? inReach : [...latest, ...inReach]
  return { entries, memo: null, hasMore: inReach.length === ROWS_AT_ONCE }
}

async function readStatement(
  { statement = '', parameters }: Config,
  read: Read,
  scope: StepScope,
): Promise<readonly Data[]> {
  const rows = await read({ statement, parameters: readParameters(parameters, 'config.parameters', scope) })
  if (rows.length <= MOST_ROWS) return rows
  throw new AppError(
    'too_large',
    say(
      'the statement returns more than {{limit}} rows; add a condition with {{ since }} in "parameters", or LIMIT',
      { limit: MOST_ROWS.toLocaleString('en-US') },
    ),
  )
}

/** Reads no more rows than a check may hold in memory. */
async function readAll(
  statement: SqlStatement,
  { config, database }: Source,
  { ports, signal }: StepScope,
): Promise<readonly Data[]> {
  const list: Data[] = []
  await ports.sql.run({
    database,
    statements: [statement],
    inTransaction: false,
    timeoutMs: config.timeout_seconds * 1000,
    signal,
    takeRows: async (_, rows) => {
      if (list.length <= MOST_ROWS) list.push(...rows)
    },
  })
  return list
}

/** The most rows that a check reads without a cursor, because it has to read all rows to find new ones. */
const MOST_ROWS = 50_000
/** Fewer rows aren't compared, because stray values could be most of them. */
const ROWS_TO_COMPARE = 100
/** The most rows that a check reads in the order of a cursor. The next check follows at once and continues there. */
const ROWS_AT_ONCE = 20_000
