import type { PaginationEvent, StopReason } from '../../../shared/contract/pagination.ts'
import type { Data, DataMap } from '../data/value.ts'
import type { HeaderLine } from '../ports.ts'
import type { ConfigProblem } from './config-problem.ts'
import type { RecordPlaces } from './record-places.ts'

type WireEvent<T extends PaginationEvent['type']> = Extract<PaginationEvent, { type: T }>
type WithData<T, K extends keyof T, V> = Omit<T, K> & { [P in K]: V }

/** The events of the contract with the values of the engine in them, and the checkpoints, which stay inside. */
export type PageEvent =
  | WithData<WireEvent<'request'>, 'body', Data>
  | WireEvent<'response'>
  /** `attempt` is the try that follows the wait. */
  | WireEvent<'retry'>
  | WithData<WireEvent<'warning'>, 'code', WarningCode | ConfigProblem['code']>
  | WithData<WireEvent<'records'>, 'records', readonly Data[]>
  | WithData<WireEvent<'output'>, 'value', Data>
  | WithData<WireEvent<'done'>, 'warnings', WarningCode[]>
  | WireEvent<'failed'>
  /** Only where `include` asks for them. */
  | PlanEvent
  | BodyEvent
  | { type: 'checkpoint'; checkpoint: Checkpoint }

/** How the request of a page is made, or why there is none. */
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

/** A `when` that was asked. */
export interface AskedCondition {
  readonly config_index: number
  readonly when: string
  readonly holds: boolean
}

/** A template of a configuration, before and after. */
export interface ShownTemplate {
  readonly field: string
  readonly source: Data
  readonly value: Data
  readonly taken: readonly { readonly source: string; readonly value: Data; readonly missing: boolean }[]
}

/** The text of a response, and where the records in it stand. */
export interface BodyEvent extends RecordPlaces {
  readonly type: 'body'
  readonly page: number
  readonly text: string
  readonly truncated: boolean
}

export type WarningCode =
  | 'no_config_matched'
  | 'ended_by_404'
  | 'repeated_page'
  | 'page_size'
  | 'cut_by_max_pages'
  | 'not_a_list'
  | 'jsonpath_no_match'

/**
 * Where a run stands after a page. To be stored together with the page's records: a run that goes on
 * from it asks for no page again that was stored.
 */
export interface Checkpoint {
  readonly page: number
  readonly pages: number
  readonly totalRecords: number
  readonly emptyPages: number
  /** Set once the list has ended; nothing is left to ask for. */
  readonly stopReason: StopReason | null
  /** Address that answered, for relative links. */
  readonly address: string
  /** The response of the page; null where no template of the configuration reads it. */
  readonly previousRequest: Data
  readonly previousRequestHeaders: readonly HeaderLine[]
  readonly lastRecord: Data
  /** Places in the templates that have given a live cursor in this run. */
  readonly alive: readonly string[]
  readonly warnings: readonly WarningCode[]
  /** What the page added to what must never come again; a resumed run is given those of all pages. */
  readonly fingerprint: string | null
  readonly keys: readonly string[]
}

/** What a run is given to go on. */
export interface Resume {
  readonly checkpoint: Checkpoint
  /** Of all pages so far, in order. */
  readonly fingerprints: readonly string[]
  /** Of all pages so far; only with `dedupe_by`. */
  readonly keys?: readonly string[]
}
