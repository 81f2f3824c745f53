/**
 * Forwards webhook requests to local programs. Keeps the settings of each flow, the result of each request, and the
 * requests that are waiting.
 */
import type { Readable } from 'node:stream'
import { fieldErrors } from '../../../../shared/contract/base/errors.ts'
import { LIMITS } from '../../../../shared/contract/base/limits.ts'
import { say, type Said } from '../../../../shared/contract/base/message.ts'
import type { Forward, ForwardState, Responder } from '../../../../shared/contract/reach/forwards.ts'
import { isoOf } from '../../../../shared/iso-time.ts'
import type { Clock } from '../../../engine/ports.ts'
import { isHeaderName, isHeaderValue, refusalOfHeader } from '../../../engine/webhook/response-headers.ts'
import type { OriginalRequest, Store, StoredAttempt } from '../../../store/index.ts'
import { requireTemplates } from '../../keeping/saving/require-templates.ts'
import type { EventsService } from '../../kit/live-events.ts'
import { flowNotFound } from '../../kit/not-found.ts'
import type { Log } from '../../kit/ports.ts'
import type { ProgramSender } from '../../reaching/sending/to-program.ts'
import type { RunStart } from '../execution/resume-log.ts'
import type { EnvValues } from '../execution/run-executor.ts'
import type { RunnableFlow } from '../execution/runnable-flows.ts'
import {
  type ProgramOutcome,
  readAnswer,
  requireOtherProgram,
  type SentRequest,
  sendToProgram,
} from './forwarding.ts'
import { isMet } from './door.ts'
import type { WebhookCall, WebhookHead } from './webhook-call.ts'

export interface ForwardsOptions {
  readonly store: Pick<Store, 'flows' | 'webhookAttempts' | 'write'>
  readonly programs: ProgramSender
  readonly env: EnvValues
  readonly clock: Clock
  readonly events: Pick<EventsService, 'emit'>
  readonly log: Log
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
}

export type ForwardsService = ReturnType<typeof createForwardsService>

/** A request that is forwarded to its flow's program. */
export interface Forwarding {
  readonly respond: Responder
  readonly fixed: NonNullable<Forward['fixed']>
  /** `kept` means that the request waits until the program listens. */
  readonly outcome: Promise<ProgramOutcome | 'kept'>
  /** Resolves to the status that the caller got from the program; stays pending if somebody else responded. */
  readonly taken: Promise<number>
  /** Call it if the caller gets the program's response. */
  take(status: number): void
  /** Call it if the caller gets another response. */
  leave(): void
  /** Call it inside the write that lists the request, if it is kept. */
  keep(requestId: string): void
  /** Call it once the request is in the list, or will be, under this ID. */
  listedAs(requestId: string): void
}

type ForwardedCall = Pick<WebhookCall, 'head' | 'redactor'>

const POLL_MS = 1_000
/** Results are collected for this long, because each commit waits for the disk, and makes the next caller wait too. */
const RECORD_AFTER_MS = 50
const FILTER_FAILED = (why: Said | string) => say('The filter of the forward failed: {{why}}', { why })

