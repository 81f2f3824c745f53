import { z } from 'zod'
import { idParams, json, keyedListQuery, listQuery, timestamp } from './base/common.ts'
import { can, defineRoute } from './base/route.ts'

export const RUN_TRIGGERS = ['webhook', 'schedule', 'manual', 'flow', 'replay'] as const
export const RUN_STATUSES = ['queued', 'running', 'retrying', 'success', 'error', 'cancelled'] as const
export const RUN_STEP_STATUSES = ['running', 'retrying', 'success', 'error', 'skipped'] as const
export type RunStatus = (typeof RUN_STATUSES)[number]
export type RunTrigger = (typeof RUN_TRIGGERS)[number]

/** What went wrong, where, and what to do: `code` from the contract or the pagination table. */
export const runError = z.object({
  code: z.string(),
  message: z.string(),
  ref_id: z.string().nullable(),
  field: z.string().nullable(),
  line: z.number().int().nullable(),
  column: z.number().int().nullable(),
  data: json.nullable(),
})
export type RunError = z.output<typeof runError>

export const runWarning = z.object({ code: z.string(), message: z.string() })
export type RunWarning = z.output<typeof runWarning>

/** One call a step made; secrets read `***`. */
export const exchange = z.object({
  attempt: z.number().int(),
  page: z.number().int().nullable(),
  started_at: timestamp,
  duration_ms: z.number(),
  request: z.object({
    method: z.string(),
    url: z.string(),
    headers: z.record(z.string(), z.string()),
    body: z.string().nullable(),
  }),
  response: z
    .object({
      status: z.number().int(),
      headers: z.record(z.string(), z.string()),
      body: z.string().nullable(),
      bytes: z.number().int(),
    })
    .nullable(),
  error: z.string().nullable(),
})
export type Exchange = z.output<typeof exchange>

export const flowRun = z.object({
  id: z.string(),
  flow_id: z.string(),
  flow_version: z.number().int(),
  title: z.string(),
  trigger: z.enum(RUN_TRIGGERS),
  status: z.enum(RUN_STATUSES),
  started_at: timestamp.nullable(),
  finished_at: timestamp.nullable(),
  duration_ms: z.number().nullable(),
  error: runError.nullable(),
  warnings: z.array(runWarning),
  attempt: z.number().int(),
  parent_run_id: z.string().nullable(),
  created_at: timestamp,
  /** When a run goes on that waits for longer than a minute and holds no worker meanwhile; else absent. */
  parked_until: timestamp.optional(),
})
export type FlowRun = z.output<typeof flowRun>

const earlierAttempt = z.object({
  started_at: timestamp,
  duration_ms: z.number().nullable(),
  /** Null if the program was stopped meanwhile. */
  error: runError.nullable(),
  http: z.array(exchange),
})

export const flowRunStep = z.object({
  id: z.string(),
  flow_run_id: z.string(),
  ref_id: z.string(),
  type: z.string(),
  /** Where the step stands: `3`, `3.then.1`, `4.steps.2`; positions count from 1. */
  path: z.string(),
  /** Turns of the loops around it, outermost first: `[2, 0]`. */
  iteration: z.array(z.number().int()),
  status: z.enum(RUN_STEP_STATUSES),
  input: json.nullable(),
  output: json.nullable(),
  error: runError.nullable(),
  warnings: z.array(runWarning),
  http: z.array(exchange),
  /** Tries of the step before its run was continued, oldest first; absent if there were none. */
  earlier_attempts: z.array(earlierAttempt).optional(),
  /** What the step's own code wrote to its console; absent where it wrote nothing. */
  log: z.array(z.object({ level: z.string(), text: z.string() })).optional(),
  started_at: timestamp,
  duration_ms: z.number().nullable(),
  attempt: z.number().int(),
  /** True where input or output were shortened for the history. */
  truncated: z.boolean(),
})
export type FlowRunStep = z.output<typeof flowRunStep>

/** A place in a run where the text stands that was looked for. */
export const runMatch = z.object({
  /** Null where it belongs to the run itself: its title, its error, the request that started it. */
  step_id: z.string().nullable(),
  ref_id: z.string().nullable(),
  field: z.enum(['title', 'error', 'request', 'input', 'output', 'http']),
  /** Keys and indexes inside the field, outermost first. */
  at: z.array(z.union([z.string(), z.number().int()])),
  snippet: z.string(),
  /** Parts of the snippet that were looked for: from and to, in UTF-16 units. */
  marks: z.array(z.tuple([z.number().int(), z.number().int()])),
})
export type RunMatch = z.output<typeof runMatch>

export const listedFlowRun = flowRun.extend({
  /** With `text` alone. */
  matches: z.array(runMatch).optional(),
  /** With `answers=true`, of runs that answered a webhook: the status, and the beginning of the body. */
  answer: z.object({ status: z.number().int(), body: z.string().nullable() }).optional(),
})
export type ListedFlowRun = z.output<typeof listedFlowRun>

const runText = z
  .string()
  .max(500)
  .optional()
  .describe(
    'Words that must stand in title, error, request, inputs, outputs or calls; `"…"` is a phrase, `inv*` a beginning',
  )

export const listFlowRunsRoute = defineRoute({
  method: 'GET',
  path: '/v1/flow-runs',
  summary:
    'List flow runs, newest first; after=<id> goes on behind that run, text=… looks into all they hold',
  access: can('flow_runs', 'read'),
  status: 200,
  query: keyedListQuery.extend({
    text: runText,
    answers: z
      .enum(['true', 'false'])
      .optional()
      .describe('`true`: with what each run answered to its webhook'),
  }),
  result: z.array(listedFlowRun),
})

