/**
 * Holds requests: a flow's next request, or every matching one, waits before the flow runs until a user decides what to
 * do with it.
 */
import { isUtf8 } from 'node:buffer'
import type { z } from 'zod'
import { say } from '../../../../shared/contract/base/message.ts'
import { mustBe } from '../../../../shared/contract/base/validate.ts'
import { AppError, fieldErrors } from '../../../../shared/contract/base/errors.ts'
import { LIMITS } from '../../../../shared/contract/base/limits.ts'
import type {
  answerHeldRequestRoute,
  HeldRequest,
  releaseHeldRequestRoute,
  setWebhookHoldRoute,
  WebhookHold,
  WebhookHolds,
} from '../../../../shared/contract/reach/webhook-holds.ts'
import { isoOf } from '../../../../shared/iso-time.ts'
import { jinja } from '@millrace/jinja/environment'
import { sentHeaders } from '../../../engine/webhook/response-headers.ts'
import type { Clock } from '../../../engine/ports.ts'
import { hideParameters } from '../../../engine/redaction/redactor.ts'
import type { EventsService } from '../../kit/live-events.ts'
import { flowNotFound } from '../../kit/not-found.ts'
import type { SecureRandom } from '../../kit/ports.ts'
import { requireTemplates } from '../../keeping/saving/require-templates.ts'
import type { EnvValues } from '../execution/run-executor.ts'
import type { RunStart } from '../execution/resume-log.ts'
import type { RunnableFlow, RunnableFlows } from '../execution/runnable-flows.ts'
import type { WebhookReply } from './await-answer.ts'
import { shownHeaders, type WebhookCall, type WebhookHead } from './webhook-call.ts'

type Edits = z.output<typeof releaseHeldRequestRoute.body>
type Answer = z.output<typeof answerHeldRequestRoute.body>
type Hold = z.output<typeof setWebhookHoldRoute.body>

export interface HoldsOptions {
  readonly runnable: Pick<RunnableFlows, 'get'>
  readonly env: EnvValues
  readonly clock: Clock
  readonly random: Pick<SecureRandom, 'uuid'>
  readonly events: Pick<EventsService, 'emit'>
  /** Time that a webhook's caller waits. A hold ends after five sixths of this time. */
  readonly answerWithinMs?: number | undefined
}

export type HoldsService = ReturnType<typeof createHolds>

/** A request that could be held, with its body decoded. */
export interface HoldableRequest<R> {
  readonly call: WebhookCall
  readonly flow: RunnableFlow
  readonly start: RunStart
  /** Size of the request as sent. */
  readonly size: number
  readonly body: Buffer
  /** Reads an edited request; throws if it is invalid. */
  readonly read: (head: WebhookHead, body: Buffer) => Promise<R>
}

/** `goes` means released; `read` is then the edited request, or null if it wasn't edited. */
export type Held<R> =
  | { readonly kind: 'goes'; readonly read: R | null }
  | { readonly kind: 'answered'; readonly reply: WebhookReply }
  | { readonly kind: 'dropped' }

interface WaitingRequest {
  readonly shown: HeldRequest
  readonly release: (edits: Edits) => Promise<void>
  readonly answer: (answer: Answer) => void
  readonly drop: () => void
  readonly letGo: () => void
}

