import { z } from 'zod'

/** Of changes that may take stored secrets to another origin. */
export const reentryQuery = z.strictObject({
  /** Secrets of the caller's own auths wait until they are entered again; without it, such a change is refused. */
  reentry: z.enum(['true', 'false']).optional(),
})

export const toReentry = ({ reentry }: z.output<typeof reentryQuery>) => ({ reentry: reentry === 'true' })
