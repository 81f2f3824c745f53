import { type Said, say } from '@millrace/jinja/said'
import { missing, variable } from './open-text.ts'
import { MOST_COMMANDS, promptAt, type ShellCommand, type ShellReading } from './shell-command.ts'

/** Splits commands like `sh` and `bash`. A Millrace template is one word, with or without quotes. */
export function readPosix(text: string): ShellReading {
  const reader = new PosixReader(text)
  reader.readAll()
  return { commands: reader.commands, refusal: reader.refusal }
}

class PosixReader {
  readonly commands: ShellCommand[] = []
  refusal: Said | null = null
  readonly #text: string
  #at = 0
  #start = 0
  #words: string[] = []
  #word: string | null = null
  #stdin: string | null = null
  #isPiped = false
  /** The redirection whose target is the next word. */
  #redirection: '<' | '>' | '<<<' | null = null
  readonly #heredocs: { end: string; isQuoted: boolean; isIndented: boolean }[] = []
  readonly #values: Map<string, string>
  readonly #lastTemplateEnd: number

  constructor(text: string, values = new Map<string, string>()) {
    this.#text = text.replaceAll('\r\n', '\n')
    this.#values = values
    this.#lastTemplateEnd = this.#text.lastIndexOf('}}')
  }

  readAll(): void {
    this.#skipPrompt()
    while (this.#at < this.#text.length && this.refusal === null && this.commands.length < MOST_COMMANDS)
      this.#step()
    if (this.refusal === null) this.#endCommand()
  }

  #step(): void {
    const text = this.#text
    const sign = text[this.#at] as string
    const next = text[this.#at + 1]
    if (sign === '\\' && next === '\n') this.#at += 2
    else if (sign === '\n') this.#endLine()
    else if (/\s/.test(sign)) {
      this.#endWord()
      this.#at += 1
    } else if (sign === '#' && this.#word === null) this.#at = lineEnd(text, this.#at)
    else if (sign === '\\') this.#add(next ?? '', 2)
    else if (sign === "'") this.#addQuoted(this.#at + 1, false)
    else if (sign === '$' && next === "'") this.#addQuoted(this.#at + 2, true)
    else if (sign === '"' || (sign === '$' && next === '"')) this.#addDouble(sign === '"' ? 1 : 2)
    else if (sign === '$' || sign === '`') this.#addExpansion()
    else if (sign === '{' && next === '{' && this.#at < this.#lastTemplateEnd) {
      const end = text.indexOf('}}', this.#at) + 2
      this.#add(text.slice(this.#at, end), end - this.#at)
    } else if (sign === '<' || sign === '>' || (sign === '&' && next === '>')) this.#redirect()
    else if (/[;&|()]/.test(sign)) this.#endAtOperator(sign)
    else this.#add(sign, 1)
  }

  #add(part: string, length: number): void {
    this.#word = (this.#word ?? '') + part
    this.#at += length
  }

  #addQuoted(from: number, isAnsi: boolean): void {
    const end = endOfQuote(this.#text, from, isAnsi)
    if (end === -1) return this.#refuse(say`a ${"'"} that is never closed`)
    const inside = this.#text.slice(from, end)
    this.#add(isAnsi ? readAnsi(inside) : inside, end + 1 - this.#at)
  }

  #addDouble(opening: number): void {
    const from = this.#at
    this.#at += opening
    let content = ''
    while (this.#text[this.#at] !== '"') {
      if (this.#at >= this.#text.length) {
        this.#at = from
        return this.#refuse(say`a ${'"'} that is never closed`)
      }
      content += this.#readInDouble()
    }
    this.#add(content, 1)
  }

  /** One piece of a string in double quotes or a here-document. */
  #readInDouble(quotes = '"'): string {
    const sign = this.#text[this.#at] as string
    const next = this.#text[this.#at + 1] ?? ''
    if (sign === '\\') {
      this.#at += 2
      if (next === '\n') return ''
      return `$\`\\${quotes}`.includes(next) && next !== '' ? next : sign + next
    }
    if (sign === '$' || sign === '`') return this.#readExpansion()
    this.#at += 1
    return sign
  }

  #addExpansion(): void {
    const value = this.#readExpansion()
    this.#add(value, 0)
  }

