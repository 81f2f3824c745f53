/** Resends webhook requests to a local program, and compares its responses with the first ones. */
import type { z } from 'zod'
import { AppError, fieldErrors } from '../../../../shared/contract/base/errors.ts'
import { LIMITS } from '../../../../shared/contract/base/limits.ts'
import {
  englishOf,
  Message,
  say,
  SAID,
  type Said,
  sentenceOf,
} from '../../../../shared/contract/base/message.ts'
import type { replayWebhookRequestsRoute, WebhookReplay } from '../../../../shared/contract/reach/forwards.ts'
import type { WebhookAnswer, WebhookRequest } from '../../../../shared/contract/webhooks.ts'
import type { Clock } from '../../../engine/ports.ts'
import type { Redactor } from '../../../engine/redaction/redactor.ts'
import { signatureOf } from '../../../engine/webhook/check-signature.ts'
import { decodeContent } from '../../../engine/webhook/content-encoding.ts'
import { headersByName, pairsOf, type RawHeaders } from '../../../engine/webhook/forwarded.ts'
import type { OriginalRequest, Store, StoredAttempt } from '../../../store/index.ts'
import type { KnownSecrets } from '../../keeping/secrets/known-secrets.ts'
import type { EventsService } from '../../kit/live-events.ts'
import type { ProgramSender } from '../../reaching/sending/to-program.ts'
import type { RunnableFlow, RunnableFlows } from '../execution/runnable-flows.ts'
import type { Deliveries } from './deliveries.ts'
import { type Destination, readAnswer, requireOtherProgram, sendToProgram } from './forwarding.ts'
import { shownAttempt, type WebhookDetailsService } from './request-details.ts'
import { signedRequest } from './webhook-call.ts'

type Wish = z.output<typeof replayWebhookRequestsRoute.body>

export interface ReplaysOptions {
  readonly store: Pick<Store, 'webhookAttempts' | 'webhookRequests' | 'write'>
  readonly details: Pick<WebhookDetailsService, 'answerOf' | 'asSent' | 'find'>
  readonly deliveries: Pick<Deliveries, 'secretOf'>
  readonly runnable: Pick<RunnableFlows, 'get'>
  readonly programs: ProgramSender
  readonly secrets: KnownSecrets
  /** The URL at which callers reach the webhooks, without the path; null if it isn't known. */
  readonly publicUrl: () => string | null
  readonly clock: Clock
  readonly events: Pick<EventsService, 'emit'>
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
}

export type ReplaysService = ReturnType<typeof createReplays>

const LONGEST_PAUSE_MS = 3_600_000
const EXCERPT = 60

