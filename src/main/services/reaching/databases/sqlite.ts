/** SQLite files, through a separate process that runs the queries. */
import { say, quoted } from '../../../../shared/contract/base/message.ts'
import { access, constants } from 'node:fs/promises'
import { dirname } from 'node:path'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { type Data, OWN_JSON_LIMITS, parseJson, writeJson } from '@millrace/jinja/data'
import type { SqlResult, SqlStatement, TakeRows } from '../../../engine/flow/model/ports.ts'
import { integerOf, rowOf } from '../../../engine/sql/to-data.ts'
import { APPLICATION_ID } from '../../../store/index.ts'
import { createThreads } from '../../kit/threads.ts'
import {
  BAD_RECORDS,
  type Loaded,
  type LoadRequest,
  OWN_DATABASE,
  ROW_TOO_LARGE,
  type SqliteReply,
  type SqliteRequest,
  type SqliteResult,
} from './sqlite-messages.ts'
import { rowTooLarge } from './row-size.ts'
import { type HelperProcess, startProcess } from './start-process.ts'
import { timedOut } from './time-limit.ts'

export type SqliteFiles = ReturnType<typeof createSqliteFiles>

interface Limits {
  /** The name as the user wrote it. */
  readonly name: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

export interface SqliteLoad extends Limits {
  readonly request: LoadRequest
}

export interface SqliteCall extends Limits {
  /** The path with links resolved. */
  readonly path: string
  readonly create: boolean
  readonly statements: readonly SqlStatement[]
  readonly inTransaction: boolean
  readonly takeRows: TakeRows
  /** Whether the call waits for records that are being loaded into the file. */
  readonly afterLoads?: boolean
}

export function createSqliteFiles() {
  const processes = createThreads(() => startProcess(PROCESS), MOST_PROCESSES)

  async function inProcess(
    request: Exclude<SqliteRequest, { kind: 'more' }>,
    limits: Limits,
    takeRows: TakeRows,
  ): Promise<Ended> {
    const ended = await processes.lend(async (helper) => ({
      result: await ask(helper, request, limits, takeRows),
      isSpent: false,
    }))
    if (ended.kind === 'failed') throw await toAppError(ended, request.path, limits.name)
    return ended
  }

  const loads = inTurn()

  return {
    async run({
      path,
      create,
      statements,
      inTransaction,
      takeRows,
      afterLoads = false,
      ...limits
    }: SqliteCall): Promise<readonly SqlResult[]> {
      const texts = statements.map(({ statement, parameters }) => ({
        statement,
        parameters: writeJson(parameters),
      }))
      const request = { path, create, ownApplicationId: APPLICATION_ID, statements: texts, inTransaction }
      const ask = () => inProcess({ kind: 'run', ...request }, limits, takeRows)
      const ended = afterLoads ? await loads(path, ask) : await ask()
      return ended.kind === 'done' ? ended.results.map(toResult) : []
    },
    async load({ request, ...limits }: SqliteLoad): Promise<Loaded> {
      const ended = await loads(request.path, () =>
        inProcess({ ...request, ownApplicationId: APPLICATION_ID }, limits, async () => {}),
      )
      if (ended.kind !== 'loaded') throw new Error(`A load was answered with "${ended.kind}"`)
      return ended
    },
    /** Ends running queries. */
    close: () => processes.close(),
  }
}

/** A load can take minutes, so other loads into the same file wait for it instead of failing. */
function inTurn() {
  const last = new Map<string, Promise<unknown>>()
  return async <T>(place: string, work: () => Promise<T>): Promise<T> => {
    const before = last.get(place)
    const mine = before === undefined ? work() : before.then(work, work)
    last.set(place, mine)
    try {
      return await mine
    } finally {
      if (last.get(place) === mine) last.delete(place)
    }
  }
}

type Ended = Exclude<SqliteReply, { kind: 'rows' }>

/** Ends the process if its query is late or no longer wanted. */
async function ask(
  helper: HelperProcess,
  request: SqliteRequest,
  { timeoutMs, signal }: Limits,
  takeRows: TakeRows,
): Promise<Ended> {
  const { promise, resolve, reject } = Promise.withResolvers<Ended>()
  const onMessage = (message: unknown) => {
    const reply = message as SqliteReply
    if (reply.kind !== 'rows') resolve(reply)
    else {
      takeReply(reply).then(() => helper.send({ kind: 'more' } satisfies SqliteRequest), reject)
    }
  }
  const takeReply = async (reply: RowsReply) => takeRows(reply.statement, rowsIn(reply))
  const onExit = () => reject(new Error('The process of a database ended unexpectedly'))
  const onAbort = () => reject(signal.reason as Error)
  const timer = setTimeout(() => reject(timedOut(timeoutMs)), timeoutMs)
  helper.onMessage(onMessage)
  helper.once('exit', onExit)
  helper.on('error', reject)
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  else helper.send(request)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    helper.offMessage(onMessage)
    helper.off('exit', onExit)
    helper.off('error', reject)
    signal.removeEventListener('abort', onAbort)
  }
}

