import type { PaginationConfigEntry } from '../../../../shared/contract/base/pagination-config.ts'
import type { DataMap, Dictionary } from '../../data/value.ts'

/** One configuration, checked; what is absent or empty is null. */
export interface PageConfig {
  readonly index: number
  readonly query: string | Dictionary | null
  readonly body: string | Dictionary | null
  readonly header: string | Dictionary | null
  readonly endpoint: string | null
  readonly responsePath: string | null
  readonly replaceBody: boolean
  /** Null: no condition. An empty text is a condition that never holds. */
  readonly when: string | null
  readonly stopWhen: string | null
  readonly retryWhen: string | null
  readonly method: string | null
  readonly maxPages: number | null
  readonly allowedOrigins: readonly string[]
  readonly firstRequest: boolean
  readonly dedupeBy: string | null
  readonly endsOnStatus: readonly number[]
  readonly minIntervalMs: number
  /** Something in it reads the previous response; otherwise its pages are counted. */
  readonly readsResponse: boolean
  /** Variables that its templates read. */
  readonly names: ReadonlySet<string>
  /** How errors name a field: `query`, or `[1].query` in a list. */
  readonly fieldOf: (key: keyof PaginationConfigEntry) => string
}

/** What templates of a configuration read, by name. */
export type PageContext = DataMap

/** Variables that exist in every template of a configuration, beside those of the caller. */
export const PAGE_VARIABLES = [
  'page',
  'previous_request',
  'previous_request_headers',
  'endpoint',
  'links',
  'count',
  'last_record',
] as const

/** What only conditions read besides: an action may well have an input of that name. */
export const CONDITION_VARIABLES = ['status'] as const

/** Below these a path may lead nowhere: what a response did not have ends the list and is no mistake. */
const MAY_BE_MISSING: ReadonlySet<string> = new Set([
  'previous_request',
  'previous_request_headers',
  'links',
  'last_record',
])

export const RENDER_OPTIONS = { undefinedBelow: MAY_BE_MISSING }

/** The variables that hold what a response said. */
export const FROM_RESPONSE: ReadonlySet<string> = new Set([
  'previous_request',
  'previous_request_headers',
  'links',
])

export function readsResponse(names: Iterable<string>): boolean {
  for (const name of names) if (FROM_RESPONSE.has(name)) return true
  return false
}
