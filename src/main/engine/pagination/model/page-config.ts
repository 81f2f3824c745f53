import type {
  PaginationConfigEntry,
  ResponseFormat,
} from '../../../../shared/contract/base/pagination-config.ts'
import type { DataMap, Dictionary } from '@millrace/jinja/data'

/** One checked configuration. Keys that are absent or empty are null. */
export interface PageConfig {
  readonly index: number
  readonly query: string | Dictionary | null
  readonly body: string | Dictionary | null
  readonly rawBody: string | null
  readonly header: string | Dictionary | null
  readonly endpoint: string | null
  readonly responsePath: string | null
  /** Null means that the Content-Type decides. */
  readonly responseFormat: ResponseFormat | null
  /** The delimiter of CSV values. */
  readonly delimiter: string
  readonly replaceBody: boolean
  /** Null means no condition. An empty string is a condition that is never true. */
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
  /** Whether the API leaves out the cursor if there is only one page. */
  readonly cursorMayBeAbsent: boolean
  /** Whether the API leaves out an empty list. */
  readonly listMayBeAbsent: boolean
  /** Whether any template reads the previous response; if not, pages are counted. */
  readonly readsResponse: boolean
  /** Variables that its templates read. */
  readonly names: ReadonlySet<string>
  /** The name of a field in errors: `query`, or `[1].query` in a list. */
  readonly fieldOf: (key: keyof PaginationConfigEntry) => string
}

/** The variables of a configuration's templates, by name. */
export type PageContext = DataMap

/** Variables that exist in every template of a configuration, besides the caller's. */
export const PAGE_VARIABLES = [
  'page',
  'previous_request',
  'previous_request_headers',
  'endpoint',
  'links',
  'count',
  'last_record',
] as const

/** Variables that only conditions read, because actions often have inputs with such names. */
export const CONDITION_VARIABLES = ['status'] as const

/** Paths below these can be missing, because a value that a response lacks ends the list and isn't a mistake. */
const MAY_BE_MISSING: ReadonlySet<string> = new Set([
  'previous_request',
  'previous_request_headers',
  'links',
  'last_record',
])

export const RENDER_OPTIONS = { undefinedBelow: MAY_BE_MISSING }

/** The variables that hold data from a response. */
export const FROM_RESPONSE: ReadonlySet<string> = new Set([
  'previous_request',
  'previous_request_headers',
  'links',
])

export function readsResponse(names: Iterable<string>): boolean {
  for (const name of names) if (FROM_RESPONSE.has(name)) return true
  return false
}
