/** The webhook of flows: what is made of a request, what the caller is told, what is listed of it. */
import type { z } from 'zod'
import type { keyedListQuery } from '../../../shared/contract/base/common.ts'
import { AppError } from '../../../shared/contract/base/errors.ts'
import type { FlowRun } from '../../../shared/contract/flow-runs.ts'
import { LIMITS } from '../../../shared/contract/base/limits.ts'
import type { WebhookRequest } from '../../../shared/contract/webhooks.ts'
import { isoOf } from '../../../shared/iso-time.ts'
import { parseWebhookInput } from '../../engine/webhook/parse-input.ts'
import type { Clock } from '../../engine/ports.ts'
import type { Store } from '../../store/index.ts'
import type { DeliveryAnswer } from '../../store/records/seen-deliveries.ts'
import type { Deliveries } from './deliveries.ts'
import type { EventsService } from '../kit/live-events.ts'
import type { FilesService } from '../files/files.ts'
import type { KnownSecrets } from '../secrets/known-secrets.ts'
import { parseKeyedListQuery } from '../kit/list-query.ts'
import type { KeyedPage } from '../kit/pages.ts'
import type { Log } from '../kit/ports.ts'
import type { QueueService } from '../runs/queue.ts'
import { newRun, type RunExecutor } from '../execution/run-executor.ts'
import type { RunStart } from '../execution/resume-log.ts'
import type { RunnableFlow } from '../execution/runnable-flows.ts'
import { type AdmissionOptions, createAdmission } from './admit.ts'
import { createAnswerWait, refusal, type WebhookReply } from './await-answer.ts'
import { flowIdOf, headerOf, queryOf, WebhookCall, type WebhookHead } from './webhook-call.ts'
import { preflightHeaders } from './cors.ts'

/**
 * The body as it was sent, still encoded; null where the caller left before its end.
 *
 * @throws AppError `too_large`
 */
export type ReadBody = (maxBytes: number) => Promise<Buffer | null>

export interface WebhooksService {
  /**
   * Answers one request; null where nobody is left to be answered. All refusals are answers, and are listed with their
   * reason.
   *
   * @throws only what is a defect
   */
  handle(head: WebhookHead, readBody: ReadBody): Promise<WebhookReply | null>
  /** Lists a request that was answered 503 before it came here; `at` in milliseconds of the Unix epoch. */
  noteUnserved(head: WebhookHead, at: number, reason: string): void
  list(query: z.output<typeof keyedListQuery>): KeyedPage<WebhookRequest>
  pausedCounts(): ReturnType<Store['pausedRequests']['list']>
}

export interface WebhooksOptions extends AdmissionOptions {
  readonly store: Store
  readonly executor: RunExecutor
  readonly queue: QueueService
  readonly deliveries: Deliveries
  readonly secrets: KnownSecrets
  readonly files: Pick<FilesService, 'store' | 'assign'>
  /** How long a caller is kept waiting. Default: the specification's 30 s. */
  readonly answerWithinMs?: number | undefined
  readonly clock: Clock
  readonly events: Pick<EventsService, 'emit'>
  readonly log: Log
}

