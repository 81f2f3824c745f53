import { TextCursor } from './text-cursor.ts'
import { TextError } from './text-error.ts'
import { type Data, dictionaryOf, Float } from './value.ts'

export interface JsonLimits {
  readonly maxDepth: number
  readonly maxValues: number
  /** Turning digits into a number, and back, takes more than linear time. */
  readonly maxIntegerDigits: number
  /** Of all integers together that have more than a hundred. */
  readonly maxLongDigits: number
}

/** A text that is not JSON, or too much of it. */
export class JsonError extends TextError {
  override readonly name = 'JsonError'
  readonly reason: 'syntax' | 'limit'
  /** The text ends too early: more of it could have been JSON. */
  readonly isCut: boolean

  constructor(reason: 'syntax' | 'limit', text: string, offset: number, problem: string, isCut = false) {
    super(text, offset, problem)
    this.reason = reason
    this.isCut = isCut
  }
}

/** Reads JSON one character at a time: slower than JSON.parse, loses nothing, and knows where it is. */
export class JsonReader extends TextCursor {
  readonly #limits: JsonLimits
  #values = 0
  #longDigits = 0

  constructor(text: string, limits: JsonLimits) {
    super(text)
    this.#limits = limits
  }

  read(): Data {
    this.#skipSpace()
    if (this.at === this.text.length) throw this.#error('the text is empty where JSON is expected.', false)
    const value = this.#value(0)
    this.#skipSpace()
    if (this.at < this.text.length) {
      throw this.#error(`the JSON value ends before ${this.#found()}; remove what follows it.`)
    }
    return value
  }

  #value(depth: number): Data {
    if (++this.#values > this.#limits.maxValues) {
      throw this.#limitError(`the JSON holds more than ${this.#limits.maxValues} values.`)
    }
    const char = this.text[this.at]
    switch (char) {
      case '{':
        return this.#dictionary(this.#deeper(depth))
      case '[':
        return this.#list(this.#deeper(depth))
      case '"':
        return this.#string()
      case 't':
        return this.#word('true', true)
      case 'f':
        return this.#word('false', false)
      case 'n':
        return this.#word('null', null)
      default:
        return this.#number()
    }
  }

  #deeper(depth: number): number {
    if (depth >= this.#limits.maxDepth) {
      throw this.#limitError(`the JSON is nested deeper than ${this.#limits.maxDepth} levels.`)
    }
    return depth + 1
  }

  #dictionary(depth: number): Data {
    const entries: [string, Data][] = []
    this.at++
    this.#skipSpace()
    if (this.takes('}')) return dictionaryOf(entries)
    for (;;) {
      if (this.text[this.at] !== '"') {
        throw this.#error(`expected a key in double quotes, found ${this.#found()}.`)
      }
      const key = this.#string()
      this.#skipSpace()
      if (!this.takes(':')) throw this.#error(`expected ":" after a key, found ${this.#found()}.`)
      this.#skipSpace()
      entries.push([key, this.#value(depth)])
      this.#skipSpace()
      if (this.takes('}')) return dictionaryOf(entries)
      if (!this.takes(',')) throw this.#error(`expected "," or "}", found ${this.#found()}.`)
      this.#skipSpace()
    }
  }

  #list(depth: number): Data {
    const items: Data[] = []
    this.at++
    this.#skipSpace()
    if (this.takes(']')) return items
    for (;;) {
      items.push(this.#value(depth))
      this.#skipSpace()
      if (this.takes(']')) return items
      if (!this.takes(',')) throw this.#error(`expected "," or "]", found ${this.#found()}.`)
      this.#skipSpace()
    }
  }

  #string(): string {
    const start = this.at
    let escaped = false
    for (this.at++; this.at < this.text.length; this.at++) {
      const code = this.text.charCodeAt(this.at)
      if (code === 0x22) {
        this.at++
        return escaped ? this.#unescape(start) : this.text.slice(start + 1, this.at - 1)
      }
      if (code < 0x20) throw this.#error('a control character in a text must be written as an escape.')
      if (code === 0x5c) {
        escaped = true
        this.at += this.#escapeLength() - 1
      }
    }
    this.at = start
    throw this.#error('this text is never closed; a double quote is missing.', true)
  }

  #escapeLength(): number {
    const next = this.text[this.at + 1]
    if (next !== undefined && '"\\/bfnrt'.includes(next)) return 2
    if (next === 'u' && /^[0-9a-fA-F]{4}$/.test(this.text.slice(this.at + 2, this.at + 6))) return 6
    throw this.#error('unknown escape; write a backslash itself as "\\\\".')
  }

  /** The text between the quotes is checked by now, so the built-in parser cannot refuse it. */
  #unescape(start: number): string {
    return JSON.parse(this.text.slice(start, this.at)) as string
  }

  #number(): Data {
    NUMBER.lastIndex = this.at
    const found = NUMBER.exec(this.text)
    if (found === null) throw this.#error(`expected a value, found ${this.#found()}.`)
    const digits = found[0]
    const isInteger = found[1] === undefined && found[2] === undefined
    if (isInteger && digits.length > LONG_INTEGER) this.#countLong(digits.length)
    const value = Number(digits)
    if (!isInteger && !Number.isFinite(value)) {
      throw this.#limitError('the number is larger than any float can be.')
    }
    this.at += digits.length
    if (!isInteger) return Number.isInteger(value) ? new Float(value) : value
    return Number.isSafeInteger(value) ? value + 0 : BigInt(digits)
  }

  #countLong(digits: number): void {
    const { maxIntegerDigits, maxLongDigits } = this.#limits
    if (digits > maxIntegerDigits) {
      throw this.#limitError(`the integer has more than ${maxIntegerDigits} digits.`)
    }
    this.#longDigits += digits
    if (this.#longDigits <= maxLongDigits) return
    throw this.#limitError(
      `the integers of more than ${LONG_INTEGER} digits have together more than ${maxLongDigits}.`,
    )
  }

  #word<T extends Data>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) {
      throw this.#error(`expected a value, found ${this.#found()}.`)
    }
    this.at += word.length
    return value
  }

  #skipSpace(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at)
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return
      this.at++
    }
  }

  /** Also in the middle of `true`, or of an escape. */
  #isAtEnd(): boolean {
    const rest = this.text.slice(this.at, this.at + 6)
    return (
      rest === '' ||
      (rest.length < 6 && /^(?:t|tr|tru|f|fa|fal|fals|n|nu|nul|-|\\|\\u[0-9a-fA-F]*)$/.test(rest))
    )
  }

  #found(): string {
    const code = this.text.codePointAt(this.at)
    if (code === undefined) return 'the end of the text'
    return code === 0x22 ? 'a double quote' : JSON.stringify(String.fromCodePoint(code))
  }

  #error(problem: string, isCut = this.#isAtEnd()): JsonError {
    return new JsonError('syntax', this.text, this.at, problem, isCut)
  }

  #limitError(problem: string): JsonError {
    return new JsonError('limit', this.text, this.at, problem)
  }
}

/** Sticky: reads at `lastIndex` and nowhere else. */
const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?/y

const LONG_INTEGER = 100
