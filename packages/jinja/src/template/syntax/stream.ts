import { type Said, say } from '../../data/said.ts'
import { current } from '../base/limits.ts'
import { describeKind, describeToken, SyntaxFault, type Token, type TokenKind } from './token.ts'

/** Reads the tokens of a template one by one. */
export class TokenStream {
  private readonly tokens: readonly Token[]
  private at = 0
  private depth = 0

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens
  }

  get current(): Token {
    return this.tokens[this.at] as Token
  }

  /** The token after the current one. */
  get following(): Token {
    return this.tokens[Math.min(this.at + 1, this.tokens.length - 1)] as Token
  }

  /** The end of the token before the current one. */
  get lastEnd(): number {
    return this.tokens[this.at - 1]?.end ?? 0
  }

  next(): Token {
    const token = this.current
    if (token.kind !== 'end') this.at++
    return token
  }

  is(kind: TokenKind): boolean {
    return this.current.kind === kind
  }

  isName(name: string): boolean {
    return this.current.kind === 'name' && this.current.text === name
  }

  skip(kind: TokenKind): boolean {
    if (!this.is(kind)) return false
    this.next()
    return true
  }

  skipName(name: string): boolean {
    if (!this.isName(name)) return false
    this.next()
    return true
  }

  expect(kind: TokenKind): Token {
    if (!this.is(kind)) throw this.unexpected(describeKind(kind))
    return this.next()
  }

  expectName(name: string): Token {
    if (!this.isName(name)) throw this.unexpected(name)
    return this.next()
  }

  /** Counts a level of brackets or blocks while `read` runs. */
  nested<T>(read: () => T): T {
    if (++this.depth > current.limits.nesting) {
      const { start, end } = this.current
      throw new SyntaxFault(
        say`The template is nested deeper than ${current.limits.nesting} levels (limit "nesting")`,
        start,
        end,
        null,
        'limit',
      )
    }
    try {
      return read()
    } finally {
      this.depth--
    }
  }

  fail(said: Said, token: Token = this.current, hint: Said | null = null): SyntaxFault {
    return new SyntaxFault(said, token.start, token.end, hint)
  }

  private unexpected(expected: Said | string): SyntaxFault {
    if (this.is('end')) return this.fail(say`unexpected end of template, expected '${expected}'.`)
    return this.fail(
      say`expected token '${expected}', got '${describeToken(this.current)}'`,
      this.current,
      hintFor(this.current),
    )
  }
}

function hintFor(token: Token): Said | null {
  if (token.kind === '|') return say`Write "or" for ||`
  if (token.kind === '=') return say`Compare with ==`
  return null
}
