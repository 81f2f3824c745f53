import type { FlowRunStep } from '../../../shared/contract/flow-runs.ts'
import { exchangesOf } from '../../components/runs/run-step-view.tsx'

/** A step's position in its run, as fractions from 0 to 1. */
export interface Bar {
  readonly from: number
  readonly width: number
  /** Its HTTP calls; the time between them was waiting or the program's own work. */
  readonly calls: readonly { readonly from: number; readonly width: number; readonly failed: boolean }[]
}

/** The bars of all steps over the time from the first start to the last end; a running step lasts until `now`. */
export function layOutSteps(steps: readonly FlowRunStep[], now: number): readonly Bar[] {
  const spans = steps.map((step) => {
    // From its first attempt on: the run may have been resumed at it.
    const start = Date.parse(step.earlier_attempts?.[0]?.started_at ?? step.started_at)
    return {
      start,
      end: step.duration_ms === null ? Math.max(now, start) : Date.parse(step.started_at) + step.duration_ms,
    }
  })
  const begin = Math.min(...spans.map((span) => span.start))
  const whole = Math.max(1, Math.max(...spans.map((span) => span.end)) - begin)
  return steps.map((step, index) => {
    const span = spans[index] ?? { start: begin, end: begin }
    return {
      from: (span.start - begin) / whole,
      width: (span.end - span.start) / whole,
      calls: exchangesOf(step).map((exchange) => ({
        from: clampTo(span, Date.parse(exchange.started_at), begin) / whole,
        width: exchange.duration_ms / whole,
        failed: exchange.response === null || exchange.response.status >= 400,
      })),
    }
  })
}

/** How long a step waited between its calls, for retries and rate limits. */
export function waitedMs(step: FlowRunStep): number {
  if (step.http.length < 2 || step.duration_ms === null) return 0
  const busy = step.http.reduce((sum, exchange) => sum + exchange.duration_ms, 0)
  return Math.max(0, step.duration_ms - busy)
}

function clampTo(span: { start: number; end: number }, at: number, begin: number): number {
  return Math.min(span.end, Math.max(span.start, at)) - begin
}
