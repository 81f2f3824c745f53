/** Tools for investigating finished runs: compare, replay, and rerun from a step. */
import { doc } from './base/doc.ts'
import { z } from 'zod'
import { idParams, json, jsonObject, text } from './base/common.ts'
import { flowRun, flowRunStep } from './flow-runs.ts'
import { can, defineRoute } from './base/route.ts'
import { webhookAnswer } from './webhooks.ts'

const dataChange = z.object({
  at: z
    .array(z.union([z.string(), z.int()]))
    .meta(doc('Keys and indexes of the changed value, outermost first.', ['order', 'total'])),
  before: json.optional().meta(doc('Value in the other run. Absent if it is only in this one.', 19.8)),
  after: json.optional().meta(doc('Value in this run. Absent if it is only in the other one.', 20.8)),
})
export type DataChange = z.output<typeof dataChange>

const comparedStep = flowRunStep.pick({
  id: true,
  status: true,
  duration_ms: true,
  attempt: true,
  error: true,
  warnings: true,
})

export const stepComparison = z.object({
  ref_id: z.string().meta(doc('Reference name of the step.', 'price')),
  type: z.string().meta(doc('Step type, such as `rest`.', 'set')),
  iteration: z.array(z.int()).describe('Iterations of the loops around the step, outermost first, from 0.'),
  run: comparedStep.nullable().describe("The step in this run. Null if it didn't run."),
  other: comparedStep.nullable().describe("The step in the other run. Null if it didn't run."),
  input: z
    .array(dataChange)
    .describe('Differences in the input, from the other run to this one, at most 200.'),
  output: z
    .array(dataChange)
    .describe('Differences in the output, from the other run to this one, at most 200.'),
  truncated: z
    .boolean()
    .describe("True if only a part of input or output was kept, so that differences after it aren't shown.")
    .meta({ examples: [false] }),
})
export type StepComparison = z.output<typeof stepComparison>

export const runComparison = z.object({
  run: flowRun.describe('The run that was asked for.'),
  other: flowRun.describe('The run that it is compared with.'),
  steps: z.array(stepComparison).describe('The steps of both runs, paired by reference name and iteration.'),
  cut: z.boolean().meta(doc('True if the runs have more steps than the 2,000 that are compared.', false)),
  answer: z
    .object({
      run: webhookAnswer.nullable().describe("Response of this run. Null if it wasn't kept."),
      other: webhookAnswer.nullable().describe("Response of the other run. Null if it wasn't kept."),
      body: z
        .array(dataChange)
        .describe('Differences between the bodies: of the parsed JSON if both are JSON, else of the text.'),
    })
    .describe('The responses of both runs and how their bodies differ.'),
})
export type RunComparison = z.output<typeof runComparison>

export const compareFlowRunRoute = defineRoute({
  method: 'GET',
  path: '/v1/flow-runs/:id/compare',
  name: 'compare_flow_run',
  summary: 'Compare a run with another run, or with the last successful run of its flow',
  access: can('flow_runs', 'read'),
  status: 200,
  item: true,
  params: idParams,
  query: z.strictObject({
    with: z
      .string()
      .max(200)
      .optional()
      .describe('ID of the other run. Defaults to the last successful run of the flow.'),
  }),
  result: runComparison,
})

const versionToRun = z.enum(['current', 'recorded']).default('current')

export const MOST_REPLAYS = 100

