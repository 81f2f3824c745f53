import type { ExitCode } from '../../exit-codes.ts'
import type { CommandContext } from './command-context.ts'

/** @returns the exit code; absent: 0 */
export type Work<Options> = (
  context: CommandContext,
  options: Options,
  ...args: string[]
) => Promise<ExitCode | undefined | void>

/** What can be typed where a value is expected: a file, or one of a few words. */
export type Completion = 'file' | readonly string[]

export interface ArgumentEntry {
  readonly name: string
  readonly description: string
  readonly optional?: boolean
  readonly completes?: Completion
}

export interface OptionEntry {
  /** `--port <port>`, or `--json` for one without a value. */
  readonly flags: string
  readonly description: string
  readonly required?: boolean
  readonly default?: string
  readonly repeatable?: boolean
  readonly completes?: Completion
}

/** One command: what it is called, what it takes, what its help says, and what it does. */
export interface CommandEntry {
  /** `serve`, or `token create`. */
  readonly name: string
  readonly arguments?: readonly ArgumentEntry[]
  readonly summary: string
  /** More than fits into a line. */
  readonly details?: string
  readonly options?: readonly OptionEntry[]
  /** Whole command lines. */
  readonly examples: readonly string[]
  readonly run: Work<never>
}
