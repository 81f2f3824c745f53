import type { StepConfig } from '../../../../shared/contract/steps.ts'
import type { Data } from '../../data/value.ts'
import type { CompiledStep, StepScope } from './compiled-step.ts'

/** Triggers that read a list every so often; each has a reader and fields of `polling` in its config. */
export type PolledType = 'list_trigger'

/** What a trigger's list holds now. */
export interface ListRead {
  /** Null: nothing changed since the last time. */
  readonly entries: readonly Data[] | null
  /** Handed to the next reading, such as the version of a feed. */
  readonly memo: Data
}

/**
 * Reads the whole list. Templates read `since`, if the trigger has a cursor.
 *
 * @param memo from the last reading; null at the first
 */
export type ListReader<T extends PolledType> = (
  step: CompiledStep<T> & { readonly config: StepConfig<T> },
  scope: StepScope,
  memo: Data,
) => Promise<ListRead>
