import type { Script, ScriptResult } from '../../engine/flow/model/ports.ts'

/** Messages from the program to the worker that runs scripts. */
export interface ScriptRequest extends Script {
  /** JSON. */
  readonly input: string
  readonly limits: {
    readonly timeMs: number
    readonly memoryBytes: number
    readonly outputCharacters: number
    readonly logLines: number
  }
}

export interface ScriptReply extends ScriptResult {
  /** It has used a lot of memory, which it can't return: the next script needs a new thread. */
  readonly isSpent: boolean
}
