import type { PaginationConfig, PaginationConfigEntry } from '../../shared/contract/pagination.ts'

/** The specification: `replace_body` is false where absent, and added on save. */
export function withReplaceBody(config: PaginationConfig): PaginationConfig {
  const complete = (entry: PaginationConfigEntry) => ({ ...entry, replace_body: entry.replace_body ?? false })
  return Array.isArray(config) ? config.map(complete) : complete(config)
}
