import type { END_STATUSES, RunError, RunWarning } from '../../../../shared/contract/flow-runs.ts'
import type { Data } from '@millrace/jinja/data'
import type { WebhookResponse } from '../../webhook/build-response.ts'
import type { StepReport } from './step-report.ts'

export interface RunEnd {
  readonly status: (typeof END_STATUSES)[number]
  readonly error: RunError | null
  /** The rendered `dynamic_title` of the flow, or the values that identify the input; null for the name of the flow. */
  readonly title: string | null
  readonly warnings: readonly RunWarning[]
  /** The result for a flow that waits for it; null if none does. */
  readonly output: Data
  /** Results by `ref_id`; those of a loop's children are from its last iteration. */
  readonly results: Readonly<Record<string, Data>>
}

export type FlowEvent =
  | { readonly type: 'step_started'; readonly report: StepReport }
  /** The step was retried, or made a call. */
  | { readonly type: 'step_updated'; readonly report: StepReport }
  /** The step waits for a response; what it has reported so far can be processed meanwhile. */
  | { readonly type: 'step_waits'; readonly report: StepReport }
  /**
   * The progress of an unfinished step that a resumed run needs: the list of a loop, the branch of a condition, the
   * end of a delay, the pages read so far. With `shorten`, earlier parts are only needed in this shorter form.
   */
  | {
      readonly type: 'step_progress'
      readonly report: StepReport
      readonly part: Data
      readonly shorten?: ((earlier: Data) => Data) | undefined
    }
  | { readonly type: 'step_warned'; readonly report: StepReport; readonly warning: RunWarning }
  | { readonly type: 'step_finished'; readonly report: StepReport }
  /** The response for the waiting caller. */
  | { readonly type: 'answered'; readonly answer: WebhookResponse }
  /** The time that has counted towards the limit; a resumed run continues from there. Recorded with each commit. */
  | { readonly type: 'time_spent'; readonly ms: number }
  /** The run has to stop, but runs its steps in `finally` first. A resumed run does the same. */
  | { readonly type: 'unwinding'; readonly error: RunError }
  | { readonly type: 'run_finished'; readonly end: RunEnd }

export interface RunRecorder {
  record(event: FlowEvent): void
  /**
   * Resolves once everything recorded is on disk. A run calls it before and after each step with effects outside, and
   * at its end.
   */
  commit(): Promise<void>
  /** Commits within a quarter of a second, unless another commit comes first. */
  commitSoon(): void
}

/** The recorded state of a step in a run that is resumed. Keyed by `stepKey`. */
export interface ResumedStep {
  readonly attempt: number
  readonly savedProgress: readonly Data[]
  readonly warnings: readonly RunWarning[]
  /** Missing if the step was in progress. */
  readonly end?: { readonly output: Data } | { readonly error: RunError } | undefined
}

export type ResumeState = ReadonlyMap<string, ResumedStep>

/**
 * The key of a step in one iteration: `3.then.1` outside loops, `4.steps.2#0.7` in the eighth iteration
 * inside the first.
 */
export function stepKey(path: string, iteration: readonly number[]): string {
  return iteration.length === 0 ? path : `${path}#${iteration.join('.')}`
}
