import { say } from '../../../../shared/contract/base/message.ts'
import type { PaginationLimits } from '../../../../shared/contract/pagination.ts'
import { PaginationError } from './pagination-error.ts'

/** Safety limits. Reaching one is an error that keeps the records read so far. */
const DEFAULT_PAGINATION_LIMITS = {
  max_pages: 10_000,
  max_empty_pages: 100,
  max_records: Infinity,
  max_attempts: 5,
  backoff_base_ms: 1_000,
  max_wait_ms: 600_000,
  max_redirects: 20,
  rate_limit_patience_ms: 120_000,
} as const satisfies Required<PaginationLimits>

/** The specification's page size, and the parameter names that APIs use for it. */
export const MAX_PAGE_SIZE = 100
export const PAGE_SIZE_NAMES: ReadonlySet<string> = new Set([
  'limit',
  'per_page',
  'page_size',
  'pageSize',
  'maxResults',
])

export type Limits = Readonly<Record<keyof typeof DEFAULT_PAGINATION_LIMITS, number>>

export function withDefaultLimits(limits: PaginationLimits = {}): Limits {
  const given = Object.entries(limits).filter(([, value]) => value !== undefined)
  return { ...DEFAULT_PAGINATION_LIMITS, ...Object.fromEntries(given) }
}

/** @throws PaginationError if a limit doesn't allow another page */
export function requireWithin(limits: Limits, pages: number, emptyPages: number, records: number): void {
  if (pages >= limits.max_pages) {
    throw new PaginationError(
      'page_limit',
      say('The list exceeds the limit of {{limit}} pages. Raise the limit, or check that the list can end', {
        limit: limits.max_pages,
      }),
    )
  }
  if (emptyPages > limits.max_empty_pages) {
    throw new PaginationError(
      'stalled',
      say(
        '{{emptyPages}} pages in a row had no records, and the API always named a next one. Check the cursor and "response_jsonpath"',
        { emptyPages },
      ),
    )
  }
  if (records >= limits.max_records) throw tooManyRecords(limits.max_records)
}

export function tooManyRecords(limit: number): PaginationError {
  return new PaginationError(
    'page_limit',
    say('The list exceeds the limit of {{limit}} records. Raise the limit, or request fewer', { limit }),
  )
}