/** Failed runs of one cause: one flow, one step, one code, one HTTP status. */
export const failureCause = z.object({
  flow_id: z.string(),
  /** Null if no step failed but the run itself. */
  ref_id: z.string().nullable(),
  code: z.string(),
  /** Of the HTTP response that failed the step; null for other reasons. */
  status: z.number().int().nullable(),
  count: z.number().int(),
  newest: flowRun,
})
export type FailureCause = z.output<typeof failureCause>

export const listFailureCausesRoute = defineRoute({
  method: 'GET',
  path: '/v1/flow-runs/failures',
  name: 'list_failure_causes',
  summary: 'Count the failed runs by what ended them, the cause that failed last first',
  access: can('flow_runs', 'read'),
  status: 200,
  query: keyedListQuery.pick({ filter: true }).extend({ text: runText }),
  result: z.array(failureCause),
})

/** The runs of one flow, counted by the hour in which they were created. */
export const flowActivity = z.object({
  flow_id: z.string(),
  /** Oldest hour first; the last one ends now. Runs that have not ended are in neither count. */
  hours: z.array(z.object({ success: z.number().int(), error: z.number().int() })),
})
export type FlowActivity = z.output<typeof flowActivity>

export const listFlowActivityRoute = defineRoute({
  method: 'GET',
  path: '/v1/flow-runs/activity',
  name: 'list_flow_activity',
  summary: 'Count the runs of each flow that ran, by the hour, over the last hours',
  access: can('flow_runs', 'read'),
  status: 200,
  query: z.strictObject({
    hours: z.coerce.number().int().min(1).max(168).optional().describe('How many hours, 24 by default'),
  }),
  result: z.array(flowActivity),
})

export const readFlowRunRoute = defineRoute({
  method: 'GET',
  path: '/v1/flow-runs/:id',
  summary: 'Read a flow run',
  access: can('flow_runs', 'read'),
  status: 200,
  params: idParams,
  result: flowRun,
})

export const listRunStepsRoute = defineRoute({
  method: 'GET',
  path: '/v1/flow-runs/:id/steps',
  name: 'list_steps_of_flow_run',
  summary: 'List the steps of a run in the order they ran',
  access: can('flow_runs', 'read'),
  status: 200,
  params: idParams,
  query: keyedListQuery,
  result: z.array(flowRunStep),
})

/** All turns of one step in a run, taken together. */
export const stepOutcome = z.object({
  ref_id: z.string(),
  /** Turns of it that began. */
  turns: z.number().int(),
  /** How many of them stand so: `{ "success": 2999, "error": 1 }`; a status without turns is left out. */
  statuses: z.partialRecord(z.enum(RUN_STEP_STATUSES), z.number().int()),
  /** Of the turns that have ended; null where none has. */
  duration_ms: z.number().nullable(),
  longest_ms: z.number().nullable(),
})
export type StepOutcome = z.output<typeof stepOutcome>

export const listRunOutcomesRoute = defineRoute({
  method: 'GET',
  path: '/v1/flow-runs/:id/outcomes',
  summary: 'Count what each step did in a run over all its turns, in the order in which they first ran',
  access: can('flow_runs', 'read'),
  status: 200,
  params: idParams,
  result: z.array(stepOutcome),
})

export const recordsQuery = z.strictObject({
  page: listQuery.shape.page,
  per_page: listQuery.shape.per_page,
})

export const listStepRecordsRoute = defineRoute({
  method: 'GET',
  path: '/v1/flow-runs/:id/steps/:step_id/records',
  summary: "List the records of a step's result in pages, the long lists that lie in files included",
  access: can('flow_runs', 'read'),
  status: 200,
  params: z.object({ id: z.string().max(200), step_id: z.string().max(200) }),
  query: recordsQuery,
  result: z.array(json),
})

export const listFlowRunStepsRoute = defineRoute({
  method: 'GET',
  path: '/v1/flow-run-steps',
  summary: 'List steps over all runs; filter=flow_run_id,eq,…',
  access: can('flow_runs', 'read'),
  status: 200,
  query: keyedListQuery,
  result: z.array(flowRunStep),
})

export const cancelFlowRunRoute = defineRoute({
  method: 'POST',
  path: '/v1/flow-runs/:id/cancel',
  summary: 'Cancel a run that has not ended; the request in flight is aborted',
  access: can('flow_runs', 'create'),
  status: 200,
  params: idParams,
  result: flowRun,
})

export const replayFlowRunRoute = defineRoute({
  method: 'POST',
  path: '/v1/flow-runs/:id/replay',
  summary: 'Run again with the same input, on the current or a named version',
  access: can('flow_runs', 'create'),
  status: 202,
  params: idParams,
  body: z.strictObject({ version: z.number().int().min(1).optional() }),
  bodyOptional: true,
  result: z.object({ flow_run_id: z.string() }),
})

export const resumeFlowRunRoute = defineRoute({
  method: 'POST',
  path: '/v1/flow-runs/:id/resume',
  summary: 'Go on with a run that failed or was cancelled, at the step and the page where it ended',
  access: can('flow_runs', 'create'),
  status: 202,
  params: idParams,
  result: z.object({ flow_run_id: z.string() }),
})

export const deleteFlowRunRoute = defineRoute({
  method: 'DELETE',
  path: '/v1/flow-runs/:id',
  summary: 'Delete a run that has ended, with its steps',
  access: can('flow_runs', 'delete'),
  status: 204,
  params: idParams,
})
