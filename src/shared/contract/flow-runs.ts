import { doc } from './base/doc.ts'
import { z } from 'zod'
import {
  idParams,
  json,
  keyedListQuery,
  listQuery,
  searchText,
  text,
  timestamp,
  uuid,
} from './base/common.ts'
import { LIMITS } from './base/limits.ts'
import type { Spoken } from './base/message.ts'
import { can, defineRoute } from './base/route.ts'

export const RUN_TRIGGERS = [
  'webhook',
  'schedule',
  'manual',
  'flow',
  'replay',
  'list',
  'folder',
  'form',
  'mail',
  'test',
] as const
export const RUN_STATUSES = ['queued', 'running', 'retrying', 'success', 'error', 'cancelled'] as const
export const RUN_STEP_STATUSES = ['running', 'retrying', 'success', 'error', 'skipped'] as const
/** The parts of a run or step that a search covers. */
export const SEARCHED_FIELDS = ['title', 'error', 'request', 'input', 'output', 'http'] as const
/** The final states of a run. */
export const END_STATUSES = ['success', 'error', 'cancelled'] as const satisfies readonly RunStatus[]
export type RunStatus = (typeof RUN_STATUSES)[number]
export type RunTrigger = (typeof RUN_TRIGGERS)[number]
/** Runs that a request to the flow's webhook URL started. */
export const HTTP_TRIGGERS: readonly RunTrigger[] = ['webhook', 'form']
/** Runs that a person started. No alarm is sent for them, because that person sees the result. */
export const HAND_TRIGGERS: readonly RunTrigger[] = ['manual', 'test', 'replay']
/** Runs that may have a response, because a caller waits for it, or a person wants to see what a caller would get. */
export const CALL_TRIGGERS: readonly RunTrigger[] = [...HTTP_TRIGGERS, ...HAND_TRIGGERS]

/**
 * The reason and place of a failure, and what to do about it. `code` is from the contract or the pagination error
 * table.
 */
export const runError = z.object({
  code: z
    .string()
    .describe('Machine-readable code: an API error code, or one of the pagination error codes.')
    .meta({ examples: ['http_error'] }),
  message: z
    .string()
    .describe('What went wrong, with which value, and what to do.')
    .meta({ examples: ['https://api.example.com/orders returned status 404'] }),
  ref_id: z.string().nullable().describe('Reference name of the step that failed. Null if no step did.'),
  field: z
    .string()
    .nullable()
    .describe("Path of the field inside the step: `config.url`. Null if the error isn't about a field.")
    .meta({ examples: ['config.url'] }),
  line: z.int().nullable().meta(doc("Line inside the field's text, counted from 1. Null if unknown.", null)),
  column: z.int().nullable().meta(doc('Column inside that line, counted from 1. Null if unknown.', null)),
  data: json
    .nullable()
    .describe('Further details, such as the status and body of the response. Null if there are none.')
    .meta({ examples: [{ status: 404 }] }),
})
export type RunError = z.output<typeof runError> & Spoken

export const runWarning = z.object({
  code: z.string().describe('Machine-readable code, such as `cut_by_max_pages`.'),
  message: z.string().describe('A remark about the result, in a sentence.'),
  in_doubt: z
    .literal(true)
    .optional()
    .describe('True if a list may be incomplete because of it. Otherwise absent.'),
})
export type RunWarning = z.output<typeof runWarning> & Spoken

/** The limit for each body of a call. A longer one ends with `…`. */
export const MOST_BODY_CHARACTERS = 16_384

/** A call that a step made, with secrets as `***`. */
export const exchange = z.object({
  attempt: z.int().describe('Number of the attempt, counted from 1.'),
  page: z
    .int()
    .nullable()
    .meta(doc("Page of the list that was requested, from 0. Null if the call isn't paginated.", null)),
  records: z
    .int()
    .optional()
    .meta(doc('How many records of the page were added to the list. Absent if there were none.', 100)),
  started_at: timestamp.describe('When the request was sent, in UTC.'),
  duration_ms: z.number().describe('Time until the whole response had arrived, in milliseconds.'),
  request: z
    .object({
      method: z.string().meta(doc('HTTP method that was sent.', 'GET')),
      url: z.string().describe('Full URL, query included.'),
      headers: z
        .record(z.string(), z.string())
        .meta(doc('Request headers by name.', { accept: 'application/json' })),
      body: z.string().nullable().meta(doc('Request body as text. Null if there was none.', null)),
    })
    .describe('The request as it was sent, with secrets as `***`.'),
  response: z
    .object({
      status: z.int().meta(doc('HTTP status code of the response.', 200)),
      headers: z
        .record(z.string(), z.string())
        .meta(doc('Response headers by name.', { 'content-type': 'application/json' })),
      body: z
        .string()
        .nullable()
        .meta(doc('Response body as text, shortened if it is long. Null if there was none.', '{"id": 4711}')),
      bytes: z.int().meta(doc('Size of the body in bytes.', 12)),
    })
    .nullable()
    .describe('The response. Null if none arrived.'),
  error: z
    .string()
    .nullable()
    .meta(doc("Why no response arrived, or why it couldn't be read. Null if it was read.", null)),
})
export type Exchange = z.output<typeof exchange>

