import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import { setTimeout as sleepFor } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { createRedactor } from '../../src/main/engine/redaction/redactor.ts'
import type { Data } from '../../packages/jinja/src/data/value.ts'
import {
  bodyOf,
  type Checkpoint,
  type PageEvent,
  paginate,
  type PaginateOptions,
  type PaginatePorts,
} from '../../src/main/engine/pagination/index.ts'
import type { HeaderLine } from '../../src/main/engine/ports.ts'
import { createSendRequest } from '../../src/main/engine/request/send-request.ts'
import { type ReceivedRequest, startThirdPartyApi } from './third-party-api.ts'

export interface TestAction {
  readonly base: string
  readonly endpoint?: string
  readonly method?: string
  readonly query?: Readonly<Record<string, Data>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Data
}

/** The result of a run, with its events merged. */
export interface RunResult {
  readonly records: Data[]
  readonly output?: Data
  readonly warnings: string[]
  readonly stopReason?: string
  readonly error?: Extract<PageEvent, { type: 'failed' }>['error']
  readonly events: PageEvent[]
  readonly checkpoints: Checkpoint[]
}

export type TestRunOptions = Omit<Partial<PaginateOptions>, 'action' | 'config' | 'ports'> & {
  readonly ports?: Partial<PaginatePorts>
}

/** The options of a run with real HTTP and, by default, real time and no waits between retries. */
export function paginateOptions(
  { base, endpoint = '', method = 'GET', query = {}, headers = {}, body }: TestAction,
  config: Data,
  { ports, ...more }: TestRunOptions = {},
): PaginateOptions {
  const lines = Object.entries(headers) as HeaderLine[]
  return {
    action: { baseUrl: base, endpoint, method, query, headers: lines, body: bodyOf(body, lines) },
    supportsPagination: true,
    config,
    variables: {},
    limits: { backoff_base_ms: 1 },
    ...more,
    ports: { ...realPorts(), ...ports },
  }
}

async function runPages(action: TestAction, config: Data, options: TestRunOptions = {}): Promise<RunResult> {
  return foldEvents(paginate(paginateOptions(action, config, options)))
}

export async function foldEvents(run: AsyncIterable<PageEvent>): Promise<RunResult> {
  const records: Data[] = []
  const events: PageEvent[] = []
  const checkpoints: Checkpoint[] = []
  const result: { output?: Data; warnings: string[]; stopReason?: string; error?: RunResult['error'] } = {
    warnings: [],
  }
  for await (const event of run) {
    events.push(event)
    if (event.type === 'records') for (const record of event.records) records.push(record)
    if (event.type === 'checkpoint') checkpoints.push(event.checkpoint)
    if (event.type === 'output') result.output = event.value
    if (event.type === 'done')
      Object.assign(result, { warnings: event.warnings, stopReason: event.stop_reason })
    if (event.type === 'failed') result.error = event.error
  }
  return { records, events, checkpoints, ...result } as RunResult
}

function realPorts(): PaginatePorts {
  const clock = { now: () => Date.now(), monotonic: () => performance.now() }
  const sender = createSendRequest({ clock, userAgent: 'Millrace test', ownPorts: () => new Set() })
  onTestFinished(() => sender.close())
  return {
    sendRequest: sender.sendRequest,
    clock,
    random: Math.random,
    sleep: (ms, signal) => sleepFor(ms, undefined, signal ? { signal } : {}),
    redactor: createRedactor({ secrets: [] }),
  }
}

/** A request as an API sees it, decoded. */
export interface Wire {
  readonly method: string
  readonly path: string
  /** A repeated name has a list of values. */
  readonly query: Readonly<Record<string, string | string[]>>
  readonly headers: IncomingHttpHeaders
  /** Parsed if it is JSON. */
  readonly body: unknown
}

export type Reply =
  | readonly unknown[]
  | { readonly json: unknown; readonly status?: number; readonly headers?: OutgoingHttpHeaders }
  | { readonly raw: string | Buffer; readonly status?: number; readonly headers?: OutgoingHttpHeaders }

export interface AgainstApi extends RunResult {
  /** What the API received, in order. */
  readonly sent: Wire[]
  readonly base: string
}

export type AgainstOptions = TestRunOptions & {
  readonly action?: Partial<TestAction> | ((base: string) => Partial<TestAction>)
}

/** Runs a configuration against an API with the given responses; `count` is 1 for the first request. */
export async function runAgainst(
  answer: (request: Wire, count: number, base: string) => Reply,
  config: Data,
  { action = {}, ...options }: AgainstOptions = {},
): Promise<AgainstApi> {
  const sent: Wire[] = []
  const api = await startThirdPartyApi((received, response) => {
    const request = wireOf(received)
    const reply = answer(request, sent.push(request), api.url)
    const { status, headers, content } = contentOf(reply)
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(content)
  })
  const given = typeof action === 'function' ? action(api.url) : action
  const result = await runPages({ base: api.url, endpoint: 'items', ...given }, config, options)
  return { ...result, sent, base: api.url }
}

/** `{ id: from }` to `{ id: to }`. */
export function ids(from: number, to: number): { id: number }[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => ({ id: from + index }))
}

function wireOf({ method, target, headers, body }: ReceivedRequest): Wire {
  const url = new URL(target, 'http://api.test')
  const query: Record<string, string | string[]> = {}
  for (const [name, value] of url.searchParams) {
    const before = query[name]
    query[name] = before === undefined ? value : [before, value].flat()
  }
  return { method, path: url.pathname, query, headers, body: readBody(body.toString()) }
}

function readBody(text: string): unknown {
  try {
    return text === '' ? null : JSON.parse(text)
  } catch {
    return text
  }
}

function contentOf(reply: Reply) {
  if (!('json' in reply) && !('raw' in reply))
    return { status: 200, headers: {}, content: JSON.stringify(reply) }
  const { status = 200, headers = {} } = reply
  return { status, headers, content: 'raw' in reply ? reply.raw : JSON.stringify(reply.json) }
}
