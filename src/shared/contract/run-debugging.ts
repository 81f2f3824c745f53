/** What is done with runs that have ended to find out what happened: compare, replay, run again from a step. */
import { z } from 'zod'
import { idParams, json, jsonObject, text } from './base/common.ts'
import { flowRun, flowRunStep } from './flow-runs.ts'
import { can, defineRoute } from './base/route.ts'
import { webhookAnswer } from './webhooks.ts'

const dataChange = z.object({
  /** Keys and indexes, outermost first. */
  at: z.array(z.union([z.string(), z.number().int()])),
  /** Absent where it is only in the run that is compared. */
  before: json.optional(),
  /** Absent where it is only in the other run. */
  after: json.optional(),
})
export type DataChange = z.output<typeof dataChange>

const comparedStep = flowRunStep.pick({
  id: true,
  status: true,
  duration_ms: true,
  attempt: true,
  error: true,
})

export const stepComparison = z.object({
  ref_id: z.string(),
  type: z.string(),
  iteration: z.array(z.number().int()),
  /** Null where the step did not run. */
  run: comparedStep.nullable(),
  other: comparedStep.nullable(),
  /** From the other run to this one; at most 200 each. Empty where the step did not run in both. */
  input: z.array(dataChange),
  output: z.array(dataChange),
  /** Whether only a part of input or output was kept, so that what differs further on is not seen. */
  truncated: z.boolean(),
})
export type StepComparison = z.output<typeof stepComparison>

export const runComparison = z.object({
  run: flowRun,
  other: flowRun,
  steps: z.array(stepComparison),
  /** Whether the runs have more steps than are compared (2,000). */
  cut: z.boolean(),
  /** What either answered; null where nothing was kept. The body's changes are those of the parsed JSON, else of the text. */
  answer: z.object({
    run: webhookAnswer.nullable(),
    other: webhookAnswer.nullable(),
    body: z.array(dataChange),
  }),
})
export type RunComparison = z.output<typeof runComparison>

export const compareFlowRunRoute = defineRoute({
  method: 'GET',
  path: '/v1/flow-runs/:id/compare',
  name: 'compare_flow_run',
  summary: 'Compare a run with another one, else with the last run of its flow that succeeded',
  access: can('flow_runs', 'read'),
  status: 200,
  item: true,
  params: idParams,
  query: z.strictObject({
    with: z.string().max(200).optional().describe('The id of the other run'),
  }),
  result: runComparison,
})

const versionToRun = z.enum(['current', 'recorded']).default('current')

export const MOST_REPLAYS = 100

export const replayFlowRunsRoute = defineRoute({
  method: 'POST',
  path: '/v1/flow-runs/replay',
  name: 'replay_flow_runs',
  summary: 'Run several runs again, each with its own input, on the current or the recorded version',
  access: can('flow_runs', 'create'),
  status: 200,
  body: z.strictObject({
    ids: z
      .array(text(200))
      .min(1)
      .max(MOST_REPLAYS)
      .meta({ examples: [['8f14e45f-ceea-467f-9b8a-6c1f2d3e4a5b']] }),
    version: versionToRun,
  }),
  result: z.object({
    results: z.array(
      z.object({
        id: z.string(),
        /** Null where it was not replayed. */
        flow_run_id: z.string().nullable(),
        error: z.object({ code: z.string(), message: z.string() }).nullable(),
      }),
    ),
  }),
})

export const rerunFlowRunRoute = defineRoute({
  method: 'POST',
  path: '/v1/flow-runs/:id/rerun',
  name: 'rerun_flow_run',
  summary:
    'Run again from a step on; what the steps before it gave is taken over, or replaced by what is sent',
  access: can('flow_runs', 'create'),
  status: 202,
  params: idParams,
  body: z.strictObject({
    /** The step to begin with. */
    from: text(100),
    /** Results of steps before it, or the input of the first, instead of the run's own; `***` keeps what is hidden there. */
    results: jsonObject.default({}),
    version: versionToRun,
  }),
  result: z.object({ flow_run_id: z.string() }),
})

export const readRunResultsRoute = defineRoute({
  method: 'GET',
  path: '/v1/flow-runs/:id/results',
  name: 'results_of_flow_run',
  summary: 'Read the whole results of a run by the names of its steps, with secrets hidden',
  access: can('flow_runs', 'read'),
  status: 200,
  item: true,
  params: idParams,
  result: jsonObject,
})
