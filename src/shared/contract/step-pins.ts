import { z } from 'zod'
import { idParams, json, text, timestamp } from './base/common.ts'
import { can, defineRoute } from './base/route.ts'

/**
 * A value that stands in for what a step would give, in test runs of the working copy alone: a step that is pinned does
 * not run there. No other run knows of it.
 */
export const stepPin = z.object({
  ref_id: z.string(),
  /** Secrets that are known are hidden in it. */
  value: json,
  /** Only where the value cannot be decrypted on this host: pin it again. */
  state: z.literal('needs_reentry').optional(),
  pinned_at: timestamp,
  /** Null where nobody knows any longer. */
  pinned_by: z.object({ id: z.string(), name: z.string() }).nullable(),
  /** The run that the value was taken from; null where it was typed. */
  flow_run_id: z.string().nullable(),
})
export type StepPin = z.output<typeof stepPin>

const pinParams = z.object({ id: z.string().max(200), ref_id: z.string().max(100) })

export const listStepPinsRoute = defineRoute({
  method: 'GET',
  path: '/v1/flows/:id/pins',
  summary:
    'List the pinned values of a flow; test runs of the working copy use them in place of running the step',
  access: can('flows', 'read'),
  status: 200,
  params: idParams,
  result: z.array(stepPin),
})

export const pinStepRoute = defineRoute({
  method: 'PUT',
  path: '/v1/flows/:id/pins/:ref_id',
  summary: 'Pin a value to a step of a flow, saved or in its working copy',
  access: can('flows', 'update'),
  status: 200,
  params: pinParams,
  body: z.strictObject({
    value: json,
    /** The run that the value is taken from, for those who look at the pin later. */
    flow_run_id: text(200).optional(),
  }),
  bodyLimit: 'large',
  readOnly: ['ref_id', 'state', 'pinned_at', 'pinned_by'],
  result: stepPin,
})

export const unpinStepRoute = defineRoute({
  method: 'DELETE',
  path: '/v1/flows/:id/pins/:ref_id',
  summary: 'Take the pinned value from a step',
  access: can('flows', 'update'),
  status: 204,
  params: pinParams,
})
