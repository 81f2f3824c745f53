import { say } from '../../../../../shared/contract/base/message.ts'
import type { FieldProblem } from '../../../../../shared/contract/step-types/parts/step-type.ts'
import type { StepConfig } from '../../../../../shared/contract/step-types/index.ts'
import { type Data, dictionaryOf, isDictionary, isList } from '@millrace/jinja/data'
import { sqliteProblem, statementProblem } from '../../../sql/check-statement.ts'
import { parseLiteral, TemplateError } from '@millrace/jinja'
import type { StepRunner, StepScope } from '../../model/compiled-step.ts'
import type { SqlCall, SqlResult, SqlStatement } from '../../model/ports.ts'
import { shortText } from '../support/read-input.ts'
import { RecordSpill } from '../support/record-spill.ts'
import { findAuth } from '../support/step-auth.ts'

type Config = StepConfig<'sql'>

/** Runs statements on a database. Templates fill in parameters only, never the text of a statement. */
export const sql: StepRunner<'sql'> = {
  outside: true,
  check: sqlProblems,
  async run({ config }, scope) {
    const { field, database } = await findDatabase(config, scope)
    const statements = readStatements(config, 'file' in database, scope)
    scope.showInput(
      statements.map(({ statement, parameters }) =>
        dictionaryOf([
          ['statement', statement],
          ['parameters', parameters],
        ]),
      ),
    )
    const { ports, signal } = scope
    const hasOne = config.statements === undefined
    const lists = statements.map(() => new RowList(scope, hasOne))
    try {
      const results = await ports.sql.run({
        database,
        statements,
        inTransaction: !hasOne,
        timeoutMs: config.timeout_seconds * 1000,
        signal,
        takeRows: async (at, rows) => lists[at]?.add(rows),
      })
      const outputs: Data[] = []
      for (const [at, result] of results.entries()) outputs.push(await outputOf(result, lists[at]))
      return hasOne ? (outputs[0] ?? null) : outputs
    } catch (error) {
      return scope.at(field, () => {
        throw error
      })
    } finally {
      for (const list of lists) await list.close()
    }
  },
}

/** The database that a step names. */
export async function findDatabase(
  config: Pick<Config, 'auth_id' | 'file'>,
  scope: StepScope,
): Promise<{ readonly field: string; readonly database: SqlCall['database'] }> {
  if (config.file) {
    const file = scope.renderText('config.file', config.file).trim()
    if (file !== '' && !file.includes('\0')) return { field: 'config.file', database: { file } }
    throw scope.fail(
      'validation',
      say('"file" is empty; name a SQLite file in one of the allowed folders (Settings)'),
      {
        field: 'config.file',
      },
    )
  }
  const auth = await findAuth(config, null, scope)
  if (auth !== null) return { field: 'config.auth_id', database: { auth } }
  throw scope.fail('validation', say('"auth_id" is missing; choose a connector auth of "SQL database"'), {
    field: 'config.auth_id',
  })
}

function readStatements(
  { statement, parameters, statements }: Config,
  isFile: boolean,
  scope: StepScope,
): SqlStatement[] {
  const given =
    statements?.map((one, at) => ({ ...one, field: `statements[${at}].` })) ??
    (statement === undefined ? [] : [{ statement, parameters, field: '' }])
  return given.map((one): SqlStatement => {
    const problem = statementProblem(one.statement) ?? (isFile ? sqliteProblem(one.statement) : null)
    const field = `config.${one.field}statement`
    if (problem !== null)
      throw scope.fail('validation', say('the statement {{problem}}', { problem }), { field })
    return {
      statement: one.statement,
      parameters: readParameters(one.parameters, `config.${one.field}parameters`, scope),
    }
  })
}

export function readParameters(source: Config['parameters'], field: string, scope: StepScope): Data {
  if (source === '') return []
  const value = scope.evaluate(field, source)
  const read = typeof value === 'string' ? literal(value) : value
  if (isList(read) || isDictionary(read)) return read
  throw scope.fail(
    'validation',
    say('"parameters" must be a list or an object, got {{value}}', { value: shortText(value) }),
    {
      field,
    },
  )
}

function literal(text: string): Data | undefined {
  try {
    return parseLiteral(text)
  } catch (error) {
    if (error instanceof TemplateError) return undefined
    throw error
  }
}

async function outputOf({ hasRows, changed, lastId }: SqlResult, list: RowList | undefined): Promise<Data> {
  if (hasRows && list !== undefined) return list.end()
  return dictionaryOf([['changed', changed], ...(lastId === null ? [] : [['last_id', lastId] as const])])
}

/** The rows of one statement. Only those of a single statement can become a file. */
class RowList {
  readonly #scope: StepScope
  readonly #spill: RecordSpill | null
  readonly #held: Data[] = []
  readonly #most: number
  #count = 0

  constructor(scope: StepScope, isAlone: boolean) {
    this.#scope = scope
    this.#spill = isAlone ? new RecordSpill(scope) : null
    this.#most = isAlone
      ? (scope.ports.pageLimits?.().max_pages ?? Infinity) * ROWS_A_PAGE
      : MOST_ROWS_OF_SEVERAL
  }

  async add(rows: readonly Data[]): Promise<void> {
    this.#count += rows.length
    if (this.#count > this.#most) {
      throw this.#scope.fail(
        'too_large',
        say(
          'the statement exceeds the limit of {{limit}} rows; add LIMIT or a condition to it, or read it in parts',
          { limit: this.#most.toLocaleString('en-US') },
        ),
      )
    }
    if (this.#spill === null) this.#held.push(...rows)
    else await this.#spill.add(rows)
  }

  async end(): Promise<Data> {
    return this.#spill === null ? this.#held : this.#spill.end()
  }

  async close(): Promise<void> {
    await this.#spill?.close()
  }
}

/** Rows have no pages. This converts the limit on pages to a limit on rows. */
const ROWS_A_PAGE = 500

/** The most rows of each statement in a transaction, because they are held in memory. */
const MOST_ROWS_OF_SEVERAL = 10_000

function sqlProblems({ auth_id, file, statement, statements }: Config): FieldProblem[] {
  const texts = [
    ...(statement === undefined ? [] : [['config.statement', statement] as const]),
    ...(statements ?? []).map((one, at) => [`config.statements[${at}].statement`, one.statement] as const),
  ]
  const isFile = Boolean(file)
  // An empty "auth_id" means that the user still has to choose one, as after an import. A run fails at such a step.
  const isChoosing = auth_id === '' && !isFile
  return [
    ...(isFile === Boolean(auth_id) && !isChoosing
      ? [['config', say('needs either "auth_id" or "file"')] as const]
      : []),
    ...((statement === undefined) === (statements === undefined)
      ? [['config', say('needs either "statement" or "statements"')] as const]
      : []),
    ...texts.flatMap(([field, text]): FieldProblem[] => {
      const problem = statementProblem(text) ?? (isFile ? sqliteProblem(text) : null)
      return problem === null ? [] : [[field, problem]]
    }),
  ]
}
