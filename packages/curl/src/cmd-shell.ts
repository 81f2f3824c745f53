import { variable } from './open-text.ts'
import { MOST_COMMANDS, promptAt, type ShellCommand, type ShellReading } from './shell-command.ts'
import { splitCommandLine } from './windows-words.ts'

/** Parses commands like `cmd.exe`, in which `^` escapes the next character, but not inside quotes. */
export function readCmd(text: string): ShellReading {
  const source = text.replaceAll('\r\n', '\n')
  const commands: ShellCommand[] = []
  let line = ''
  let start = 0
  let inQuotes = false
  let isPiped = false

  function end(at: number, next: number, pipes = false) {
    const words = splitCommandLine(line.trimStart())
    if (words.length > 0 && !/^(?:rem|::)/i.test(words[0] ?? ''))
      commands.push({ words, source: source.slice(start, at).trim(), stdin: null, isPiped })
    line = ''
    start = next
    inQuotes = false
    isPiped = pipes
  }

  for (let at = 0; at < source.length && commands.length < MOST_COMMANDS; at += 1) {
    if (at === start) at += promptAt(source, at)
    const sign = source[at] as string
    const next = source[at + 1]
    if (sign === '^' && !inQuotes) {
      at += 1
      // If an empty line follows a continued line, the result contains a line break.
      if (next === '\n' && source[at + 1] === '\n') at += 1
      if (next !== '\n' || source[at - 1] === '\n') line += source[at] ?? ''
    } else if (sign === '\n') end(at, at + 1)
    else if (sign === '"') {
      inQuotes = !inQuotes
      line += sign
    } else if (/[&|]/.test(sign) && !inQuotes) {
      const isDouble = next === sign
      end(at, at + (isDouble ? 2 : 1), sign === '|' && !isDouble)
      if (isDouble) at += 1
    } else if (/[<>]/.test(sign) && !inQuotes) {
      const target = /^[<>]{1,2}&?\s*(?:"[^"\n]*"|[^\s&|<>]*)/.exec(source.slice(at, at + 1_000))?.[0] ?? sign
      line = line.replace(/(^|\s)\d$/, '$1')
      at += target.length - 1
    } else if (sign === '%') {
      const name = VARIABLE.exec(source.slice(at, at + 200))
      line += name === null ? sign : variable(name[1] ?? '')
      at += name === null ? 0 : name[0].length - 1
    } else line += sign
  }
  end(source.length, source.length)
  return { commands, refusal: null }
}

/** Percent escapes such as `%20` and `%C3%A9` aren't variables. */
const VARIABLE = /^%([A-Z_][A-Z0-9_]{2,})%/
