import { SpokenError } from '../../../shared/contract/base/errors.ts'
import { type Message, say, type Said, sentenceOf } from '../../../shared/contract/base/message.ts'
import type {
  Clock,
  Exchange,
  OutgoingRequest,
  OutgoingResponse,
  Random,
  SendOptions,
  SendRequest,
  Sleep,
} from '../ports.ts'
import type { RateBudget, Ticket } from './rate-budget.ts'
import { type RateLimit, readRateLimit } from './rate-limit.ts'
import { headerValue } from './headers.ts'
import { cancelled, placeOf, RequestError } from './request-error.ts'
import { breaksOff, prepareLargeJson } from './response-json.ts'
import {
  backoff,
  DEFAULT_RETRY_POLICY,
  type Effect,
  type Failure,
  isRateLimited,
  reasonToRepeat,
  longestBackoff,
  type Repeat,
  type RetryPolicy,
  waitAskedFor,
  waitInBody,
} from './retry-policy.ts'

export interface RetryOptions {
  readonly sendRequest: SendRequest
  readonly clock: Clock
  readonly random: Random
  readonly sleep: Sleep
  readonly signal?: AbortSignal | undefined
  readonly policy?: Partial<RetryPolicy>
  /** Defaults to `read` for GET, HEAD and OPTIONS, and to `write` for other methods. */
  readonly effect?: Effect | undefined
  /** Shared by the calls with the same credentials. */
  readonly budget?: RateBudget | undefined
  /** Continues the count of attempts before a `ParkedWait`. Default 1. */
  readonly firstAttempt?: number
  /** Why to repeat a request although the status of its response isn't an error; null if it isn't repeated. */
  readonly repeatWhen?: (response: OutgoingResponse, rate: RateLimit) => Repeat | null
  /** The format to parse a successful response as. Defaults to that of its Content-Type. */
  readonly formatOf?: ((response: OutgoingResponse) => string) | undefined
  /** Statuses besides 2xx that the caller accepts and that are therefore not retried. */
  readonly accepts?: ((status: number) => boolean) | undefined
  readonly send?: Pick<SendOptions, 'trustedOrigins' | 'maxRedirects' | 'timeoutMs' | 'toOwnApi'>
  readonly onExchange?: ((exchange: Exchange) => void) | undefined
}

export type AttemptEvent =
  | { readonly type: 'request'; readonly attempt: number }
  /** A response that isn't final, because a `retry` follows. */
  | { readonly type: 'refused'; readonly attempt: number; readonly response: OutgoingResponse }
  /** `attempt` is the attempt that follows the wait. */
  | { readonly type: 'retry'; readonly attempt: number; readonly reason: Said; readonly waitMs: number }

export interface SendOutcome {
  readonly response: OutgoingResponse
  readonly attempts: number
  /** Why the response isn't a success; null for 2xx. The caller decides whether to throw it. */
  readonly refusal: RequestError | null
}

/** Thrown for a wait that is too long to happen in place; the caller makes the call again at `resumeAt`. */
export class ParkedWait extends SpokenError {
  override readonly name = 'ParkedWait'
  /** Milliseconds since the Unix epoch. */
  readonly resumeAt: number
  /** Passed as `firstAttempt` when the call is made again. */
  readonly nextAttempt: number
  readonly reason: Said

  constructor(resumeAt: number, nextAttempt: number, reason: Said) {
    super(say('{{reason}}; continues at {{moment}}', { reason, moment: new Date(resumeAt).toISOString() }))
    this.resumeAt = resumeAt
    this.nextAttempt = nextAttempt
    this.reason = reason
  }
}

/**
 * Sends a request under the common policy for outgoing calls: waits if the rate limit requires it, and retries calls
 * that may succeed the next time.
 *
 * @throws RequestError if there was no response, `rate_limited` if the wait exceeds the limit
 * @throws ParkedWait
 */
export async function sendWithRetry(request: OutgoingRequest, options: RetryOptions): Promise<SendOutcome> {
  const attempts = sendAttempts(request, options)
  for (;;) {
    const step = await attempts.next()
    if (step.done) return step.value
  }
}

