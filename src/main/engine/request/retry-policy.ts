import { quoted, type Said, sentenceOf } from '../../../shared/contract/base/message.ts'
import { type Data, entriesOf, Float, getKey, isDictionary } from '@millrace/jinja/data'
import type { OutgoingResponse, Random } from '../ports.ts'
import type { RateLimit } from './rate-limit.ts'
import type { RequestError } from './request-error.ts'
import { isJsonType, readJsonBody } from './response-json.ts'

export interface RetryPolicy {
  /** Attempts in total. */
  readonly maxAttempts: number
  readonly backoffBaseMs: number
  /** If a wait is longer, the call fails, and the error says when to try again. */
  readonly maxWaitMs: number
  /** If a wait is longer, a `ParkedWait` is thrown so that the worker is free in the meantime. Null means never. */
  readonly parkAboveMs: number | null
  /**
   * The period for which a call is retried if its rate limit names no time, regardless of the number of attempts.
   * Null means that `maxAttempts` applies to it too.
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

/** A call that only reads can be repeated whatever happened, but one that writes might take effect twice. */
export type Effect = 'read' | 'write'

/** Why a failed call can be retried, in words for the user; null if it can't. */
export function reasonToRepeat(failure: Failure, effect: Effect): Said | null {
  if ('error' in failure) {
    const { transient, delivered } = failure.error
    return transient && (effect === 'read' || !delivered) ? sentenceOf(failure.error) : null
  }
  const { response, rate, repeat } = failure
  const reason = quoted(`HTTP ${response.status}`)
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
      /** Why the caller wants a retry; null if only the status calls for it. */
      readonly repeat: Repeat | null
    }

/** Why a request is repeated although the status of its response isn't an error. */
export interface Repeat {
  /** Shown to the user. */
  readonly reason: Said
  /** The error's message after the last attempt; null if reading the response reports what is wrong. */
  readonly refusal: Said | null
  /**
   * Whether the response reports too many calls, or that the data isn't ready, so that the call is retried for
   * `rateLimitPatienceMs`.
   */
  readonly isPatient: boolean
}

/**
 * Whether a response reports too many calls: 429, anything with `Retry-After`, and 403 with nothing remaining and a
 * reset (GitHub's primary limit). A reset by itself means nothing, because many APIs send it with every response.
 */
export function isRateLimited(status: number, rate: RateLimit): boolean {
  return (
    status === 429 || rate.asksToRetry || (status === 403 && rate.remaining === 0 && rate.resetMs !== null)
  )
}

/** The milliseconds that the server asks to wait; null if it names no time. */
export function waitAskedFor(status: number, rate: RateLimit): number | null {
  if (rate.retryAfterMs !== null) return rate.retryAfterMs
  return status === 429 || status === 503 || rate.remaining === 0 ? rate.resetMs : null
}

/**
 * Seconds from `retry_after` (Telegram, Discord) or `backoff` in the body of a rejected call; null if there is neither.
 */
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

/** The longest wait that the backoff before this attempt can choose. */
export function longestBackoff(attempt: number, baseMs: number): number {
  return Math.min(MAX_BACKOFF_MS, baseMs * 2 ** Math.min(attempt - 1, 30))
}

/** Exponential backoff with full jitter, so that callers that failed together don't retry together. */
export function backoff(attempt: number, baseMs: number, random: Random): number {
  return random() * longestBackoff(attempt, baseMs)
}

const MAX_BACKOFF_MS = 60_000
