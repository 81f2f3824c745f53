/** The webhook of flows: who may call, what is made of a request, what the caller is told, what is listed of it. */
import { isUtf8 } from 'node:buffer'
import type { z } from 'zod'
import type { keyedListQuery } from '../../shared/contract/common.ts'
import { AppError } from '../../shared/contract/errors.ts'
import type { FlowRun } from '../../shared/contract/flow-runs.ts'
import { LIMITS } from '../../shared/contract/limits.ts'
import type { Settings } from '../../shared/contract/settings.ts'
import type { StepConfig } from '../../shared/contract/steps.ts'
import { WEBHOOK_PATH, type WebhookRequest } from '../../shared/contract/webhooks.ts'
import { dictionaryOf } from '../engine/data/value.ts'
import type { Clock } from '../engine/ports.ts'
import { parseWebhookInput } from '../engine/webhook/parse-input.ts'
import type { Store } from '../store/index.ts'
import type { SeenAnswer } from '../store/seen-deliveries.ts'
import type { NewWebhookRequest } from '../store/webhook-requests.ts'
import type { Authorization } from './authorization.ts'
import type { Deliveries, UnderWay } from './deliveries.ts'
import type { EventsService } from './events.ts'
import type { FilesService } from './files.ts'
import type { KnownSecrets } from './known-secrets.ts'
import { parseKeyedListQuery } from './list-query.ts'
import type { KeyedPage } from './page.ts'
import type { Log } from './ports.ts'
import type { QueueService } from './queue.ts'
import { type Execution, newRun, type RunExecutor } from './run-executor.ts'
import type { OpenRequest } from './run-journal.ts'
import type { RunStart } from './run-memory.ts'
import type { RunnableFlow, RunnableFlows } from './runnable-flows.ts'
import { corsHeaders, preflightHeaders } from './webhook-cors.ts'

/** A request of which nothing but the head was read. */
export interface WebhookHead {
  readonly method: string
  /** As it stands in the request line, with its query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Address of the socket; no header changes it. */
  readonly client: string
}

/**
 * The body as it was sent, still encoded; null where the caller left before its end.
 *
 * @throws AppError `too_large`
 */
export type ReadBody = (maxBytes: number) => Promise<Buffer | null>

export interface WebhookAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Null for an answer without a body. */
  readonly body: string | null
}

export interface WebhooksService {
  /**
   * Answers one request; null where nobody is left to be answered. All refusals are answers, and are listed with their
   * reason.
   *
   * @throws only what is a defect
   */
  handle(head: WebhookHead, readBody: ReadBody): Promise<WebhookAnswer | null>
  /** Lists a request that was answered 503 before it came here; `at` in milliseconds of the Unix epoch. */
  noteUnserved(head: WebhookHead, at: number, reason: string): void
  list(query: z.output<typeof keyedListQuery>): KeyedPage<WebhookRequest>
  pausedCounts(): ReturnType<Store['pausedRequests']['list']>
}

export interface WebhooksOptions {
  readonly store: Store
  readonly runnable: RunnableFlows
  readonly executor: RunExecutor
  readonly queue: QueueService
  readonly authorization: Pick<Authorization, 'authorizeWebhook'>
  readonly deliveries: Deliveries
  readonly secrets: KnownSecrets
  readonly settings: () => Settings
  readonly files: Pick<FilesService, 'store' | 'assign'>
  /** How long a caller is kept waiting. Default: the specification's 30 s. */
  readonly answerWithinMs?: number | undefined
  readonly clock: Clock
  readonly events: Pick<EventsService, 'emit'>
  readonly log: Log
}

