import { type Spoken } from '../../../../shared/contract/base/message.ts'
import type { PaginationEvent, StopReason } from '../../../../shared/contract/pagination.ts'
import type { Data, DataMap } from '@millrace/jinja/data'
import type { Checkpoint } from '../plan/checkpoint.ts'
import type { ConfigProblem } from '../config/config-problem.ts'
import type { RecordPlaces, WarningCode } from '../model/page-run.ts'

type WireEvent<T extends PaginationEvent['type']> = Extract<PaginationEvent, { type: T }>
type WithData<T, K extends keyof T, V> = Omit<T, K> & { [P in K]: V }

/** The contract's events with the engine's values in them, plus checkpoints, which never leave the engine. */
export type PageEvent =
  | WithData<WireEvent<'request'>, 'body', Data>
  | WireEvent<'response'>
  /** `attempt` is the attempt that follows the wait. */
  | (WireEvent<'retry'> & Spoken)
  | (WithData<WireEvent<'warning'>, 'code', WarningCode | ConfigProblem['code']> & Spoken)
  | WithData<WireEvent<'records'>, 'records', readonly Data[]>
  | WithData<WireEvent<'output'>, 'value', Data>
  | WithData<WireEvent<'done'>, 'warnings', WarningCode[]>
  | WireEvent<'failed'>
  /** Only if `include` asks for them. */
  | PlanEvent
  | BodyEvent
  | { type: 'checkpoint'; checkpoint: Checkpoint }

/** How the request of a page is built, or why there is none. */
export interface PlanEvent {
  readonly type: 'plan'
  readonly page: number
  readonly config_index: number | null
  readonly conditions: readonly AskedCondition[]
  readonly templates: readonly ShownTemplate[]
  readonly variables: DataMap
  readonly request: { method: string; url: string; headers: Record<string, string>; body: Data } | null
  readonly stop_reason: StopReason | null
}

/** A `when` that was evaluated. */
export interface AskedCondition {
  readonly config_index: number
  readonly when: string
  readonly holds: boolean
}

/** A template of a configuration and its rendered value. */
export type ShownTemplate = {
  readonly field: string
  readonly source: Data
  readonly value: Data
  readonly taken: readonly { readonly source: string; readonly value: Data; readonly missing: boolean }[]
}

/** The body of a response, and where its records are. */
export interface BodyEvent extends RecordPlaces {
  readonly type: 'body'
  readonly page: number
  readonly text: string
  readonly truncated: boolean
}
