import { type Said, SaidError, say } from '../data/said.ts'
import { TextCursor } from '../data/text-cursor.ts'

/** The syntax tree of a pattern according to RFC 9485. */
export type Pattern =
  | CharacterSet
  | { readonly type: 'start' | 'end' }
  | { readonly type: 'sequence'; readonly items: readonly Pattern[] }
  | { readonly type: 'choice'; readonly branches: readonly Pattern[] }
  /** `max` may be infinite. */
  | { readonly type: 'repeat'; readonly item: Pattern; readonly min: number; readonly max: number }

/** One character that is in one of the ranges or categories or, with `negated`, in none of them. */
export interface CharacterSet {
  readonly type: 'set'
  readonly negated: boolean
  readonly ranges: readonly (readonly [from: number, to: number])[]
  /** `\p{Lu}` */
  readonly categories: readonly string[]
}

export class PatternError extends SaidError {
  override readonly name = 'PatternError'
  /** Whether the pattern is a valid I-Regexp, but too large. */
  readonly isLimit: boolean

  constructor(said: Said, isLimit: boolean) {
    super(said)
    this.isLimit = isLimit
  }
}

/**
 * Parses an I-Regexp. `^` and `$` are anchors, as in RFC 9485's mapping to JavaScript (5.3).
 *
 * @throws PatternError naming the character that can't be parsed
 */
export function parseIRegexp(source: string): Pattern {
  return new PatternParser(source).parse()
}

class PatternParser extends TextCursor {
  #nesting = 0

  parse(): Pattern {
    const pattern = this.#choice()
    if (this.at < this.text.length) this.#fail(say`this parenthesis is never opened`)
    return pattern
  }

  #choice(): Pattern {
    const branches = [this.#sequence()]
    while (this.takes('|')) branches.push(this.#sequence())
    return branches.length === 1 && branches[0] !== undefined ? branches[0] : { type: 'choice', branches }
  }

  #sequence(): Pattern {
    const items: Pattern[] = []
    while (this.at < this.text.length && !this.sees('|') && !this.sees(')')) {
      const item = this.#atom()
      const times = this.#quantifier()
      items.push(times === undefined ? item : { type: 'repeat', item, ...times })
    }
    return { type: 'sequence', items }
  }

