import { type Said, say } from '../data/said.ts'
import { TextCursor } from '../data/text-cursor.ts'
import type { Data } from '../data/value.ts'
import { JsonPathError } from './error.ts'
import { FUNCTION_NAMES, isFunctionName, USAGE } from './functions.ts'
import { patternProblem } from './pattern.ts'
import { hasPlusEvaluator } from './plus.ts'
import {
  type Expression,
  type FunctionName,
  OPERATOR_LEVELS,
  type Path,
  type PathExpression,
  type Segment,
  type Selector,
} from './syntax.ts'
import { operandProblem, testProblem, valueProblem } from './well-typed.ts'

const MAX_PATH_LENGTH = 1000

/**
 * Parses a path in the syntax of RFC 9535 or in one of the older forms (see README).
 *
 * @throws JsonPathError with the position of the error
 */
export function parsePath(text: string): Path {
  if (text.length > MAX_PATH_LENGTH) {
    throw new JsonPathError(
      say`The JSONPath has ${text.length} characters; at most ${MAX_PATH_LENGTH} are allowed`,
      MAX_PATH_LENGTH,
    )
  }
  return new PathParser(text).parse()
}

interface PlusConstruct {
  readonly construct: string
  readonly problem: Said
  readonly position: number
}

class PathParser extends TextCursor {
  #nesting = 0
  /** The first construct that only jsonpath-plus has, and the problem to report if jsonpath-plus isn't available. */
  #plus: PlusConstruct | null = null
  /** The first construct that jsonpath-plus can't read. */
  #ours: { readonly problem: Said; readonly position: number } | null = null

  parse(): Path {
    const trimmed = this.text.trim()
    if (trimmed === '') this.#fail(say`it is empty; write "$" for the whole value`)
    if (!this.text.startsWith(trimmed)) this.#fail(say`remove the space before the path`)
    if (this.text !== trimmed) this.#fail(say`remove the space after the path`, trimmed.length)
    const path = this.#rootPath()
    if (this.at < this.text.length) this.#failOutside()
    return this.#plus === null ? path : this.#plusPath(this.#plus)
  }

