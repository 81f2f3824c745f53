import type { OutgoingResponse, Random } from '../ports.ts'
import type { RateLimit } from './rate-limit.ts'
import type { RequestError } from './request-error.ts'

export interface RetryPolicy {
  /** Tries in all. */
  readonly maxAttempts: number
  readonly backoffBaseMs: number
  /** A longer wait is not slept through: the call fails and says when it may go on. */
  readonly maxWaitMs: number
  /** A longer wait is handed to the caller (`ParkedWait`), which frees its worker meanwhile; null: never. */
  readonly parkAboveMs: number | null
}

export const DEFAULT_RETRY_POLICY: RetryPolicy = {
  maxAttempts: 5,
  backoffBaseMs: 1_000,
  maxWaitMs: 600_000,
  parkAboveMs: null,
}

/** A call that only reads may be repeated whatever happened to it; one that writes might then act twice. */
export type Effect = 'read' | 'write'

/** Why a failed call may be tried again, in words for the person who watches; null where it may not. */
export function reasonToRepeat(failure: Failure, effect: Effect): string | null {
  if ('error' in failure) {
    const { transient, delivered, message } = failure.error
    return transient && (effect === 'read' || !delivered) ? message : null
  }
  const { response, rate, retryWhen } = failure
  const reason = `HTTP ${response.status}`
  if (retryWhen) return 'retry_when holds'
  if (isRateLimited(response.status, rate) || response.status === 503) return reason
  if (effect === 'write') return null
  return response.status === 408 || response.status >= 500 ? reason : null
}

export type Failure =
  | { readonly error: RequestError }
  | {
      readonly response: OutgoingResponse
      readonly rate: RateLimit
      /** The answer itself is fine, but the configuration calls it a failure. */
      readonly retryWhen: boolean
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

/** Exponential with full jitter: callers that failed together do not come back together. */
export function backoff(attempt: number, baseMs: number, random: Random): number {
  return random() * Math.min(MAX_BACKOFF_MS, baseMs * 2 ** (attempt - 1))
}

const MAX_BACKOFF_MS = 60_000
