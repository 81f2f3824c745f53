/** Breakpoints: runs stop before a step until a user decides how they continue. */
import { doc } from '../base/doc.ts'
import { z } from 'zod'
import { idParams, json, jsonObject, text, timestamp } from '../base/common.ts'
import { can, defineRoute } from '../base/route.ts'

export const breakpoint = z.object({
  ref_id: z.string().meta(doc('Reference name of the step before which runs stop.', 'charge')),
  condition: z
    .string()
    .describe('Condition over what the step can read. Leave empty for every time.')
    .meta({ examples: ['{{ item.total > 100 }}'] }),
  real_runs: z.boolean().describe('Whether all runs stop, not only test runs.'),
})
export type Breakpoint = z.output<typeof breakpoint>

const params = z.object({
  id: z.string().max(200).describe('ID of the flow.'),
  ref_id: z.string().max(100).describe('Reference name of the step.'),
})

export const listBreakpointsRoute = defineRoute({
  method: 'GET',
  path: '/v1/flows/:id/breakpoints',
  summary: 'List the breakpoints of a flow',
  access: can('flows', 'read'),
  status: 200,
  params: idParams,
  result: z.array(breakpoint),
})

export const setBreakpointRoute = defineRoute({
  method: 'PUT',
  path: '/v1/flows/:id/breakpoints/:ref_id',
  summary: 'Stop runs before a step, including one in the draft changes',
  access: can('flows', 'update'),
  status: 200,
  params,
  bodyOptional: true,
  body: z.strictObject({
    condition: text(10_000)
      .default('')
      .describe('Condition over what the step can read. Leave empty for every time.')
      .meta({ examples: ['{{ item.total > 100 }}'] }),
    real_runs: z.boolean().default(false).describe('Whether all runs stop, not only test runs.'),
  }),
  readOnly: ['ref_id'],
  result: breakpoint,
})

export const removeBreakpointRoute = defineRoute({
  method: 'DELETE',
  path: '/v1/flows/:id/breakpoints/:ref_id',
  summary: 'Remove the breakpoint of a step; runs that it has stopped still wait',
  access: can('flows', 'update'),
  status: 204,
  params,
})

export const runStop = z.object({
  id: z.string().describe('ID of the stop.'),
  ref_id: z.string().meta(doc('Reference name of the step that would run next.', 'charge')),
  iteration: z
    .array(z.int())
    .describe('Iterations of the loops around the step, outermost first, from 0.')
    .meta({ examples: [[]] }),
  at: timestamp.describe('When the run stopped there, in UTC.'),
  input: jsonObject
    .describe('Config of the step with its templates rendered. Secrets read `***`.')
    .meta({ examples: [{ url: 'https://api.example.com/orders/4711' }] }),
  data: jsonObject
    .nullable()
    .describe('What the step can read: results by reference name, `item` and `index`. Null if it is large.')
    .meta({ examples: [{ web1: { id: 4711 } }] }),
})
export type RunStop = z.output<typeof runStop>

export const listRunStopsRoute = defineRoute({
  method: 'GET',
  path: '/v1/flow-runs/:id/breakpoint',
  name: 'list_stops_of_flow_run',
  summary: 'List where a run has stopped at breakpoints; parallel branches can stop at several',
  access: can('flow_runs', 'read'),
  status: 200,
  params: idParams,
  result: z.array(runStop),
})

export const STOP_DECISIONS = ['continue', 'step', 'skip', 'stop'] as const

export const decideRunStopRoute = defineRoute({
  method: 'POST',
  path: '/v1/flow-runs/:id/breakpoint',
  name: 'decide_stop_of_flow_run',
  summary: 'Continue a run that has stopped at a breakpoint, run or skip the one step, or cancel the run',
  access: can('flow_runs', 'create'),
  status: 204,
  params: idParams,
  bodyLimit: 'large',
  body: z.strictObject({
    do: z
      .enum(STOP_DECISIONS)
      .describe(
        '`continue`: to the next breakpoint; `step`: run the step and stop before the next one; `skip`: use `result` instead of running it, then continue; `stop`: cancel the run.',
      ),
    id: text(100)
      .optional()
      .describe('ID of the stop, if there are several. Default: the oldest.')
      .meta({ examples: ['7c9e6679-7425-40de-944b-e07fc1f90ae7'] }),
    input: jsonObject
      .optional()
      .describe('`input` with changes, for `continue` and `step`. Strings are taken as they are.')
      .meta({ examples: [{ url: 'https://api.example.com/orders/4712' }] }),
    result: json
      .optional()
      .describe("The step's result, for `skip`. Default: null.")
      .meta({ examples: [{ total: 19.8 }] }),
  }),
})

export const breakpointRoutes = {
  listBreakpointsRoute,
  setBreakpointRoute,
  removeBreakpointRoute,
}

export const runStopRoutes = {
  listRunStopsRoute,
  decideRunStopRoute,
}
