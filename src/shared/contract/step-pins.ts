import { doc } from './base/doc.ts'
import { z } from 'zod'
import { idParams, json, text, timestamp } from './base/common.ts'
import { can, defineRoute } from './base/route.ts'

/**
 * A value used instead of a step's result. Only in test runs of the draft changes, a pinned step doesn't run. Other
 * runs ignore the pin.
 */
export const stepPin = z.object({
  ref_id: z.string().meta(doc('Reference name of the pinned step.', 'price')),
  value: json
    .describe("The value that test runs use as the step's result. Known secrets read `***`.")
    .meta({ examples: [{ total: 19.8 }] }),
  state: z
    .literal('needs_reentry')
    .optional()
    .describe(
      "`needs_reentry` if the value can't be decrypted on this computer: pin it again. Otherwise absent.",
    ),
  pinned_at: timestamp.meta(doc('When the value was pinned, in UTC.', '2026-03-01T12:00:00.000Z')),
  pinned_by: z
    .object({
      id: z.string().describe('ID of the user.'),
      name: z.string().describe('Name of the user, for display.'),
    })
    .nullable()
    .describe('The user who pinned it. Null if unknown.')
    .meta({ examples: [{ id: '7c9e6679-7425-40de-944b-e07fc1f90ae7', name: 'Ann Example' }] }),
  flow_run_id: z
    .string()
    .nullable()
    .describe('ID of the run that the value comes from. Null if it was entered manually.'),
})
export type StepPin = z.output<typeof stepPin>

const pinParams = z.object({
  id: z.string().max(200).describe('ID of the flow.'),
  ref_id: z.string().max(100).describe('Reference name of the step.'),
})

export const listStepPinsRoute = defineRoute({
  method: 'GET',
  path: '/v1/flows/:id/pins',
  summary: 'List the pinned values of a flow, which test runs use instead of running the steps',
  access: can('flows', 'read'),
  status: 200,
  params: idParams,
  result: z.array(stepPin),
})

export const pinStepRoute = defineRoute({
  method: 'PUT',
  path: '/v1/flows/:id/pins/:ref_id',
  summary: 'Pin a value to a step of a flow, including one in its draft changes',
  access: can('flows', 'update'),
  status: 200,
  params: pinParams,
  body: z.strictObject({
    value: json.meta(doc("The value that test runs use as the step's result.", { total: 19.8 })),
    flow_run_id: text(200)
      .optional()
      .describe('ID of the run that the value comes from. It is only shown with the pin.'),
  }),
  bodyLimit: 'large',
  readOnly: ['ref_id', 'state', 'pinned_at', 'pinned_by'],
  result: stepPin,
})

export const unpinStepRoute = defineRoute({
  method: 'DELETE',
  path: '/v1/flows/:id/pins/:ref_id',
  summary: 'Remove the pinned value of a step',
  access: can('flows', 'update'),
  status: 204,
  params: pinParams,
})

export const stepPinRoutes = {
  listStepPinsRoute,
  pinStepRoute,
  unpinStepRoute,
}