export function createWebhooksService(options: WebhooksOptions): WebhooksService {
  const {
    store,
    runnable,
    executor,
    queue,
    authorization,
    deliveries,
    secrets,
    settings,
    files,
    clock,
    events,
    log,
    answerWithinMs = LIMITS.syncWebhookMs,
  } = options

  async function handle(head: WebhookHead, readBody: ReadBody): Promise<WebhookAnswer | null> {
    const call = new Call(head, clock)
    try {
      const { flow, config } = admit(call)
      if (flow.status === 'paused') return paused(call, flow)
      const body = await readBody(settings().webhook_body_limit_bytes)
      if (body === null) {
        refuse(call, 400, 'The caller left before its body was complete')
        return null
      }
      call.size = body.length
      const { start, decodedBody } = await readStart(call, body)
      const delivery =
        config.signature && deliveries.verify(config.signature, { header: headerOf(head), body: decodedBody })
      const seen = delivery && deliveries.answerOf(flow.id, delivery)
      if (seen) return answerAgain(call, seen)
      return config.async
        ? await accept(call, flow, start, delivery)
        : await runNow(call, flow, start, delivery)
    } catch (error) {
      if (!(error instanceof AppError)) {
        refuse(call, 500, 'Millrace failed on this request; its log says why')
        throw error
      }
      if (!call.isListed) refuse(call, error.status, error.message)
      return refusal(error, call.corsHeaders)
    }
  }

  /** The checks that need no body, in the contract's order. */
  function admit(call: Call): { flow: RunnableFlow; config: StepConfig<'webhook'> } {
    const flowId = flowIdOf(call.head.target)
    if (flowId === null) throw notFound()
    if (call.head.method !== 'POST') throw methodNotAllowed(call.head.method)
    countCall(call.head.client)
    const flow = runnable.get(flowId)
    const trigger = flow?.compiled.trigger
    if (!flow || !trigger) throw notFound()
    call.flow = flow
    call.corsHeaders = corsHeaders(call.head, trigger.config.cors_origins)
    if (flow.settings.webhook_token_enabled) {
      authorization.authorizeWebhook(header(call.head, 'authorization'), flow.tokenHash)
    }
    return { flow, config: trigger.config }
  }

  function countCall(client: string): void {
    const { webhook_rate_limit_requests: most, webhook_rate_limit_seconds: seconds } = settings()
    if (most === null) return
    const now = clock.now()
    const { count, windowEndsAt } = store.rateLimits.count(client, { now, windowMs: seconds * 1000 })
    if (count <= most) return
    const wait = Math.max(1, Math.ceil((windowEndsAt - now) / 1000))
    throw new AppError(
      'rate_limit',
      `More than ${most} requests in ${seconds} seconds; try again in ${wait} seconds`,
      {
        headers: {
          'Retry-After': String(wait),
          'RateLimit-Limit': String(most),
          'RateLimit-Remaining': '0',
          'RateLimit-Reset': String(wait),
        },
      },
    )
  }

  function paused(call: Call, { id }: RunnableFlow): WebhookAnswer {
    store.pausedRequests.add(id, clock.now())
    call.isListed = true
    return refusal(new AppError('biz_logic', PAUSED), call.corsHeaders)
  }

  async function readStart(call: Call, body: Buffer): Promise<{ start: RunStart; decodedBody: Buffer }> {
    const { head } = call
    const maxBytes = settings().webhook_body_limit_bytes
    const { input, decodedBody } = await parseWebhookInput(
      {
        contentType: header(head, 'content-type'),
        contentEncoding: header(head, 'content-encoding'),
        body,
        query: queryOf(head.target),
        limits: { maxBytes },
      },
      async (content, meta) => {
        const stored = await files.store(content, meta)
        call.fileIds.push(stored.file_id)
        return stored
      },
    )
    const hidesToken = call.flow?.settings.webhook_token_enabled ?? true
    const start: RunStart = {
      input,
      webhook: dictionaryOf([
        ['method', head.method],
        ['headers', dictionaryOf(headerEntries(head, hidesToken))],
        ['raw_body', decodedBody.toString('utf8')],
      ]),
      ...(isUtf8(decodedBody)
        ? {}
        : { rawBytes: decodedBody.subarray(0, MOST_RAW_BYTES).toString('base64') }),
    }
    return { start, decodedBody }
  }

  /** The sender repeats a request, because the answer was lost or came too late for it: nothing runs for that. */
  function answerAgain(call: Call, { status, headers, body }: SeenAnswer): WebhookAnswer {
    refuse(call, status, SEEN)
    return { status, headers: { ...headers, ...call.corsHeaders }, body }
  }

  async function accept(
    call: Call,
    flow: RunnableFlow,
    start: RunStart,
    delivery: string | null,
  ): Promise<WebhookAnswer> {
    const at = new Date(clock.now()).toISOString()
    const run: FlowRun = {
      ...newRun(flow, { id: store.flowRuns.newId(), trigger: 'webhook' }, at),
      status: 'queued',
      started_at: null,
    }
    if (call.fileIds.length > 0) await files.assign(call.fileIds, run.id)
    try {
      await queue.accept({
        flow,
        run,
        start,
        request: call.record(secrets, 200, null, run.id),
        ...(delivery !== null && {
          alsoStore() {
            if (!deliveries.remember(flow.id, delivery, ACCEPTED)) throw new SeenBefore()
          },
        }),
      })
    } catch (error) {
      if (error instanceof SeenBefore) return answerAgain(call, ACCEPTED)
      throw error
    }
    call.isListed = true
    return { ...ACCEPTED, headers: { ...ACCEPTED.headers, ...call.corsHeaders } }
  }

  async function runNow(
    call: Call,
    flow: RunnableFlow,
    start: RunStart,
    delivery: string | null,
  ): Promise<WebhookAnswer> {
    const runId = store.flowRuns.newId()
    if (call.fileIds.length > 0) await files.assign(call.fileIds, runId)
    const underWay = delivery === null ? null : deliveries.underWay(flow.id, delivery)
    if (underWay) return answerAgain(call, await answerOf(call, underWay))
    const run = newRun(flow, { id: runId, trigger: 'webhook' }, new Date(clock.now()).toISOString())
    const execution = executor.execute({
      flow,
      run,
      start,
      redactor: secrets.redactor(call.bearer),
      request: { record: call.openRecord(secrets, run.id), receivedAt: call.receivedAt },
      isQueued: false,
      earlier: null,
      onAnswer: delivery === null ? undefined : (answer) => deliveries.remember(flow.id, delivery, answer),
    })
    call.isListed = true
    if (delivery !== null) deliveries.begin(flow.id, delivery, { runId: run.id, execution })
    const { status, headers, body } = await answerOf(call, { runId: run.id, execution }, true)
    return { status, headers: { ...headers, ...call.corsHeaders }, body }
  }

  /** @param isOwn whether the run was started for this very call */
  async function answerOf(call: Call, { runId, execution }: UnderWay, isOwn = false): Promise<SeenAnswer> {
    const answer = await withinTime(
      execution.answered,
      answerWithinMs - (clock.monotonic() - call.receivedAt),
    )
    if (answer === 'late') {
      if (isOwn) await noteLate(execution, runId)
      throw tooLate(runId)
    }
    if (answer === null) throw await failed(execution, runId)
    return answer
  }

  /** The run goes on; what the caller was told stands in the list before it is. */
  async function noteLate({ journal }: Execution, runId: string): Promise<void> {
    journal.noteAnswer(408)
    await journal
      .commit()
      .catch((error: unknown) =>
        log.warn({ err: error, flowRunId: runId }, 'A late run is not yet written down'),
      )
  }

  function tooLate(runId: string): AppError {
    const seconds = answerWithinMs / 1000
    return new AppError(
      'timeout',
      `The flow took longer than ${seconds} seconds; it goes on, but its result is not part of this answer`,
      {
        data: { flow_run_id: runId },
      },
    )
  }

  async function failed({ outcome }: Execution, runId: string): Promise<AppError> {
    const ended = await outcome
    const code = ended.kind === 'ended' ? ended.end.error?.code : undefined
    if (code === 'interrupted') {
      return new AppError(
        'unavailable',
        'Millrace stopped before the flow had ended; send it again in a moment',
        {
          data: { flow_run_id: runId },
          headers: { 'Retry-After': '5' },
        },
      )
    }
    return new AppError('flow_error', `The flow ended in error; run ${runId} shows why`, {
      data: { flow_run_id: runId },
    })
  }

  function answerPreflight(head: WebhookHead): WebhookAnswer | null {
    const flowId = flowIdOf(head.target)
    const trigger = flowId === null ? null : runnable.get(flowId)?.compiled.trigger
    const headers = trigger ? preflightHeaders(head, trigger.config.cors_origins) : null
    return headers && { status: 204, headers, body: null }
  }

  /** Lists a request that started no run. The caller does not wait for it. */
  function refuse(call: Call, status: number, reason: string): void {
    call.isListed = true
    const record = call.record(secrets, status, reason, null)
    store
      .write(() => store.webhookRequests.insert(record))
      .then(
        ({ id }) =>
          events.emit({ type: 'created', noun: 'webhook_request', id, flow_id: record.flow_id, status }),
        (error: unknown) => log.warn({ err: error }, 'A refused webhook request could not be listed'),
      )
  }

  return {
    handle(head, readBody) {
      const preflight = head.method === 'OPTIONS' ? answerPreflight(head) : null
      return preflight ? Promise.resolve(preflight) : handle(head, readBody)
    },
    noteUnserved(head, at, reason) {
      const call = new Call(head, clock, at)
      const flowId = flowIdOf(head.target)
      call.flow = flowId === null ? null : runnable.get(flowId)
      refuse(call, 503, reason)
    },
    list: (query) => store.webhookRequests.list(parseKeyedListQuery(query)),
    pausedCounts: () => store.pausedRequests.list(),
  }
}

