import { type Said, say } from './said.ts'
import { TextCursor } from './text-cursor.ts'
import { TextError } from './text-error.ts'
import { type Data, type Dictionary, dictionaryOf, Float, MANY_KEYS, mapOf } from './value.ts'

export interface JsonLimits {
  readonly maxDepth: number
  readonly maxValues: number
  /** Converting between digits and numbers takes more than linear time. */
  readonly maxIntegerDigits: number
  /** The limit of digits in all integers with more than a hundred digits together. */
  readonly maxLongDigits: number
}

/** Input that isn't JSON, exceeds a limit, or has a number that no float can hold. */
export class JsonError extends TextError {
  override readonly name = 'JsonError'
  readonly reason: 'syntax' | 'limit' | 'number'
  /** Whether the input ends too early, so that with more characters it could have been JSON. */
  readonly isCut: boolean

  constructor(reason: JsonError['reason'], text: string, offset: number, problem: Said, isCut = false) {
    super(text, offset, problem)
    this.reason = reason
    this.isCut = isCut
  }
}

/** Reads JSON character by character: slower than JSON.parse, but lossless, with error positions, and interruptible. */
export class JsonReader extends TextCursor {
  readonly #limits: JsonLimits
  readonly #keeps: boolean
  readonly #open: OpenContainer[] = []
  #values = 0
  #longDigits = 0
  #isLossless = true
  #result: Data = null

  /** @param keeps false if the input is only checked, and no value is built */
  constructor(text: string, limits: JsonLimits, keeps = true) {
    super(text)
    this.#limits = limits
    this.#keeps = keeps
  }

  read(): Data {
    this.readOn(Infinity)
    return this.#result
  }

  /** Whether the value contains everything that was read: no duplicate keys, and none that was dropped. */
  get isLossless(): boolean {
    return this.#isLossless
  }

  /** The value of the whole input, once `readOn` has returned true. */
  get result(): Data {
    return this.#result
  }

  /** Reads about this many characters; true at the end of the input. */
  readOn(characters: number): boolean {
    const until = this.at + characters
    if (this.at === 0) {
      this.#skipSpace()
      if (this.at === this.text.length) throw this.#error(say`expected JSON, but the text is empty.`, false)
    }
    for (;;) {
      const value = this.#beginValue()
      if (value !== undefined && this.#placeValue(value)) return true
      if (this.at > until) return false
    }
  }

  /**
   * A scalar, or an empty list or object. Undefined at the start of a non-empty one, whose first item or key comes
   * next.
   */
  #beginValue(): Data | undefined {
    if (++this.#values > this.#limits.maxValues) {
      throw this.#limitError(say`the JSON has more than ${this.#limits.maxValues} values.`)
    }
    switch (this.text.charCodeAt(this.at)) {
      case OPEN_BRACE:
        return this.#beginDictionary()
      case OPEN_BRACKET:
        return this.#beginList()
      case QUOTE:
        return this.#string()
      case 0x74:
        return this.#word('true', true)
      case 0x66:
        return this.#word('false', false)
      case 0x6e:
        return this.#word('null', null)
      default:
        return this.#number()
    }
  }

  #beginDictionary(): Data | undefined {
    this.#requireRoom()
    this.at++
    this.#skipSpace()
    if (this.#takesCode(CLOSE_BRACE)) return dictionaryOf([])
    const dictionary = new OpenDictionary()
    this.#open.push(dictionary)
    dictionary.key = this.#key()
    return undefined
  }

  #beginList(): Data | undefined {
    this.#requireRoom()
    this.at++
    this.#skipSpace()
    if (this.#takesCode(CLOSE_BRACKET)) return []
    this.#open.push([])
    return undefined
  }

