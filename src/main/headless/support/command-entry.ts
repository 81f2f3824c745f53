import type { ExitCode } from '../../host/machine/exit-codes.ts'
import type { CommandContext } from './command-context.ts'

/** @returns the exit code; defaults to 0 */
export type Work<Options> = (
  context: CommandContext,
  options: Options,
  ...args: string[]
) => Promise<ExitCode | undefined | void>

/** Possible values for completion: a file, or one of a few words. */
export type Completion = 'file' | readonly string[]

export interface ArgumentEntry {
  readonly name: string
  readonly description: string
  readonly optional?: boolean
  /** Set for a last argument that can be repeated any number of times. */
  readonly repeatable?: boolean
  readonly completes?: Completion
}

/** The argument as help shows it: `<flow>`, `[request...]`. */
export function writtenArgument({ name, optional, repeatable }: ArgumentEntry): string {
  const written = repeatable ? `${name}...` : name
  return optional ? `[${written}]` : `<${written}>`
}

export interface OptionEntry {
  /** `--port <port>`, or `--json` for an option without a value. */
  readonly flags: string
  readonly description: string
  readonly required?: boolean
  readonly default?: string
  readonly repeatable?: boolean
  readonly completes?: Completion
}

/** One command: its name, arguments, help and work. */
export interface CommandEntry {
  /** `serve`, or `token create`. */
  readonly name: string
  readonly arguments?: readonly ArgumentEntry[]
  readonly summary: string
  /** More help, for commands that need more than one line. */
  readonly details?: string
  readonly options?: readonly OptionEntry[]
  /** Complete command lines. */
  readonly examples: readonly string[]
  readonly run: Work<never>
}
