import { type Said, say } from '../../data/said.ts'
import { SPACES } from '../text/white-space.ts'
import { stripText } from '../text/split.ts'
import { Float, type Value } from '../base/value.ts'
import { mayHoldPaths, readPath } from './json-path.ts'
import { decodeString } from './string-literal.ts'
import { type Operator, SyntaxFault, type Token, type TokenKind } from './token.ts'

/** Splits a template into tokens like Jinja's lexer. It counts braces, so a dictionary can end with `}}`. */
export function tokenize(source: string): Token[] {
  const lexer = new Lexer(source)
  lexer.readTemplate()
  return lexer.tokens
}

/** Splits a bare expression (`when` without tags, a literal) into tokens. */
export function tokenizeExpression(source: string): Token[] {
  const lexer = new Lexer(source)
  lexer.readExpression()
  return lexer.tokens
}

/** Whether a source has tags. Without any, a `when` is a bare expression and any other source a constant. */
export function hasTags(source: string): boolean {
  return TAG_BEGIN.test(source)
}

/** Converts line ends to `\n` and removes one at the end of the template. Lines and columns stay the same. */
export function normalizeSource(source: string): string {
  const lines = source.includes('\r') ? source.replace(/\r\n?/g, '\n') : source
  return lines.endsWith('\n') ? lines.slice(0, -1) : lines
}

