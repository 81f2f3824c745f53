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
