/** Types for the tools of the MCP server. */
import type { z } from 'zod'
import type { Access } from '../../../shared/contract/base/route.ts'
import type { Caller } from '../../services/kit/caller.ts'
import type { Services } from '../../services/index.ts'

export type ToolServices = Pick<
  Services,
  | 'actions'
  | 'authorization'
  | 'chosenRecords'
  | 'connectorAuths'
  | 'connectorFiles'
  | 'connectors'
  | 'docs'
  | 'events'
  | 'flowReach'
  | 'flowRuns'
  | 'flows'
  | 'flowSources'
  | 'flowTests'
  | 'json'
  | 'paginationTests'
  | 'remoteSearch'
  | 'toolRuns'
>

export type McpServices = ToolServices & Pick<Services, 'calls' | 'host' | 'settings'>

export interface ToolCall {
  readonly services: ToolServices
  readonly caller: Caller
  /** Aborts if the client cancels the call, or its connection ends. */
  readonly signal: AbortSignal
  /** Whether the client itself cancelled the call. */
  readonly isCancelled: () => boolean
  /** Reports progress to the client; null if it didn't ask for that. */
  readonly progress: ((message: string) => void) | null
}

export interface Tool<S extends z.ZodObject = z.ZodObject> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly access: Access
  readonly input: S
  /** True if the tool changes nothing. */
  readonly readsOnly: boolean
  run(call: ToolCall, input: z.output<S>): Promise<object> | object
}

/** Tools have different inputs; for a list of tools, only `run` itself knows the type of its input. */
export type AnyTool = Omit<Tool, 'run'> & { run(call: ToolCall, input: never): Promise<object> | object }

export function defineTool<const S extends z.ZodObject>(tool: Tool<S>): AnyTool {
  return tool
}

/** A failure that reaches the client with its own message and result, such as a failed run. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure'
  readonly result: object

  constructor(message: string, result: object) {
    super(message)
    this.result = result
  }
}
