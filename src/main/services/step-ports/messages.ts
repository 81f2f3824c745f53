import type { ScriptResult } from '../../engine/flow/model/ports.ts'

/** What the program asks the worker that runs scripts. */
export interface ScriptRequest {
  readonly source: string
  /** JSON text. */
  readonly input: string
  readonly limits: {
    readonly timeMs: number
    readonly memoryBytes: number
    readonly outputCharacters: number
    readonly logLines: number
  }
}

export interface ScriptReply extends ScriptResult {
  /** It has taken much memory, which it never gives back: the next script is to run elsewhere. */
  readonly isSpent: boolean
}
