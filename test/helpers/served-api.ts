/** What a test does with a program in its own process, and reads from its database afterwards. */
import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { Examination } from '../../src/shared/contract/doctor.ts'
import type { Flow, FlowSettings } from '../../src/shared/contract/flows.ts'
import type { StepInput } from '../../src/shared/contract/steps.ts'
import { rows, scalar } from '../../src/main/store/sql/statement.ts'
import { checkResponse } from './checked-responses.ts'
import type { Home, Served } from './program.ts'
import { askToEnd } from './platform.ts'

export const UNLIMITED = { MILLRACE_WEBHOOK_RATE_LIMIT: 'off' }

/** A flow with its webhook's token. The URL changes from start to start. */
export interface ServedFlow {
  readonly id: string
  readonly token: string
}

export async function callServed<T>(
  served: Served,
  method: string,
  path: string,
  body?: unknown,
): Promise<T> {
  return readAnswer(await sendTo(served, method, path, body))
}

/** @throws Error with the response unless it is a success */
export async function callOrThrow<T>(
  served: Served,
  method: string,
  path: string,
  body?: unknown,
): Promise<T> {
  const response = await sendTo(served, method, path, body)
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  return readAnswer(response)
}

async function readAnswer<T>(response: Response): Promise<T> {
  const text = await response.text()
  return (text === '' ? null : JSON.parse(text)) as T
}

async function sendTo(
  { url, bearer }: Served,
  method: string,
  path: string,
  body: unknown,
): Promise<Response> {
  const response = await fetch(url + path, {
    method,
    headers: {
      Authorization: `Bearer ${bearer}`,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  await checkResponse(method, url + path, response)
  return response
}

/** What Diagnostics reports about the program itself: `makes_code` if it runs without its flags. */
export async function readProgramFinding(
  url: string,
  bearer: string,
): Promise<readonly [state: string, reason: string | null]> {
  const answer = await fetch(`${url}/v1/doctor`, { headers: { Authorization: `Bearer ${bearer}` } })
  const { findings } = (await answer.json()) as Examination
  const found = findings.find(({ check }) => check === 'program')
  return [String(found?.state), found?.reason ?? null]
}

/** A flow that starts with a webhook step; each run has the sent `n` as its title. */
export async function createNumberedFlow(
  served: Served,
  config: object,
  steps: readonly StepInput[],
  settings: Partial<FlowSettings> = {},
): Promise<ServedFlow> {
  const { id, webhook } = await callServed<Flow>(served, 'POST', '/v1/flows', {
    name: 'Numbered',
    status: 'active',
    steps: [{ ref_id: 'web1', type: 'webhook', config }, ...steps],
    settings: { dynamic_title: '{{ web1.n }}', ...settings },
  })
  return { id, token: webhook?.token ?? '' }
}

export const sendNumber = (served: Served, { id, token }: ServedFlow, n: number): Promise<Response> =>
  fetch(`${served.url}/v1/flow-webhook/${id}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ n }),
  })

export interface StoredRun {
  readonly title: string
  readonly status: string
  readonly error: string | null
}

/** The content of a closed folder. */
export function readFolder({ dataDir }: Pick<Home, 'dataDir'>): {
  runs: StoredRun[]
  isSound: boolean
  queued: number
} {
  const db = new Database(join(dataDir, 'millrace.db'))
  try {
    return {
      runs: rows<StoredRun>(db, 'SELECT title, status, error FROM flow_runs ORDER BY key').all(),
      isSound: scalar<string>(db, 'PRAGMA integrity_check').get() === 'ok',
      queued: scalar<number>(db, 'SELECT count(*) FROM run_queue').get() ?? 0,
    }
  } finally {
    db.close()
  }
}

export async function kill(served: Served): Promise<void> {
  served.process.kill('SIGKILL')
  await served.ended
}

/** Ends it properly, so that its folder can be read. */
export async function stop(served: Served): Promise<number | NodeJS.Signals> {
  askToEnd(served.process)
  return served.ended
}
