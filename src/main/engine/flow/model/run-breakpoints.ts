import type { Data } from '@millrace/jinja/data'
import type { Step } from '../../../../shared/contract/steps.ts'

/** The breakpoints of a run, and the decisions at its earlier stops. */
export interface RunBreakpoints {
  /** Keyed by `ref_id`; an empty condition always stops. */
  readonly conditions: ReadonlyMap<string, string>
  /** Keys of the steps and iterations where the run has stopped so far. */
  readonly reached: ReadonlySet<string>
  /** Null until it is decided. */
  decisionAt(key: string): StopDecision | null
  /** Resolves to the ID of the stop once it is stored; an earlier one at the same place is left unchanged. */
  stop(place: StopPlace): Promise<string>
  /** Resolves when the decision is made. */
  wait(id: string, signal: AbortSignal): Promise<void>
}

export interface StopPlace {
  /** The step and iteration. */
  readonly key: string
  readonly refId: string
  readonly type: string
  readonly config: Step['config']
  /** The config with its templates rendered. */
  readonly input: Data
  /** The data that the step can read; null if it is large. */
  readonly data: Data
}

export type StopDecision =
  /** `step` continues only to the next step. */
  | { readonly do: 'continue' | 'step'; readonly edited: EditedConfig | null }
  | { readonly do: 'skip'; readonly result: Data }

export interface EditedConfig {
  readonly config: Step['config']
  /** Strings in the config that aren't rendered, even if they look like templates. */
  readonly literals: ReadonlySet<string>
}
