/** Writes flows as draft changes, which only a person can save, in the editor. */
import { z } from 'zod'
import { json, jsonObject, text } from '../../../shared/contract/base/common.ts'
import { can } from '../../../shared/contract/base/route.ts'
import { parseInput } from '../../../shared/contract/base/validate.ts'
import { createFlowRoute, type WorkingCopy } from '../../../shared/contract/flows.ts'
import { stepEdit } from '../../../shared/contract/base/step-edits.ts'
import { type Step, step as stepShape } from '../../../shared/contract/steps.ts'
import { flowId } from './flow-tools.ts'
import { defineTool, type ToolCall } from './tool.ts'

const MOST_EDITS = 100
const NEXT = 'These are draft changes: nothing runs them until a person has saved them in the editor.'

const { name, description, tags } = createFlowRoute.body.shape

const createFlow = defineTool({
  name: 'create_flow',
  title: 'Create a flow',
  description:
    'Creates a flow whose steps are draft changes: a person reviews and saves them in the editor. Returns the problems of the steps. Search the documentation for the step types.',
  access: can('flows', 'create'),
  readsOnly: false,
  input: z.strictObject({
    name,
    description,
    tags,
    steps: z.array(json).max(1_000).describe('The steps, in the form in which read_flow returns them.'),
  }),
  async run(call, { steps, ...about }) {
    const { id } = await call.services.flows.create(call.caller, about)
    return drafted(call, id, await call.services.flows.updateWorkingCopy(call.caller, id, steps))
  },
})

const patchFlow = defineTool({
  name: 'patch_flow',
  title: 'Change a flow',
  description:
    'Makes small edits to the draft changes of a flow, or all of them none. Returns the problems of the steps and their new revision. A person reviews and saves the changes in the editor.',
  access: can('flows', 'update'),
  readsOnly: false,
  input: z.strictObject({
    flow_id: flowId,
    revision: text(100).describe('The revision that you have read, so that no other change is lost.'),
    edits: z.array(stepEdit).min(1).max(MOST_EDITS).describe('The edits, in their order.'),
  }),
  async run(call, { flow_id: id, revision, edits }) {
    const kept = await call.services.flows.patchWorkingCopy(call.caller, id, revision, edits)
    return drafted(call, id, kept)
  },
})

const diffFlow = defineTool({
  name: 'diff_flow',
  title: 'Compare the versions of a flow',
  description:
    'Returns what differs between two versions of a flow, or a version and the draft changes, and what the draft changes may reach: hosts, auths, programs, files, addresses, tables.',
  access: can('flows', 'read'),
  readsOnly: true,
  input: z.strictObject({
    flow_id: flowId,
    from: z.int().min(1).optional().describe('Number of the earlier version. Defaults to the newest.'),
    to: z.int().min(1).optional().describe('Number of the later version. Defaults to the draft changes.'),
  }),
  run({ services, caller }, { flow_id: id, from, to }) {
    const flow = services.flows.read(caller, id)
    const stepsOf = (version: number) => services.flows.readVersion(id, version).steps
    const before = stepsOf(from ?? flow.version)
    const after = to === undefined ? stepsOfCopy(services.flows.readWorkingCopy(id)) : stepsOf(to)
    const changes = services.flowSources.changes(caller, flow, before, after)
    return to === undefined ? { changes, reach: services.flowReach.read(caller, id) } : { changes }
  },
})

const restoreFlow = defineTool({
  name: 'restore_flow',
  title: 'Restore a version',
  description:
    'Makes the steps of an earlier version the draft changes of a flow, or discards the draft changes.',
  access: can('flows', 'update'),
  readsOnly: false,
  input: z.strictObject({
    flow_id: flowId,
    version: z
      .int()
      .min(1)
      .optional()
      .describe('Number of the version. If absent, the draft changes are discarded.'),
  }),
  async run(call, { flow_id: id, version }) {
    const { flows } = call.services
    const steps = version === undefined ? null : flows.readVersion(id, version).steps
    return drafted(call, id, await flows.updateWorkingCopy(call.caller, id, steps as never))
  },
})

const tryStep = defineTool({
  name: 'try_step',
  title: 'Try a step',
  description:
    'Runs one step of the draft changes, or of the flow, and returns its input, output, error and HTTP calls. It can act on other systems: run it only if the user asks for that.',
  access: can('flows', 'create'),
  readsOnly: false,
  input: z.strictObject({
    flow_id: flowId,
    ref_id: text(100).describe('Reference name of the step.'),
    results: jsonObject
      .optional()
      .describe('Results of the steps before it, by reference name. Defaults to those of the newest run.'),
  }),
  run: ({ services, caller }, { flow_id: id, ref_id: ref, results }) =>
    services.flowRuns.runStep(caller, id, ref, { results }),
})

export const DRAFT_TOOLS = [createFlow, patchFlow, diffFlow, restoreFlow, tryStep]

function drafted({ services, caller }: ToolCall, id: string, { steps }: WorkingCopy): object {
  const { problems } = services.flows.check(caller, id, steps)
  return { flow_id: id, revision: services.flows.revisionOf(steps), problems, next: NEXT }
}

/** @throws AppError `validation` if the draft changes contain something that isn't a step */
export function stepsOfCopy({ steps }: WorkingCopy): Step[] {
  return parseInput(z.object({ steps: z.array(stepShape) }), { steps }).steps
}