  #atom(): Pattern {
    if (this.sees('(')) return this.#group()
    if (this.sees('[')) return this.#bracket()
    if (this.takes('.')) return setOf(LINE_ENDS, [], true)
    if (this.takes('^')) return { type: 'start' }
    if (this.takes('$')) return { type: 'end' }
    if (this.sees('\\')) return this.#escape()
    const special = this.match(/[*+?{}\]]/y)
    if (special !== undefined) {
      this.at--
      const isQuantifier = special !== '}' && special !== ']'
      this.#fail(
        isQuantifier
          ? say`"${special}" has nothing to repeat`
          : say`write "${special}" itself as "\\${special}"`,
      )
    }
    return single(this.#character())
  }

  #group(): Pattern {
    const open = this.at
    this.at++
    if (this.sees('?')) this.#fail(say`a group begins with "(" only; there is no "(?"`)
    if (++this.#nesting > MAX_NESTING) {
      throw new PatternError(say`groups are nested deeper than ${MAX_NESTING} levels`, true)
    }
    const inner = this.#choice()
    this.#nesting--
    if (!this.takes(')')) this.#fail(say`this parenthesis is never closed`, open)
    return inner
  }

  #quantifier(): { min: number; max: number } | undefined {
    if (this.takes('*')) return { min: 0, max: Infinity }
    if (this.takes('+')) return { min: 1, max: Infinity }
    if (this.takes('?')) return { min: 0, max: 1 }
    if (!this.sees('{')) return undefined
    const [, from, comma, to] = this.exec(/\{(\d+)(?:(,)(\d*))?\}/y) ?? []
    if (from === undefined) return this.#fail(say`write a count as {2}, {2,} or {2,5}`)
    const min = Number(from)
    const max = comma === undefined ? min : to === '' ? Infinity : Number(to)
    if (max < min) this.#fail(say`the count ends at ${max}, before it begins at ${min}`)
    return { min, max }
  }

  #escape(): Pattern {
    const category = this.match(CATEGORY)
    return category === undefined ? single(this.#escapedCharacter()) : setOf([], [category], false)
  }

  #escapedCharacter(): number {
    const escape = this.match(/\\[()*+.?[\\\]^{|}nrt-]/y)
    if (escape === undefined) return this.#failAtEscape()
    const char = escape.charAt(1)
    return (CONTROLS.get(char) ?? char).charCodeAt(0)
  }

  #failAtEscape(): never {
    const escape = this.match(/\\.?/suy) ?? ''
    this.at -= escape.length
    const instead = INSTEAD.get(escape)
    if (instead !== undefined) this.#fail(say`write "${instead}" for "${escape}"`)
    if (/^\\p$/i.test(escape)) this.#fail(say`write a Unicode category as ${escape}{L} or ${escape}{Lu}`)
    return this.#fail(say`"${escape}" isn't an escape sequence`)
  }

  /** Reads sets such as `[^a-z\p{Lu}-]`, in which a hyphen at either end is an ordinary character. */
  #bracket(): Pattern {
    const open = this.at
    this.at++
    const negated = this.takes('^')
    const ranges: [number, number][] = []
    const categories: string[] = []
    const hyphen = () => ranges.push([HYPHEN, HYPHEN])
    if (this.takes('-')) hyphen()
    while (!this.takes(']')) {
      if (this.at === this.text.length) this.#fail(say`this bracket is never closed`, open)
      const category = this.match(CATEGORY)
      if (category !== undefined) categories.push(category)
      else if (this.match(/-(?=\])/y) !== undefined) hyphen()
      else ranges.push(this.#range())
    }
    if (ranges.length + categories.length === 0) this.#fail(say`these brackets are empty`, open)
    return setOf(ranges, categories, negated)
  }

  #range(): [number, number] {
    const start = this.at
    const from = this.#bracketCharacter()
    if (this.match(/-(?!\])/y) === undefined) return [from, from]
    const to = this.#bracketCharacter()
    if (to < from) this.#fail(say`this range ends before it begins`, start)
    return [from, to]
  }

  #bracketCharacter(): number {
    if (this.sees('\\')) return this.#escapedCharacter()
    if (this.sees('-') || this.sees('[')) {
      const char = this.text.charAt(this.at)
      this.#fail(say`write "${char}" itself as "\\${char}" between brackets`)
    }
    if (this.at === this.text.length) this.#fail(say`the pattern ends inside brackets`)
    return this.#character()
  }

  #character(): number {
    const code = this.text.codePointAt(this.at) ?? 0
    if (code >= 0xd800 && code <= 0xdfff) this.#fail(say`this is half of a surrogate pair`)
    this.at += code > 0xffff ? 2 : 1
    return code
  }

  #fail(problem: Said, position = this.at): never {
    throw new PatternError(say`character ${position + 1}: ${problem}`, false)
  }
}

function setOf(
  ranges: CharacterSet['ranges'],
  categories: CharacterSet['categories'],
  negated: boolean,
): CharacterSet {
  return { type: 'set', ranges, categories, negated }
}

function single(code: number): CharacterSet {
  return setOf([[code, code]], [], false)
}

/** Characters that `.` doesn't match. */
const LINE_ENDS: CharacterSet['ranges'] = [
  [10, 10],
  [13, 13],
]

const CATEGORY = /\\[pP]\{(?:L[lmotu]?|M[cen]?|N[dlo]?|P[c-fios]?|Z[lps]?|S[ckmo]?|C[cfno]?)\}/y

const HYPHEN = 0x2d
const MAX_NESTING = 40

const CONTROLS: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
])

/** Escapes of other regular expressions, with their I-Regexp replacement. */
const INSTEAD: ReadonlyMap<string, string> = new Map([
  ['\\d', '[0-9]'],
  ['\\D', '[^0-9]'],
  ['\\w', '[A-Za-z0-9_]'],
  ['\\W', '[^A-Za-z0-9_]'],
  ['\\s', '[ \\t\\n\\r]'],
  ['\\S', '[^ \\t\\n\\r]'],
  ['\\/', '/'],
  ['\\$', '[$]'],
])
