import type { RunError, RunWarning } from '../../../../shared/contract/flow-runs.ts'
import type { Data } from '../../data/value.ts'
import type { WebhookResponse } from '../../webhook/build-response.ts'
import type { StepReport } from './step-report.ts'

/** How a run ended. */
export interface RunEnd {
  readonly status: 'success' | 'error' | 'cancelled'
  readonly error: RunError | null
  /** The rendered `dynamic_title` of the flow, else what the input identifies; null for the name of the flow. */
  readonly title: string | null
  readonly warnings: readonly RunWarning[]
  /** What it gives to a flow that waits for it; null where none does. */
  readonly output: Data
  /** Results by `ref_id`, those of a loop's children from its last turn. */
  readonly results: Readonly<Record<string, Data>>
}

export type FlowEvent =
  | { readonly type: 'step_started'; readonly report: StepReport }
  /** It was tried again, or made a call. */
  | { readonly type: 'step_updated'; readonly report: StepReport }
  /**
   * What a resumed run needs of a step that has not finished: the list of a loop, the branch of a condition, the end of
   * a delay, the pages read so far.
   */
  | { readonly type: 'step_progress'; readonly report: StepReport; readonly part: Data }
  | { readonly type: 'step_finished'; readonly report: StepReport }
  /** What the waiting caller gets. */
  | { readonly type: 'answered'; readonly answer: WebhookResponse }
  /** What has counted towards the time limit; a resumed run goes on from there. Recorded with each commit. */
  | { readonly type: 'time_spent'; readonly ms: number }
  | { readonly type: 'run_finished'; readonly end: RunEnd }

/** Records what happens in a run. */
export interface RunRecorder {
  record(event: FlowEvent): void
  /**
   * Resolves once everything recorded is on the disk. A run calls it before and after each step that acts on the
   * outside, and at its end.
   */
  commit(): Promise<void>
}

/** What was recorded of a step before its run is resumed, under the key of `stepKey`. */
export interface ResumedStep {
  readonly attempt: number
  readonly savedProgress: readonly Data[]
  /** Absent where the step was in flight. */
  readonly end?: { readonly output: Data } | { readonly error: RunError } | undefined
}

export type ResumeState = ReadonlyMap<string, ResumedStep>

/** `3.then.1` outside of loops, `4.steps.2#0.7` in the eighth turn inside the first. */
export function stepKey(path: string, iteration: readonly number[]): string {
  return iteration.length === 0 ? path : `${path}#${iteration.join('.')}`
}
