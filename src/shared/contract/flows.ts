import { doc } from './base/doc.ts'
import { z } from 'zod'
import {
  idParams,
  iteration,
  json,
  jsonObject,
  namedValues,
  labels,
  listQuery,
  nonEmptyText,
  text,
  timestamp,
  uuid,
} from './base/common.ts'
import { alarmSettings } from './alarms.ts'
import { flowRun, flowRunStep, recordsRun } from './flow-runs.ts'
import { flowProblem } from './base/flow-problem.ts'
import { can, defineRoute } from './base/route.ts'
import { withWarnings } from './base/save-warnings.ts'
import { mcpTool } from './reach/mcp.ts'
import { step } from './steps.ts'

export const FLOW_STATUSES = ['draft', 'active', 'paused'] as const
/** `live` is accepted as a synonym for `active`. */
const flowStatus = z
  .enum([...FLOW_STATUSES, 'live'])
  .transform((status) => (status === 'live' ? ('active' as const) : status))

export const flowSettings = z.strictObject({
  webhook_token_enabled: z
    .boolean()
    .describe(
      'If true, callers of the webhook must send its token. If false, anybody who knows the URL can start the flow; use it with `signature`.',
    ),
  automatic_retries: z
    .boolean()
    .describe(
      'Repeats failed calls that are safe to repeat (network errors, 429, 5xx), with growing pauses.',
    ),
  data_retention_days: z
    .int()
    .min(0)
    .max(36_500)
    .meta(doc('Days to keep finished runs, 0 to 36500. 0 keeps nothing once a run has finished.', 30)),
  log_all_steps: z
    .boolean()
    .describe('True keeps every step in the run history. False keeps only failed ones.'),
  record_calls: z
    .boolean()
    .describe(
      'True keeps the whole calls of each run, up to 3 MB per run, instead of the first 16 kB of each body. A test can then be made from any run.',
    ),
  require_tests: z
    .boolean()
    .describe(
      'True refuses to activate the flow, and to change the steps of an active one, while any of its tests fails. False only warns.',
    ),
  error_handling_flow_id: uuid
    .nullable()
    .meta(doc('ID of the error flow, which starts when a run of this flow fails. Null means none.', null)),
  dynamic_title: text(2_000)
    .nullable()
    .describe(
      'Template for the run name, rendered with the step results: `Order {{ web1.order_id }}`. If null, runs have no name.',
    )
    .meta({ examples: ['Order {{ order.id }}'] }),
  concurrency: z
    .int()
    .min(1)
    .max(1_000)
    .nullable()
    .describe(
      'How many runs of this flow can be in progress at once, 1 to 1000. If null, only the program setting `concurrent_runs` applies.',
    )
    .meta({ examples: [null] }),
  timeout_seconds: z
    .int()
    .min(1)
    .max(604_800)
    .meta(doc('Seconds that a run can take, 1 to 604800 (a week). A longer run fails.', 3600)),
  alarms: alarmSettings
    .nullable()
    .describe(
      'When and how to notify that the active flow fails, is silent or misses its time. If null, the program setting applies.',
    )
    .meta({ examples: [null] }),
  mcp_tool: mcpTool
    .nullable()
    .describe(
      'Offers the flow to AI clients as a tool of the MCP server, under the name of the flow and with its description. If null, it is left out.',
    )
    .meta({ examples: [null] }),
})
export type FlowSettings = z.output<typeof flowSettings>

export const DEFAULT_FLOW_SETTINGS: FlowSettings = {
  webhook_token_enabled: true,
  automatic_retries: true,
  data_retention_days: 30,
  log_all_steps: true,
  record_calls: false,
  require_tests: false,
  error_handling_flow_id: null,
  dynamic_title: null,
  concurrency: null,
  timeout_seconds: 3_600,
  alarms: null,
  mcp_tool: null,
}

/** The input of an error flow; its templates can read these names anywhere. */
export const ERROR_FLOW_INPUT = [
  'error_flow_id',
  'error_flow_name',
  'error_flow_run_id',
  'error_step',
  'error_message',
] as const