/** Holds only exist in memory, so that after a restart, no request is held for a user who left long ago. */
export function createHolds(options: HoldsOptions) {
  const { runnable, env, clock, random, events } = options
  const holdMs = Math.min(LIMITS.heldRequestMs, ((options.answerWithinMs ?? LIMITS.syncWebhookMs) * 5) / 6)
  const set = new Map<string, WebhookHold>()
  const held = new Map<string, WaitingRequest>()

  const announce = (type: 'created' | 'updated' | 'deleted', id: string | null, flowId: string) =>
    events.emit({ type, noun: 'webhook_hold', id, flow_id: flowId })

  function find(id: string): WaitingRequest {
    const request = held.get(id)
    if (request !== undefined) return request
    throw new AppError(
      'not_found',
      say('No request {{id}} is being held; it was decided, or released after {{seconds}} s', {
        id: id.slice(0, 60),
        seconds: LIMITS.heldRequestMs / 1000,
      }),
    )
  }

  function isMeant({ filter }: WebhookHold, { flow, start }: HoldableRequest<unknown>): boolean {
    if (filter === '') return true
    const ref = flow.compiled.trigger?.ref ?? ''
    const context = {
      ...env(),
      ...(start.webhook !== null && { webhook: start.webhook }),
      [ref]: start.input,
    }
    try {
      return jinja.evaluateCondition(filter, context)
    } catch {
      return false
    }
  }

  /** Resolves once somebody has decided about the request, or once it has been released. */
  function wait<R>(request: HoldableRequest<R>): Promise<Held<R>> {
    const { call, flow, size, body, read } = request
    const { promise, resolve } = Promise.withResolvers<Held<R>>()
    const id = random.uuid()
    const leftMs = Math.max(0, holdMs - (clock.monotonic() - call.receivedAt))
    const shown: HeldRequest = {
      id,
      flow_id: flow.id,
      at: call.at,
      releases_at: isoOf(clock.now() + leftMs),
      method: call.head.method,
      path: hideParameters(call.redactor.redactText(call.head.target)),
      headers: shownHeaders(call.head, call.redactor),
      ...shownBody(body, call),
      size,
      client: call.head.client,
    }
    const end = (how: NonNullable<WebhookCall['hold']>, result: Held<R>) => {
      if (!held.delete(id)) return
      clearTimeout(timer)
      call.hold = how
      announce('deleted', id, flow.id)
      resolve(result)
    }
    const goes = (how: 'released' | 'timed_out') =>
      end({ end: how, kept: null }, { kind: 'goes', read: null })
    const timer = setTimeout(goes, leftMs, 'timed_out')
    held.set(id, {
      shown,
      async release(edits) {
        const edited = edit(request, shown, edits)
        if (edited === null) return goes('released')
        const kept = JSON.stringify({ original: originalOf(call.head, body) })
        const result = await read(edited.head, edited.body)
        find(id)
        call.head = edited.head
        end({ end: 'edited', kept }, { kind: 'goes', read: result })
      },
      answer({ status, headers, body: text }) {
        const reply = { status, headers: sentHeaders(headers), body: text }
        end({ end: 'answered', kept: JSON.stringify({ answer: reply }) }, { kind: 'answered', reply })
      },
      drop: () => end({ end: 'dropped', kept: null }, { kind: 'dropped' }),
      letGo: () => goes('released'),
    })
    announce('created', id, flow.id)
    return promise
  }

  return {
    /** Whether any hold is set. Without one, this check is all that a request costs. */
    get isSet(): boolean {
      return set.size > 0
    },
    /** Null if the request isn't held. */
    async take<R>(request: HoldableRequest<R>): Promise<Held<R> | null> {
      const { flow, call } = request
      const hold = set.get(flow.id)
      if (hold === undefined || !isMeant(hold, request)) return null
      if (held.size >= LIMITS.heldRequests) {
        call.hold = { end: 'passed', kept: null }
        return null
      }
      if (hold.what === 'next') {
        set.delete(flow.id)
        announce('updated', null, flow.id)
      }
      return await wait(request)
    },
    /** @throws AppError `not_found`, `conflict`, `validation` */
    set(flowId: string, { what, filter }: Hold): WebhookHold {
      const flow = runnable.get(flowId)
      if (flow === null) throw flowNotFound(flowId)
      if (flow.compiled.trigger === null)
        throw new AppError('conflict', say('The flow "{{name}}" has no webhook', { name: flow.name }))
      requireTemplates({ filter })
      const hold = { flow_id: flowId, what, filter, set_at: isoOf(clock.now()) }
      set.set(flowId, hold)
      announce('updated', null, flowId)
      return hold
    },
    remove(flowId: string): void {
      if (runnable.get(flowId) === null) throw flowNotFound(flowId)
      if (set.delete(flowId)) announce('updated', null, flowId)
    },
    list: (): WebhookHolds => ({
      set: [...set.values()],
      held: [...held.values()].map(({ shown }) => shown),
    }),
    /** @throws AppError `not_found`, or if the edited request is invalid */
    release: (id: string, edits: Edits) => find(id).release(edits),
    answer: (id: string, answer: Answer) => find(id).answer(answer),
    drop: (id: string) => find(id).drop(),
    /** Releases all held requests. */
    stop(): void {
      set.clear()
      for (const { letGo } of held.values()) letGo()
    },
  }
}