export const replayFlowRunsRoute = defineRoute({
  method: 'POST',
  path: '/v1/flow-runs/replay',
  name: 'replay_flow_runs',
  summary: 'Replay several runs, each with its own input, on the current or the recorded version',
  access: can('flow_runs', 'create'),
  chosen: 'own',
  status: 200,
  body: z.strictObject({
    ids: z
      .array(text(200))
      .min(1)
      .max(MOST_REPLAYS)
      .meta({ examples: [['8f14e45f-ceea-467f-9b8a-6c1f2d3e4a5b']] })
      .describe('IDs of the runs to replay, at most 100.'),
    version: versionToRun.describe(
      '`current` runs the flow as it is now, `recorded` the version of each run.',
    ),
  }),
  result: z.object({
    results: z
      .array(
        z.object({
          id: z.string().describe('ID of the run to replay.'),
          flow_run_id: z.string().nullable().describe("ID of the new run. Null if it couldn't be started."),
          error: z
            .object({
              code: z.string().describe('Error code, as in error responses.'),
              message: z.string().describe('What went wrong and what to do.'),
            })
            .nullable()
            .meta(doc("Why it couldn't be started. Null if it was.", null)),
        }),
      )
      .describe('One result per requested ID, in the same order.'),
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
    from: text(100).meta(doc('Reference name of the step to begin with.', 'price')),
    results: jsonObject
      .default({})
      .describe(
        'Results by `ref_id` to use for earlier steps instead of the recorded ones. `***` keeps a hidden secret.',
      )
      .meta({ examples: [{ order: { id: 4711 } }] }),
    version: versionToRun.describe(
      '`current` runs the flow as it is now, `recorded` the version of the run.',
    ),
  }),
  result: z.object({ flow_run_id: z.string().describe('ID of the new run.') }),
})

export const readRunResultsRoute = defineRoute({
  method: 'GET',
  path: '/v1/flow-runs/:id/results',
  name: 'results_of_flow_run',
  summary: 'Read the complete results of a run by step name, with secrets hidden',
  access: can('flow_runs', 'read'),
  status: 200,
  inPieces: true,
  item: true,
  params: idParams,
  result: jsonObject,
})

export const exportFlowRunRoute = defineRoute({
  method: 'GET',
  path: '/v1/flow-runs/:id/export',
  name: 'export_flow_run',
  summary: 'A run as one file to attach to a report: its flow, steps and calls, without secrets',
  access: can('flow_runs', 'read'),
  status: 200,
  params: idParams,
  result: z.object({
    format: z.literal('millrace-run').describe('Marks the file as a run of Millrace.'),
    version: z.literal(1).describe('Version of the file format.'),
    program: z
      .object({
        version: z.string().meta(doc('Version of Millrace.', '0.1.0')),
        node: z.string().meta(doc('Version of Node.', '24.21.0')),
        platform: z.string().meta(doc('Operating system and architecture.', 'linux x64')),
      })
      .describe('The program that exported the run.'),
    flow: jsonObject
      .nullable()
      .describe(
        'The flow as it was in this run, with placeholders for secrets. Null if it is gone, or a token may not read flows.',
      )
      .meta({ examples: [null] }),
    run: flowRun.describe('The run itself.'),
    steps: z.array(flowRunStep).describe('Steps of the run with inputs, results and calls, in order.'),
    steps_cut: z.boolean().meta(doc('True if only the first 2000 steps are included.', false)),
  }),
})
export type RunReport = z.output<typeof exportFlowRunRoute.result>

export const exportRunHarRoute = defineRoute({
  method: 'GET',
  path: '/v1/flow-runs/:id/har',
  name: 'export_flow_run_har',
  summary: 'The HTTP calls of a run as a HAR 1.2 file, without secrets',
  access: can('flow_runs', 'read'),
  status: 200,
  params: idParams,
  result: z.object({
    log: z
      .object({
        version: z.literal('1.2').describe('Version of the HAR format.'),
        creator: z
          .object({
            name: z.string().meta(doc('Name of the program.', 'Millrace')),
            version: z.string().meta(doc('Version of the program.', '0.1.0')),
          })
          .describe('The program that wrote the file.'),
        entries: z
          .array(jsonObject)
          .meta(doc('The calls with request, response and times, as HAR describes them.', [])),
      })
      .describe('The content of a HAR file.'),
  }),
})

export const runDebuggingRoutes = {
  compareFlowRunRoute,
  exportFlowRunRoute,
  exportRunHarRoute,
  replayFlowRunsRoute,
  rerunFlowRunRoute,
  readRunResultsRoute,
}
