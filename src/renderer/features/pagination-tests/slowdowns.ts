/** Pages at which a list slowed down, or its API limited the calls. */
import type { PageLine } from '../../components/pagination/state/test-progress.ts'

export interface Slowdowns {
  /** Pages that had to wait, because the API answered 429 or its stated limit was used up. */
  readonly limited: readonly number[]
  readonly waitedMs: number
  /** Pages whose response took much longer than that of most. */
  readonly slow: readonly number[]
  readonly medianMs: number
}

/** Null if neither happened. */
export function slowdownsIn(pages: readonly PageLine[]): Slowdowns | null {
  const limited = pages.filter(isLimited)
  const times = pages.flatMap(({ page, attempts }) => {
    const ms = attempts.findLast(({ response }) => response !== null)?.response?.duration_ms
    return ms === undefined ? [] : [{ page, ms }]
  })
  const medianMs = times.map(({ ms }) => ms).toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0
  const isSlow = ({ ms }: { readonly ms: number }) => ms > TIMES_SLOWER * medianMs && ms - medianMs > LEAST_MS
  const slow = times.length < LEAST_PAGES ? [] : times.filter(isSlow).map(({ page }) => page)
  if (limited.length === 0 && slow.length === 0) return null
  return {
    limited: limited.map(({ page }) => page),
    waitedMs: limited.reduce((sum, line) => sum + waitedFor(line), 0),
    slow,
    medianMs,
  }
}

function isLimited({ wait, attempts }: PageLine): boolean {
  return wait !== null || attempts.some(({ response, retry }) => retry !== null && response?.status === 429)
}

function waitedFor({ wait, attempts }: PageLine): number {
  return attempts.reduce((sum, { retry }) => sum + (retry?.wait_ms ?? 0), wait?.wait_ms ?? 0)
}

/** With fewer pages there is no usual time. */
const LEAST_PAGES = 5
const TIMES_SLOWER = 3
/** A smaller difference is the noise of any network. */
const LEAST_MS = 200