/** The most bytes of calls that a run with `record` keeps. */
export const MOST_RECORDED_BYTES = 3_000_000

/** An exchange before it is stored. A long body can be the received bytes, in UTF-8. */
export type KeptExchange = Omit<Exchange, 'request' | 'response'> & {
  /** True if its bodies are kept whole, because the run is recorded. Not stored. */
  readonly whole?: true
  readonly request: Kept<Exchange['request']>
  readonly response: Kept<NonNullable<Exchange['response']>> | null
}
type Kept<T> = Omit<T, 'body'> & { readonly body: string | Uint8Array | null }

export const flowRun = z.object({
  id: z.string().describe('ID of the run.'),
  flow_id: z.string().describe('ID of the flow that ran.'),
  flow_version: z.int().describe('Version of the flow that ran.'),
  title: z
    .string()
    .describe('Name of the run, rendered from the flow setting `dynamic_title`. Empty without one.')
    .meta({ examples: ['Order 4711'] }),
  trigger: z
    .enum(RUN_TRIGGERS)
    .describe(
      'What started the run: `webhook`, `schedule`, `manual`, `flow` (another flow), `replay`, `list` (a new entry), `folder` (a file), `form`, an email or `test` (a test in the editor).',
    ),
  trigger_ref: z
    .string()
    .optional()
    .describe('Reference name of the trigger step that the run began with. Absent if the flow has only one.')
    .meta({ examples: ['nightly'] }),
  status: z
    .enum(RUN_STATUSES)
    .describe(
      '`queued`, `running` or `retrying` while it is in progress; `success`, `error` or `cancelled` once it has finished.',
    )
    .meta({ examples: ['success'] }),
  started_at: timestamp.nullable().describe('When the run began, in UTC. Null while it is queued.'),
  finished_at: timestamp.nullable().describe('When the run finished, in UTC. Null while it is in progress.'),
  duration_ms: z
    .number()
    .nullable()
    .describe('How long the run took, in milliseconds. Null while it is in progress.'),
  error: runError.nullable().meta(doc("Why the run failed. Null if it didn't.", null)),
  warnings: z.array(runWarning).meta(doc('Warnings of the run as a whole.', [])),
  attempt: z
    .int()
    .describe(
      'How often the run was begun, counted from 1. It goes up if Millrace was stopped during the run.',
    ),
  parent_run_id: z
    .string()
    .nullable()
    .describe(
      'ID of the run that started this one, or of the run that this one replays. Null if there is none.',
    )
    .meta({ examples: [null] }),
  created_at: timestamp.describe('When the run was requested, in UTC.'),
  parked_until: timestamp
    .optional()
    .describe("When a run that waits for more than a minute continues. Absent if it isn't waiting."),
  asks: z
    .literal(true)
    .optional()
    .describe('True if the run waits for the answer of a person. Otherwise absent.'),
  stopped: z
    .literal(true)
    .optional()
    .describe('True if the run has stopped at a breakpoint. Otherwise absent.'),
  resolved: z
    .object({
      at: timestamp.describe('When it was marked, in UTC.'),
      note: z.string().meta(doc('What was done about it. Can be empty.', 'The password was renewed')),
    })
    .optional()
    .describe('The note of whoever marked the failed run as resolved. Absent if nobody did.'),
})
export type FlowRun = z.output<typeof flowRun>

const earlierAttempt = z.object({
  started_at: timestamp.describe('When the attempt began, in UTC.'),
  duration_ms: z
    .number()
    .nullable()
    .describe('How long the attempt took, in milliseconds. Null if Millrace was stopped during it.'),
  error: runError.nullable().describe('Why the attempt failed. Null if Millrace was stopped during it.'),
  http: z.array(exchange).describe('Calls that the attempt made.'),
})