export const flow = z.object({
  id: z.string().describe('ID of the flow, part of its webhook URL.'),
  name: z.string().meta(doc('Name shown in lists.', 'Receive an order')),
  description: z
    .string()
    .meta(doc('Notes about the flow.', 'Receives orders and responds with their total.')),
  tags: z.array(z.string()).meta(doc('Labels to group and filter flows by.', ['shop'])),
  status: z
    .enum(FLOW_STATUSES)
    .describe(
      "`draft`: starts by webhook and manually; `active`: also on its schedule; `paused`: doesn't start.",
    ),
  steps: z.array(step).describe('The steps, in the order in which they run.'),
  settings: flowSettings.describe("How the flow's runs are started, limited and kept."),
  version: z.int().describe('Number of the current version. A change of the steps creates the next one.'),
  created_at: timestamp.describe('When the flow was created, in UTC.'),
  updated_at: timestamp.describe('When the flow was last changed, in UTC.'),
  inherited: z
    .literal(true)
    .optional()
    .describe(
      'True if the flow was paused because its owner was deleted. Until you activate or save it, it can only use credentials that everybody can see. Otherwise absent.',
    ),
  webhook: z
    .object({
      url: z.string().describe('URL that starts the flow, on this computer.'),
      public_url: z
        .string()
        .nullable()
        .meta(doc('URL that starts the flow from elsewhere. Null while there is no public URL.', null)),
      token: z
        .string()
        .nullable()
        .describe(
          "Token to send as `Authorization: Bearer …`. Null if it can't be decrypted on this computer.",
        ),
    })
    .nullable()
    .optional()
    .meta(
      doc(
        "URL and token of the flow's webhook, for callers who can change the flow. Null if the flow has no webhook step.",
        {
          url: 'http://127.0.0.1:4747/v1/flow-webhook/7c9e6679-7425-40de-944b-e07fc1f90ae7',
          public_url: null,
          token: 'mr_whk_…',
        },
      ),
    ),
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
  name: nonEmptyText(200).describe('Name shown in lists.'),
  description: text(20_000).describe('Notes about the flow.'),
  tags: labels.describe('Labels to group and filter flows by.'),
  status: flowStatus.describe('`draft`, `active` or `paused`. `live` is accepted for `active`.'),
  steps: z.array(step).max(1_000).describe('The steps, in the order in which they run. At most 1000.'),
  settings: flowSettings.partial().describe('Flow settings to change. Absent ones keep their value.'),
})
const flowPatch = flowFields.partial()
export type FlowPatch = z.output<typeof flowPatch>

export const createFlowRoute = defineRoute({
  method: 'POST',
  path: '/v1/flows',
  summary: 'Create a flow; it starts as a draft',
  access: can('flows', 'create'),
  status: 201,
  /** An import keeps steps of unknown types. Runs fail at such a step. */
  query: z.strictObject({
    import: z
      .enum(['true', 'false'])
      .optional()
      .describe('`true` accepts steps of unknown types, as imports have them. A run fails at such a step.'),
  }),
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
  chosen: 'own',
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
  summary: 'Change a flow; changed steps create a new version',
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
  summary: "Rotate the token of a flow's webhook; the old one stops working immediately",
  access: can('flows', 'update'),
  changes: '/v1/flows/:id',
  status: 200,
  params: idParams,
  result: flow,
})

/** The run times of a flow with a schedule step. */
export const flowSchedule = z.object({
  active: z
    .boolean()
    .describe(
      'True if the flow starts on its schedule now. False if it is a draft, paused or has no schedule step.',
    ),
  next: z
    .array(timestamp)
    .describe("The next start times in UTC, at most five. If the flow isn't active: those it would have.")
    .meta({ examples: [['2026-03-02T08:00:00.000Z']] }),
  last_fired_at: timestamp
    .nullable()
    .describe('When the schedule last started a run, in UTC. Null if it never did.')
    .meta({ examples: ['2026-03-01T08:00:00.000Z'] }),
})
export type FlowSchedule = z.output<typeof flowSchedule>

/** Selects one of a flow's triggers, if it has several. */
const ofSchedule = z.strictObject({
  ref_id: text(100)
    .optional()
    .describe('Reference name of the schedule step, if the flow has several. Defaults to all of them.')
    .meta({ examples: ['nightly'] }),
})

export const readScheduleRoute = defineRoute({
  method: 'GET',
  path: '/v1/flows/:id/schedule',
  summary: 'Read the next scheduled times of a flow',
  access: can('flows', 'read'),
  status: 200,
  params: idParams,
  query: ofSchedule,
  result: flowSchedule,
})

