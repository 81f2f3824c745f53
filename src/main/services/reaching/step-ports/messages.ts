import type { Script, ScriptResult } from '../../../engine/flow/model/ports.ts'

/** Messages from the program to the worker that runs scripts. */
export interface ScriptRequest extends Script {
  /** JSON. */
  readonly input: string
  /** The function of a plug-in to call; the source is then its `run.js`. */
  readonly plugin?: { readonly kind: 'steps' | 'triggers' | 'filters'; readonly name: string }
  readonly limits: {
    readonly timeMs: number
    readonly memoryBytes: number
    readonly outputCharacters: number
    readonly logLines: number
  }
}

export const SCRIPT_LIMITS: ScriptRequest['limits'] = {
  timeMs: 5_000,
  memoryBytes: 64 * 1024 * 1024,
  outputCharacters: 10_000_000,
  logLines: 200,
}

/** A request that a plug-in's code makes to the program while it runs. */
export interface AbilityCall {
  readonly id: number
  readonly ability: string
  /** JSON. */
  readonly argument: string
}

export interface AbilityReply {
  readonly id: number
  readonly isDone: boolean
  /** The result as JSON, or the reason why it failed. */
  readonly text: string
}

export interface ScriptReply extends ScriptResult {
  /** CPU time used. */
  readonly tookMs: number
  /** True if the thread has used a lot of memory, which it can't return, so that the next script needs a new thread. */
  readonly isSpent: boolean
}