export function createReplays(options: ReplaysOptions) {
  const { store, details, deliveries, runnable, programs, secrets, publicUrl, clock, events, sleep } = options
  const { webhookAttempts } = store

  /** Oldest first. */
  function chosen({ ids, since, until, flow_id: flowId }: Wish): readonly WebhookRequest[] {
    if (ids !== undefined)
      return [...new Set(ids)].map((id) => details.find(id)).toSorted((a, b) => (a.at < b.at ? -1 : 1))
    const filters = [
      { field: 'at', operator: 'ge', value: isoOfMoment(since ?? '') },
      ...(until === undefined ? [] : [{ field: 'at', operator: 'lt', value: isoOfMoment(until) } as const]),
      ...(flowId === undefined ? [] : [{ field: 'flow_id', operator: 'eq', value: flowId } as const]),
      { field: 'outcome', operator: 'in', value: ['run', 'held', 'rejected'] },
    ] as const
    const found: WebhookRequest[] = []
    for (let after: string | null = null; ;) {
      const page = store.webhookRequests.list({ filters, perPage: 200, ...(after === null ? {} : { after }) })
      found.push(...page.records.filter(wasLetIn))
      if (found.length > LIMITS.replayedRequests)
        throw fieldErrors({
          since: [
            say('is too early: more than {{count}} requests came after it', {
              count: LIMITS.replayedRequests,
            }),
          ],
        })
      if (page.next === null) return found.toReversed()
      after = page.next
    }
  }

  /** Whether its flow admitted the request. A forwarded request without a response is also listed as rejected. */
  function wasLetIn({ id, outcome }: WebhookRequest): boolean {
    return (
      outcome === 'run' || outcome === 'held' || outcome === 'filtered' || webhookAttempts.hasOriginal(id)
    )
  }

  async function signedAgain(
    original: OriginalRequest,
    request: WebhookRequest,
    flow: RunnableFlow | null,
  ): Promise<OriginalRequest | Message> {
    // Signing a request that failed the check would vouch for an unknown sender.
    if (!wasLetIn(request)) return say("The request isn't signed again, because it was rejected")
    const config = flow?.compiled.trigger?.config.signature
    if (!config)
      return say(
        "The request isn't signed again: the webhook step of its flow has no signature, so no secret is known",
      )
    const headers = headersByName(original.headers)
    const body = await decodeContent(original.body, headers['content-encoding'], LIMITS.forwardedBodyBytes)
    const { method, target, headers: rawHeaders } = original
    const head = { method, target, headers, rawHeaders, client: request.client }
    const signature = signatureOf(config, {
      request: signedRequest(head, body, publicUrl()),
      secret: deliveries.secretOf(config.secret),
      now: clock.now(),
    })
    if (signature === null)
      return say("The request isn't signed again: only the service has the key that signs it")
    return { ...original, headers: withHeaders(original.headers, signature) }
  }

  function destinationOf(to: Wish['to'], { id }: WebhookRequest, flow: RunnableFlow | null): Destination {
    const { url: usual, pass_query = true, keep_host = false } = flow?.forward ?? {}
    const known = webhookAttempts.latestOf([id]).get(id)?.url || usual
    return { url: typeof to === 'string' ? to : urlOn(to, known), pass_query, keep_host }
  }

  /** The request to send, or the reason why it isn't sent. */
  async function prepared(request: WebhookRequest, flow: RunnableFlow | null, sign: boolean) {
    const sent = details.asSent(request)
    if (sent === null) return say("The request can't be sent again, because not all of it was kept")
    if (!sign) return sent
    try {
      const signed = await signedAgain(sent.original, request, flow)
      return signed instanceof Message ? signed : { ...sent, original: signed }
    } catch (error) {
      if (error instanceof AppError) return sentenceOf(error)
      throw error
    }
  }

  async function replay(request: WebhookRequest, { to, sign }: Wish): Promise<WebhookReplay> {
    const { id, flow_id: flowId } = request
    const flow = flowId === null ? null : runnable.get(flowId)
    const sent = await prepared(request, flow, sign)
    if (!('original' in sent)) return unsent(id, sent)
    const destination = destinationOf(to, request, flow)
    const before = firstOf(request)
    const sending = sendToProgram(sent.original, destination, LIMITS.syncWebhookMs, { programs, clock })
    await readAnswer(sending)
    const attempt = { ...(await sending.finished), kind: 'replay', answered_caller: false } as const
    await store.write(() => webhookAttempts.insert(id, attempt))
    events.emit({ type: 'updated', noun: 'webhook_request', id, flow_id: flowId })
    const redactor = secrets.redactor()
    return {
      request_id: id,
      attempt: shownAttempt(attempt, redactor),
      reason: null,
      is_signed: sign,
      is_exact: sent.isExact,
      first: before && { from: before.from, status: before.status, duration_ms: before.duration_ms },
      ...compared(before, attempt, redactor),
    }
  }

  function firstOf(request: WebhookRequest): First | null {
    const attempt = webhookAttempts
      .ofRequest(request.id)
      .find(({ kind, status }) => kind !== 'replay' && status !== null)
    if (attempt) return { from: 'program', ...attempt, status: attempt.status ?? 0 }
    const answer = details.answerOf(request)
    return answer && { from: 'millrace', ...answer, duration_ms: request.duration_ms }
  }

  return {
    /**
     * Sends each request once the one before it has its response. Each response is in the history before it is yielded.
     *
     * @throws AppError `not_found`, `validation`
     */
    async *replay(wish: Wish, signal: AbortSignal): AsyncGenerator<WebhookReplay, void, void> {
      requireOtherProgram(
        programs,
        typeof wish.to === 'string' ? wish.to : `http://localhost:${wish.to}`,
        'to',
      )
      let earlier: { readonly at: number; readonly begun: number } | null = null
      for (const request of chosen(wish)) {
        const at = Date.parse(request.at)
        if (wish.keep_rhythm && earlier !== null) {
          const pause = Math.min(at - earlier.at, LONGEST_PAUSE_MS) - (clock.monotonic() - earlier.begun)
          if (pause > 0) await sleep(pause, signal)
        }
        if (signal.aborted) return
        earlier = { at, begun: clock.monotonic() }
        yield await replay(request, wish)
      }
    },
  }
}