/** `sendWithRetry` for callers that show progress. It yields before each attempt and each wait. */
export async function* sendAttempts(
  request: OutgoingRequest,
  options: RetryOptions,
): AsyncGenerator<AttemptEvent, SendOutcome> {
  const policy = policyOf(options.policy)
  let patienceMs = policy.rateLimitPatienceMs ?? 0
  const effect = options.effect ?? (READING.has(request.method.toUpperCase()) ? 'read' : 'write')
  for (let attempt = options.firstAttempt ?? 1; ; attempt++) {
    const ticket = yield* admission(request, attempt, policy, options)
    let result
    try {
      yield { type: 'request', attempt }
      result = await tryOnce(request, { attempt, effect }, ticket, options)
    } finally {
      ticket?.settle(null, null) // in case the consumer left before the request was sent
    }
    if ('refusal' in result) return { ...result, attempts: attempt }

    const reason = reasonToRepeat(result, effect)
    const askedMs = askedWait(result)
    const isPatient = patienceMs > 0 && asksForPatience(result, askedMs)
    if (reason === null || (attempt >= policy.maxAttempts && !isPatient))
      return giveUp(request, result, attempt)
    if ('response' in result) yield { type: 'refused', attempt, response: result.response }
    const waitMs = askedMs ?? backoff(attempt, policy.backoffBaseMs, options.random)
    // On average a backoff takes half of the longest wait; counting at least that keeps short random waits from
    // retrying forever.
    patienceMs -= Math.max(waitMs, longestBackoff(attempt, policy.backoffBaseMs) / 2, 1)
    if (policy.parkAboveMs === null && waitMs > policy.maxWaitMs)
      return giveUp(request, result, attempt, waitMs, options.clock)
    yield* wait({ attempt: attempt + 1, waitMs, reason }, policy, options)
  }
}

/** A number of attempts that the user chose applies to rate limits too. */
function policyOf(chosen: Partial<RetryPolicy> | undefined): RetryPolicy {
  const policy = { ...DEFAULT_RETRY_POLICY, ...chosen }
  const isChosen = chosen?.maxAttempts !== undefined && chosen.rateLimitPatienceMs === undefined
  return isChosen ? { ...policy, rateLimitPatienceMs: null } : policy
}

/** A rate limit without a time and a response that isn't ready are retried for a while. */
function asksForPatience(failure: Failure, askedMs: number | null): boolean {
  if ('error' in failure) return false
  const { response, rate, repeat } = failure
  if (repeat !== null) return repeat.isPatient
  return askedMs === null && isRateLimited(response.status, rate)
}

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Waits until the budget lets the call through. */
async function* admission(
  request: OutgoingRequest,
  attempt: number,
  policy: RetryPolicy,
  options: RetryOptions,
): AsyncGenerator<AttemptEvent, Ticket | null> {
  for (;;) {
    throwIfCancelled(options.signal)
    const admission = options.budget?.enter()
    if (!admission) return null
    if (admission.kind === 'go') return admission.ticket
    if (admission.kind === 'busy') {
      await unlessAborted(() => answeredOrLater(admission, options), options.signal)
      continue
    }
    const { waitMs } = admission
    const reason = say('The rate limit is used up')
    if (policy.parkAboveMs === null && waitMs > policy.maxWaitMs) {
      const message = say('The rate limit is used up for {{place}}; {{next}}', {
        place: placeOf(request.url),
        next: nextTry(waitMs, options.clock),
      })
      throw new RequestError('rate_limited', message, { delivered: false })
    }
    yield* wait({ attempt, waitMs, reason }, policy, options)
  }
}

async function answeredOrLater(
  { answered, atMostMs }: { readonly answered: Promise<void>; readonly atMostMs: number | null },
  { sleep, signal }: RetryOptions,
): Promise<void> {
  if (atMostMs === null) return answered
  const stop = new AbortController()
  const all = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal
  const timer = sleep(atMostMs, all)
  try {
    await Promise.race([answered, timer])
  } finally {
    timer.catch(() => undefined)
    stop.abort()
  }
}

async function tryOnce(
  request: OutgoingRequest,
  { attempt, effect }: { readonly attempt: number; readonly effect: Effect },
  ticket: Ticket | null,
  { sendRequest, clock, signal, repeatWhen, formatOf, accepts, send, onExchange }: RetryOptions,
): Promise<Failure | Pick<SendOutcome, 'response' | 'refusal'>> {
  let rate: RateLimit | null = null
  let pauseMs: number | null = null
  let isRefused = false
  try {
    const response = await sendRequest(request, { ...send, signal, attempt, onExchange })
    await prepareLargeJson(response)
    rate = readRateLimit(response.headers, clock.now())
    const isCut = isGood(response.status) && effect === 'read' && breaksOff(response, formatOf?.(response))
    const repeat = repeatWhen?.(response, rate) ?? (isCut ? BROKEN_JSON : null)
    if (repeat === null && (isGood(response.status) || accepts?.(response.status) === true))
      return { response, refusal: null }
    if (isRateLimited(response.status, rate)) pauseMs = waitAskedFor(response.status, rate)
    isRefused =
      response.status === 429 && pauseMs === null && rate.remaining === null && waitInBody(response) === null
    return { response, rate, repeat }
  } catch (error) {
    if (error instanceof RequestError) return { error }
    throw error
  } finally {
    ticket?.settle(rate, pauseMs, isRefused)
  }
}

