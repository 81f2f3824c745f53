import { type Said } from '../../../../shared/contract/base/message.ts'
import type { StepConfig, StepType } from '../../../../shared/contract/step-types/index.ts'
import type { Data } from '@millrace/jinja/data'
import type { CompiledStep, StepScope } from './compiled-step.ts'

/** Triggers that poll a list, whose configs have the fields of `polling`. */
export type PolledType = {
  [T in StepType]: 'cursor_field' extends Names<StepConfig<T>> ? T : never
}[StepType]

/** The keys of a config type; `never` for an object without known fields. */
type Names<C> = string extends keyof C ? never : keyof C

/** The state of a trigger's list before its next reading. */
export interface ListWish {
  /** The `memo` of the last reading; null at the first. */
  readonly memo: Data
  /** The highest cursor so far minus the look-back; null if there is none. Templates read it as `since`. */
  readonly since: Data
  /** The number of newest entries to consider at the first reading. Null means all of them. */
  readonly newest: number | null
}

/** The current content of a trigger's list. */
export interface ListRead {
  /** Null if nothing changed since the last reading. */
  readonly entries: readonly Data[] | null
  /** Data for the next reading, such as the version of a feed. */
  readonly memo: Data
  /** Whether more entries follow the last one that was read. */
  readonly hasMore?: boolean
  /** Why the list may be incomplete. */
  readonly doubt?: Said | null
}

/** Reads the whole list, or at least all entries that can be new. */
export type ListReader<T extends PolledType> = (
  step: CompiledStep<T> & { readonly config: StepConfig<T> },
  scope: StepScope,
  wish: ListWish,
) => Promise<ListRead>
