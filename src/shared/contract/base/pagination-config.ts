/** How a list is paged: what an action, a step and the tester are configured with. */
import { z } from 'zod'
import { jsonObject, origin, text } from './common.ts'

const dictionary = z.union([text(64_000), jsonObject])

/** One configuration; every string is a template. Rules beyond the shape are checked by the engine, with positions. */
export const paginationConfigEntry = z.strictObject({
  query: dictionary.optional(),
  body: dictionary.optional(),
  header: dictionary.optional(),
  response_jsonpath: text(1_000).optional(),
  endpoint: text(4_000).optional(),
  replace_body: z.boolean().optional(),
  when: text(4_000).optional(),
  stop_when: text(4_000).optional(),
  retry_when: text(4_000).optional(),
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).optional(),
  max_pages: z.number().int().min(1).optional(),
  allowed_origins: z.array(origin).max(20).optional(),
  first_request: z.boolean().optional(),
  dedupe_by: text(1_000).optional(),
  /** Statuses that end a list after at least one good page, such as 404 or 416. */
  ends_on_status: z.array(z.number().int().min(300).max(599)).max(20).optional(),
  /** At least this long from the start of one call to the start of the next. */
  min_interval_ms: z.number().min(0).max(600_000).optional(),
})
export const paginationConfig = z.union([paginationConfigEntry, z.array(paginationConfigEntry).max(50)])
export type PaginationConfigEntry = z.output<typeof paginationConfigEntry>
export type PaginationConfig = z.output<typeof paginationConfig>
