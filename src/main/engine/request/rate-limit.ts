import type { HeaderLine } from '../ports.ts'

/** The rate limit that the headers of a response state. */
export interface RateLimit {
  /** Whether `Retry-After` is present, even if it is unreadable. */
  readonly asksToRetry: boolean
  /** From `Retry-After`; null if absent or unreadable. */
  readonly retryAfterMs: number | null
  /** Calls left until the reset. */
  readonly remaining: number | null
  readonly resetMs: number | null
  /** Calls in a whole window; missing if the response doesn't say. */
  readonly limit?: number
  /** From `RateLimit-Policy`; missing if there is none. */
  readonly policies?: readonly RatePolicy[]
}

/** A number of calls allowed in any period of a given length. */
export interface RatePolicy {
  readonly calls: number
  readonly periodMs: number
}

/**
 * Reads `retry-after-ms`, `Retry-After`, `X-RateLimit-Reset-After`, the header `RateLimit` of drafts 7 and 8, and
 * `RateLimit-`, `X-RateLimit-`, `X-Rate-Limit-` with `Limit`, `Remaining` and `Reset`, and finally
 * `RateLimit-Policy`.
 *
 * Times are measured against the response's own `Date` if it has one: otherwise a desktop whose clock is minutes off
 * would wait too long or not at all.
 *
 * @param nowMs milliseconds since the Unix epoch, used if the response has no `Date`
 */
export function readRateLimit(headers: readonly HeaderLine[], nowMs: number): RateLimit {
  const found = new Map<string, string>()
  for (const [name, value] of headers) {
    const key = name.toLowerCase()
    if (READ.has(key) && !found.has(key)) found.set(key, value.trim())
  }
  const reference = () => parseHttpDate(found.get('date') ?? '', nowMs) ?? nowMs
  const retryAfter = found.get('retry-after')
  const field = found.get('ratelimit')
  const policies = readPolicies(found.get('ratelimit-policy'))
  const limit =
    firstOf(LIMIT, (name) => readCount(found.get(name))) ?? readCount(parameterOf(field, ['limit']))
  return {
    ...(limit === null || limit === 0 ? {} : { limit }),
    ...(policies.length === 0 ? {} : { policies }),
    asksToRetry: retryAfter !== undefined || found.has('retry-after-ms'),
    retryAfterMs:
      readNumber(found.get('retry-after-ms')) ??
      (retryAfter === undefined ? null : waitFor(retryAfter, reference)),
    remaining:
      firstOf(REMAINING, (name) => readCount(found.get(name))) ??
      readCount(parameterOf(field, ['remaining', 'r'])),
    resetMs:
      inMs(readNumber(found.get('x-ratelimit-reset-after'))) ??
      firstOf(RESET, (name) => waitFor(found.get(name) ?? '', reference)) ??
      inMs(readNumber(parameterOf(field, ['reset', 't']))),
  }
}

/**
 * Parses dates as in RFC 9110 5.6.7, which are `Sun, 06 Nov 1994 08:49:37 GMT` and two obsolete
 * forms; null for anything else.
 *
 * @param nowMs milliseconds since the Unix epoch; determines the century of a two-digit year
 */
export function parseHttpDate(text: string, nowMs: number): number | null {
  const parts = IMF.exec(text) ?? RFC850.exec(text) ?? ASCTIME.exec(text)
  if (!parts?.groups) return null
  const { day, month = '', year = '', hour, minute, second } = parts.groups
  const date = Date.UTC(
    fullYear(year, nowMs),
    MONTHS.indexOf(month),
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  )
  return Number.isNaN(date) ? null : date
}

/** Reads `"burst";q=100;w=60, "day";q=5000;w=86400`, or `100;w=60` as in earlier drafts. */
function readPolicies(field: string | undefined): RatePolicy[] {
  return (field ?? '').split(',', MOST_POLICIES).flatMap((policy) => {
    const calls = readCount(parameterOf(policy, ['q']) ?? /^\s*(\d+)\s*;/.exec(policy)?.[1])
    const seconds = readCount(parameterOf(policy, ['w']))
    return calls && seconds ? [{ calls, periodMs: seconds * 1000 }] : []
  })
}

const MOST_POLICIES = 10
const LIMIT = ['ratelimit-limit', 'x-ratelimit-limit', 'x-rate-limit-limit'] as const
const REMAINING = ['ratelimit-remaining', 'x-ratelimit-remaining', 'x-rate-limit-remaining'] as const
const RESET = ['ratelimit-reset', 'x-ratelimit-reset', 'x-rate-limit-reset'] as const
const READ: ReadonlySet<string> = new Set([
  'date',
  'retry-after',
  'retry-after-ms',
  'ratelimit',
  'ratelimit-policy',
  ...LIMIT,
  'x-ratelimit-reset-after',
  ...REMAINING,
  ...RESET,
])

function firstOf<T>(names: readonly string[], read: (name: string) => T | null): T | null {
  for (const name of names) {
    const value = read(name)
    if (value !== null) return value
  }
  return null
}

/** Reads `limit=100, remaining=0, reset=50` (draft 7) and `"default";r=0;t=50` (draft 8). */
function parameterOf(field: string | undefined, names: readonly string[]): string | undefined {
  return field === undefined
    ? undefined
    : // linear: names from a table, and whitespace follows a separator
      new RegExp(`(?:^|[,;])\\s*(?:${names.join('|')})=(\\d+)`, 'i').exec(field)?.[1]
}

function inMs(seconds: number | null): number | null {
  return seconds === null ? null : seconds * 1000
}

function readNumber(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,15}(\.\d{1,9})?$/.test(text) ? Number(text) : null
}

function readCount(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null
}

/** Accepts seconds from now, epoch seconds or milliseconds, and HTTP or ISO 8601 dates; never negative. */
function waitFor(text: string, reference: () => number): number | null {
  if (/^\d{1,15}(\.\d{1,9})?$/.test(text)) {
    const value = Number(text)
    if (value <= 1e9) return value * 1000
    return Math.max(0, (value > 1e12 ? value : value * 1000) - reference())
  }
  const now = reference()
  const date = ISO_DATE.test(text) ? Date.parse(text) : parseHttpDate(text, now)
  return date === null || Number.isNaN(date) ? null : Math.max(0, date - now)
}

const ISO_DATE = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)$/i

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const MONTH = `(?<month>${MONTHS.join('|')})`
const TIME = String.raw`(?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)`
// linear: anchored, of fixed length
const IMF = new RegExp(String.raw`^\w{3}, (?<day>\d\d) ${MONTH} (?<year>\d{4}) ${TIME} GMT$`)
// linear: anchored, of bounded length
const RFC850 = new RegExp(String.raw`^\w{6,9}, (?<day>\d\d)-${MONTH}-(?<year>\d\d) ${TIME} GMT$`)
// linear: anchored, of fixed length
const ASCTIME = new RegExp(String.raw`^\w{3} ${MONTH} (?<day>[ \d]\d) ${TIME} (?<year>\d{4})$`)

/** Two digits mean a year that is at most 50 years in the future. */
function fullYear(year: string, nowMs: number): number {
  if (year.length === 4) return Number(year)
  const century = Number(year) + 2000
  return century > new Date(nowMs).getUTCFullYear() + 50 ? century - 100 : century
}