  #plusPath({ construct, problem, position }: PlusConstruct): Path {
    if (!hasPlusEvaluator()) this.#fail(problem, position)
    if (this.#ours !== null)
      this.#fail(
        say`${this.#ours.problem}; jsonpath-plus evaluates a path with "${construct}"`,
        this.#ours.position,
      )
    return [{ of: 'child', selectors: [{ type: 'plus', path: this.text, construct }] }]
  }

  #takePlus(construct: string, problem: Said, position = this.at): void {
    this.#plus ??= { construct, problem, position }
  }

  /** Reads `$.a`, and also `a.b`, `.a` and `[0]` with an implied `$`. */
  #rootPath(): Path {
    if (this.text[this.at] === '$' && this.peek(PATH_NAME, this.at + 1) === undefined) this.at++
    else if (!this.sees('.') && !this.sees('[')) {
      const first = this.sees('*') ? this.#wildcard() : this.#unquotedName(PATH_NAME, true)
      return [{ of: 'child', selectors: [first] }, ...this.#segments(PATH_NAME)]
    }
    return this.#segments(PATH_NAME)
  }

  #segments(namePattern: RegExp): Path {
    const segments: Segment[] = []
    for (;;) {
      const start = this.at
      this.#skipSpace()
      if (this.sees('[')) {
        segments.push({ of: 'child', selectors: this.#bracket() })
      } else if (namePattern === PATH_NAME && this.#takesSuffix()) {
        continue
      } else if (this.sees('.')) {
        segments.push(this.#dotted(namePattern))
      } else {
        this.at = start
        return segments
      }
    }
  }

  /** Reads jsonpath-plus's operators for the parent and the name. */
  #takesSuffix(): boolean {
    const suffix = this.match(SUFFIX)
    if (suffix === undefined) return false
    const construct = suffix.replace('.', '')
    const problem =
      OUTSIDE[construct] ??
      say`type operators like "${construct}" are not supported; compare values in a filter`
    if (construct.endsWith(')') && !TYPES.has(construct)) this.#fail(problem, this.at - 2)
    this.#takePlus(construct, problem, this.at - (construct.endsWith(')') ? 2 : 1))
    return true
  }

  #dotted(namePattern: RegExp): Segment {
    const of = this.takes('..') ? 'descendants' : 'child'
    if (of === 'child') this.at++
    if (this.sees('[')) return { of, selectors: this.#bracket() }
    if (this.sees('*')) return { of, selectors: [this.#wildcard()] }
    return { of, selectors: [this.#unquotedName(namePattern, of === 'child')] }
  }

  #unquotedName(pattern: RegExp, loose: boolean): Selector {
    if (pattern === PATH_NAME && this.sees('`')) {
      this.#takePlus('`', OUTSIDE['`'])
      this.at++
      const escaped = this.match(ESCAPED_NAME)
      return escaped === undefined ? this.#failAtName() : { type: 'name', name: escaped, loose: false }
    }
    const name = this.match(pattern)
    if (name === undefined) return this.#failAtName()
    if (name === '@') return this.#fail(say`"@" can only be used in a filter; a path begins with "$"`)
    if (name.startsWith('@') && this.sees('(')) {
      return this.#fail(say`type operators like "${name}()" are not supported; compare values in a filter`)
    }
    return { type: 'name', name, loose }
  }

  #wildcard(): Selector {
    this.at++
    return { type: 'wildcard' }
  }

  #bracket(): readonly Selector[] {
    const open = this.at
    this.at++
    const selectors: Selector[] = []
    for (;;) {
      this.#skipSpace()
      selectors.push(this.#selector(open))
      this.#skipSpace()
      if (this.takes(']')) return selectors
      if (this.takes(',')) continue
      if (this.at === this.text.length) this.#failUnclosed(open)
      this.#failAfterValue(say`"," or "]"`)
    }
  }

  #selector(open: number): Selector {
    if (this.at === this.text.length) this.#failUnclosed(open)
    if (this.sees("'") || this.sees('"')) return { type: 'name', name: this.#quoted(), loose: false }
    if (this.takes('?')) {
      if (!this.sees('(')) this.#ours ??= { problem: say`write [?(…)]`, position: this.at }
      return { type: 'filter', test: this.#nested(() => this.#test()) }
    }
    if (this.sees('(')) return { type: 'computed', key: this.#nested(() => this.#key()) }
    if (this.sees('*')) return this.#wildcard()
    const numeric = this.#indexOrSlice()
    if (numeric !== undefined) return numeric
    const name = this.match(BRACKET_NAME)
    if (name !== undefined) return { type: 'name', name, loose: false }
    if (!this.text.includes(']', this.at)) this.#failUnclosed(open)
    if (this.peek(/[-+\d]/y) !== undefined) {
      this.#fail(say`an index is a whole number like 0 or -1; put a name that begins like a number in quotes`)
    }
    return this.#fail(say`expected a name, an index or a filter, found ${this.#found()}`)
  }

  #indexOrSlice(): Selector | undefined {
    const position = this.at
    const found = this.match(INDEX_OR_SLICE)
    if (found === undefined) return undefined
    const [start, end, step] = found.split(':').map((part) => this.#integer(part.trim(), position))
    if (end === undefined) return { type: 'index', index: start ?? 0 }
    return { type: 'slice', start: start ?? null, end, step: step ?? 1 }
  }

  /** Null for an omitted bound. */
  #integer(digits: string, position: number): number | null {
    if (digits === '') return null
    const value = Number(digits)
    if (!Number.isSafeInteger(value)) this.#fail(say`the index ${digits} is too large`, position)
    if (String(value) !== digits) this.#fail(say`write ${value} instead of ${digits}`, position)
    return value
  }

  #quoted(): string {
    const start = this.at
    const quote = this.text[start] ?? ''
    let value = ''
    for (this.at++; this.at < this.text.length; this.at++) {
      const char = this.text[this.at] ?? ''
      if (char === quote) {
        this.at++
        return value
      }
      if (char < ' ') this.#fail(say`write this control character as ${JSON.stringify(char).slice(1, -1)}`)
      value += char === '\\' ? this.#escape(quote) : char
    }
    return this.#fail(say`this quote is never closed`, start)
  }

  /** Leaves the position on the last character of the escape. */
  #escape(quote: string): string {
    const unicode = this.match(UNICODE_ESCAPE)
    if (unicode !== undefined) {
      this.at--
      return JSON.parse(`"${unicode}"`) as string
    }
    const char = this.text[this.at + 1] ?? ''
    const plain = char === quote ? quote : ESCAPES.get(char)
    if (plain === undefined) this.#failAtEscape(char)
    this.at++
    return plain
  }

  #failAtEscape(char: string): never {
    if (char === "'" || char === '"') this.#fail(say`write ${char} without a backslash in these quotes`)
    if (this.peek(/\\u[dD][89a-fA-F]/y) !== undefined) {
      this.#fail(say`this escape is half of a surrogate pair; write both halves, as in "\\uD83D\\uDE00"`)
    }
    return this.#fail(say`unknown escape; write a backslash itself as "\\\\"`)
  }

  #test(): Expression {
    const position = this.#nextPosition()
    const test = this.#expression(0)
    this.#refuse(testProblem(test), position)
    return test
  }

  #key(): Expression {
    const position = this.at
    const key = this.#expression(0)
    this.#refuse(valueProblem('"[(…)]"', key), position)
    return key
  }

  #expression(level: number): Expression {
    const operators = OPERATOR_LEVELS[level]
    if (operators === undefined) return this.#unary()
    const leftPosition = this.#nextPosition()
    let left = this.#expression(level + 1)
    for (;;) {
      this.#skipSpace()
      const operator = operators.find((candidate) => this.takes(candidate))
      if (operator === undefined) return left
      const rightPosition = this.#nextPosition()
      const right = this.#expression(level + 1)
      this.#refuse(operandProblem(operator, left), leftPosition)
      this.#refuse(operandProblem(operator, right), rightPosition)
      left = { type: 'binary', operator, left, right }
    }
  }

  #unary(): Expression {
    this.#skipSpace()
    if (this.takes('!')) return { type: 'not', operand: this.#nested(() => this.#negated()) }
    if (this.sees('-') && this.peek(NUMBER) === undefined) {
      this.at++
      if (this.peek(/[@$(]|[a-z]\w*\(/y) === undefined) {
        this.#fail(say`a minus must be directly followed by a number, a path, a function or "("`)
      }
      const position = this.at
      const operand = this.#nested(() => this.#unary())
      this.#refuse(operandProblem('-', operand), position)
      return { type: 'negate', operand }
    }
    if (this.sees('(')) return this.#parenthesised()
    return this.#operand()
  }

  #negated(): Expression {
    const position = this.#nextPosition()
    const operand = this.#unary()
    this.#refuse(testProblem(operand), position)
    return operand
  }

  #parenthesised(): Expression {
    const open = this.at
    this.at++
    const inner = this.#nested(() => this.#expression(0))
    this.#skipSpace()
    if (!this.takes(')')) this.#failAfterOperand(open)
    return inner
  }

  #operand(): Expression {
    if (this.sees("'") || this.sees('"')) return { type: 'literal', value: this.#quoted() }
    if (this.takes('@')) return this.#current()
    if (this.takes('$')) return pathExpression('$', this.#segments(FILTER_NAME))
    const digits = this.match(NUMBER)
    if (digits !== undefined) return { type: 'literal', value: this.#number(digits) }
    const start = this.at
    const word = this.match(WORD)
    if (word !== undefined && this.sees('(')) return this.#call(word, start)
    if (word !== undefined && WORDS.has(word)) return { type: 'literal', value: WORDS.get(word) }
    this.at = start
    if (word !== undefined && isFunctionName(word) && this.peek(/\w+\s+\(/y, start) !== undefined) {
      this.#fail(say`write ${USAGE[word]}, without a space`)
    }
    if (word !== undefined)
      this.#fail(say`"${word}" isn't valid here; write "@.${word}", or put a string in quotes`)
    if (this.sees('/')) this.#fail(USE_SEARCH)
    return this.#fail(say`expected a value, found ${this.#found()}`)
  }

  #number(digits: string): Data {
    if (this.peek(/\d/y) !== undefined) {
      this.#fail(say`a number has no leading zeros`, this.at - digits.length)
    }
    const value = Number(digits)
    return /^-?\d+$/.test(digits) && !Number.isSafeInteger(value) ? BigInt(digits) : value
  }

  #call(name: string, position: number): Expression {
    if (!isFunctionName(name)) {
      return this.#fail(say`"${name}()" isn't a function; the functions are ${FUNCTION_NAMES}`, position)
    }
    this.#ours ??= { problem: say`"${name}()" can't be used here`, position }
    const open = this.at
    this.at++
    const call = this.#nested(() => this.#arguments(name))
    this.#skipSpace()
    if (this.takes(')')) return call
    if (this.sees(',')) this.#fail(say`too many arguments; write ${USAGE[name]}`)
    return this.#failAfterOperand(open)
  }

  #arguments(name: FunctionName): Expression {
    switch (name) {
      case 'length':
        return { type: name, operand: this.#valueArgument(name) }
      case 'count':
      case 'value':
        return { type: name, operand: this.#pathArgument(name) }
      default: {
        const text = this.#valueArgument(name)
        this.#skipSpace()
        if (this.sees(')')) this.#fail(say`too few arguments; write ${USAGE[name]}`)
        if (!this.takes(',')) this.#failAfterValue(say`an operator or ","`)
        return { type: name, text, pattern: this.#patternArgument(name) }
      }
    }
  }

  #patternArgument(name: FunctionName): Expression {
    const position = this.#nextPosition()
    const argument = this.#valueArgument(name)
    if (argument.type === 'literal' && typeof argument.value === 'string') {
      this.#refuse(patternProblem(argument.value), position)
    }
    return argument
  }

  #valueArgument(name: FunctionName): Expression {
    const position = this.#nextPosition()
    const argument = this.#argument(name)
    this.#refuse(valueProblem(`${name}()`, argument), position)
    return argument
  }

  #pathArgument(name: FunctionName): PathExpression {
    const position = this.#nextPosition()
    const argument = this.#argument(name)
    if (argument.type === 'path') return argument
    return this.#fail(say`${name}() needs a path, such as "@.items[*]"`, position)
  }

  #argument(name: FunctionName): Expression {
    if (this.sees(')')) this.#fail(say`too few arguments; write ${USAGE[name]}`)
    return this.#expression(0)
  }

  /** Reads what follows an `@`: the value that a filter tests, or one of jsonpath-plus's names for its location. */
  #current(): Expression {
    const start = this.at
    const word = this.match(WORD)
    if (word === undefined) return pathExpression('@', this.#segments(FILTER_NAME))
    if (word === 'property') return { type: 'property' }
    if (word === 'root') return pathExpression('$', this.#segments(FILTER_NAME))
    const problem = say`"@${word}" is not supported; write "@.${word}" for the member`
    if (!PLUS_WORDS.has(word)) this.#fail(problem, start)
    this.#takePlus(`@${word}`, problem, start)
    return word === 'parent' ? pathExpression('@', this.#segments(FILTER_NAME)) : { type: 'property' }
  }

  /** Each level costs the evaluator a few stack frames. */
  #nested<T>(read: () => T): T {
    if (++this.#nesting > MAX_NESTING)
      this.#fail(say`filters and parentheses are nested deeper than ${MAX_NESTING} levels`)
    const result = read()
    this.#nesting--
    return result
  }

  #failAtName(): never {
    const char = this.text[this.at]
    if (char !== undefined && '^~`'.includes(char)) this.#failOutside()
    if (char === undefined) this.#fail(say`a name is missing at the end`)
    return this.#fail(say`expected a name, found ${this.#found()}`)
  }

  #failOutside(): never {
    const char = this.text[this.at] ?? ''
    return this.#fail(
      OUTSIDE[char] ??
        say`expected ".", "[" or the end, found ${this.#found()}; put a name with other characters in brackets and quotes: ['my name']`,
    )
  }

  #failAfterValue(expected: Said): never {
    if (this.sees('(')) this.#fail(say`values have no methods; the functions are ${FUNCTION_NAMES}`)
    if (this.takes('=~')) this.#fail(USE_SEARCH)
    if (this.sees('=')) this.#fail(say`compare values with "=="`)
    const word = this.match(WORD)
    const operator = word === undefined ? undefined : WORD_OPERATORS.get(word)
    if (operator !== undefined) this.#fail(say`write "${operator}" for "${word ?? ''}"`)
    return this.#fail(say`expected ${expected}, found ${this.#found()}`)
  }

  #failAfterOperand(open: number): never {
    if (this.at < this.text.length) this.#failAfterValue(say`an operator or ")"`)
    return this.#fail(say`this parenthesis is never closed`, open)
  }

  #failUnclosed(open: number): never {
    return this.#fail(say`this bracket is never closed`, open)
  }

  #refuse(problem: Said | null, position: number): void {
    if (problem !== null) this.#fail(problem, position)
  }

  #fail(problem: Said, position = this.at): never {
    throw new JsonPathError(
      say`JSONPath ${shorten(this.text)}, character ${position + 1}: ${problem}`,
      position,
    )
  }

  #found(): string | Said {
    const code = this.text.codePointAt(this.at)
    return code === undefined ? say`the end` : `"${String.fromCodePoint(code)}"`
  }

  #skipSpace(): void {
    this.match(SPACE)
  }

  #nextPosition(): number {
    this.#skipSpace()
    return this.at
  }
}