export const flowRunStep = z.object({
  id: z.string().describe('ID of this execution of the step.'),
  flow_run_id: z.string().describe('ID of the run that it belongs to.'),
  ref_id: z.string().meta(doc('Reference name of the step in its flow.', 'price')),
  type: z.string().meta(doc('Step type, such as `rest`.', 'set')),
  path: z.string().meta(doc('Position in the flow, counted from 1: `3`, `3.then.1`, `4.steps.2`.', '2')),
  iteration: z
    .array(z.int())
    .describe(
      'Iterations of the loops around the step, outermost first, from 0: `[2, 0]`. Empty outside loops.',
    ),
  status: z
    .enum(RUN_STEP_STATUSES)
    .describe(
      '`running` or `retrying` while it is in progress; `success`, `error` or `skipped` once it has finished.',
    )
    .meta({ examples: ['success'] }),
  input: json
    .nullable()
    .describe("The step's configuration with its templates rendered. Null if it wasn't kept.")
    .meta({ examples: [{ values: { total: 19.8 } }] }),
  output: json
    .nullable()
    .meta(doc("The step's result. Null if there is none or it wasn't kept.", { total: 19.8 })),
  error: runError.nullable().meta(doc("Why the step failed. Null if it didn't.", null)),
  warnings: z.array(runWarning).meta(doc('Warnings about the result, such as a list that was cut.', [])),
  http: z.array(exchange).meta(doc('HTTP calls that the step made, in order.', [])),
  earlier_attempts: z
    .array(earlierAttempt)
    .optional()
    .describe('Attempts before the run was resumed, oldest first. Absent if there were none.'),
  log: z
    .array(
      z.object({
        level: z.string().describe('Console method that was used, such as `log` or `error`.'),
        text: z.string().describe('The line that was written.'),
      }),
    )
    .optional()
    .describe('What a `code` step wrote to the console. Absent if it wrote nothing.'),
  started_at: timestamp.describe('When the step began, in UTC.'),
  duration_ms: z
    .number()
    .nullable()
    .describe('How long the step took, in milliseconds. Null while it is in progress.'),
  attempt: z.int().describe('Number of the last attempt, counted from 1.'),
  truncated: z.boolean().meta(doc('True if input or output was shortened for the run history.', false)),
})
export type FlowRunStep = z.output<typeof flowRunStep>

/** A place in a run where the search term was found. */
export const runMatch = z.object({
  step_id: z
    .string()
    .nullable()
    .describe(
      'ID of the step with the match. Null if the match is in the run itself: its title, error or request.',
    ),
  ref_id: z
    .string()
    .nullable()
    .describe('Reference name of that step. Null if the match is in the run itself.'),
  field: z.enum(SEARCHED_FIELDS).describe('The part of the run or step with the match.'),
  at: z.array(z.union([z.string(), z.int()])).describe('Keys and indexes inside that part, outermost first.'),
  snippet: z.string().describe('The text around the match.'),
  marks: z
    .array(z.tuple([z.int(), z.int()]))
    .describe('Matched ranges of the snippet as `[from, to]`, in UTF-16 units.'),
})
export type RunMatch = z.output<typeof runMatch>

export const listedFlowRun = flowRun.extend({
  matches: z
    .array(runMatch)
    .optional()
    .describe('Where the search words were found. Only present if the request has `text`.'),
  answer: z
    .object({
      status: z.int().describe('HTTP status that the caller got.'),
      body: z.string().nullable().describe('Beginning of the response body. Null if there was none.'),
    })
    .optional()
    .describe(
      'Status and beginning of the body of the webhook response. Only present with `answers=true`, for runs started by a webhook.',
    ),
})
export type ListedFlowRun = z.output<typeof listedFlowRun>

const runText = searchText('Words to find in title, error, request, inputs, outputs and calls.')

export const listFlowRunsRoute = defineRoute({
  method: 'GET',
  path: '/v1/flow-runs',
  summary: 'List flow runs, newest first; after=<id> continues after that run, text=… searches their content',
  access: can('flow_runs', 'read'),
  chosen: 'own',
  status: 200,
  query: keyedListQuery.extend({
    text: runText,
    answers: z.enum(['true', 'false']).optional().describe('`true` adds the webhook response of each run.'),
  }),
  result: z.array(listedFlowRun),
})

/** Failed runs with the same cause: the same flow, step, code and HTTP status. */
export const failureCause = z.object({
  flow_id: z.string().describe('ID of the flow that failed.'),
  ref_id: z
    .string()
    .nullable()
    .describe('Reference name of the step that failed. Null if the run failed outside its steps.'),
  code: z.string().meta(doc('Machine-readable code of the error.', 'http_error')),
  status: z
    .int()
    .nullable()
    .meta(doc('HTTP status of the response that failed the step. Null if the cause is something else.', 404)),
  count: z.int().meta(doc('How many runs failed with this cause.', 3)),
  newest: flowRun.describe('The newest of these runs.'),
})
export type FailureCause = z.output<typeof failureCause>

