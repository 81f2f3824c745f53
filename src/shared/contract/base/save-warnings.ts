/** Warnings about a record that was saved. */
import { z } from 'zod'

export const saveWarning = z.object({
  severity: z
    .enum(['warning', 'hint'])
    .describe('`warning` is probably not intended; `hint` is worth a look.'),
  code: z.string().describe('Machine-readable code, such as `page_size` or `reads_ahead`.'),
  message: z.string().describe('What to check and what to write instead.'),
  field: z.string().describe('Path of the field: `pagination_config[1].query`.'),
  line: z.int().nullable().describe('Line inside the field, counted from 1. Null if unknown.'),
  column: z.int().nullable().describe('Column inside that line, counted from 1. Null if unknown.'),
})
export type SaveWarning = z.output<typeof saveWarning>

/** Only included in the response to a save, and only if there are warnings; never part of the stored record. */
export const withWarnings = {
  warnings: z
    .array(saveWarning)
    .optional()
    .describe('What was saved but should be checked. Absent if there is nothing to say.'),
}
export type Saved<T> = T & { readonly warnings?: SaveWarning[] | undefined }
