import { z } from 'zod'

/** For changes that could send stored secrets to another origin. */
export const reentryQuery = z.strictObject({
  reentry: z
    .enum(['true', 'false'])
    .optional()
    .describe(
      '`true` makes a change that leads stored secrets to another origin; your affected credentials then wait until you enter them again. Without it such a change is rejected.',
    ),
})

export const toReentry = ({ reentry }: z.output<typeof reentryQuery>) => ({ reentry: reentry === 'true' })