const TAG_BEGIN = /\{[{%#]/
// linear: one class of characters, repeated
const SPACE = new RegExp(`[${SPACES}]+`, 'y')
const RAW_BEGIN = /\{%[-+]?\s*raw\s*(?:-%\}\s*|%\})/y
const RAW_END = /\{%([-+]?)\s*endraw\s*(?:\+%\}|-%\}\s*|%\})/g
const COMMENT_END = /\+#\}|-#\}\s*|#\}/g
const BLOCK_END = /\+%\}|-%\}\s*|%\}/y
const VARIABLE_END = /-\}\}\s*|\}\}/y
const FLOAT = /(?:\d+_)*\d+(?:(?:\.(?:\d+_)*\d+)?[eE][+-]?(?:\d+_)*\d+|\.(?:\d+_)*\d+)/y
const INTEGER = /0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|0[xX](?:_?[\da-fA-F])+|[1-9](?:_?\d)*|0(?:_?0)*/y
const NAME = /[\p{L}\p{N}\p{M}\p{Pc}·]+/uy
const IDENTIFIER = /^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}·]*$/u
const ASCII_IDENTIFIER = /^[A-Za-z_][A-Za-z\d_]*$/
const STRING = /'[^'\\]*(?:\\.[^'\\]*)*'|"[^"\\]*(?:\\.[^"\\]*)*"/sy
const OPERATOR = /\/\/|\*\*|==|!=|>=|<=|[-+/*%~[\](){}><=.:|,;]/y
const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }

class Lexer {
  readonly tokens: Token[] = []
  private readonly source: string
  private at = 0
  private readonly holdsPaths: boolean
  /** Brackets that are still open, as their closing counterparts. */
  private readonly open: string[] = []

  constructor(source: string) {
    this.source = source
    this.holdsPaths = mayHoldPaths(source)
  }

  readTemplate(): void {
    const { source } = this
    while (this.at < source.length) {
      const begin = this.findTag()
      if (begin === -1) {
        this.push('data', source.slice(this.at), this.at, source.length)
        this.at = source.length
        break
      }
      const kind = source[begin + 1]
      const sign = source[begin + 2]
      this.pushData(begin, sign === '-')
      const start = begin + (sign === '-' || sign === '+' ? 3 : 2)
      if (kind === '#') this.skipComment(begin, start)
      else if (kind === '{') this.readTag('variable_begin', begin, start, 'variable_end', VARIABLE_END)
      else if (!this.readRaw(begin)) this.readTag('block_begin', begin, start, 'block_end', BLOCK_END)
    }
    this.push('end', '', source.length, source.length)
  }

  readExpression(): void {
    while (this.at < this.source.length) if (!this.skipSpace()) this.readToken()
    this.push('end', '', this.source.length, this.source.length)
  }

  private findTag(): number {
    const { source } = this
    for (let at = source.indexOf('{', this.at); at !== -1; at = source.indexOf('{', at + 1)) {
      const next = source[at + 1]
      if (next === '{' || next === '%' || next === '#') return at
    }
    return -1
  }

  private pushData(end: number, strip: boolean): void {
    const text = this.source.slice(this.at, end)
    const kept = strip ? stripText(text, undefined, 'end') : text
    if (kept !== '') this.push('data', kept, this.at, end)
    this.at = end
  }

  private skipComment(begin: number, start: number): void {
    if (start >= this.source.length) {
      this.at = start
      return
    }
    COMMENT_END.lastIndex = start
    if (COMMENT_END.exec(this.source) === null)
      throw new SyntaxFault(say`Missing end of comment tag`, begin, start, say`End the comment with #}`)
    this.at = COMMENT_END.lastIndex
  }

  private readRaw(begin: number): boolean {
    const start = this.matchEnd(RAW_BEGIN, begin)
    if (start === -1) return false
    this.at = start
    if (start === this.source.length) return true
    RAW_END.lastIndex = start
    const match = RAW_END.exec(this.source)
    if (match === null)
      throw new SyntaxFault(say`Missing end of raw directive`, begin, start, say`End it with {% endraw %}`)
    this.pushData(match.index, match[1] === '-')
    this.at = RAW_END.lastIndex
    return true
  }

  private readTag(begin: TokenKind, from: number, start: number, end: TokenKind, pattern: RegExp): void {
    this.push(begin, this.source.slice(from, start), from, start)
    this.at = start
    while (this.at < this.source.length) {
      if (this.open.length === 0) {
        const after = this.matchEnd(pattern, this.at)
        if (after !== -1) {
          this.push(end, this.source.slice(this.at, after).trimEnd(), this.at, after)
          this.at = after
          return
        }
      }
      if (!this.skipSpace()) this.readToken()
    }
  }

  private skipSpace(): boolean {
    const end = this.matchEnd(SPACE, this.at)
    if (end === -1) return false
    this.at = end
    return true
  }

  private readToken(): void {
    const start = this.at
    const unit = this.source.charCodeAt(start)
    if (unit >= 0x30 && unit <= 0x39 && this.readNumber(start)) return
    if (this.holdsPaths && this.readPath(start)) return
    const name = this.nameEnd(start)
    if (name !== -1) return this.readName(start, name)
    if (unit === 0x27 || unit === 0x22) return this.readString(start)
    const end = this.matchEnd(OPERATOR, start)
    if (end === -1) throw this.unexpected(start)
    this.readOperator(start, end)
  }

  private readPath(start: number): boolean {
    if (this.tokens.at(-1)?.kind === '.') return false
    const found = readPath(this.source, start)
    if (found === undefined) return false
    this.push('path', found.path, start, found.end, found.root)
    this.at = found.end
    return true
  }

  private readNumber(start: number): boolean {
    const afterDot = this.source[start - 1] === '.'
    const float = afterDot ? -1 : this.matchEnd(FLOAT, start)
    const end = float === -1 ? this.matchEnd(INTEGER, start) : float
    if (end === -1) return false
    const digits = this.source.slice(start, end).replaceAll('_', '')
    this.push(
      float === -1 ? 'integer' : 'float',
      digits,
      start,
      end,
      float === -1 ? readInteger(digits) : readFloat(digits),
    )
    this.at = end
    return true
  }

  private readName(start: number, end: number): void {
    const name = this.source.slice(start, end)
    if (!ASCII_IDENTIFIER.test(name) && !IDENTIFIER.test(name))
      throw new SyntaxFault(say`Invalid character in identifier`, start, end)
    this.push('name', name, start, end)
    this.at = end
  }

  private readString(start: number): void {
    const end = this.matchEnd(STRING, start)
    if (end === -1) throw this.unexpected(start, say`The string isn't closed`)
    const decoded = decodeString(this.source.slice(start + 1, end - 1))
    if ('error' in decoded) throw new SyntaxFault(decoded.error, start, end)
    this.push('string', decoded.text, start, end, decoded.text)
    this.at = end
  }

  private readOperator(start: number, end: number): void {
    const text = this.source.slice(start, end)
    const closing = CLOSING[text]
    if (closing !== undefined) this.open.push(closing)
    else if (text === ')' || text === ']' || text === '}') this.close(text, start, end)
    this.push(text as Operator, text, start, end)
    this.at = end
  }

  private close(text: string, start: number, end: number): void {
    const expected = this.open.pop()
    if (expected === undefined)
      throw new SyntaxFault(
        say`unexpected '${text}'`,
        start,
        end,
        text === '}' ? say`Write }} to end the expression` : null,
      )
    if (expected !== text) {
      throw new SyntaxFault(
        say`unexpected '${text}', expected '${expected}'`,
        start,
        end,
        say`A "${expected}" is missing before it`,
      )
    }
  }

  private unexpected(at: number, hint: Said | null = null): SyntaxFault {
    const character = String.fromCodePoint(this.source.codePointAt(at) ?? 0)
    return new SyntaxFault(
      say`unexpected char ${JSON.stringify(character)}`,
      at,
      at + character.length,
      hint ?? HINTS[character] ?? null,
    )
  }

  /** Nearly all names are ASCII and don't need Unicode tables. */
  private nameEnd(start: number): number {
    let at = start
    while (isAsciiName(this.source.charCodeAt(at))) at++
    if (this.source.charCodeAt(at) > 0x7f) return this.matchEnd(NAME, start)
    return at === start ? -1 : at
  }

  private matchEnd(pattern: RegExp, at: number): number {
    pattern.lastIndex = at
    return pattern.test(this.source) ? pattern.lastIndex : -1
  }

  private push(kind: TokenKind, text: string, start: number, end: number, value: Value = null): void {
    this.tokens.push({ kind, text, value, start, end })
  }
}

const HINTS: Readonly<Record<string, Said>> = {
  '&': say`Write "and" for &&`,
  '?': say`Write "a if condition else b" for a ? b : c`,
  '!': say`Write "not" for !`,
  '`': say`Put strings in '…' or "…"`,
}

function isAsciiName(unit: number): boolean {
  return (
    (unit >= 0x61 && unit <= 0x7a) ||
    (unit >= 0x41 && unit <= 0x5a) ||
    unit === 0x5f ||
    (unit >= 0x30 && unit <= 0x39)
  )
}

function readInteger(digits: string): Value {
  const big = BigInt(digits)
  return big <= Number.MAX_SAFE_INTEGER ? Number(big) : big
}

function readFloat(digits: string): Value {
  const value = Number(digits)
  return Number.isInteger(value) ? new Float(value) : value
}