const cause = z.strictObject({
  flow_id: uuid.describe('ID of the flow that failed.'),
  ref_id: text(100)
    .nullable()
    .describe('Reference name of the step that failed. Null if the run failed outside its steps.')
    .meta({ examples: ['price'] }),
  code: text(100).meta(doc('Machine-readable code of the error.', 'http_error')),
  status: failureCause.shape.status,
})
export type Cause = z.output<typeof cause>

const resolution = z.strictObject({
  note: text(LIMITS.noteLength)
    .optional()
    .meta(doc('What was done about it, up to 255 characters. Empty by default.', 'The password was renewed')),
})

const resolvedRuns = z.object({
  runs: z.int().meta(doc('How many runs were changed.', 3)),
})
export type ResolvedRuns = z.output<typeof resolvedRuns>

export const resolveCauseRoute = defineRoute({
  method: 'POST',
  path: '/v1/flow-runs/failures/resolve',
  name: 'resolve_failure_cause',
  summary: 'Mark all failed runs with one cause as resolved; the next failure with this cause is open again',
  access: can('flow_runs', 'create'),
  status: 200,
  body: cause.extend(resolution.shape),
  result: resolvedRuns,
})

export const reopenCauseRoute = defineRoute({
  method: 'POST',
  path: '/v1/flow-runs/failures/reopen',
  name: 'reopen_failure_cause',
  summary: 'Mark the resolved runs with one cause as open again',
  access: can('flow_runs', 'create'),
  status: 200,
  body: cause,
  result: resolvedRuns,
})

export const listFailureCausesRoute = defineRoute({
  method: 'GET',
  path: '/v1/flow-runs/failures',
  name: 'list_failure_causes',
  summary:
    'Count failed runs by cause, the most recent cause first; without those that are resolved, which filter=resolved,eq,true counts',
  access: can('flow_runs', 'read'),
  chosen: 'own',
  status: 200,
  query: keyedListQuery.pick({ filter: true }).extend({ text: runText }),
  result: z.array(failureCause),
})

/** The runs of one flow, counted by the hour in which they were created. */
export const flowActivity = z.object({
  flow_id: z.string().describe('ID of the flow.'),
  hours: z
    .array(
      z.object({
        success: z.int().meta(doc('Runs created in this hour that succeeded.', 12)),
        error: z.int().meta(doc('Runs created in this hour that failed.', 0)),
      }),
    )
    .describe('Finished runs per hour, oldest hour first. The last hour ends now.'),
})
export type FlowActivity = z.output<typeof flowActivity>