  #requireRoom(): void {
    if (this.#open.length >= this.#limits.maxDepth) {
      throw this.#limitError(say`the JSON is nested deeper than ${this.#limits.maxDepth} levels.`)
    }
  }

  /**
   * Adds a value to its container, closes containers that end after it, and moves to the next value; true if there is
   * none.
   */
  #placeValue(given: Data): boolean {
    let value = given
    for (;;) {
      const container = this.#open.at(-1)
      this.#skipSpace()
      if (container === undefined) return this.#end(value)
      if (Array.isArray(container)) {
        if (this.#keeps) container.push(value)
        if (!this.#takesCode(CLOSE_BRACKET)) {
          if (!this.#takesCode(COMMA)) throw this.#error(say`expected "," or "]", found ${this.#found()}.`)
          this.#skipSpace()
          return false
        }
        value = container
      } else {
        if (this.#keeps) container.add(value)
        if (!this.#takesCode(CLOSE_BRACE)) {
          if (!this.#takesCode(COMMA)) throw this.#error(say`expected "," or "}", found ${this.#found()}.`)
          this.#skipSpace()
          container.key = this.#key()
          return false
        }
        value = container.close()
        if (container.hasLost) this.#isLossless = false
      }
      this.#open.pop()
    }
  }

  #end(value: Data): true {
    if (this.at < this.text.length) {
      throw this.#error(say`the JSON value ends before ${this.#found()}; remove what follows it.`)
    }
    this.#result = value
    return true
  }

  #key(): string {
    if (this.text.charCodeAt(this.at) !== QUOTE) {
      throw this.#error(say`expected a key in double quotes, found ${this.#found()}.`)
    }
    const key = this.#string()
    this.#skipSpace()
    if (!this.#takesCode(COLON)) throw this.#error(say`expected ":" after a key, found ${this.#found()}.`)
    this.#skipSpace()
    return key
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
      if (code < 0x20) throw this.#error(say`a control character in a string must be written as an escape.`)
      if (code === 0x5c) {
        escaped = true
        this.at += this.#escapeLength() - 1
      }
    }
    this.at = start
    throw this.#error(say`this string is never closed; a double quote is missing.`, true)
  }

  #escapeLength(): number {
    const next = this.text[this.at + 1]
    if (next !== undefined && '"\\/bfnrt'.includes(next)) return 2
    if (next === 'u' && /^[0-9a-fA-F]{4}$/.test(this.text.slice(this.at + 2, this.at + 6))) return 6
    throw this.#error(say`unknown escape; write a backslash itself as "\\\\".`)
  }

  /** The characters between the quotes have been checked, so the built-in parser can't reject them. */
  #unescape(start: number): string {
    return JSON.parse(this.text.slice(start, this.at)) as string
  }

  #number(): Data {
    NUMBER.lastIndex = this.at
    const found = NUMBER.exec(this.text)
    if (found === null) throw this.#error(say`expected a value, found ${this.#found()}.`)
    const digits = found[0]
    const isInteger = found[1] === undefined && found[2] === undefined
    if (isInteger && digits.length > LONG_INTEGER) this.#countLong(digits.length)
    const value = Number(digits)
    if (!isInteger && !Number.isFinite(value)) {
      throw new JsonError('number', this.text, this.at, say`the number is too large for a float.`)
    }
    this.at += digits.length
    if (!isInteger) return Number.isInteger(value) ? new Float(value) : value
    return Number.isSafeInteger(value) ? value + 0 : BigInt(digits)
  }

  #countLong(digits: number): void {
    const { maxIntegerDigits, maxLongDigits } = this.#limits
    if (digits > maxIntegerDigits) {
      throw this.#limitError(say`the integer has more than ${maxIntegerDigits} digits.`)
    }
    this.#longDigits += digits
    if (this.#longDigits <= maxLongDigits) return
    throw this.#limitError(
      say`the integers with more than ${LONG_INTEGER} digits have more than ${maxLongDigits} digits in total.`,
    )
  }

  #word<T extends Data>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) {
      throw this.#error(say`expected a value, found ${this.#found()}.`)
    }
    this.at += word.length
    return value
  }

  #takesCode(code: number): boolean {
    if (this.text.charCodeAt(this.at) !== code) return false
    this.at++
    return true
  }

  #skipSpace(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at)
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return
      this.at++
    }
  }

  /** Whether the input ends here, possibly in the middle of `true` or of an escape. */
  #isAtEnd(): boolean {
    const rest = this.text.slice(this.at, this.at + 6)
    return (
      rest === '' ||
      (rest.length < 6 && /^(?:t|tr|tru|f|fa|fal|fals|n|nu|nul|-|\\|\\u[0-9a-fA-F]*)$/.test(rest))
    )
  }

  #found(): string | Said {
    const code = this.text.codePointAt(this.at)
    if (code === undefined) return say`the end of the text`
    return code === 0x22 ? say`a double quote` : JSON.stringify(String.fromCodePoint(code))
  }

  #error(problem: Said, isCut = this.#isAtEnd()): JsonError {
    return new JsonError('syntax', this.text, this.at, problem, isCut)
  }

  #limitError(problem: Said): JsonError {
    return new JsonError('limit', this.text, this.at, problem)
  }
}

/** A list or object that is still open. */
type OpenContainer = Data[] | OpenDictionary

class OpenDictionary {
  /** The key of the next value. */
  key = ''
  hasLost = false
  readonly #entries: [string, Data][] = []
  #map: Map<string, Data> | null = null
  #added = 0

  add(value: Data): void {
    this.#added++
    if (this.#map === null) this.#entries.push([this.key, value])
    else if (this.key !== '__proto__') this.#map.set(this.key, value)
    if (this.#added > MANY_KEYS) this.#map ??= mapOf(this.#entries)
  }

  close(): Data {
    const dictionary = this.#map ?? dictionaryOf(this.#entries)
    this.hasLost = sizeOf(dictionary) !== this.#added
    return dictionary
  }
}

function sizeOf(dictionary: Dictionary): number {
  if (dictionary instanceof Map) return dictionary.size
  let size = 0
  for (const _key in dictionary) size++
  return size
}

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

/** Sticky: matches only at `lastIndex`. */
const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?/y

const LONG_INTEGER = 100
