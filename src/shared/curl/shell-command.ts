/** One command of a shell, its quotes resolved. */
export interface ShellCommand {
  /** May have open parts. */
  readonly words: readonly string[]
  /** As it was written. */
  readonly source: string
  /** What the shell passes to its standard input; null if that is not in the text. */
  readonly stdin: string | null
  /** It reads the output of the command before. */
  readonly isPiped: boolean
}

export interface ShellReading {
  readonly commands: readonly ShellCommand[]
  /** Why a shell would refuse the text; null if it would not. */
  readonly refusal: string | null
}

/** The prompt that documentation shows in front of a command. */
const PROMPT = /^(?:[$%>❯][ \t]+|(?:PS [^\n>]*|[A-Za-z]:\\[^\n>]*)>[ \t]*)/

/** How long the prompt is that stands at this place, with the blanks around it. */
export function promptAt(text: string, at: number): number {
  const rest = text.slice(at, at + 300)
  const blanks = /^[ \t]*/.exec(rest)?.[0].length ?? 0
  const prompt = PROMPT.exec(rest.slice(blanks))?.[0]
  return prompt === undefined ? 0 : blanks + prompt.length
}

/** More commands than anybody pastes: a text with more of them is something else. */
export const MOST_COMMANDS = 1_000