export const listFlowActivityRoute = defineRoute({
  method: 'GET',
  path: '/v1/flow-runs/activity',
  name: 'list_flow_activity',
  summary: 'Count the recent runs of each flow per hour',
  access: can('flow_runs', 'read'),
  chosen: 'own',
  status: 200,
  query: z.strictObject({
    hours: z.coerce
      .number()
      .int()
      .min(1)
      .max(168)
      .optional()
      .describe('How many hours to look back, 1 to 168. Default: 24.'),
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
  summary: 'List the steps of a run in the order in which they ran',
  access: can('flow_runs', 'read'),
  status: 200,
  params: idParams,
  query: keyedListQuery,
  result: z.array(flowRunStep),
})

/** All iterations of one step in a run, combined. */
export const stepOutcome = z.object({
  ref_id: z.string().describe('Reference name of the step.'),
  turns: z.int().meta(doc('How many iterations of the step began.', 3000)),
  statuses: z
    .partialRecord(z.enum(RUN_STEP_STATUSES), z.int())
    .describe(
      'Number of iterations by status: `{"success": 2999, "error": 1}`. Statuses without iterations are left out.',
    )
    .meta({ examples: [{ success: 2999, error: 1 }] }),
  in_doubt: z.int().describe('Iterations that read a list which may be incomplete.'),
  duration_ms: z
    .number()
    .nullable()
    .describe('Total time of the finished iterations, in milliseconds. Null if none has finished.'),
  longest_ms: z
    .number()
    .nullable()
    .meta(doc('Time of the longest iteration, in milliseconds. Null if none has finished.', 140.2)),
})
export type StepOutcome = z.output<typeof stepOutcome>

export const listRunOutcomesRoute = defineRoute({
  method: 'GET',
  path: '/v1/flow-runs/:id/outcomes',
  summary: 'Count the iterations of each step in a run by status, in the order in which the steps first ran',
  access: can('flow_runs', 'read'),
  status: 200,
  params: idParams,
  result: z.array(stepOutcome),
})

export const recordsQuery = z.strictObject({
  page: listQuery.shape.page.describe('Number of the page, from 1. Default: 1.'),
  per_page: listQuery.shape.per_page.describe('Records per page, 1 to 200. Default: 50.'),
})

export const listStepRecordsRoute = defineRoute({
  method: 'GET',
  path: '/v1/flow-runs/:id/steps/:step_id/records',
  summary: "List the records of a step's result in pages, including long lists that are stored in files",
  access: can('flow_runs', 'read'),
  status: 200,
  params: z.object({
    id: z.string().max(200).describe('ID of the run.'),
    step_id: z
      .string()
      .max(200)
      .describe('ID of the step in the run, as `GET /v1/flow-runs/{id}/steps` lists it.'),
  }),
  query: recordsQuery,
  result: z.array(json),
})

export const listFlowRunStepsRoute = defineRoute({
  method: 'GET',
  path: '/v1/flow-run-steps',
  summary: 'List steps of all runs; filter=flow_run_id,eq,… lists those of one run',
  access: can('flow_runs', 'read'),
  status: 200,
  query: keyedListQuery,
  result: z.array(flowRunStep),
})

export const cancelFlowRunRoute = defineRoute({
  method: 'POST',
  path: '/v1/flow-runs/:id/cancel',
  summary: 'Cancel a run in progress; its current request is aborted',
  access: can('flow_runs', 'create'),
  status: 200,
  params: idParams,
  result: flowRun,
})

export const recordsRun = z
  .boolean()
  .default(false)
  .describe(
    'True keeps the whole calls of the run, up to 3 MB, instead of the first 16 kB of each body, so that a test can be made from it.',
  )

export const replayFlowRunRoute = defineRoute({
  method: 'POST',
  path: '/v1/flow-runs/:id/replay',
  summary: 'Replay a run with the same input, on the current or a given version',
  access: can('flow_runs', 'create'),
  status: 202,
  params: idParams,
  body: z.strictObject({
    version: z.int().min(1).optional().describe('Version of the flow to run. Defaults to the current one.'),
    record: recordsRun,
  }),
  bodyOptional: true,
  result: z.object({ flow_run_id: z.string().describe('ID of the new run.') }),
})

export const resumeFlowRunRoute = defineRoute({
  method: 'POST',
  path: '/v1/flow-runs/:id/resume',
  summary: 'Resume a failed or cancelled run at the step and page where it stopped',
  access: can('flow_runs', 'create'),
  status: 202,
  params: idParams,
  result: z.object({ flow_run_id: z.string().describe('ID of the resumed run.') }),
})

export const resolveFlowRunRoute = defineRoute({
  method: 'POST',
  path: '/v1/flow-runs/:id/resolve',
  summary: 'Mark a failed run as resolved, with a note',
  access: can('flow_runs', 'create'),
  status: 200,
  params: idParams,
  body: resolution,
  bodyOptional: true,
  result: flowRun,
})

export const reopenFlowRunRoute = defineRoute({
  method: 'POST',
  path: '/v1/flow-runs/:id/reopen',
  summary: 'Mark a resolved run as open again',
  access: can('flow_runs', 'create'),
  status: 200,
  params: idParams,
  result: flowRun,
})

export const deleteFlowRunRoute = defineRoute({
  method: 'DELETE',
  path: '/v1/flow-runs/:id',
  summary: 'Delete a finished run with its steps',
  access: can('flow_runs', 'delete'),
  status: 204,
  params: idParams,
})

/** The report and the HAR of a run with more steps are truncated. */
export const MOST_REPORTED_STEPS = 2_000

export const flowRunRoutes = {
  resolveCauseRoute,
  reopenCauseRoute,
  listFailureCausesRoute,
  listFlowActivityRoute,
  listFlowRunsRoute,
  readFlowRunRoute,
  listRunStepsRoute,
  listRunOutcomesRoute,
  listStepRecordsRoute,
  listFlowRunStepsRoute,
}

export const flowRunControlRoutes = {
  cancelFlowRunRoute,
  replayFlowRunRoute,
  resumeFlowRunRoute,
  resolveFlowRunRoute,
  reopenFlowRunRoute,
  deleteFlowRunRoute,
}