/** Why a schedule has no times: the field of its config, and a sentence without its subject. */
const scheduleProblem = z.object({
  field: z.string().describe("Field of the schedule's configuration with the problem, such as `cron`."),
  message: z.string().describe('What is wrong, as the end of a sentence that begins with the field.'),
})

export const previewScheduleRoute = defineRoute({
  method: 'POST',
  path: '/v1/flows/:id/schedule/preview',
  summary: 'Preview the next times of a schedule configuration; nothing is stored',
  access: can('flows', 'read'),
  status: 200,
  params: idParams,
  body: z.strictObject({
    config: jsonObject
      .meta({ examples: [{ interval: 'cron', cron: '0 9 * * mon-fri' }] })
      .describe('Configuration of a schedule step. It can be incomplete.'),
  }),
  result: z.object({
    next: z
      .array(timestamp)
      .describe('The next start times in UTC, at most five. Empty if there are problems.')
      .meta({ examples: [['2026-03-02T08:00:00.000Z']] }),
    timezone: z
      .string()
      .meta(doc('IANA name of the time zone that the schedule is calculated in.', 'Europe/Berlin')),
    problems: z
      .array(scheduleProblem)
      .meta(doc('Problems of the configuration. Empty if it is a valid schedule.', [])),
  }),
})
export type SchedulePreview = z.output<typeof previewScheduleRoute.result>

