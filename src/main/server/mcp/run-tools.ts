/** Reads and cancels runs. */
import { z } from 'zod'
import { text, uuid } from '../../../shared/contract/base/common.ts'
import { LIMITS } from '../../../shared/contract/base/limits.ts'
import { can } from '../../../shared/contract/base/route.ts'
import { RUN_STATUSES } from '../../../shared/contract/flow-runs.ts'
import { ofReachedFlows } from '../../services/kit/caller.ts'
import { defineTool } from './tool.ts'

/** The maximum length of the result. A shortened result names the places that were cut. */
const maxCharacters = z
  .int()
  .min(LIMITS.mcpLeastCharacters)
  .max(LIMITS.mcpResultCharacters)
  .optional()
  .describe(
    'Most characters of the result. Longer strings and lists are cut, and `shortened` names the places. Defaults to the most that is possible.',
  )

const runId = text(200).describe('ID of the run.')

const listRuns = defineTool({
  name: 'list_runs',
  title: 'List runs',
  description: 'Lists runs of flows, newest first, with their status and error.',
  access: can('flow_runs', 'read'),
  readsOnly: true,
  input: z.strictObject({
    flow_id: uuid.optional().describe('Only runs of this flow.'),
    status: z.enum(RUN_STATUSES).optional().describe('Only runs with this status.'),
    text: text(500)
      .optional()
      .describe('Words to find in title, error, request, inputs, outputs and calls of the runs.'),
    after: text(200)
      .optional()
      .describe('ID of the last run of the previous page. Defaults to the first page.'),
    max_characters: maxCharacters,
  }),
  async run({ services, caller }, { flow_id: flowId, status, text: words, after }) {
    const filter = [
      ...(flowId === undefined ? [] : [`flow_id,eq,${flowId}`]),
      ...(status === undefined ? [] : [`status,eq,${status}`]),
    ]
    const { records, next } = await services.flowRuns.list(
      ofReachedFlows(caller, { filter, text: words, after, per_page: 20 }),
    )
    return { runs: records, next_after: next }
  },
})

const readRun = defineTool({
  name: 'read_run',
  title: 'Read a run',
  description:
    'Returns one run with its steps: input, output, error and HTTP calls of each. Secrets read ***.',
  access: can('flow_runs', 'read'),
  readsOnly: true,
  input: z.strictObject({
    flow_run_id: runId,
    after: text(200)
      .optional()
      .describe('ID of the last step of the previous page. Defaults to the first page.'),
    max_characters: maxCharacters,
  }),
  async run({ services }, { flow_run_id: id, after }) {
    const run = services.flowRuns.read(id)
    const { records, next } = await services.flowRuns.stepsOf(id, { after, per_page: 20 })
    return { run, steps: records, next_after: next }
  },
})

const cancelRun = defineTool({
  name: 'cancel_run',
  title: 'Cancel a run',
  description: 'Cancels a run that is queued or in progress.',
  access: can('flow_runs', 'create'),
  readsOnly: false,
  input: z.strictObject({ flow_run_id: runId }),
  run: async ({ services }, { flow_run_id: id }) => ({ run: await services.flowRuns.cancel(id) }),
})

export const RUN_TOOLS = [listRuns, readRun, cancelRun]