export function createWebhooksService(options: WebhooksOptions): WebhooksService {
  const { store, runnable, executor, queue, deliveries, secrets, settings, files, clock, events, log } =
    options
  const admit = createAdmission(options)
  const waitForAnswer = createAnswerWait({
    answerWithinMs: options.answerWithinMs ?? LIMITS.syncWebhookMs,
    clock,
    log,
  })

  async function handle(head: WebhookHead, readBody: ReadBody): Promise<WebhookReply | null> {
    const call = new WebhookCall(head, clock)
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
        config.signature && deliveries.verify(config.signature, signedRequest(head, decodedBody))
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

  function paused(call: WebhookCall, { id }: RunnableFlow): WebhookReply {
    store.pausedRequests.add(id, clock.now())
    call.isListed = true
    return refusal(new AppError('biz_logic', PAUSED), call.corsHeaders)
  }

  async function readStart(
    call: WebhookCall,
    body: Buffer,
  ): Promise<{ start: RunStart; decodedBody: Buffer }> {
    const { head } = call
    const { input, decodedBody } = await parseWebhookInput(
      {
        contentType: headerOf(head, 'content-type'),
        contentEncoding: headerOf(head, 'content-encoding'),
        body,
        query: queryOf(head.target),
        limits: { maxBytes: settings().webhook_body_limit_bytes },
      },
      async (content, meta) => {
        const stored = await files.store(content, meta)
        call.fileIds.push(stored.file_id)
        return stored
      },
    )
    return { start: { input, ...call.details(decodedBody) }, decodedBody }
  }

  /** The sender repeats a request, because the answer was lost or came too late for it: nothing runs for that. */
  function answerAgain(call: WebhookCall, { status, headers, body }: DeliveryAnswer): WebhookReply {
    refuse(call, status, SEEN)
    return { status, headers: { ...headers, ...call.corsHeaders }, body }
  }

  async function accept(
    call: WebhookCall,
    flow: RunnableFlow,
    start: RunStart,
    delivery: string | null,
  ): Promise<WebhookReply> {
    const run: FlowRun = {
      ...newRun(flow, { id: store.flowRuns.newId(), trigger: 'webhook' }, isoOf(clock.now())),
      status: 'queued',
      started_at: null,
    }
    if (call.fileIds.length > 0) await files.assign(call.fileIds, run.id)
    try {
      await queue.accept({
        flow,
        run,
        start,
        request: call.listedRequest(secrets, 200, null, run.id),
        ...(delivery !== null && {
          alsoStore() {
            if (!deliveries.remember(flow.id, delivery, ACCEPTED)) throw new DuplicateDelivery()
          },
        }),
      })
    } catch (error) {
      if (error instanceof DuplicateDelivery) return answerAgain(call, ACCEPTED)
      throw error
    }
    call.isListed = true
    return { ...ACCEPTED, headers: { ...ACCEPTED.headers, ...call.corsHeaders } }
  }

  async function runNow(
    call: WebhookCall,
    flow: RunnableFlow,
    start: RunStart,
    delivery: string | null,
  ): Promise<WebhookReply> {
    const runId = store.flowRuns.newId()
    if (call.fileIds.length > 0) await files.assign(call.fileIds, runId)
    const { receivedAt } = call
    const running = delivery === null ? null : deliveries.findRunning(flow.id, delivery)
    if (running) return answerAgain(call, await waitForAnswer(running, { receivedAt, isOwn: false }))
    const run = newRun(flow, { id: runId, trigger: 'webhook' }, isoOf(clock.now()))
    const execution = executor.execute({
      flow,
      run,
      start,
      redactor: call.redactor(secrets),
      request: { record: call.pendingRequest(secrets, run.id), receivedAt },
      isQueued: false,
      resumeData: null,
      onAnswer: delivery === null ? undefined : (answer) => deliveries.remember(flow.id, delivery, answer),
    })
    call.isListed = true
    if (delivery !== null) deliveries.begin(flow.id, delivery, { runId, execution })
    const { status, headers, body } = await waitForAnswer({ runId, execution }, { receivedAt, isOwn: true })
    return { status, headers: { ...headers, ...call.corsHeaders }, body }
  }

  function answerPreflight(head: WebhookHead): WebhookReply | null {
    const flowId = flowIdOf(head.target)
    const trigger = flowId === null ? null : runnable.get(flowId)?.compiled.trigger
    const headers = trigger ? preflightHeaders(head, trigger.config.cors_origins) : null
    return headers && { status: 204, headers, body: null }
  }

  /** Lists a request that started no run. The caller does not wait for it. */
  function refuse(call: WebhookCall, status: number, reason: string): void {
    call.isListed = true
    const record = call.listedRequest(secrets, status, reason, null)
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
      const call = new WebhookCall(head, clock, at)
      const flowId = flowIdOf(head.target)
      call.flow = flowId === null ? null : runnable.get(flowId)
      refuse(call, 503, reason)
    },
    list: (query) => store.webhookRequests.list(parseKeyedListQuery(query)),
    pausedCounts: () => store.pausedRequests.list(),
  }
}

/** A run for this delivery was stored a moment ago. */
class DuplicateDelivery extends Error {}

export const ACCEPTED: DeliveryAnswer = {
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: 'null',
}
const SEEN = 'Delivered before: answered as before, and not run again'
const PAUSED = 'Flow status is `paused`. Unpause to run this flow using a webhook'

function signedRequest(head: WebhookHead, body: Buffer) {
  return { header: (name: string) => headerOf(head, name.toLowerCase()) || null, body }
}
