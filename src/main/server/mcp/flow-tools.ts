/** Finds, checks and runs flows. */
import { z } from 'zod'
import { json, jsonObject, text } from '../../../shared/contract/base/common.ts'
import { LIMITS } from '../../../shared/contract/base/limits.ts'
import { can } from '../../../shared/contract/base/route.ts'
import { FLOW_STATUSES, type Flow } from '../../../shared/contract/flows.ts'
import { usualTrigger } from '../../../shared/contract/step-types/index.ts'
import { DEFAULT_WAIT_SECONDS, runFlow } from './follow-run.ts'
import { defineTool } from './tool.ts'

export const flowId = text(200).describe('ID of the flow, as list_flows returns it.')

const listFlows = defineTool({
  name: 'list_flows',
  title: 'List flows',
  description: 'Lists the flows (automations) of Millrace with their IDs, newest first.',
  access: can('flows', 'read'),
  readsOnly: true,
  input: z.strictObject({
    name: text(200).optional().describe('Only flows whose name contains this.'),
    status: z.enum(FLOW_STATUSES).optional().describe('Only flows with this status.'),
    page: z.int().min(1).default(1).describe('Number of the page, from 1. A page has 50 flows.'),
  }),
  run({ services, caller }, { name, status, page }) {
    const { records, total } = services.flows.list(caller, {
      page,
      filter: [
        ...(name === undefined ? [] : [`name,like,%${name}%`]),
        ...(status === undefined ? [] : [`status,eq,${status}`]),
      ],
    })
    return { flows: records.map(summaryOf), total, page }
  },
})

const readFlow = defineTool({
  name: 'read_flow',
  title: 'Read a flow',
  description:
    'Returns one flow with its steps and settings, the steps of its draft changes if there are any, and the revision that patch_flow needs.',
  access: can('flows', 'read'),
  readsOnly: true,
  input: z.strictObject({
    flow_id: flowId,
    version: z.int().min(1).optional().describe('Number of an earlier version, to read its steps instead.'),
  }),
  run({ services, caller }, { flow_id: id, version }) {
    if (version !== undefined) return services.flows.readVersion(id, version)
    const { webhook, ...flow } = services.flows.read(caller, id)
    const { steps, updated_at: changedAt } = services.flows.readWorkingCopy(id)
    const draft = changedAt === null ? null : { steps, updated_at: changedAt }
    const read = { ...flow, draft, revision: services.flows.revisionOf(steps) }
    // Leaves out the webhook token, which would let the client, and whoever reads its conversation, start the flow in
    // other ways.
    return webhook ? { ...read, webhook: { url: webhook.url, public_url: webhook.public_url } } : read
  },
})

const checkFlow = defineTool({
  name: 'check_flow',
  title: 'Check a flow',
  description:
    'Checks the draft changes of a flow, or else its steps, without running or saving anything, and returns errors and warnings with their places. `fix` has `edits` for patch_flow that remove the problem, if such edits are known, and says what they do; unless it is `safe`, look whether that is meant.',
  access: can('flows', 'read'),
  readsOnly: true,
  input: z.strictObject({
    flow_id: flowId,
    steps: z
      .array(json)
      .max(1_000)
      .optional()
      .describe('Steps to check instead, in the form in which read_flow returns them.'),
  }),
  run: ({ services, caller }, { flow_id: id, steps }) => services.flows.check(caller, id, steps),
})

const runAnyFlow = defineTool({
  name: 'run_flow',
  title: 'Run a flow',
  description:
    'Runs a draft or active flow and returns its output. A flow can act on other systems: run it only if the user asks for that.',
  access: can('flows', 'create'),
  readsOnly: false,
  input: z.strictObject({
    flow_id: flowId,
    input: jsonObject.default({}).describe('What the flow is started with; its first step returns it.'),
    wait_seconds: z
      .int()
      .min(0)
      .max(LIMITS.mcpWaitSeconds)
      .default(DEFAULT_WAIT_SECONDS)
      .describe(
        'How long to wait for the end of the run. After that it continues, and read_run returns its result.',
      ),
  }),
  run: (call, { flow_id: id, input, wait_seconds: waitSeconds }) =>
    runFlow(call, { flowId: id, input, waitSeconds }),
})

export const FLOW_TOOLS = [listFlows, readFlow, checkFlow, runAnyFlow]

function summaryOf({ id, name, description, status, tags, updated_at, steps }: Flow): object {
  return {
    id,
    name,
    description,
    status,
    tags,
    updated_at,
    starts_by: (usualTrigger(steps) ?? steps[0])?.type ?? null,
  }
}