function shownBody(body: Buffer, { redactor }: WebhookCall): Pick<HeldRequest, 'encoding' | 'body'> {
  if (isUtf8(body)) return { encoding: 'text', body: hideParameters(redactor.redactText(body.toString())) }
  const text = redactor.redactText(body.toString('latin1'))
  return { encoding: 'base64', body: Buffer.from(text, 'latin1').toString('base64') }
}

/** Null if nothing was changed. */
function edit(
  { call: { head }, flow, body }: HoldableRequest<unknown>,
  shown: HeldRequest,
  edits: Edits,
): { readonly head: WebhookHead; readonly body: Buffer } | null {
  const { method = shown.method, query = queryIn(shown.path), headers = shown.headers } = edits
  const isBodyKept =
    edits.body === undefined || (edits.body === shown.body && edits.encoding === shown.encoding)
  const isSame =
    method === shown.method &&
    query === queryIn(shown.path) &&
    isBodyKept &&
    JSON.stringify(Object.entries(headers)) === JSON.stringify(Object.entries(shown.headers))
  if (isSame) return null
  const methods: readonly string[] = flow.compiled.trigger?.config.methods ?? []
  if (!methods.includes(method)) throw fieldErrors({ method: [mustBe(methods, method)] })
  const content = isBodyKept
    ? body
    : Buffer.from(edits.body ?? '', edits.encoding === 'text' ? 'utf8' : 'base64')
  if (!isBodyKept) requireVisible('body', edits.body ?? '', shown.body)
  const [path = ''] = head.target.split('?')
  const isQueryKept = query === queryIn(shown.path)
  if (!isQueryKept) requireVisible('query', query, queryIn(shown.path))
  return {
    head: {
      ...head,
      method,
      target: isQueryKept ? head.target : `${path}${query}`,
      headers: {
        ...restoredHeaders(headers, shown.headers, head.headers),
        'content-length': String(content.length),
      },
    },
    body: content,
  }
}

/** Headers with lower-case names, without those for transfer, because the body is now decoded and in one piece. */
function restoredHeaders(
  edited: Readonly<Record<string, string>>,
  shown: HeldRequest['headers'],
  kept: WebhookHead['headers'],
): WebhookHead['headers'] {
  return Object.fromEntries(
    Object.entries(edited)
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .filter(([name]) => !OF_TRANSFER.has(name))
      .map(([name, value]) => [name, value === shown[name] ? kept[name] : value]),
  )
}

const OF_TRANSFER = new Set(['content-encoding', 'transfer-encoding', 'content-length'])

function requireVisible(field: string, edited: string, shown: string): void {
  if (!shown.includes(HIDDEN) || !edited.includes(HIDDEN)) return
  throw fieldErrors({
    [field]: [say('still contains a hidden secret (***); enter its value, or leave the field unchanged')],
  })
}

const HIDDEN = '***'

function queryIn(path: string): string {
  const at = path.indexOf('?')
  return at === -1 ? '' : path.slice(at)
}

function originalOf({ method, target, headers }: WebhookHead, body: Buffer) {
  const kept = body.subarray(0, MOST_KEPT_BYTES)
  return { method, target, headers, body: kept.toString('base64'), size: body.length }
}

const MOST_KEPT_BYTES = 1_048_576

/** The stored record of a held request, as `createHolds` wrote it. */
export interface KeptHold {
  readonly original?: {
    readonly method: string
    readonly target: string
    readonly headers: WebhookHead['headers']
    /** Base64. */
    readonly body: string
    /** The size of the whole body. */
    readonly size: number
  }
  readonly answer?: WebhookReply
}

export const readKeptHold = (text: string | null): KeptHold =>
  text === null ? {} : (JSON.parse(text) as KeptHold)
