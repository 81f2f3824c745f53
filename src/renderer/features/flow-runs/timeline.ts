import type { Exchange, FlowRunStep } from '../../../shared/contract/flow-runs.ts'
import { exchangesOf } from '../../components/runs/run-step-view.tsx'

/** Part of the drawn time, as fractions from 0 to 1. */
export interface Span {
  readonly from: number
  readonly width: number
}

export interface Timeline {
  readonly spanOf: (times: Times) => Span
  /** Called only for the rows on screen, since a run may have thousands. */
  readonly barOf: (step: FlowRunStep) => Bar
  /** Round times since the start, without the pauses. */
  readonly ticks: readonly { readonly at: number; readonly ms: number }[]
  /** Nothing ran from a failure until the run was resumed; drawn as a gap of the same width, however long it was. */
  readonly pauses: readonly (Span & { readonly until: number })[]
}

export interface Bar extends Span {
  /** More than one if the run was resumed at the step. */
  readonly attempts: readonly Span[]
  readonly waits: readonly Span[]
  /** The height is the page's number of records relative to the step's largest page, from 0 to 1. */
  readonly calls: readonly (Span & { readonly failed: boolean; readonly height: number })[]
}

export interface Times {
  readonly start: number
  readonly end: number
}

interface Attempt extends Times {
  readonly http: readonly Exchange[]
}

/** All steps over the time from the first start to the last end; a running step lasts until `now`. */
export function layOutSteps(steps: readonly FlowRunStep[], now: number): Timeline {
  const attempts = steps.map((step) => attemptsOf(step, now))
  let [begin, end] = [Infinity, 0]
  for (const [first, ...later] of attempts) {
    begin = Math.min(begin, first.start)
    end = Math.max(end, (later.at(-1) ?? first).end)
  }
  const pauses = pausesIn(attempts)
  const whole = Math.max(1, end - begin - pauses.reduce((sum, pause) => sum + lengthOf(pause), 0))
  const gap = pauses.length === 0 ? 0 : Math.min(GAP, MOST_GAPS / pauses.length)
  const place = (at: number) => {
    const [worked, drawn] = pauses.reduce(
      ([ms, gaps], pause) => {
        const idle = Math.max(0, Math.min(at, pause.end) - pause.start)
        return [ms - idle, gaps + (gap * idle) / lengthOf(pause)]
      },
      [at - begin, 0],
    )
    return (worked / whole) * (1 - gap * pauses.length) + drawn
  }
  const span = ({ start, end: until }: Times): Span => ({
    from: place(start),
    width: place(until) - place(start),
  })
  const every = STEPS_MS.find((ms) => whole / ms <= MOST_TICKS) ?? whole
  return {
    spanOf: span,
    barOf: (step) => barOf(step, attemptsOf(step, now), span),
    ticks: Array.from({ length: Math.floor(whole / every) + 1 }, (_, number) => {
      const ms = number * every
      const idle = pauses.reduce(
        (sum, pause) => (pause.start - begin - sum < ms ? sum + lengthOf(pause) : sum),
        0,
      )
      return { at: place(begin + ms + idle), ms }
    }),
    pauses: pauses.map((pause) => ({ ...span(pause), until: pause.end })),
  }
}

const GAP = 0.03
const MOST_GAPS = 0.3
const MOST_TICKS = 6
/** The distances between ticks, from a millisecond to ten days. */
const STEPS_MS = [
  ...[1, 10, 100].flatMap((unit) => [unit, 2 * unit, 5 * unit]),
  ...[1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1_200, 1_800].map((seconds) => seconds * 1_000),
  ...[1, 2, 6, 12, 24, 48, 120, 240].map((hours) => hours * 3_600_000),
]

function barOf(step: FlowRunStep, attempts: Attempts, span: (times: Times) => Span): Bar {
  const [first, ...later] = attempts
  const last = later.at(-1) ?? first
  const largest = Math.max(0, ...exchangesOf(step).map(({ records = 0 }) => records))
  return {
    ...span({ start: first.start, end: last.end }),
    attempts: attempts.map(span),
    waits: attempts.flatMap((attempt) => waitsIn(step, attempt, attempt === last)).map(span),
    calls: attempts.flatMap(({ http, ...within }) =>
      http.map((call) => ({
        ...span(timesOf(call, within)),
        failed: hasFailed(call),
        height: largest === 0 || hasFailed(call) ? 1 : (call.records ?? 0) / largest,
      })),
    ),
  }
}

