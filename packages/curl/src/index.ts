/**
 * Parses `curl` commands from browsers, documentation and terminals to the requests that curl would send. Anything
 * that a Millrace request can't express is reported, so that no request changes its meaning silently.
 */
import { type Said, SaidError, say } from '@millrace/jinja/said'
import { buildRequests } from './build-requests.ts'
import { readCmd } from './cmd-shell.ts'
import { shownText, withoutMarks } from './open-text.ts'
import { readOptions } from './options.ts'
import { readPosix } from './posix-shell.ts'
import { readPowerShell } from './powershell.ts'
import type { CurlReading, CurlRequest } from './request.ts'
import type { ShellCommand, ShellReading } from './shell-command.ts'

export type { CurlReading, CurlRequest } from './request.ts'
export { actionOf } from './action.ts'
export { withoutOpenParts } from './open-text.ts'
export { restStepOf } from './rest-step.ts'

/** Null if the input contains no curl command. */
export function readCurl(text: string): CurlReading | null {
  const source = withoutMarks(text.replace(/^\uFEFF/, ''))
  if (!MENTIONS_CURL.test(source)) return null
  const { commands, refusal } = readShell(source)
  const requests: CurlRequest[] = []
  const leftOut: { item: string; reason: Said }[] = []
  let hasCurl = refusal !== null
  for (const [index, command] of commands.entries()) {
    const words = curlWords(command)
    const item = shownText(command.source).replaceAll(/\s+/g, ' ').slice(0, 120)
    if (words === null) {
      const feeds = commands[index + 1]
      const isReader = command.isPiped || (feeds?.isPiped === true && curlWords(feeds) !== null)
      if (!isReader) leftOut.push({ item, reason: say`isn't a curl command` })
      continue
    }
    hasCurl = true
    try {
      requests.push(...readCommand(words, command, stdinOf(command, commands[index - 1])))
    } catch (error) {
      if (!(error instanceof SaidError)) throw error
      leftOut.push({ item, reason: error.said })
    }
  }
  if (refusal !== null)
    leftOut.push({
      item: source.trim().replaceAll(/\s+/g, ' ').slice(0, 120),
      reason: say`no shell runs it: ${refusal}`,
    })
  return hasCurl ? { requests, leftOut } : null
}

const MENTIONS_CURL = /(?:^|[\s/\\;&|(])curl(?:\.exe)?[\s^`]/m

/** Whether a command continues after a line that ends with this character. */
function continuesBy(mark: string, text: string): boolean {
  const lines = text.split(/\r?\n/)
  return lines.slice(0, -1).some((line) => /\s.$/.test(line) && line.endsWith(mark) && /\bcurl\b/.test(line))
}

function readShell(text: string): ShellReading {
  if (continuesBy('`', text) || /\$env:\w|^[ \t]*PS [^\n\r\u2028\u2029>]*>/im.test(text))
    return readPowerShell(text)
  if (continuesBy('^', text) || /\s\^"/.test(text) || /^[ \t]*[A-Z]:\\[^\n\r\u2028\u2029>]*>/m.test(text))
    return readCmd(text)
  if (/\bcurl\.exe\b/.test(text)) return text.includes("'") ? readPowerShell(text) : readCmd(text)
  return readPosix(text)
}

/** The words after `curl`; null if it is another command. */
function curlWords({ words }: ShellCommand): readonly string[] | null {
  const at = words.findIndex((word) => !/^(?:[A-Za-z_]\w*=[\s\S]*|sudo|time|exec|command|nohup)$/.test(word))
  const name = (words[at] ?? '').split(/[/\\]/).at(-1)
  return name === 'curl' || name === 'curl.exe' ? words.slice(at + 1) : null
}

/** The output of `echo` is known from the command; that of other commands isn't. */
function stdinOf(command: ShellCommand, before: ShellCommand | undefined): string | null {
  if (command.stdin !== null || !command.isPiped || before === undefined) return command.stdin
  const [name, first, ...rest] = before.words
  if (name !== 'echo' || before.isPiped) return null
  if (first === '-n') return rest.join(' ')
  return first?.startsWith('-') === true ? null : `${[first ?? '', ...rest].join(' ')}\n`
}

const readCommand = (words: readonly string[], { source }: ShellCommand, stdin: string | null) =>
  readOptions(words).flatMap((group) => buildRequests(group, source, stdin))
