import { type Data, entriesOf, Float, getKey, isDictionary } from '../data/value.ts'
import type { OutgoingResponse, Random } from '../ports.ts'
import type { RateLimit } from './rate-limit.ts'
import type { RequestError } from './request-error.ts'
import { isJsonType, readJsonBody } from './response-json.ts'

export interface RetryPolicy {
  /** Tries in all. */
  readonly maxAttempts: number
  readonly backoffBaseMs: number
  /** A longer wait is not slept through: the call fails and says when it may go on. */
  readonly maxWaitMs: number
  /** A longer wait is handed to the caller (`ParkedWait`), which frees its worker meanwhile; null: never. */
  readonly parkAboveMs: number | null
  /**
   * How long a call is tried again whose rate limit names no time, however many tries that takes; null: `maxAttempts`
   * holds for it too.
   */
  readonly rateLimitPatienceMs: number | null
}

export const DEFAULT_RETRY_POLICY: RetryPolicy = {
  maxAttempts: 5,
  backoffBaseMs: 1_000,
  maxWaitMs: 600_000,
  parkAboveMs: null,
  rateLimitPatienceMs: 120_000,
}

/** A call that only reads may be repeated whatever happened to it; one that writes might then act twice. */
export type Effect = 'read' | 'write'

/** Why a failed call may be tried again, in words for the person who watches; null where it may not. */
export function reasonToRepeat(failure: Failure, effect: Effect): string | null {
  if ('error' in failure) {
    const { transient, delivered, message } = failure.error
    return transient && (effect === 'read' || !delivered) ? message : null
  }
  const { response, rate, repeat } = failure
  const reason = `HTTP ${response.status}`
  if (repeat !== null) return repeat.reason
  if (isRateLimited(response.status, rate) || response.status === 503) return reason
  if (effect === 'write') return null
  return response.status === 408 || response.status >= 500 ? reason : null
}

export type Failure =
  | { readonly error: RequestError }
  | {
      readonly response: OutgoingResponse
      readonly rate: RateLimit
      /** Why the caller wants it again; null if only its status says so. */
      readonly repeat: Repeat | null
    }

/** Why a response is asked for again that its status doesn't call a failure. */
export interface Repeat {
  /** For the person who watches. */
  readonly reason: string
  /** After the last try: refused with this sentence; null if reading the response says what is wrong. */
  readonly refusal: string | null
  /** It says that there were too many calls, or that it isn't ready: it is tried for `rateLimitPatienceMs`. */
  readonly isPatient: boolean
}

/**
 * Whether an answer says that there were too many calls: 429, anything with `Retry-After`, and 403
 * with nothing remaining and a reset (GitHub's primary limit). A reset alone says nothing: many APIs
 * send it with every answer.
 */
export function isRateLimited(status: number, rate: RateLimit): boolean {
  return (
    status === 429 || rate.asksToRetry || (status === 403 && rate.remaining === 0 && rate.resetMs !== null)
  )
}

/** Milliseconds that the server asks to wait, null where it does not say. */
export function waitAskedFor(status: number, rate: RateLimit): number | null {
  if (rate.retryAfterMs !== null) return rate.retryAfterMs
  return status === 429 || status === 503 || rate.remaining === 0 ? rate.resetMs : null
}

/** Seconds that the body of a refused call names as `retry_after` (Telegram, Discord) or `backoff`; null if none. */
export function waitInBody(response: OutgoingResponse): number | null {
  if (!isJsonType(response)) return null
  let body: Data
  try {
    body = readJsonBody(response)
  } catch {
    return null
  }
  if (!isDictionary(body)) return null
  const inside = entriesOf(body).flatMap(([, value]) => (isDictionary(value) ? [value] : []))
  for (const dictionary of [body, ...inside]) {
    for (const name of ['retry_after', 'backoff']) {
      const value = getKey(dictionary, name)
      const seconds = value instanceof Float ? value.value : Number(value ?? NaN)
      if (value !== null && value !== '' && Number.isFinite(seconds) && seconds >= 0) return seconds * 1000
    }
  }
  return null
}

/** The longest wait that a backoff of this try may choose. */
export function longestBackoff(attempt: number, baseMs: number): number {
  return Math.min(MAX_BACKOFF_MS, baseMs * 2 ** Math.min(attempt - 1, 30))
}

/** Exponential with full jitter: callers that failed together do not come back together. */
export function backoff(attempt: number, baseMs: number, random: Random): number {
  return random() * longestBackoff(attempt, baseMs)
}

const MAX_BACKOFF_MS = 60_000
