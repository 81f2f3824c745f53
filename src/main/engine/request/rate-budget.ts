import type { Connector } from '../../../shared/contract/connectors.ts'
import type { Clock } from '../ports.ts'
import type { RateLimit, RatePolicy } from './rate-limit.ts'

/** Decides when an API can be called. Shared by all calls to its host with the same credentials. */
export type RateBudget = Pick<WatchedRateBudget, 'limitTo' | 'enter'>

/** A budget whose state can also be read. */
export type WatchedRateBudget = ReturnType<typeof createRateBudget>

/** The known facts about an API's limit. */
export interface RateReading {
  /** The calls allowed in a whole window; null if neither the API nor its connector states it. */
  readonly limit: number | null
  /** The calls left until the reset; null if the API doesn't state them. */
  readonly remaining: number | null
  /** The time until the reset, in ms; null if the API doesn't state it. */
  readonly resetMs: number | null
  /** The time that every call waits, in ms; 0 if none has to. */
  readonly waitMs: number
  /** The minutes of the last hour in which calls were made, oldest first. */
  readonly minutes: readonly RateMinute[]
}

export interface RateMinute {
  /** Start of the minute, in ms since the Unix epoch. */
  readonly at: number
  readonly calls: number
  /** The smallest number of remaining calls that a response named; null if none did. */
  readonly remaining: number | null
}

type Admission =
  | { readonly kind: 'go'; readonly ticket: Ticket }
  /** The caller has to wait, because no calls are left until the reset. */
  | { readonly kind: 'wait'; readonly waitMs: number }
  /** Ask again when `answered` resolves because a call has finished, and at the latest after `atMostMs`. */
  | { readonly kind: 'busy'; readonly answered: Promise<void>; readonly atMostMs: number | null }

/** One call in progress, which must be settled however it ends. Only the first `settle` counts. */
export interface Ticket {
  /**
   * @param pauseMs how long the server asks all callers to wait; null if it doesn't
   * @param isRefused whether there were too many calls, and the response says nothing about how many can be made
   */
  settle(rate: RateLimit | null, pauseMs: number | null, isRefused?: boolean): void
}

/** Calls with the same key share a budget. */
export function budgetKey(address: string, auth: { readonly id: string } | null): string {
  return `${URL.parse(address)?.origin ?? address}/${auth?.id ?? ''}`
}

/** The origin of a key; null if it has other credentials, or its connector's URL is invalid. */
export function originOf(key: string, authId: string): string | null {
  const origin = key.endsWith(`/${authId}`) ? key.slice(0, -authId.length - 1) : ''
  return URL.canParse(origin) ? origin : null
}

/** The rate at which a connector may be called; null if only the API limits it. */
export function policyOf({ rate_limit: limit }: Pick<Connector, 'rate_limit'>): RatePolicy | null {
  return limit && { calls: limit.calls, periodMs: limit.period_seconds * 1000 }
}

/**
 * Remembers what the API has said: the calls that are left, the size of its window, its policies. Before the first
 * response it lets one call through, because twenty at once could already be too many. An API that only rejects calls
 * is called half as often, and then gradually more often again.
 */