/** The time from a step's first attempt to the end of its last one. */
export function timesOfStep(step: FlowRunStep, now: number): Times {
  const [first, ...later] = attemptsOf(step, now)
  return { start: first.start, end: (later.at(-1) ?? first).end }
}

type Attempts = readonly [Attempt, ...Attempt[]]

function attemptsOf(step: FlowRunStep, now: number): Attempts {
  const { started_at: at, duration_ms: ms, http, earlier_attempts: earlier = [] } = step
  const own = attemptOf(at, ms ?? now - Date.parse(at), http)
  const [first, ...later] = earlier.map((one) => attemptOf(one.started_at, one.duration_ms, one.http))
  return first === undefined ? [own] : [first, ...later, own]
}

/** @param ms null if Millrace was stopped during it */
function attemptOf(at: string, ms: number | null, http: readonly Exchange[]): Attempt {
  const start = Date.parse(at)
  const last = http.at(-1)
  const end = ms ?? (last === undefined ? 0 : Date.parse(last.started_at) + last.duration_ms - start)
  return { start, end: start + Math.max(0, end), http }
}

/** A loop and a step in it share the same pause. */
function pausesIn(steps: readonly Attempts[]): readonly Times[] {
  const found = steps.flatMap((attempts) =>
    attempts.slice(1).map(({ start }, index) => ({ start: attempts[index]?.end ?? start, end: start })),
  )
  return found
    .filter((pause) => lengthOf(pause) > 0)
    .toSorted((one, other) => one.start - other.start)
    .reduce<Times[]>((pauses, pause) => {
      const before = pauses.at(-1)
      if (before === undefined || before.end <= pause.start) return [...pauses, pause]
      return [...pauses.slice(0, -1), { start: pause.start, end: Math.min(before.end, pause.end) }]
    }, [])
}

/** Steps that do nothing but wait. */
const WAITING: readonly string[] = ['delay', 'ask_person', 'wait_for_callback']
/** A shorter gap between two pages is Millrace's own work. */
const WAIT_MS = 50

/** The waits before the next attempt or page, for retries and rate limits. */
function waitsIn(step: FlowRunStep, { http, ...attempt }: Attempt, isLast: boolean): readonly Times[] {
  if (WAITING.includes(step.type)) return [attempt]
  const isWaiting = isLast && step.status === 'retrying'
  const calls = http.map((call) => timesOf(call, attempt))
  const next = [...calls.slice(1), ...(isWaiting ? [{ start: attempt.end, end: attempt.end }] : [])]
  return next
    .map(({ start }, index) => ({ start: calls[index]?.end ?? start, end: start }))
    .filter((wait) => lengthOf(wait) >= WAIT_MS)
}

function timesOf({ started_at: at, duration_ms: ms }: Exchange, { start, end }: Times): Times {
  const from = Math.min(end, Math.max(start, Date.parse(at)))
  return { start: from, end: Math.min(end, from + ms) }
}

const lengthOf = ({ start, end }: Times) => end - start

export function hasFailed({ response }: Exchange): boolean {
  return response === null || response.status >= 400
}

/** How long a step waited between its calls, for retries and rate limits. */
export function waitedMs(step: FlowRunStep): number {
  if (step.http.length < 2 || step.duration_ms === null) return 0
  const busy = step.http.reduce((sum, exchange) => sum + exchange.duration_ms, 0)
  return Math.max(0, step.duration_ms - busy)
}

/** The pages and records that a step has read, before and after the run was resumed; null if it reads no pages. */
export function pagesRead(step: FlowRunStep): { readonly pages: number; readonly records: number } | null {
  const all = exchangesOf(step).filter((call) => call.page !== null && !hasFailed(call))
  if (all.length === 0) return null
  // The last page of many lists is empty.
  const full = all.filter(({ records }) => records !== undefined)
  const calls = full.length === 0 ? all : full
  return {
    pages: Math.max(...calls.map(({ page }) => (page ?? 0) + 1)),
    // The history has the beginning of a long list, and the first and the newest calls.
    records:
      Array.isArray(step.output) && !step.truncated
        ? step.output.length
        : calls.reduce((sum, { records = 0 }) => sum + records, 0),
  }
}
