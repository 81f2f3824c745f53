/** All tools: decides which of them a caller sees, and calls them. */
import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  type Tool as ListedTool,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { AppError, ERROR_STATUS } from '../../../shared/contract/base/errors.ts'
import { LIMITS } from '../../../shared/contract/base/limits.ts'
import { parseInput } from '../../../shared/contract/base/validate.ts'
import { MCP_PATH } from '../../../shared/contract/reach/mcp.ts'
import type { Caller } from '../../services/kit/caller.ts'
import type { Log } from '../../services/kit/ports.ts'
import { CONNECTOR_TOOLS } from './connector-tools.ts'
import { DRAFT_TOOLS } from './draft-tools.ts'
import { FLOW_TOOLS } from './flow-tools.ts'
import { callFlowTool, createFlowTools, type FlowTool } from './flows-as-tools.ts'
import { OTHER_TOOLS } from './other-tools.ts'
import { toFailure, toResult } from './results.ts'
import { RUN_TOOLS } from './run-tools.ts'
import { TEST_TOOLS } from './test-tools.ts'
import { type AnyTool, type McpServices, type ToolCall, ToolFailure } from './tool.ts'

const TOOLS: readonly AnyTool[] = [
  ...FLOW_TOOLS,
  ...DRAFT_TOOLS,
  ...TEST_TOOLS,
  ...RUN_TOOLS,
  ...CONNECTOR_TOOLS,
  ...OTHER_TOOLS,
]

interface NamedInput {
  readonly flow_id?: string
  readonly flow_run_id?: string
}

export function createTools(services: McpServices, log: Log, onChange: () => void) {
  const { authorization, chosenRecords, calls, json } = services
  const names = TOOLS.map(({ name }) => name)
  const flowTools = createFlowTools(services, names, onChange)
  const listed = TOOLS.map((tool) => ({ tool, shown: describe(tool) }))

  function mayCall({ access }: AnyTool, caller: Caller): boolean {
    try {
      authorization.authorize(access, caller)
      return true
    } catch {
      return false
    }
  }

  /** Requires that the caller can reach the flow and the run in the tool's input. */
  function requireReached({ readsOnly }: AnyTool, caller: Caller, input: NamedInput): void {
    const { flow_id: flowId, flow_run_id: runId } = input
    if (runId !== undefined) chosenRecords.requireRun(caller, runId)
    const used = readsOnly || runId === undefined ? flowId : services.flowRuns.read(runId).flow_id
    if (used === undefined) return
    if (readsOnly) chosenRecords.requireFlow(caller, used)
    else chosenRecords.requireUse(caller, used)
  }

  function find(name: string, caller: Caller): (call: ToolCall, input: object) => Promise<object> {
    const tool = TOOLS.find((one) => one.name === name)
    if (tool !== undefined) {
      return async (call, input) => {
        authorization.authorize(tool.access, caller)
        const parsed = parseInput(tool.input, input, 'arguments')
        requireReached(tool, caller, parsed)
        return tool.run(call, parsed as never)
      }
    }
    const flowTool = flowTools.find(name, caller)
    if (flowTool !== null) return (call, input) => callFlowTool(call, flowTool, input)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `There is no tool "${name.slice(0, 64)}"; list the tools again, as flows can be renamed, paused or no longer offered`,
    )
  }

  return {
    list: (caller: Caller) => [
      ...listed.filter(({ tool }) => mayCall(tool, caller)).map(({ shown }) => shown),
      ...flowTools.list(caller).map(describeFlow),
    ],
    /** @throws ProtocolError if there is no such tool; everything else is a result, for the model to read */
    async call(name: string, input: object, call: Omit<ToolCall, 'services'>): Promise<CallToolResult> {
      const run = find(name, call.caller)
      const begun = performance.now()
      let status: number = 200
      try {
        return toResult(json, await run({ ...call, services }, input), budgetOf(name, input))
      } catch (error) {
        status = statusOf(error)
        const failure = toFailure(json, error)
        if (failure !== null) return failure
        log.error({ err: error, tool: name }, 'A tool of the MCP server failed')
        const text = 'Internal error; see the log of Millrace'
        return { isError: true, content: [{ type: 'text', text }] }
      } finally {
        calls.note({
          method: 'POST',
          route: `${MCP_PATH}#${name}`,
          status,
          durationMs: performance.now() - begun,
          caller: call.caller,
        })
      }
    },
  }
}

/** Maximum length of the result; a tool with `max_characters` has already checked that. */
function budgetOf(name: string, { max_characters: most }: { readonly max_characters?: unknown }): number {
  const tool = TOOLS.find((one) => one.name === name)
  const hasBudget = tool !== undefined && 'max_characters' in tool.input.shape
  return hasBudget && typeof most === 'number' ? most : LIMITS.mcpResultCharacters
}

function statusOf(error: unknown): number {
  if (error instanceof AppError) return error.status
  return error instanceof ToolFailure ? ERROR_STATUS.flow_error : ERROR_STATUS.internal
}

function describe({ name, title, description, input, readsOnly }: AnyTool): ListedTool {
  const schema = z.toJSONSchema(input, { io: 'input', target: 'draft-7' })
  return {
    name,
    title,
    description,
    inputSchema: schema as ListedTool['inputSchema'],
    annotations: { title, readOnlyHint: readsOnly },
  }
}

function describeFlow({ name, title, description, inputSchema }: FlowTool): ListedTool {
  return { name, title, description, inputSchema, annotations: { title, readOnlyHint: false } }
}