export function createForwardsService(options: ForwardsOptions) {
  const { store, programs, env, clock, events, log, sleep } = options
  const { webhookAttempts } = store
  const stopping = new AbortController()
  const polling = new Map<string, AbortController>()
  let recording: Promise<void> | null = null

  /** Resolves when results are to be recorded next, so that those of several requests are written together. */
  function nextRecording(): Promise<void> {
    recording ??= sleep(RECORD_AFTER_MS, stopping.signal)
      .catch(() => {})
      .then(() => {
        recording = null
        return undefined
      })
    return recording
  }

  function stateOf(flowId: string): ForwardState {
    return { forward: store.flows.forwardOf(flowId), waiting: webhookAttempts.countWaiting(flowId) }
  }

  function requireFlow(id: string): void {
    if (store.flows.get(id) === null) throw flowNotFound(id)
  }

  function requireSound({ url, filter, fixed }: Forward): void {
    requireOtherProgram(programs, url, 'url')
    requireTemplates({ filter })
    for (const [name, value] of Object.entries(fixed?.headers ?? {})) {
      const isSendable = isHeaderName(name) && isHeaderValue(value)
      const refusal = isSendable ? refusalOfHeader(name) : say("isn't a header that can be sent")
      if (refusal !== undefined) throw fieldErrors({ [`fixed.headers.${name}`]: [refusal] })
    }
  }

  const announce = (flowId: string) => events.emit({ type: 'updated', noun: 'flow', id: flowId })

  /** @throws AppError `flow_error` if the filter fails */
  function applies(
    { methods, filter }: Forward,
    { head, redactor }: ForwardedCall,
    flow: RunnableFlow,
    start: RunStart,
  ): boolean {
    if (methods !== null && !methods.some((one) => one === head.method)) return false
    if (filter === null) return true
    const ref = flow.compiled.trigger?.ref ?? 'input'
    const names = { ...env(), [ref]: start.input, webhook: start.webhook }
    return isMet(filter, names, redactor, FILTER_FAILED)
  }

  function begin(forward: Forward, flow: RunnableFlow, request: SentRequest, withinMs: number): Forwarding {
    const original = originalOf(request)
    const canKeep = () =>
      forward.keep_when_closed &&
      original !== null &&
      flow.settings.data_retention_days > 0 &&
      webhookAttempts.canWait(flow.id, original.body.length)
    // Earlier requests go first.
    const sending =
      forward.keep_when_closed && webhookAttempts.countWaiting(flow.id) > 0 && canKeep()
        ? null
        : sendToProgram(request, forward, withinMs, { programs, clock })
    const outcome =
      sending === null
        ? Promise.resolve('kept' as const)
        : sending.outcome.then((one) =>
            'error' in one && one.error.fault === 'closed' && canKeep() ? ('kept' as const) : one,
          )
    const taken = Promise.withResolvers<number>()
    let isTaken = false
    const keep = (requestId: string, isWaiting: boolean) => {
      if (original === null) return
      const waitsFor = isWaiting ? flow.id : null
      webhookAttempts.keepOriginal(requestId, original, { at: clock.now(), waitsFor })
    }

    async function record(requestId: string): Promise<void> {
      const isWaiting = (await outcome) === 'kept'
      const attempt = sending && (await sending.finished)
      if (!isWaiting) await nextRecording()
      await store.write(() => {
        if (flow.settings.data_retention_days === 0) return
        keep(requestId, isWaiting)
        if (attempt !== null)
          webhookAttempts.insert(requestId, { ...attempt, kind: 'forward', answered_caller: isTaken })
      })
      events.emit({ type: 'updated', noun: 'webhook_request', id: requestId, flow_id: flow.id })
      if (isWaiting) poll(flow.id)
    }

    return {
      respond: forward.respond,
      fixed: forward.fixed ?? { status: 200, headers: {}, body: '' },
      outcome,
      keep: (requestId) => keep(requestId, true),
      taken: taken.promise,
      take(status) {
        isTaken = true
        taken.resolve(status)
      },
      leave: () => void (sending && readAnswer(sending)),
      listedAs: (requestId) =>
        void record(requestId).catch((error: unknown) =>
          log.warn({ err: error, webhookRequestId: requestId }, "An attempt to forward couldn't be stored"),
        ),
    }
  }

  /** Sends waiting requests as soon as their program listens; checks once a second while requests of the flow wait. */
  function poll(flowId: string): void {
    if (polling.has(flowId)) return
    const stop = new AbortController()
    polling.set(flowId, stop)
    const look = async () => {
      while (!stop.signal.aborted && (await sendWaiting(flowId, stop.signal)))
        await sleep(POLL_MS, stop.signal)
    }
    look()
      .catch((error: unknown) => {
        if (!stop.signal.aborted)
          log.error({ err: error, flowId }, 'Requests that are waiting for a program stay in the queue')
      })
      .finally(() => polling.delete(flowId))
  }

  /** False if no request of the flow waits any more. */
  async function sendWaiting(flowId: string, signal: AbortSignal): Promise<boolean> {
    const waiting = webhookAttempts.waiting(flowId)
    if (webhookAttempts.isLocked()) return waiting.length > 0
    for (const { request_id: id, at } of waiting) {
      if (signal.aborted) break
      const isOver = clock.now() - Date.parse(at) > LIMITS.waitingRequestHours * 3_600_000
      const forward = isOver ? null : store.flows.forwardOf(flowId)
      if (!isOver && (!forward?.enabled || !(await programs.isOpen(new URL(forward.url))))) break
      if (!(await sendKept(id, flowId, forward))) break
    }
    return waiting.length > 0
  }

  /**
   * False if the program doesn't listen after all.
   *
   * @param forward null if the request has waited too long
   */
  async function sendKept(id: string, flowId: string, forward: Forward | null): Promise<boolean> {
    const original = webhookAttempts.originalOf(id)
    const sending =
      original && forward && sendToProgram(original, forward, LIMITS.syncWebhookMs, { programs, clock })
    if (sending && !(await readAnswer(sending))) return false
    const attempt = sending ? await sending.finished : givenUp(clock.now(), forward === null ? UNHEARD : LOST)
    await store.write(() => {
      webhookAttempts.endWaiting(id)
      webhookAttempts.insert(id, { ...attempt, kind: 'retry', answered_caller: false })
    })
    events.emit({ type: 'updated', noun: 'webhook_request', id, flow_id: flowId })
    return true
  }

  return {
    /** @throws AppError `not_found` */
    read(flowId: string): ForwardState {
      requireFlow(flowId)
      return stateOf(flowId)
    },
    /** @throws AppError `not_found`, `validation` */
    async save(flowId: string, forward: Forward | null): Promise<ForwardState> {
      if (forward !== null) requireSound(forward)
      await store.write(() => {
        requireFlow(flowId)
        store.flows.saveForward(flowId, forward)
        if (forward === null) webhookAttempts.endAllWaiting(flowId)
      })
      announce(flowId)
      return stateOf(flowId)
    },
    /** Whether a body that is too large for the flow is forwarded to its program unread. */
    takesLarge: ({ forward, compiled: { trigger } }: RunnableFlow, { method }: WebhookHead): boolean =>
      forward !== null &&
      forward.enabled &&
      forward.filter === null &&
      (forward.respond === 'program' || forward.respond === 'first') &&
      (forward.methods?.some((one) => one === method) ?? true) &&
      trigger?.config.signature === null &&
      !(trigger.config.run_if ?? '').trim(),
    /**
     * Begins to forward a request; null if its flow doesn't.
     *
     * @param start null if the body is too large to be read
     * @throws AppError `flow_error` if the filter fails
     */
    begin(
      flow: RunnableFlow,
      call: ForwardedCall,
      { body, start, withinMs }: { body: Buffer | Readable; start: RunStart | null; withinMs: number },
    ): Forwarding | null {
      const { forward } = flow
      if (forward === null || !forward.enabled) return null
      if (start !== null && !applies(forward, call, flow, start)) return null
      const { method, target, rawHeaders } = call.head
      return begin(forward, flow, { method, target, headers: rawHeaders, body }, withinMs)
    },
    /** Call it when Millrace starts. */
    start(): void {
      webhookAttempts.waitingFlows().forEach(poll)
    },
    stop(): void {
      for (const one of polling.values()) one.abort()
      stopping.abort()
    },
  }
}

const UNHEARD = say('Nobody listened for {{count}} hours', { count: LIMITS.waitingRequestHours })
const LOST = say("The stored request can no longer be read, so it wasn't sent")

function givenUp(now: number, error: Said): Omit<StoredAttempt, 'kind' | 'answered_caller'> {
  return { at: isoOf(now), url: '', status: null, duration_ms: 0, error, headers: [], body: null, size: 0 }
}

function originalOf({ body, ...head }: SentRequest): OriginalRequest | null {
  return Buffer.isBuffer(body) ? { ...head, body } : null
}
