/** What a save lets pass and has something to say about. */
import { z } from 'zod'

export const saveWarning = z.object({
  /** A `warning` is likely not meant; a `hint` is worth a second look. */
  severity: z.enum(['warning', 'hint']),
  /** `page_size`, `catch_all_not_last`, `one_based_offset`, `reads_ahead`, … */
  code: z.string(),
  message: z.string(),
  /** `pagination_config[1].query`, `steps[2].config.pagination.body`. */
  field: z.string(),
  /** Inside the field's text, from 1. */
  line: z.number().int().nullable(),
  column: z.number().int().nullable(),
})
export type SaveWarning = z.output<typeof saveWarning>

/** Stands in the answer to a save, and there only where there is something to say; never in what is read later. */
export const withWarnings = { warnings: z.array(saveWarning).optional() }
export type Saved<T> = T & { readonly warnings?: SaveWarning[] | undefined }