/** Reading the body reports what is wrong. */
const BROKEN_JSON: Repeat = {
  reason: say('The JSON of the response is cut off'),
  refusal: null,
  isPatient: false,
}

function isGood(status: number): boolean {
  return status >= 200 && status < 300
}

function askedWait(failure: Failure): number | null {
  if (!('response' in failure)) return null
  const { response, rate, repeat } = failure
  const isLimited =
    isRateLimited(response.status, rate) || response.status === 503 || repeat?.isPatient === true
  return waitAskedFor(response.status, rate) ?? (isLimited ? waitInBody(response) : null)
}

async function* wait(
  event: Omit<Extract<AttemptEvent, { type: 'retry' }>, 'type'>,
  { parkAboveMs }: RetryPolicy,
  { sleep, clock, signal }: RetryOptions,
): AsyncGenerator<AttemptEvent, void> {
  if (parkAboveMs !== null && event.waitMs > parkAboveMs) {
    throw new ParkedWait(clock.now() + event.waitMs, event.attempt, event.reason)
  }
  yield { type: 'retry', ...event }
  await unlessAborted(() => sleep(event.waitMs, signal), signal)
}

/** @param waitMs set if the reason is the length of the wait rather than the number of attempts */
function giveUp(
  request: OutgoingRequest,
  failure: Failure,
  attempts: number,
  waitMs?: number,
  clock?: Clock,
): SendOutcome {
  const tried = (first: Said) =>
    attempts > 1 ? say('{{first}}, tried {{attempts}} times', { first, attempts }) : first
  if ('error' in failure) {
    const { code, transient, delivered, cause } = failure.error
    throw new RequestError(code, tried(sentenceOf(failure.error)), {
      transient,
      delivered,
      cause: cause ?? failure.error,
    })
  }
  const { response, rate } = failure
  const { status } = response
  const limited = isRateLimited(status, rate)
  const place = `${request.method} ${placeOf(response.url)}`
  const repeat = failure.repeat
  if (repeat !== null && repeat.refusal === null) return { response, attempts, refusal: null }
  const what = repeat?.refusal
    ? say('{{place}}: {{why}}', { place, why: repeat.refusal })
    : say('{{place}} returned status {{status}}', { place, status })
  const excerpt = excerptOf(response)
  const message =
    excerpt === '' ? tried(what) : say('{{first}}: {{excerpt}}', { first: tried(what), excerpt })
  const hint =
    waitMs !== undefined && clock
      ? nextTry(waitMs, clock)
      : limited
        ? say('the API limits how often it can be called')
        : null
  return {
    response,
    attempts,
    refusal: new RequestError(
      limited ? 'rate_limited' : 'http_error',
      hint === null ? message : say('{{first}}; {{second}}', { first: message, second: hint }),
      { status },
    ),
  }
}

/** The API's own error message, as the end of a sentence; empty for pages meant for a browser. */
function excerptOf({ headers, body }: OutgoingResponse): string {
  const type = headerValue(headers, 'content-type') ?? ''
  if (!/^(?:text\/plain|application\/(?:[\w.+-]+\+)?json)\b/i.test(type)) return ''
  const start = Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, 4 * EXCERPT_LENGTH))
  const text = start.toString('utf8').replaceAll(/\s+/g, ' ').trim()
  if (text === '') return ''
  return text.length > EXCERPT_LENGTH ? `${text.slice(0, EXCERPT_LENGTH).toWellFormed()}…` : text
}

const EXCERPT_LENGTH = 200

function nextTry(waitMs: number, clock: Clock): Message {
  const moment = new Date(Math.min(clock.now() + waitMs, 8.64e15)).toISOString()
  return say('it asks you to wait {{seconds}} s. Try again after {{moment}}', {
    seconds: Math.ceil(waitMs / 1000),
    moment,
  })
}

function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw cancelled(signal)
}

/** The wait ends as soon as the signal aborts, even if the work ignores the signal. */
async function unlessAborted(work: () => Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  throwIfCancelled(signal)
  if (!signal) return work()
  const aborted = Promise.withResolvers<void>()
  const onAbort = () => aborted.resolve()
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    await Promise.race([work(), aborted.promise])
  } catch (error) {
    throwIfCancelled(signal)
    throw error
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
  throwIfCancelled(signal)
}