type First =
  | ({ readonly from: 'program'; readonly status: number } & Pick<
      StoredAttempt,
      'duration_ms' | 'body' | 'size'
    >)
  | ({ readonly from: 'millrace'; readonly duration_ms: number } & WebhookAnswer)

function unsent(id: string, reason: Said): WebhookReplay {
  const rest = { is_signed: false, is_exact: false, first: null, body: 'unknown', difference: null } as const
  return {
    request_id: id,
    attempt: null,
    reason: englishOf(reason),
    ...rest,
    [SAID]: reason,
  } as WebhookReplay
}

/** Compares bytes. The part that is shown is redacted before it is cut. */
function compared(
  before: First | null,
  now: Pick<StoredAttempt, 'body' | 'size' | 'error'>,
  redactor: Redactor,
): Pick<WebhookReplay, 'body' | 'difference'> {
  if (before === null || before.body === null || now.body === null || now.error !== null)
    return { body: 'unknown', difference: null }
  const text = redactor.redactText(now.body.toString())
  const earlier = before.from === 'program' ? redactor.redactText(before.body.toString()) : before.body
  const isCut =
    now.size > now.body.length ||
    (before.from === 'program' ? before.size > before.body.length : before.truncated)
  const isSame =
    before.from === 'program' ? before.size === now.size && before.body.equals(now.body) : earlier === text
  if (isSame) return { body: isCut ? 'unknown' : 'same', difference: null }
  const at = commonLength(earlier, text)
  if (at === earlier.length && at === text.length) return { body: 'different', difference: null }
  if (isCut && (at === earlier.length || at === text.length) && before.from === 'millrace')
    return { body: 'unknown', difference: null }
  const [old, new_] = [earlier, text].map((one) => one.slice(at, at + EXCERPT))
  return { body: 'different', difference: { at, before: old ?? '', now: new_ ?? '' } }
}

function commonLength(a: string, b: string): number {
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  return at
}

/** The same path on this port. */
function urlOn(port: number, known: string | undefined): string {
  const url = new URL(known || 'http://localhost/')
  if (Number(url.port) === port) return url.href
  const { pathname, search } = url
  return `http://localhost:${port}${pathname}${search}`
}

/** Replaces headers where they are, and drops further headers with the same names. */
function withHeaders(headers: RawHeaders, given: Readonly<Record<string, string>>): string[] {
  const left = new Map(Object.entries(given).map(([name, value]) => [name.toLowerCase(), [name, value]]))
  const replaced = new Set(left.keys())
  const lines = pairsOf(headers).flatMap(([name, value]) => {
    const lower = name.toLowerCase()
    if (!replaced.has(lower)) return [name, value]
    const [, own = ''] = left.get(lower) ?? []
    return left.delete(lower) ? [name, own] : []
  })
  return [...lines, ...[...left.values()].flat()]
}

const isoOfMoment = (moment: string) => new Date(moment).toISOString()
