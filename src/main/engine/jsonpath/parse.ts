import type { Data } from '../data/value.ts'
import { JsonPathError } from './error.ts'
import {
  type Expression,
  type Operator,
  OPERATOR_LEVELS,
  type Path,
  type Segment,
  type Selector,
} from './syntax.ts'

const MAX_PATH_LENGTH = 1000

/**
 * Reads a path in the spelling of RFC 9535 or in the older ones that are in use (see README).
 *
 * @throws JsonPathError with the position of what cannot be read
 */
export function parsePath(text: string): Path {
  if (text.length > MAX_PATH_LENGTH) {
    throw new JsonPathError(
      `The JSONPath has ${text.length} characters; at most ${MAX_PATH_LENGTH} are allowed`,
      MAX_PATH_LENGTH,
    )
  }
  return new PathParser(text).parse()
}

class PathParser {
  readonly #text: string
  #at = 0
  #nesting = 0

  constructor(text: string) {
    this.#text = text
  }

  parse(): Path {
    this.#skipSpace()
    if (this.#at === this.#text.length) this.#fail('it is empty; write "$" for the whole value')
    const path = this.#rootPath()
    this.#skipSpace()
    if (this.#at < this.#text.length) this.#failOutside()
    return path
  }

  /** `$.a`, and `a.b`, `.a`, `[0]`, whose `$` is understood. */
  #rootPath(): Path {
    if (this.#text[this.#at] === '$' && !this.#matches(/[^\s.[\]()'"*?,^~`]/y, this.#at + 1)) this.#at++
    else if (!this.#sees('.') && !this.#sees('[')) {
      const first = this.#sees('*') ? this.#wildcard() : this.#unquotedName(PATH_NAME, true)
      return [{ of: 'child', selectors: [first] }, ...this.#segments(PATH_NAME)]
    }
    return this.#segments(PATH_NAME)
  }

  #segments(namePattern: RegExp): Path {
    const segments: Segment[] = []
    for (;;) {
      const start = this.#at
      this.#skipSpace()
      if (this.#sees('[')) {
        segments.push({ of: 'child', selectors: this.#bracket() })
      } else if (this.#sees('.')) {
        segments.push(this.#dotted(namePattern))
      } else {
        this.#at = start
        return segments
      }
    }
  }

  #dotted(namePattern: RegExp): Segment {
    const of = this.#takes('..') ? 'descendants' : 'child'
    if (of === 'child') this.#at++
    if (this.#sees('[')) return { of, selectors: this.#bracket() }
    if (this.#sees('*')) return { of, selectors: [this.#wildcard()] }
    return { of, selectors: [this.#unquotedName(namePattern, of === 'child')] }
  }

  #unquotedName(pattern: RegExp, loose: boolean): Selector {
    const name = this.#match(pattern)
    if (name === undefined) return this.#failAtName()
    if (name === '@') return this.#fail('"@" has a meaning in filters alone; a path begins with "$"')
    if (name.startsWith('@') && this.#sees('(')) {
      return this.#fail(`type operators like "${name}()" are not supported; compare values in a filter`)
    }
    return { type: 'name', name, loose }
  }

  #wildcard(): Selector {
    this.#at++
    return { type: 'wildcard' }
  }

  #bracket(): readonly Selector[] {
    const open = this.#at
    this.#at++
    const selectors: Selector[] = []
    for (;;) {
      this.#skipSpace()
      selectors.push(this.#selector(open))
      this.#skipSpace()
      if (this.#takes(']')) return selectors
      if (this.#takes(',')) continue
      if (this.#at === this.#text.length) this.#failUnclosed(open)
      this.#failAfterValue('"," or "]"')
    }
  }

  #selector(open: number): Selector {
    if (this.#at === this.#text.length) this.#failUnclosed(open)
    if (this.#sees("'") || this.#sees('"')) return { type: 'name', name: this.#quoted(), loose: false }
    if (this.#takes('?')) return { type: 'filter', test: this.#nested(() => this.#expression(0)) }
    if (this.#sees('(')) return { type: 'computed', key: this.#nested(() => this.#expression(0)) }
    if (this.#sees('*')) return this.#wildcard()
    const numeric = this.#indexOrSlice()
    if (numeric !== undefined) return numeric
    const name = this.#match(BRACKET_NAME)
    if (name === undefined) return this.#fail(`expected a name, an index or a filter, found ${this.#found()}`)
    return { type: 'name', name, loose: false }
  }

  #indexOrSlice(): Selector | undefined {
    const found = this.#match(INDEX_OR_SLICE)
    if (found === undefined) return undefined
    const [start, end, step] = found.split(':').map((part) => this.#integer(part.trim()))
    if (end === undefined) return { type: 'index', index: start ?? 0 }
    return { type: 'slice', start: start ?? null, end, step: step ?? 1 }
  }

  /** Null for a bound that was left out. */
  #integer(digits: string): number | null {
    if (digits === '') return null
    const value = Number(digits)
    return Number.isSafeInteger(value) ? value : this.#fail(`the index ${digits} is too large`)
  }

  #quoted(): string {
    const start = this.#at
    const quote = this.#text[start]
    let value = ''
    for (this.#at++; this.#at < this.#text.length; this.#at++) {
      const char = this.#text[this.#at] ?? ''
      if (char === quote) {
        this.#at++
        return value
      }
      value += char === '\\' ? this.#escape() : char
    }
    this.#at = start
    return this.#fail('this quote is never closed')
  }

  /** Leaves the position on the last character of the escape. */
  #escape(): string {
    const hex = this.#matches(/u[0-9a-fA-F]{4}/y, this.#at + 1)
    if (hex !== undefined) {
      this.#at += 5
      return String.fromCharCode(Number.parseInt(hex.slice(1), 16))
    }
    const plain = ESCAPES.get(this.#text[this.#at + 1] ?? '')
    if (plain === undefined) return this.#fail('unknown escape; write a backslash itself as "\\\\"')
    this.#at++
    return plain
  }

  #expression(level: number): Expression {
    const operators = OPERATOR_LEVELS[level]
    if (operators === undefined) return this.#unary()
    let left = this.#expression(level + 1)
    for (;;) {
      this.#skipSpace()
      const start = this.#at
      const operator = operators.find((candidate) => this.#takes(candidate))
      if (operator === undefined) return left
      const right = this.#expression(level + 1)
      if (operator !== '&&' && operator !== '||') this.#checkSingular(operator, [left, right], start)
      left = { type: 'binary', operator, left, right }
    }
  }

  #checkSingular(operator: Operator, operands: readonly Expression[], position: number): void {
    if (operands.every((operand) => operand.type !== 'path' || operand.singular)) return
    this.#at = position
    this.#fail(`"${operator}" compares one value, but the path beside it can select several`)
  }

  #unary(): Expression {
    this.#skipSpace()
    if (this.#takes('!')) return { type: 'not', operand: this.#nested(() => this.#unary()) }
    if (this.#sees('-') && this.#matches(NUMBER, this.#at) === undefined) {
      this.#at++
      return { type: 'negate', operand: this.#nested(() => this.#unary()) }
    }
    if (this.#sees('(')) return this.#parenthesised()
    return this.#operand()
  }

  #parenthesised(): Expression {
    const open = this.#at
    this.#at++
    const inner = this.#nested(() => this.#expression(0))
    this.#skipSpace()
    if (!this.#takes(')')) {
      if (this.#at < this.#text.length) this.#failAfterValue('an operator or ")"')
      this.#at = open
      this.#fail('this parenthesis is never closed')
    }
    return inner
  }

  #operand(): Expression {
    if (this.#sees("'") || this.#sees('"')) return { type: 'literal', value: this.#quoted() }
    if (this.#takes('@')) return this.#current()
    if (this.#takes('$')) return pathExpression('$', this.#segments(FILTER_NAME))
    const digits = this.#match(NUMBER)
    if (digits !== undefined) return { type: 'literal', value: numberOf(digits) }
    const start = this.#at
    const word = this.#match(WORD)
    if (word !== undefined && WORDS.has(word)) return { type: 'literal', value: WORDS.get(word) }
    const calls = word !== undefined && this.#sees('(')
    this.#at = start
    if (calls) this.#fail(`functions like "${word}()" cannot be called in a filter`)
    if (word !== undefined) this.#fail(`"${word}" means nothing here; write "@.${word}" or quote the text`)
    if (this.#sees('/')) this.#fail('regular expressions are not supported in a filter')
    return this.#fail(`expected a value, found ${this.#found()}`)
  }

  /** Behind an `@`: the value a filter is asked about, or one of the names that jsonpath-plus has for its place. */
  #current(): Expression {
    const start = this.#at
    const word = this.#match(WORD)
    if (word === undefined) return pathExpression('@', this.#segments(FILTER_NAME))
    if (word === 'property') return { type: 'property' }
    if (word === 'root') return pathExpression('$', this.#segments(FILTER_NAME))
    this.#at = start
    return this.#fail(`"@${word}" is not supported; write "@.${word}" for the member`)
  }

  /** Every level costs the evaluator a few stack frames. */
  #nested<T>(read: () => T): T {
    if (++this.#nesting > MAX_NESTING)
      this.#fail(`filters and parentheses are nested deeper than ${MAX_NESTING} levels`)
    const result = read()
    this.#nesting--
    return result
  }

  #failAtName(): never {
    const char = this.#text[this.#at]
    if (char === '^' || char === '~' || char === '`') this.#failOutside()
    if (char === undefined) this.#fail('a name is missing at its end')
    return this.#fail(`expected a name, found ${this.#found()}`)
  }

  #failOutside(): never {
    switch (this.#text[this.#at]) {
      case '^':
        return this.#fail('the parent operator "^" is not supported')
      case '~':
        return this.#fail('the name operator "~" is not supported')
      case '`':
        return this.#fail('"`" is not supported; write the name in brackets and quotes')
      case '(':
        return this.#fail('functions cannot be called in a path')
      default:
        return this.#fail(
          `expected ".", "[" or the end, found ${this.#found()}; a name with other characters stands in brackets and quotes: ['my name']`,
        )
    }
  }

  #failAfterValue(expected: string): never {
    if (this.#sees('(')) this.#fail('functions cannot be called in a filter')
    if (this.#takes('=~')) this.#fail('regular expressions are not supported in a filter')
    if (this.#sees('=')) this.#fail('values are compared with "=="')
    const word = this.#match(WORD)
    const operator = word === undefined ? undefined : WORD_OPERATORS.get(word)
    if (operator !== undefined) this.#fail(`write "${operator}" for "${word}"`)
    return this.#fail(`expected ${expected}, found ${this.#found()}`)
  }

  #failUnclosed(open: number): never {
    this.#at = open
    return this.#fail('this bracket is never closed')
  }

  #fail(problem: string): never {
    throw new JsonPathError(
      `JSONPath ${shorten(this.#text)}, character ${this.#at + 1}: ${problem}`,
      this.#at,
    )
  }

  #found(): string {
    const code = this.#text.codePointAt(this.#at)
    return code === undefined ? 'the end' : `"${String.fromCodePoint(code)}"`
  }

  #sees(char: string): boolean {
    return this.#text[this.#at] === char
  }

  #takes(word: string): boolean {
    if (!this.#text.startsWith(word, this.#at)) return false
    this.#at += word.length
    return true
  }

  #match(sticky: RegExp): string | undefined {
    const found = this.#matches(sticky, this.#at)
    this.#at += found?.length ?? 0
    return found
  }

  #matches(sticky: RegExp, position: number): string | undefined {
    sticky.lastIndex = position
    return sticky.exec(this.#text)?.[0]
  }

  #skipSpace(): void {
    this.#match(SPACE)
  }
}

function pathExpression(from: '@' | '$', path: Path): Expression {
  return { type: 'path', from, path, singular: path.every(isSingular) }
}

function isSingular({ of, selectors }: Segment): boolean {
  const [only, second] = selectors
  return of === 'child' && second === undefined && (only?.type === 'name' || only?.type === 'index')
}

function numberOf(digits: string): Data {
  const value = Number(digits)
  return /^-?\d+$/.test(digits) && !Number.isSafeInteger(value) ? BigInt(digits) : value
}

function shorten(text: string): string {
  return text.length > 100 ? `"${text.slice(0, 100)}…"` : `"${text}"`
}

/** Outside filters a name ends where the path's own signs begin: hyphens, colons, `@` and `$` belong to names. */
const PATH_NAME = /[^\s.[\]()'"*?,^~`]+/y
/** In filters a hyphen or colon belongs to a name where a letter follows, so `@.content-type` is a name and `@.length-1` a sum. */
const FILTER_NAME = /[@#$]?(?:[\p{L}\p{M}\p{N}_]|[-:](?=[\p{L}_]))+/uy
const BRACKET_NAME = /[^\s.[\]()'"*?,:^~`@]+/y
const WORD = /[A-Za-z_]\w*/y
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/y
const INDEX_OR_SLICE = /(?:-?\d*\s*:\s*-?\d*(?:\s*:\s*-?\d*)?|-?\d+)(?=\s*[\],])/y
const SPACE = /\s*/y
const MAX_NESTING = 40

const WORDS: ReadonlyMap<string, Data | undefined> = new Map<string, Data | undefined>([
  ['true', true],
  ['false', false],
  ['null', null],
  ['undefined', undefined],
])

const WORD_OPERATORS: ReadonlyMap<string, string> = new Map([
  ['and', '&&'],
  ['or', '||'],
])

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ...['\\', '/', "'", '"'].map((char) => [char, char] as const),
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
])
