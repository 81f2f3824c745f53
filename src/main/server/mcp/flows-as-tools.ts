/** Flows that are tools themselves: those whose setting `mcp_tool` allows it. */
import { trimBoth } from '../../../shared/trim.ts'
import { parseInput } from '../../../shared/contract/base/validate.ts'
import type { Flow } from '../../../shared/contract/flows.ts'
import { usualTrigger } from '../../../shared/contract/step-types/index.ts'
import { readToolSchema } from '../../services/running/flows/tool-schema.ts'
import { type Caller, may, reachesFlow } from '../../services/kit/caller.ts'
import { DEFAULT_WAIT_SECONDS, runFlow } from './follow-run.ts'
import type { ToolCall, ToolServices } from './tool.ts'

export interface FlowTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: { readonly type: 'object'; readonly [key: string]: unknown }
  /** Whether a token that may only start webhooks can call it. */
  readonly hasWebhook: boolean
  readonly flowId: string
}

export interface FlowTools {
  list(caller: Caller): readonly FlowTool[]
  /** Null if no flow is offered under this name to this caller. */
  find(name: string, caller: Caller): FlowTool | null
}

const PER_PAGE = 200
const LONGEST_NAME = 50
const LONGEST_DESCRIPTION = 4_000

/** Reads all flows; a caller's permissions are checked later. */
const NOBODY: Caller = { kind: 'token', userId: '', scopes: [], tokenId: null }

/**
 * @param taken names of other tools
 * @param onChange called when flows may be offered under different names
 */
export function createFlowTools(
  { flows, events }: ToolServices,
  taken: readonly string[],
  onChange: () => void,
): FlowTools {
  let known: readonly FlowTool[] | null = null
  events.listen(({ noun }) => {
    if (noun !== 'flow' || known === null) return
    known = null
    onChange()
  })

  function read(): readonly FlowTool[] {
    const offered: Flow[] = []
    for (let page = 1; ; page++) {
      const { records, total } = flows.list(NOBODY, { page, per_page: PER_PAGE })
      offered.push(...records.filter(({ settings, status }) => settings.mcp_tool && status !== 'paused'))
      if (page * PER_PAGE >= total) break
    }
    // Of two flows with the same name, the older one gets it without a suffix, whatever happens to the other.
    const names = new Set(taken)
    return offered
      .toSorted((a, b) => a.created_at.localeCompare(b.created_at) || a.id.localeCompare(b.id))
      .map((flow) => {
        const name = nameOf(flow, names)
        names.add(name)
        return toTool(flow, name)
      })
  }

  const list = (caller: Caller) => (known ??= read()).filter((tool) => mayCall(caller, tool))
  return { list, find: (name, caller) => list(caller).find((tool) => tool.name === name) ?? null }
}

export function callFlowTool(call: ToolCall, tool: FlowTool, input: object): Promise<object> {
  const checked = checkInput(tool, input)
  call.services.chosenRecords.requireUse(call.caller, tool.flowId)
  return runFlow(call, { flowId: tool.flowId, input: checked, waitSeconds: DEFAULT_WAIT_SECONDS })
}

function mayCall(caller: Caller, { hasWebhook, flowId }: FlowTool): boolean {
  if (!reachesFlow(caller, flowId)) return false
  return may(caller, 'flows', 'create') || (hasWebhook && may(caller, 'webhooks', 'create'))
}

/** Clients accept letters, digits, `_` and `-`, up to 64 characters. */
function nameOf({ id, name }: Flow, taken: ReadonlySet<string>): string {
  const words = name
    .replaceAll('ß', 'ss')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
  const plain = trimBoth(words.slice(0, LONGEST_NAME), '_')
  const wanted = plain === '' ? `flow_${id.slice(0, 8)}` : plain
  return taken.has(wanted) ? `${wanted}_${id.slice(0, 8)}` : wanted
}

function toTool({ id, name, description, steps, settings }: Flow, toolName: string): FlowTool {
  const schema = settings.mcp_tool?.input_schema ?? { additionalProperties: true }
  return {
    name: toolName,
    title: name,
    description: (description.trim() || `Runs the flow "${name}".`).slice(0, LONGEST_DESCRIPTION),
    inputSchema: { ...schema, type: 'object' },
    hasWebhook: (usualTrigger(steps) ?? steps[0])?.type === 'webhook',
    flowId: id,
  }
}

/** @throws AppError `validation` naming the fields */
function checkInput({ inputSchema }: FlowTool, input: object): object {
  return parseInput(readToolSchema(inputSchema), input, 'arguments') as object
}
