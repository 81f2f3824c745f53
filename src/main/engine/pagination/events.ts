import type { PaginationEvent, StopReason } from '../../../shared/contract/pagination.ts'
import type { Data } from '../data/value.ts'
import type { HeaderLine } from '../ports.ts'
import type { ConfigProblem } from './config-problem.ts'

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
  | { type: 'checkpoint'; checkpoint: Checkpoint }

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
