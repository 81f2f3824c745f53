import { z } from 'zod'
import {
  idParams,
  iteration,
  json,
  jsonObject,
  labels,
  listQuery,
  nonEmptyText,
  text,
  timestamp,
  uuid,
} from './base/common.ts'
import { flowRun, flowRunStep } from './flow-runs.ts'
import { can, defineRoute } from './base/route.ts'
import { withWarnings } from './base/save-warnings.ts'
import { step } from './steps.ts'

export const FLOW_STATUSES = ['draft', 'active', 'paused'] as const
/** `live` is accepted for `active`. */
const flowStatus = z
  .enum([...FLOW_STATUSES, 'live'])
  .transform((status) => (status === 'live' ? ('active' as const) : status))

export const flowSettings = z.strictObject({
  webhook_token_enabled: z.boolean(),
  automatic_retries: z.boolean(),
  /** Days that ended runs are kept; 0 keeps nothing once a run has ended. */
  data_retention_days: z.number().int().min(0).max(36_500),
  log_all_steps: z.boolean(),
  error_handling_flow_id: uuid.nullable(),
  dynamic_title: text(2_000).nullable(),
  /** Runs of this flow at one time; null leaves it to the program's setting. */
  concurrency: z.number().int().min(1).max(1_000).nullable(),
  timeout_seconds: z.number().int().min(1).max(604_800),
})
export type FlowSettings = z.output<typeof flowSettings>

export const DEFAULT_FLOW_SETTINGS: FlowSettings = {
  webhook_token_enabled: true,
  automatic_retries: true,
  data_retention_days: 30,
  log_all_steps: true,
  error_handling_flow_id: null,
  dynamic_title: null,
  concurrency: null,
  timeout_seconds: 3_600,
}

/** What an error handling flow is started with; its templates read these names anywhere. */
export const ERROR_FLOW_INPUT = [
  'error_flow_id',
  'error_flow_name',
  'error_flow_run_id',
  'error_step',
  'error_message',
] as const

export const flow = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  tags: z.array(z.string()),
  status: z.enum(FLOW_STATUSES),
  steps: z.array(step),
  settings: flowSettings,
  version: z.number().int(),
  created_at: timestamp,
  updated_at: timestamp,
  /**
   * Of flows that were paused because their owner was deleted: their steps use only auths that everybody may see, until
   * the user of this machine, to whom they went, activates or saves them. Absent of all others.
   */
  inherited: z.literal(true).optional(),
  /** For callers who may update the flow; null without a webhook step. */
  webhook: z.object({ url: z.string(), token: z.string().nullable() }).nullable().optional(),
})
export type Flow = z.output<typeof flow>

const FLOW_READ_ONLY = [
  'id',
  'version',
  'created_at',
  'updated_at',
  'inherited',
  'webhook',
  'warnings',
] as const
const flowFields = z.strictObject({
  name: nonEmptyText(200),
  description: text(20_000),
  tags: labels,
  status: flowStatus,
  steps: z.array(step).max(1_000),
  /** Absent settings keep their value. */
  settings: flowSettings.partial(),
})
const flowPatch = flowFields.partial()
export type FlowPatch = z.output<typeof flowPatch>

export const createFlowRoute = defineRoute({
  method: 'POST',
  path: '/v1/flows',
  summary: 'Create a flow; it starts as a draft',
  access: can('flows', 'create'),
  status: 201,
  /** An import keeps steps of unknown types; a run fails there. */
  query: z.strictObject({ import: z.enum(['true', 'false']).optional() }),
  body: flowPatch.required({ name: true }),
  readOnly: FLOW_READ_ONLY,
  bodyLimit: 'large',
  result: flow.extend(withWarnings),
})

export const listFlowsRoute = defineRoute({
  method: 'GET',
  path: '/v1/flows',
  summary: 'List flows, newest first',
  access: can('flows', 'read'),
  status: 200,
  query: listQuery,
  result: z.array(flow),
})

export const readFlowRoute = defineRoute({
  method: 'GET',
  path: '/v1/flows/:id',
  summary: 'Read a flow',
  access: can('flows', 'read'),
  status: 200,
  params: idParams,
  result: flow,
})

export const updateFlowRoute = defineRoute({
  method: 'PUT',
  path: '/v1/flows/:id',
  summary: 'Change a flow; a change of steps makes a new version',
  access: can('flows', 'update'),
  status: 200,
  params: idParams,
  body: flowPatch,
  readOnly: FLOW_READ_ONLY,
  bodyLimit: 'large',
  result: flow.extend(withWarnings),
})

export const deleteFlowRoute = defineRoute({
  method: 'DELETE',
  path: '/v1/flows/:id',
  summary: 'Delete a flow with its runs and versions',
  access: can('flows', 'delete'),
  status: 204,
  params: idParams,
})

export const rotateWebhookTokenRoute = defineRoute({
  method: 'POST',
  path: '/v1/flows/:id/webhook-token',
  name: 'rotate_webhook_token',
  summary: "Give a flow's webhook a new token; the old one fails from that moment",
  access: can('flows', 'update'),
  changes: '/v1/flows/:id',
  status: 200,
  params: idParams,
  result: flow,
})

/** When a flow with a schedule step runs. */
export const flowSchedule = z.object({
  /** False while the flow is a draft or paused, or begins with no schedule step: nothing runs by itself then. */
  active: z.boolean(),
  /** The next times, at most five; those it would have where it is not active. */
  next: z.array(timestamp),
  last_fired_at: timestamp.nullable(),
})
export type FlowSchedule = z.output<typeof flowSchedule>