type RowsReply = Extract<SqliteReply, { kind: 'rows' }>

function rowsIn({ columns, rows }: RowsReply): Data[] {
  const lists = parseJson(rows, OWN_JSON_LIMITS) as readonly (readonly Data[])[]
  return lists.map((values) => rowOf(columns, values))
}

function toResult({ hasRows, changed, lastId }: SqliteResult): SqlResult {
  return { hasRows, changed, lastId: lastId === null || lastId === '0' ? null : integerOf(lastId) }
}

/** SQLite has the same code for a file that doesn't exist and a file that can't be created. */
async function whyNotOpened(path: string, name: string): Promise<AppError> {
  const problem = await access(dirname(path), constants.W_OK).then(
    () => null,
    (error: NodeJS.ErrnoException) => error.code,
  )
  if (problem === 'EROFS')
    return new AppError(
      'forbidden',
      say('"{{path}}" can\'t be opened: the disk is read-only; choose another folder', { path: name }),
    )
  if (problem === 'EACCES' || problem === 'EPERM')
    return new AppError(
      'forbidden',
      say(
        '"{{path}}" can\'t be opened: Millrace has no permission to write in {{folder}}; change the permissions of the folder',
        { path: name, folder: dirname(path) },
      ),
    )
  return new AppError(
    'not_found',
    say('"{{path}}" doesn\'t exist; check the path, or create it with CREATE TABLE', { path: name }),
  )
}

async function toAppError(
  { code, message, said = quoted(message) }: Extract<SqliteReply, { kind: 'failed' }>,
  path: string,
  name: string,
): Promise<AppError> {
  if (code === OWN_DATABASE)
    return new AppError(
      'forbidden',
      say('"{{path}}" is a database of Millrace, which flows can\'t use', { path: name }),
    )
  if (code === ROW_TOO_LARGE) return rowTooLarge()
  if (code === BAD_RECORDS) return new AppError('validation', said)
  if (code === 'SQLITE_NOTADB')
    return new AppError('validation', say('"{{path}}" isn\'t a SQLite database', { path: name }))
  if (code.startsWith('SQLITE_CANTOPEN')) return whyNotOpened(path, name)
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED'))
    return new AppError(
      'unavailable',
      say('"{{path}}" is in use by another program; try again later', { path: name }),
    )
  if (code === 'SQLITE_FULL')
    return new AppError('unavailable', say('"{{path}}": the disk is full', { path: name }))
  if (code.startsWith('SQLITE_READONLY'))
    return new AppError('forbidden', say('"{{path}}" can\'t be written', { path: name }))
  return new AppError('validation', say('SQLite refused: {{reason}}', { reason: message.slice(0, 500) }))
}

/** From source, Node runs it directly; the build puts it next to this file. */
const PROCESS = new URL(
  import.meta.url.endsWith('.ts') ? 'sqlite-process.ts' : 'sqlite-process.js',
  import.meta.url,
)

/** A query keeps its process while it waits for the steps that take its rows. */
const MOST_PROCESSES = 8
