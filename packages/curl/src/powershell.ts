import { type Said, say } from '@millrace/jinja/said'
import { endOfOpenPart, missing, variable } from './open-text.ts'
import { MOST_COMMANDS, promptAt, type ShellCommand, type ShellReading } from './shell-command.ts'
import { splitCommandLine } from './windows-words.ts'

/**
 * Splits commands like PowerShell. Commands with `\"` are written for Windows PowerShell, which passes words on without
 * quoting them again; newer versions pass each word as it is.
 */
export function readPowerShell(text: string): ShellReading {
  const reader = new PowerShellReader(text)
  const refusal = reader.readAll()
  return { commands: reader.commands, refusal }
}

class PowerShellReader {
  readonly commands: ShellCommand[] = []
  readonly #text: string
  #at = 0
  #start = 0
  #words: string[] = []
  #word: string | null = null
  #isPiped = false

  constructor(text: string) {
    this.#text = text.replaceAll('\r\n', '\n')
  }

  /** Why it can't be parsed; null if it can. */
  readAll(): Said | null {
    const text = this.#text
    this.#skipPrompt()
    while (this.#at < text.length && this.commands.length < MOST_COMMANDS) {
      const sign = text[this.#at] as string
      const next = text[this.#at + 1]
      const here = this.#word === null ? /^@(['"])[ \t]*\n/.exec(text.slice(this.#at, this.#at + 50)) : null
      if (here !== null) {
        const end = text.indexOf(`\n${here[1]}@`, this.#at + here[0].length - 1)
        if (end === -1) return say`a here-string that is never closed with '@`
        const content = text.slice(this.#at + here[0].length, Math.max(end, this.#at + here[0].length))
        this.#add(here[1] === '"' ? this.#expand(content) : content)
        this.#at = end + 3
      } else if (sign === '`') {
        if (next === '\n') this.#at += 2
        else {
          this.#add(escaped(next))
          this.#at += 2
        }
      } else if (sign === '\n' || sign === ';' || sign === '|' || sign === '&') this.#endCommand(sign, next)
      else if (/\s/.test(sign)) {
        this.#endWord()
        this.#at += 1
      } else if (sign === '#' && this.#word === null) {
        const end = text.indexOf('\n', this.#at)
        this.#at = end === -1 ? text.length : end
      } else if (sign === "'" || sign === '"') {
        const end = endOfString(text, this.#at)
        if (end === -1) return say`a ${sign} that is never closed`
        const inside = text.slice(this.#at + 1, end)
        this.#add(sign === "'" ? inside.replaceAll("''", "'") : this.#expand(inside.replaceAll('""', '`"')))
        this.#at = end + 1
      } else if (sign === '$') {
        const found = EXPANSION.exec(text.slice(this.#at, this.#at + 10_000))
        this.#add(found === null ? sign : valueOf(found))
        this.#at += found === null ? 1 : found[0].length
      } else {
        this.#add(sign)
        this.#at += 1
      }
    }
    this.#endCommand('', undefined)
    return null
  }

  #add(part: string): void {
    this.#word = (this.#word ?? '') + part
  }

  #expand(inside: string): string {
    return inside.replace(IN_DOUBLE, (whole, tick: string | undefined) => {
      if (tick !== undefined) return escaped(tick)
      const found = EXPANSION.exec(whole)
      return found === null ? whole : valueOf(found)
    })
  }

  #endWord(): void {
    if (this.#word !== null) this.#words.push(this.#word)
    this.#word = null
  }

  #endCommand(sign: string, next: string | undefined): void {
    this.#endWord()
    const source = this.#text.slice(this.#start, this.#at).trim()
    const words = source.includes('\\"') ? asWindowsPowerShell(this.#words) : this.#words
    if (words.length > 0) this.commands.push({ words, source, stdin: null, isPiped: this.#isPiped })
    this.#words = []
    const isDouble = sign !== '\n' && sign === next
    this.#at += isDouble ? 2 : 1
    this.#isPiped = sign === '|' && !isDouble
    this.#skipPrompt()
  }

  #skipPrompt(): void {
    this.#start = this.#at
    this.#at += promptAt(this.#text, this.#at)
  }
}

function endOfString(text: string, from: number): number {
  const quote = text[from]
  for (let at = from + 1; at < text.length; at += 1) {
    if (text[at] === '`' && quote === '"') at += 1
    else if (text[at] === quote && text[at + 1] === quote) at += 1
    else if (text[at] === quote) return at
  }
  return -1
}

const EXPANSION = /^\$(?:\{(?:env:)?([A-Za-z_]\w*)\}|(?:env:)?([A-Za-z_]\w*)|\([^()\n]*\))/i
const IN_DOUBLE = /`([\s\S])|\$(?:\{(?:env:)?[A-Za-z_]\w*\}|(?:env:)?[A-Za-z_]\w*|\([^()\n]*\))/gi

function valueOf([whole, braced, bare]: RegExpExecArray): string {
  const name = braced ?? bare
  return name === undefined ? missing(say`the value of ${whole}, which the shell fills in`) : variable(name)
}

const TICKS: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  '0': '',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
}
const escaped = (sign = '') => TICKS[sign] ?? sign

function asWindowsPowerShell(words: readonly string[]): string[] {
  return splitCommandLine(words.map((word) => (isQuotedOnPassing(word) ? `"${word}"` : word)).join(' '))
}

/** Words that are empty or contain spaces are enclosed in quotes. */
function isQuotedOnPassing(word: string): boolean {
  if (word === '') return true
  for (let at = 0; at < word.length; at += 1) {
    const open = endOfOpenPart(word, at)
    if (open > at) at = open - 1
    else if (/\s/.test(word[at] ?? '')) return true
  }
  return false
}