export const readScheduleRoute = defineRoute({
  method: 'GET',
  path: '/v1/flows/:id/schedule',
  summary: 'Read the next times at which a flow runs by itself',
  access: can('flows', 'read'),
  status: 200,
  params: idParams,
  result: flowSchedule,
})

/** What keeps a schedule from having times: the field of its configuration, and what reads on from it. */
const scheduleProblem = z.object({ field: z.string(), message: z.string() })

export const previewScheduleRoute = defineRoute({
  method: 'POST',
  path: '/v1/flows/:id/schedule/preview',
  summary: 'The next times that a schedule step with this configuration would have; nothing is stored',
  access: can('flows', 'read'),
  status: 200,
  params: idParams,
  body: z.strictObject({
    /** Of the schedule step; it may be incomplete. */
    config: jsonObject.meta({ examples: [{ interval: 'cron', cron: '0 9 * * mon-fri' }] }),
  }),
  result: z.object({
    /** At most five; none where there are problems. */
    next: z.array(timestamp),
    /** IANA name of the zone that the configuration is read in. */
    timezone: z.string(),
    problems: z.array(scheduleProblem),
  }),
})
export type SchedulePreview = z.output<typeof previewScheduleRoute.result>

export const flowVersion = z.object({
  flow_id: z.string(),
  version: z.number().int(),
  steps: z.array(step),
  created_at: timestamp,
})
export type FlowVersion = z.output<typeof flowVersion>

export const listFlowVersionsRoute = defineRoute({
  method: 'GET',
  path: '/v1/flows/:id/versions',
  summary: 'List the versions of a flow, newest first',
  access: can('flows', 'read'),
  status: 200,
  params: idParams,
  query: listQuery,
  result: z.array(flowVersion),
})

export const restoreFlowVersionRoute = defineRoute({
  method: 'POST',
  path: '/v1/flows/:id/versions/:version/restore',
  summary: 'Make the steps of an older version the newest version',
  access: can('flows', 'update'),
  changes: '/v1/flows/:id',
  status: 200,
  params: z.object({ id: z.string(), version: z.coerce.number().int().min(1) }),
  result: flow,
})

/** What the editor holds and has not saved; it may be incomplete. */
export const workingCopy = z.object({ steps: z.array(json), updated_at: timestamp.nullable() })
export type WorkingCopy = z.output<typeof workingCopy>

export const readWorkingCopyRoute = defineRoute({
  method: 'GET',
  path: '/v1/flows/:id/working-copy',
  summary: "Read the editor's unsaved state of a flow; the saved steps where there is none",
  access: can('flows', 'read'),
  status: 200,
  item: true,
  params: idParams,
  result: workingCopy,
})

export const updateWorkingCopyRoute = defineRoute({
  method: 'PUT',
  path: '/v1/flows/:id/working-copy',
  summary: "Keep the editor's unsaved state; null forgets it",
  access: can('flows', 'update'),
  status: 200,
  item: true,
  params: idParams,
  body: z.strictObject({ steps: z.array(json).max(1_000).nullable() }),
  readOnly: ['updated_at'],
  bodyLimit: 'large',
  result: workingCopy,
})

/** Something in a flow that stands in the way of saving it, or that is likely not meant. */
const flowProblem = z.object({
  severity: z.enum(['error', 'warning']),
  /** Null where it is about the flow as a whole. */
  ref_id: z.string().nullable(),
  /** `steps[1].then[0].config.url` */
  path: z.string(),
  /** Reads on from the field: `is required`. */
  message: z.string(),
})
export type FlowProblem = z.output<typeof flowProblem>

export const checkFlowRoute = defineRoute({
  method: 'POST',
  path: '/v1/flows/:id/check',
  summary: 'What is wrong with the given steps, or with those of the working copy; nothing is stored',
  access: can('flows', 'read'),
  status: 200,
  params: idParams,
  body: z.strictObject({ steps: z.array(json).max(1_000).optional() }),
  bodyOptional: true,
  bodyLimit: 'large',
  result: z.object({ problems: z.array(flowProblem) }),
})

export const runFlowRoute = defineRoute({
  method: 'POST',
  path: '/v1/flows/:id/run',
  summary:
    'Start a draft or active flow by hand: 202 with the run id, or 200 with the ended run where wait=true',
  access: can('flows', 'create'),
  status: 202,
  params: idParams,
  query: z.strictObject({ wait: z.enum(['true', 'false']).optional() }),
  body: z.strictObject({ input: jsonObject.optional(), working_copy: z.boolean().default(false) }),
  bodyOptional: true,
  bodyLimit: 'large',
  result: z.union([z.object({ flow_run_id: z.string() }), flowRun]),
})

export const runStepRoute = defineRoute({
  method: 'POST',
  path: '/v1/flows/:id/steps/:ref_id/run',
  summary: 'Run one step on given results, or on those of a run',
  access: can('flows', 'create'),
  status: 200,
  params: z.object({ id: z.string(), ref_id: z.string() }),
  body: z
    .strictObject({
      results: jsonObject.optional().describe('Results by `ref_id`; no run is looked at'),
      flow_run_id: text(200)
        .optional()
        .describe('Whose results are used; absent: the newest run that kept any'),
      context: jsonObject
        .optional()
        .describe('Results by `ref_id` that replace those of the run and pinned ones'),
      iteration: iteration.optional(),
    })
    .refine(
      ({ results, flow_run_id: id, context, iteration: turns }) =>
        results === undefined || (id === undefined && context === undefined && turns === undefined),
      { error: 'is given beside flow_run_id, context or iteration; send it alone', path: ['results'] },
    ),
  bodyOptional: true,
  bodyLimit: 'large',
  result: flowRunStep,
})
