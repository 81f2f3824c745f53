import type { Clock } from '../ports.ts'
import type { RateLimit } from './rate-limit.ts'

/** The remaining calls according to an API's rate-limit headers, shared by all calls with the same credentials. */
export type RateBudget = ReturnType<typeof createRateBudget>

type Admission =
  | { readonly kind: 'go'; readonly ticket: Ticket }
  /** No calls are left until the reset. */
  | { readonly kind: 'wait'; readonly waitMs: number }
  /** Calls in progress may use up the rest; `answered` resolves when one of them ends. */
  | { readonly kind: 'busy'; readonly answered: Promise<void> }

/** One call in progress, to be settled however it ends; only the first `settle` counts. */
export interface Ticket {
  /** @param pauseMs how long the server asks all callers to wait; null if it doesn't */
  settle(rate: RateLimit | null, pauseMs: number | null): void
}

export function createRateBudget(clock: Clock) {
  let remaining: number | null = null
  let resetAt = 0
  let pausedUntil = 0
  let underWay = 0
  let answered = Promise.withResolvers<void>()

  function learn({ remaining: left, resetMs }: RateLimit, now: number): void {
    if (left === null || resetMs === null) return
    const reset = now + resetMs
    const sameWindow = remaining !== null && Math.abs(reset - resetAt) < SAME_WINDOW_MS
    // Responses overtake each other: within a window, the smallest number is the newest.
    remaining = sameWindow && remaining !== null ? Math.min(remaining, left) : left
    resetAt = reset
  }

  function ticket(): Ticket {
    let open = true
    underWay++
    return {
      settle(rate, pauseMs) {
        if (!open) return
        open = false
        const now = clock.monotonic()
        underWay--
        if (rate) learn(rate, now)
        if (pauseMs !== null) pausedUntil = Math.max(pausedUntil, now + pauseMs)
        answered.resolve()
        answered = Promise.withResolvers()
      },
    }
  }

  return {
    /** Requests permission for one call. After a wait, ask again. */
    enter(): Admission {
      const now = clock.monotonic()
      if (resetAt - now < SHORTEST_WAIT_MS) remaining = null
      const waitMs = Math.max(pausedUntil, remaining === 0 ? resetAt : 0) - now
      if (waitMs >= SHORTEST_WAIT_MS) return { kind: 'wait', waitMs }
      if (remaining !== null && remaining <= underWay) return { kind: 'busy', answered: answered.promise }
      return { kind: 'go', ticket: ticket() }
    },
  }
}

/** Servers round the reset to seconds, so it varies a little between responses. */
const SAME_WINDOW_MS = 2_000

/** Timers fire up to a millisecond early; a caller that has just waited isn't made to wait again for that. */
const SHORTEST_WAIT_MS = 2
