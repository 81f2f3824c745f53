import type { PaginationLimits } from '../../../shared/contract/pagination.ts'
import type { Settings } from '../../../shared/contract/settings.ts'

/** Safety limits of lists, from the settings. */
export function pageLimits(settings: Settings): PaginationLimits {
  return { max_pages: settings.pagination_max_pages, max_empty_pages: settings.pagination_max_empty_pages }
}