/** One request on its way through the checks, and what is to be listed of it. */
class Call {
  readonly head: WebhookHead
  readonly receivedAt: number
  flow: RunnableFlow | null = null
  size = 0
  /** Of files that came with it. */
  readonly fileIds: string[] = []
  /** Whether the list of requests has it already, or is not to have it. */
  isListed = false
  corsHeaders: Readonly<Record<string, string>> = {}
  readonly #clock: Clock
  readonly #at: number

  constructor(head: WebhookHead, clock: Clock, at = clock.now()) {
    this.head = head
    this.#clock = clock
    this.receivedAt = clock.monotonic()
    this.#at = at
  }

  /** What the caller identified itself with. */
  get bearer(): string | null {
    return /^bearer (\S+)$/i.exec(header(this.head, 'authorization') ?? '')?.[1] ?? null
  }

  openRecord(secrets: KnownSecrets, runId: string | null): OpenRequest['record'] {
    const { head, flow, size } = this
    const redactor = secrets.redactor(this.bearer)
    return {
      flow_id: flow?.id ?? null,
      at: new Date(this.#at).toISOString(),
      reason: null,
      method: head.method.slice(0, 20),
      path: redactor.redactText(head.target.slice(0, LONGEST_PATH)),
      headers: redactor.redactHeaders(Object.fromEntries(headerEntries(head, false))),
      size,
      client: head.client,
      flow_run_id: runId,
    }
  }

  record(
    secrets: KnownSecrets,
    status: number,
    reason: string | null,
    runId: string | null,
  ): NewWebhookRequest {
    return {
      ...this.openRecord(secrets, runId),
      status,
      reason,
      duration_ms: this.#clock.monotonic() - this.receivedAt,
    }
  }
}

/** A run for this delivery was stored a moment ago. */
class SeenBefore extends Error {}

export const ACCEPTED: SeenAnswer = {
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: 'null',
}
const SEEN = 'Delivered before: answered as before, and not run again'
const PAUSED = 'Flow status is `paused`. Unpause to run this flow using a webhook'
const LONGEST_PATH = 2_000
/** Of a body that is no text, what is kept to be shown. */
const MOST_RAW_BYTES = 262_144

/** Null for any address but the very one: longer, encoded, with a slash at its end. */
function flowIdOf(target: string): string | null {
  const query = target.indexOf('?')
  const path = query === -1 ? target : target.slice(0, query)
  return ADDRESS.exec(path)?.[1] ?? null
}

const ADDRESS = new RegExp(`^${WEBHOOK_PATH}/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$`)

function queryOf(target: string): string {
  const at = target.indexOf('?')
  return at === -1 ? '' : target.slice(at)
}

function header({ headers }: WebhookHead, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' ? value : value?.join(', ')
}

function headerOf(head: WebhookHead): (name: string) => string | null {
  return (name) => header(head, name.toLowerCase()) || null
}

/** The token that opens the webhook is nothing for templates. */
function headerEntries({ headers }: WebhookHead, hidesToken: boolean): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) => {
    if (value === undefined || (hidesToken && name === 'authorization')) return []
    return [[name, typeof value === 'string' ? value : value.join(', ')]]
  })
}

function notFound(): AppError {
  return new AppError(
    'not_found',
    'There is no webhook at this address; copy it from the settings of the flow',
  )
}

function methodNotAllowed(method: string): AppError {
  return new AppError('method_not_allowed', `A webhook takes POST, not ${method.slice(0, 20)}`, {
    headers: { Allow: 'POST' },
  })
}

function refusal(error: AppError, headers: Readonly<Record<string, string>>): WebhookAnswer {
  return {
    status: error.status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers, ...error.headers },
    body: JSON.stringify(error.toEnvelope()),
  }
}

/** The value, or `late` where it takes longer. */
async function withinTime<T>(value: Promise<T>, ms: number): Promise<T | 'late'> {
  const late = Promise.withResolvers<'late'>()
  const timer = setTimeout(() => late.resolve('late'), Math.max(0, ms))
  try {
    return await Promise.race([value, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