function pathExpression(from: '@' | '$', path: Path): PathExpression {
  return { type: 'path', from, path, singular: path.every(isSingular) }
}

function isSingular({ of, selectors }: Segment): boolean {
  const [only, second] = selectors
  return of === 'child' && second === undefined && (only?.type === 'name' || only?.type === 'index')
}

function shorten(text: string): string {
  return text.length > 100 ? `"${text.slice(0, 100)}…"` : `"${text}"`
}

/**
 * Outside filters, names can contain hyphens, colons, `@`, `#` and `$`, and can begin with a digit. As in the
 * standard, every non-ASCII character is part of a name, except whitespace, which is only pasted by accident.
 */
const PATH_NAME = /(?:[\w$#@:-]|[^\p{ASCII}\p{Cs}\s])+/uy
/**
 * In filters a hyphen or colon belongs to a name if a letter follows: `@.content-type` is a name, `@.length-1` a
 * subtraction.
 */
// linear: sticky, and each character matches one alternative
const FILTER_NAME = /[@#$]?(?:\w|[^\p{ASCII}\p{Cs}\s]|[-:](?=[A-Za-z_]|[^\p{ASCII}\p{Cs}\s]))+/uy
const BRACKET_NAME = /(?:[A-Za-z_$#]|[^\p{ASCII}\p{Cs}\s])(?:[\w$#-]|[^\p{ASCII}\p{Cs}\s])*/uy
/** Names after a backtick, which may begin with a character of the syntax. */
const ESCAPED_NAME = /[\^~*$@]?(?:[\w$#@:-]|[^\p{ASCII}\p{Cs}\s])*/uy
const SUFFIX = /\.?(?:[\^~]|@\w+\(\))/y
const WORD = /[A-Za-z_]\w*/y
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/y
const SPACE = /[ \t\n\r]*/y
// linear: sticky, and whitespace is bounded
const INDEX_OR_SLICE =
  /(?:-?\d*[ \t\n\r]{0,40}:[ \t\n\r]{0,40}-?\d*(?:[ \t\n\r]{0,40}:[ \t\n\r]{0,40}-?\d*)?|-?\d+)(?=[ \t\n\r]{0,40}[\],])/y
/** One character, or both halves of a surrogate pair. */
const UNICODE_ESCAPE =
  /\\u(?:(?![dD][89a-fA-F])[0-9a-fA-F]{4}|[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})/y
const MAX_NESTING = 40

const OUTSIDE: Readonly<Record<string, Said>> & { readonly '`': Said } = {
  '^': say`the parent operator "^" is not supported`,
  '~': say`the name operator "~" is not supported`,
  '`': say`"\`" is not supported; write the name in brackets and quotes`,
  '(': say`functions can only be called in a filter: $[?length(@.name) > 0]`,
}
/** The keywords by which jsonpath-plus's filters read facts about a value, besides `@property` and `@root`. */
const PLUS_WORDS: ReadonlySet<string> = new Set(['parent', 'parentProperty', 'path'])
/** Types of JSON values. */
const TYPES: ReadonlySet<string> = new Set(
  ['scalar', 'boolean', 'string', 'integer', 'number', 'object', 'array', 'null'].map((type) => `@${type}()`),
)

const USE_SEARCH = say`write a regular expression as search(@.name, '…')`

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
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
])