  #readExpansion(): string {
    const text = this.#text
    const from = this.#at
    const name = /^\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/.exec(text.slice(from, from + 300))
    if (name !== null) {
      this.#at += name[0].length
      const known = name[1] ?? name[2] ?? ''
      return this.#values.get(known) ?? variable(known)
    }
    const end = endOfExpansion(text, from)
    if (end === from) {
      this.#at += 1
      return text[from] ?? ''
    }
    this.#at = end
    return missing(say`the value of ${text.slice(from, end)}, which the shell fills in`)
  }

  #redirect(): void {
    const operator =
      /^(?:&>>?|<<<|<<-?|[<>]&|>>|>\||<>|[<>])/.exec(this.#text.slice(this.#at, this.#at + 3))?.[0] ?? '>'
    // A number directly in front of a redirection names the stream.
    if (this.#word !== null && /^\d+$/.test(this.#word)) this.#word = null
    this.#endWord()
    this.#at += operator.length
    if (operator === '<<' || operator === '<<-') return this.#openHeredoc(operator === '<<-')
    this.#redirection = operator === '<<<' ? '<<<' : operator.startsWith('<') ? '<' : '>'
  }

  #openHeredoc(isIndented: boolean): void {
    const found = /^[ \t]*(?:'([^'\n]*)'|"([^"\n]*)"|(\\?)([^\s;&|<>()]+))/.exec(
      this.#text.slice(this.#at, this.#at + 200),
    )
    if (found === null) return this.#refuse(say`a << without the word that ends its text`)
    this.#at += found[0].length
    const [, single, double, escape, bare] = found
    this.#heredocs.push({
      end: single ?? double ?? bare ?? '',
      isQuoted: bare === undefined || escape !== '',
      isIndented,
    })
  }

  #readHeredoc({ end, isQuoted, isIndented }: { end: string; isQuoted: boolean; isIndented: boolean }): void {
    const lines: string[] = []
    while (this.#at < this.#text.length) {
      const stop = lineEnd(this.#text, this.#at)
      const line = this.#text.slice(this.#at, stop)
      const bare = isIndented ? line.replace(/^\t+/, '') : line
      this.#at = stop + 1
      if (bare === end) break
      lines.push(`${bare}\n`)
    }
    const content = lines.join('')
    this.#stdin = isQuoted ? content : new PosixReader(content, this.#values).#expanded()
  }

  /** Expands the whole string as in double quotes, where quotes themselves are literal. */
  #expanded(): string {
    let content = ''
    while (this.#at < this.#text.length) content += this.#readInDouble('')
    return content
  }

  #endLine(): void {
    this.#at += 1
    this.#endWord()
    for (const heredoc of this.#heredocs.splice(0)) this.#readHeredoc(heredoc)
    this.#endCommand()
    this.#skipPrompt()
  }

  #endAtOperator(sign: string): void {
    this.#endWord()
    const isDouble = this.#text[this.#at + 1] === sign && /[&|;]/.test(sign)
    const isPipe = sign === '|' && !isDouble
    if (this.#heredocs.length > 0) {
      // A here-document begins after the current line, whatever else is on that line.
      const stop = lineEnd(this.#text, this.#at)
      const rest = this.#at
      this.#at = stop + 1
      for (const heredoc of this.#heredocs.splice(0)) this.#readHeredoc(heredoc)
      const after = this.#at
      this.#endCommand(rest)
      this.#at = after
      return
    }
    this.#endCommand()
    this.#at += isDouble ? 2 : 1
    if (isPipe && this.#text[this.#at] === '&') this.#at += 1
    this.#start = this.#at
    this.#isPiped = isPipe
  }

  #endWord(): void {
    const word = this.#word
    this.#word = null
    if (word === null) return
    if (this.#redirection === '<<<') this.#stdin = `${word}\n`
    else if (this.#redirection === null) this.#words.push(word)
    this.#redirection = null
  }

  #endCommand(end = this.#at): void {
    this.#endWord()
    const words = this.#words
    const command: ShellCommand = {
      words,
      source: this.#text.slice(this.#start, end).trim(),
      stdin: this.#stdin,
      isPiped: this.#isPiped,
    }
    if (words.length > 0 && !this.#isAssignment(words)) this.commands.push(command)
    this.#start = this.#at
    this.#words = []
    this.#stdin = null
    this.#isPiped = false
  }

  /** Whether the words set a variable for later commands, as `TOKEN=abc` and `export TOKEN=abc` do. */
  #isAssignment(words: readonly string[]): boolean {
    const pairs = (words[0] === 'export' ? words.slice(1) : words).map((word) =>
      /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(word),
    )
    if (pairs.length === 0 || pairs.some((pair) => pair === null)) return false
    for (const pair of pairs) this.#values.set(pair?.[1] ?? '', pair?.[2] ?? '')
    return true
  }

  #skipPrompt(): void {
    this.#at += promptAt(this.#text, this.#at)
    this.#start = this.#at
  }

  #refuse(what: Said): void {
    const line = this.#text.slice(0, this.#at).split('\n').length
    this.refusal = say`line ${line} has ${what}`
  }
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end === -1 ? text.length : end
}

