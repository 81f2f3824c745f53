import type { Said } from '@millrace/jinja/said'

/** One shell command with its quotes resolved. */
export interface ShellCommand {
  /** The words, which can have open parts. */
  readonly words: readonly string[]
  /** The source as written. */
  readonly source: string
  /** The data that the shell passes to its standard input; null if the commands don't show it. */
  readonly stdin: string | null
  /** Whether it reads the output of the previous command. */
  readonly isPiped: boolean
}

export interface ShellReading {
  readonly commands: readonly ShellCommand[]
  /** Why a shell would reject the input; null if it wouldn't. */
  readonly refusal: Said | null
}

/** The prompt before a command in documentation. */
const PROMPT = /^(?:[$%>❯][ \t]+|(?:PS [^\n>]*|[A-Za-z]:\\[^\n>]*)>[ \t]*)/

/** The length of the prompt at this position, including spaces around it. */
export function promptAt(text: string, at: number): number {
  const rest = text.slice(at, at + 300)
  const blanks = /^[ \t]*/.exec(rest)?.[0].length ?? 0
  const prompt = PROMPT.exec(rest.slice(blanks))?.[0]
  return prompt === undefined ? 0 : blanks + prompt.length
}

/** Nobody pastes more commands, so a string with more is something else. */
export const MOST_COMMANDS = 1_000