export const flowVersion = z.object({
  flow_id: z.string().describe('ID of the flow.'),
  version: z.int().describe('Number of the version, counted from 1.'),
  name: z.string().describe('Name of the version. Empty if it has none.'),
  steps: z.array(step).describe('The steps of this version.'),
  author: z
    .object({ id: z.string().describe('ID of the user.'), name: z.string().describe('Name of the user.') })
    .nullable()
    .describe('The user who saved it. Null if the user was deleted.'),
  created_at: timestamp.describe('When the version was saved, in UTC.'),
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

const versionParams = z.object({
  id: z.string().describe('ID of the flow.'),
  version: z.coerce.number().int().min(1).describe('Number of the version.'),
})

export const updateFlowVersionRoute = defineRoute({
  method: 'PUT',
  path: '/v1/flows/:id/versions/:version',
  summary: 'Name a version of a flow; an empty name removes it',
  access: can('flows', 'update'),
  status: 200,
  params: versionParams,
  body: z.strictObject({ name: text(200).describe('The name. An empty one removes it.') }),
  result: flowVersion,
})

export const restoreFlowVersionRoute = defineRoute({
  method: 'POST',
  path: '/v1/flows/:id/versions/:version/restore',
  summary: 'Restore the steps of an older version as a new version',
  access: can('flows', 'update'),
  changes: '/v1/flows/:id',
  status: 200,
  params: versionParams,
  result: flow,
})

/** The unsaved state of the editor; it can be incomplete. */
export const workingCopy = z.object({
  steps: z
    .array(json)
    .describe('The steps as they are in the editor. They can be incomplete.')
    .meta({ examples: [[{ ref_id: 'order', type: 'webhook' }]] }),
  updated_at: timestamp
    .nullable()
    .describe('When the draft changes were last stored, in UTC. Null if there are none.'),
  written_with: z
    .string()
    .nullable()
    .meta(
      doc(
        'Note of the access token that wrote these changes, or some of them. Null if people wrote all of them in the app.',
        null,
      ),
    ),
})
export type WorkingCopy = z.output<typeof workingCopy>

export const readWorkingCopyRoute = defineRoute({
  method: 'GET',
  path: '/v1/flows/:id/working-copy',
  summary: 'Read the draft changes of a flow; the saved steps if there are none',
  access: can('flows', 'read'),
  status: 200,
  item: true,
  params: idParams,
  result: workingCopy,
})

export const updateWorkingCopyRoute = defineRoute({
  method: 'PUT',
  path: '/v1/flows/:id/working-copy',
  summary: 'Save the draft changes of a flow; null discards them',
  access: can('flows', 'update'),
  status: 200,
  item: true,
  params: idParams,
  body: z.strictObject({
    steps: z
      .array(json)
      .max(1_000)
      .nullable()
      .describe('The steps to keep as draft changes. Null discards the draft changes.'),
  }),
  readOnly: ['updated_at', 'written_with'],
  bodyLimit: 'large',
  result: workingCopy,
})

export const checkFlowRoute = defineRoute({
  method: 'POST',
  path: '/v1/flows/:id/check',
  summary: 'Check the given steps, or those of the draft changes, for problems; nothing is stored',
  access: can('flows', 'read'),
  status: 200,
  params: idParams,
  body: z.strictObject({
    steps: z
      .array(json)
      .max(1_000)
      .optional()
      .describe("The steps to check. Defaults to those of the editor's draft changes."),
  }),
  bodyOptional: true,
  bodyLimit: 'large',
  result: z.object({
    problems: z.array(flowProblem).meta(
      doc('Errors and warnings, in the order of the steps.', [
        {
          severity: 'error',
          ref_id: 'call',
          path: 'steps[1].config.url',
          field: 'config.url',
          line: null,
          column: null,
          message: 'is required',
          fix: null,
        },
      ]),
    ),
  }),
})

export const runFlowRoute = defineRoute({
  method: 'POST',
  path: '/v1/flows/:id/run',
  summary:
    'Start a draft or active flow by hand: 202 with the run id, or 200 with the ended run where wait=true',
  access: can('flows', 'create'),
  status: 202,
  params: idParams,
  query: z.strictObject({
    wait: z
      .enum(['true', 'false'])
      .optional()
      .describe('`true` waits until the run has finished and returns it with status 200.'),
  }),
  body: z.strictObject({
    input: jsonObject
      .optional()
      .describe('What the flow is started with. Its first step returns it. Default: `{}`.'),
    working_copy: z
      .boolean()
      .default(false)
      .describe(
        "True runs the editor's draft changes as a test run. Pinned results are used instead of running their steps.",
      ),
    test: z
      .boolean()
      .default(false)
      .describe(
        "True gives the run the trigger `test` instead of `manual`, so that its failure isn't counted on Home.",
      ),
    trigger: text(100)
      .optional()
      .describe(
        "Reference name of the trigger that the run begins with, if the flow has several. Defaults to the first that isn't disabled.",
      )
      .meta({ examples: ['nightly'] }),
    before: text(200)
      .optional()
      .describe(
        'Reference name of a step: only the steps before it run, and the run has no response. If absent, all steps run.',
      )
      .meta({ examples: ['contacts'] }),
    record: recordsRun,
  }),
  bodyOptional: true,
  bodyLimit: 'large',
  result: z.object({ flow_run_id: z.string().describe('ID of the started run.') }),
  alternative: { status: 200, result: flowRun },
})

export const runStepRoute = defineRoute({
  method: 'POST',
  path: '/v1/flows/:id/steps/:ref_id/run',
  summary: 'Run one step with given results, or with those of a run',
  access: can('flows', 'create'),
  status: 200,
  params: z.object({
    id: z.string().describe('ID of the flow.'),
    ref_id: z.string().describe('Reference name of the step to run.'),
  }),
  body: z
    .strictObject({
      results: namedValues
        .optional()
        .describe(
          "Step results by `ref_id` to run the step with. No run is read. Can't be combined with the other fields.",
        ),
      flow_run_id: text(200)
        .optional()
        .describe('ID of the run whose results are used. Defaults to the newest run that kept any.'),
      context: namedValues
        .optional()
        .describe('Results by `ref_id` that replace those of the run and pinned ones.'),
      iteration: iteration
        .optional()
        .describe(
          "Which iteration's results to use: `2.0`, outermost loop first, from 0. Defaults to the last iteration of each loop.",
        ),
    })
    .refine(
      ({ results, flow_run_id: id, context, iteration: turns }) =>
        results === undefined || (id === undefined && context === undefined && turns === undefined),
      { error: "can't be combined with flow_run_id, context or iteration; send it alone", path: ['results'] },
    ),
  bodyOptional: true,
  bodyLimit: 'large',
  result: flowRunStep,
})

export const flowRoutes = {
  createFlowRoute,
  listFlowsRoute,
  readFlowRoute,
  updateFlowRoute,
  deleteFlowRoute,
  rotateWebhookTokenRoute,
  readScheduleRoute,
  previewScheduleRoute,
}

export const flowVersionRoutes = {
  listFlowVersionsRoute,
  restoreFlowVersionRoute,
  updateFlowVersionRoute,
  readWorkingCopyRoute,
  updateWorkingCopyRoute,
  checkFlowRoute,
}

export const flowStartRoutes = {
  runFlowRoute,
  runStepRoute,
}