function endOfQuote(text: string, from: number, escapes: boolean): number {
  let at = from
  while (at < text.length && text[at] !== "'") at += escapes && text[at] === '\\' ? 2 : 1
  return at < text.length ? at : -1
}

/** The position after `$(…)`, `${…}`, `` `…` `` or `$?`; the start if the character is literal. */
function endOfExpansion(text: string, from: number): number {
  if (text[from] === '`') {
    const end = text.slice(from + 1, from + LONGEST_EXPANSION).indexOf('`')
    return end === -1 ? from : from + end + 2
  }
  const next = text[from + 1] ?? ''
  if (/[0-9?$!@*#-]/.test(next)) return from + 2
  const close = { '(': ')', '{': '}' }[next]
  if (close === undefined) return from
  let depth = 0
  for (let at = from + 1; at < Math.min(text.length, from + LONGEST_EXPANSION); at += 1) {
    if (text[at] === next) depth += 1
    else if (text[at] === close) depth -= 1
    if (depth === 0) return at + 1
  }
  return from
}

const LONGEST_EXPANSION = 2_000

const ANSI_SIGNS: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  e: 27,
  E: 27,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
}
const ANSI =
  /\\(?:u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|x([0-9a-fA-F]{1,2})|([0-7]{1,3})|c([\s\S])|([\s\S]))/g

/** The content of `$'…'`, in which `\x` and octal escapes are bytes that together must be UTF-8. */
function readAnsi(text: string): string {
  const bytes: number[] = []
  const put = (part: string) => bytes.push(...utf8Bytes(part))
  let from = 0
  for (const found of text.matchAll(ANSI)) {
    put(text.slice(from, found.index))
    from = found.index + found[0].length
    const [, short, long, hex, octal, control, sign = ''] = found
    const code = short ?? long
    if (code !== undefined) put(characterOf(Number.parseInt(code, 16)))
    else if (hex !== undefined) bytes.push(Number.parseInt(hex, 16))
    else if (octal !== undefined) bytes.push(Number.parseInt(octal, 8) & 255)
    else if (control !== undefined) bytes.push(control.charCodeAt(0) & 31)
    else if (ANSI_SIGNS[sign] !== undefined) bytes.push(ANSI_SIGNS[sign])
    else put(/["'\\?]/.test(sign) ? sign : found[0])
  }
  put(text.slice(from))
  // A NUL ends an argument.
  const end = bytes.indexOf(0)
  const kept = end === -1 ? bytes : bytes.slice(0, end)
  try {
    return decodeURIComponent(kept.map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''))
  } catch {
    return missing(say`bytes that aren't text: the output of $'…' isn't UTF-8`)
  }
}

const characterOf = (code: number) =>
  code <= 0x10ffff ? String.fromCodePoint(code).toWellFormed() : '\uFFFD'

function utf8Bytes(text: string): readonly number[] {
  return [...encodeURIComponent(text.toWellFormed()).matchAll(/%([0-9A-F]{2})|([\s\S])/g)].map(
    ([, hex, sign = '']) => (hex === undefined ? sign.charCodeAt(0) : Number.parseInt(hex, 16)),
  )
}