export function createRateBudget(clock: Clock) {
  let remaining: number | null = null
  /** The calls allowed in a whole window. */
  let limit: number | null = null
  let resetAt = 0
  let pausedUntil = 0
  let underWay = 0
  let isAnswered = false
  let firstAt = 0
  let answered = Promise.withResolvers<void>()
  let named: RatePolicy | null = null
  let stated: readonly RatePolicy[] = []
  /** The times at which the newest calls were sent, oldest first. */
  const sent: number[] = []
  /** The minimum time between two calls, learned from refusals; 0 means none. */
  let gapMs = 0
  let slowedAt = -Infinity
  let minutes: RateMinute[] = []

  function note(calls: number, left: number | null): void {
    const at = Math.floor(clock.now() / MINUTE_MS) * MINUTE_MS
    const known = minutes.at(-1)
    const last = known?.at === at ? known : { at, calls: 0, remaining: null }
    const remaining = Math.min(last.remaining ?? Infinity, left ?? Infinity)
    const next = { at, calls: last.calls + calls, remaining: remaining === Infinity ? null : remaining }
    minutes = [...minutes.filter((one) => isRecent(one.at, at) && one.at !== at), next]
  }

  function learn(rate: RateLimit, now: number): void {
    if (rate.policies !== undefined) stated = rate.policies
    const { remaining: left, resetMs } = rate
    if (left === null || resetMs === null) return
    limit = rate.limit ?? Math.max(limit ?? 0, left + 1)
    const reset = now + resetMs
    const sameWindow = remaining !== null && Math.abs(reset - resetAt) < SAME_WINDOW_MS
    // Responses can overtake each other, so within a window the smallest number is the newest.
    remaining = sameWindow && remaining !== null ? Math.min(remaining, left) : left
    resetAt = reset
    note(0, remaining)
  }

  function startWindow(now: number): void {
    if (resetAt - now >= SHORTEST_WAIT_MS || remaining === null) return
    remaining = limit
    resetAt = Infinity
  }

  /** Several refusals of calls that were sent at the same rate slow it down once. */
  function slowDown(sentAt: number, now: number): void {
    if (sentAt <= slowedAt) return
    const recent = sent.filter((at) => now - at <= LOOK_BACK_MS)
    const usualGapMs = recent.length === 0 ? 0 : (now - Math.min(...recent)) / recent.length
    gapMs = Math.min(LONGEST_GAP_MS, Math.max(LEAST_GAP_MS, 2 * Math.max(gapMs, usualGapMs)))
    slowedAt = now
  }

  function ticket(now: number): Ticket {
    let open = true
    if (underWay++ === 0 && !isAnswered) firstAt = now
    sent.push(now)
    note(1, null)
    if (sent.length > MOST_COUNTED) sent.shift()
    return {
      settle(rate, pauseMs, isRefused = false) {
        if (!open) return
        open = false
        const end = clock.monotonic()
        underWay--
        if (rate) {
          isAnswered = true
          learn(rate, end)
          if (isRefused) slowDown(now, end)
          else gapMs = gapMs < LEAST_GAP_MS ? 0 : gapMs * RECOVERY
        }
        if (pauseMs !== null) {
          pausedUntil = Math.max(pausedUntil, end + pauseMs)
        }
        answered.resolve()
        answered = Promise.withResolvers()
      },
    }
  }

  /** The time until the policies allow one more call. */
  function spacingMs(now: number): number {
    let waitMs = gapMs === 0 ? 0 : (sent.at(-1) ?? -Infinity) + gapMs - now
    for (const policy of [named, ...stated]) {
      if (policy === null) continue
      const oldest = sent[sent.length - policy.calls]
      if (oldest !== undefined) waitMs = Math.max(waitMs, oldest + policy.periodMs * MARGIN + MARGIN_MS - now)
    }
    return waitMs
  }

  return {
    /** Sets the limit of the connector; null if only the API's limits apply. */
    limitTo(policy: RatePolicy | null): void {
      named = policy
    },
    /** Requests permission for one call. After a wait, ask again. */
    enter(): Admission {
      const now = clock.monotonic()
      startWindow(now)
      const waitMs = Math.max(pausedUntil, remaining === 0 ? resetAt : 0) - now
      if (waitMs >= SHORTEST_WAIT_MS) return { kind: 'wait', waitMs }
      if (remaining !== null && remaining <= underWay)
        return { kind: 'busy', answered: answered.promise, atMostMs: null }
      const scoutMs = isAnswered || underWay === 0 ? 0 : firstAt + LONGEST_SCOUT_MS - now
      const atMostMs = Math.max(scoutMs, spacingMs(now))
      if (atMostMs > LONGEST_QUIET_WAIT_MS) return { kind: 'wait', waitMs: atMostMs }
      if (atMostMs >= SHORTEST_WAIT_MS) return { kind: 'busy', answered: answered.promise, atMostMs }
      return { kind: 'go', ticket: ticket(now) }
    },
    read(): RateReading {
      const now = clock.monotonic()
      startWindow(now)
      const resetMs = remaining === null || resetAt === Infinity ? null : resetAt - now
      return {
        limit: limit ?? named?.calls ?? stated[0]?.calls ?? null,
        remaining,
        resetMs,
        waitMs: Math.max(0, pausedUntil - now, remaining === 0 ? (resetMs ?? 0) : 0),
        minutes: minutes.filter(({ at }) => isRecent(at, clock.now())),
      }
    },
  }
}

const MINUTE_MS = 60_000
const MINUTES = 60

/** Also false for a time in the future, which means that the system time was changed. */
const isRecent = (at: number, now: number) => at <= now && now - at < MINUTES * MINUTE_MS

/** Servers round the reset to seconds, so it varies a little between responses. */
const SAME_WINDOW_MS = 2_000

/** Timers fire up to a millisecond early; a caller that has just waited isn't made to wait again for that. */
const SHORTEST_WAIT_MS = 2

/** After this time, a slow first response no longer holds up the other calls. */
const LONGEST_SCOUT_MS = 250

/** A longer wait is shown with the step, or frees the worker. */
const LONGEST_QUIET_WAIT_MS = 5_000

/** Calls don't arrive as evenly as they are sent. */
const MARGIN = 1.02
const MARGIN_MS = 20

const MOST_COUNTED = 10_000

/** The period over which calls are counted to determine the call rate that an API rejected. */
const LOOK_BACK_MS = 10_000
const LEAST_GAP_MS = 10
const LONGEST_GAP_MS = 30_000
/** After 35 good calls, the time between them is half as long. */
const RECOVERY = 0.98
