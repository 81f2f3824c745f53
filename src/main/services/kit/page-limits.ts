import type { PaginationLimits } from '../../../shared/contract/pagination.ts'
import type { Settings } from '../../../shared/contract/settings.ts'

/** The limits of safety for lists, as the settings have them. */
export function pageLimits(settings: Settings): PaginationLimits {
  return { max_pages: settings.pagination_max_pages, max_empty_pages: settings.pagination_max_empty_pages }
}
