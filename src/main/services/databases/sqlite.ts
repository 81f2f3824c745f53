/** SQLite files, through a process that runs them. */
import { AppError } from '../../../shared/contract/base/errors.ts'
import { OWN_JSON_LIMITS, parseJson, writeJson } from '../../engine/data/json.ts'
import type { Data } from '../../engine/data/value.ts'
import type { SqlResult, SqlStatement, TakeRows } from '../../engine/flow/model/ports.ts'
import { integerOf, rowOf } from '../../engine/sql/to-data.ts'
import { APPLICATION_ID } from '../../store/index.ts'
import { createThreads } from '../kit/threads.ts'
import { OWN_DATABASE, type SqliteReply, type SqliteRequest, type SqliteResult } from './sqlite-messages.ts'
import { type HelperProcess, startProcess } from './start-process.ts'
import { timedOut } from './time-limit.ts'

export interface SqliteFiles {
  run(call: SqliteCall): Promise<readonly SqlResult[]>
  /** Ends running queries. */
  close(): Promise<void>
}

export interface SqliteCall {
  /** As the user wrote it. */
  readonly name: string
  /** The real one. */
  readonly path: string
  readonly create: boolean
  readonly statements: readonly SqlStatement[]
  readonly inTransaction: boolean
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly takeRows: TakeRows
}

export function createSqliteFiles(): SqliteFiles {
  const processes = createThreads(() => startProcess(PROCESS), MOST_PROCESSES)
  return {
    async run(call) {
      const answer = await processes.lend(async (helper) => ({
        result: await ask(helper, call),
        isSpent: false,
      }))
      if (answer instanceof AppError) throw answer
      return answer
    },
    close: () => processes.close(),
  }
}

/**
 * A process whose query is late or no longer wanted is ended with it.
 *
 * @returns an error if SQLite refused the call
 */
async function ask(helper: HelperProcess, call: SqliteCall): Promise<readonly SqlResult[] | AppError> {
  const { name, path, create, statements, inTransaction, timeoutMs, signal, takeRows } = call
  const { promise, resolve, reject } = Promise.withResolvers<readonly SqlResult[] | AppError>()
  const onMessage = (message: unknown) => {
    const reply = message as SqliteReply
    if (reply.kind === 'done') resolve(reply.results.map(toResult))
    else if (reply.kind === 'failed') resolve(toAppError(reply, name))
    else {
      takeRows(reply.statement, rowsIn(reply)).then(
        () => helper.send({ kind: 'more' } satisfies SqliteRequest),
        reject,
      )
    }
  }
  const onExit = () => reject(new Error('The process of a database ended unexpectedly'))
  const onAbort = () => reject(signal.reason as Error)
  const timer = setTimeout(() => reject(timedOut(timeoutMs)), timeoutMs)
  helper.onMessage(onMessage)
  helper.once('exit', onExit)
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  else {
    const texts = statements.map(({ statement, parameters }) => ({
      statement,
      parameters: writeJson(parameters),
    }))
    const request = { path, create, ownApplicationId: APPLICATION_ID, statements: texts, inTransaction }
    helper.send({ kind: 'run', ...request } satisfies SqliteRequest)
  }
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    helper.offMessage(onMessage)
    helper.off('exit', onExit)
    signal.removeEventListener('abort', onAbort)
  }
}

function rowsIn({ columns, rows }: Extract<SqliteReply, { kind: 'rows' }>): Data[] {
  const lists = parseJson(rows, OWN_JSON_LIMITS) as readonly (readonly Data[])[]
  return lists.map((values) => rowOf(columns, values))
}

function toResult({ hasRows, changed, lastId }: SqliteResult): SqlResult {
  return { hasRows, changed, lastId: lastId === null || lastId === '0' ? null : integerOf(lastId) }
}

function toAppError({ code, message }: Extract<SqliteReply, { kind: 'failed' }>, name: string): AppError {
  if (code === OWN_DATABASE)
    return new AppError('forbidden', `"${name}" is a database of Millrace, which flows can't use`)
  if (code === 'SQLITE_NOTADB') return new AppError('validation', `"${name}" isn't a SQLite database`)
  if (code === 'SQLITE_CANTOPEN')
    return new AppError(
      'not_found',
      `"${name}" doesn't exist; check the path, or create it with CREATE TABLE`,
    )
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED'))
    return new AppError('unavailable', `"${name}" is in use by another program; try again later`)
  if (code === 'SQLITE_FULL') return new AppError('unavailable', `"${name}": the disk is full`)
  if (code.startsWith('SQLITE_READONLY')) return new AppError('forbidden', `"${name}" can't be written`)
  return new AppError('validation', `SQLite rejected the statement: ${message.slice(0, 500)}`)
}

/** From source, Node runs it directly; the build puts it next to this file. */
const PROCESS = new URL(
  import.meta.url.endsWith('.ts') ? 'sqlite-process.ts' : 'sqlite-process.js',
  import.meta.url,
)

/** A query that waits for the steps that take its rows holds its process as long. */
const MOST_PROCESSES = 8
