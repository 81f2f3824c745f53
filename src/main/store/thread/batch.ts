/**
 * Statements on their way to the writer thread: one list of numbers and two strings, in shared memory. A message with
 * the same content takes ten times as long, one with a list of values fifty times.
 */
import { type Recording, type SqlParameters, type SqlValue, UnmadeValue } from '../sql/statement.ts'

export interface Batch {
  /**
   * For each statement, its number; for each value, its kind, followed by its length or the value itself, depending on
   * the kind.
   */
  readonly numbers: Float64Array
  /**
   * All strings in a row. A character beyond Latin-1 makes V8 use two bytes for each character, so strings with such
   * characters are in `wide`.
   */
  readonly latin: string
  readonly wide: string
}

const NULL = 0
const NUMBER = 1
const LATIN = 2
const WIDE = 3
/** Added to the kind of a string that is to be sealed or packed. */
const SEAL = 2
const PACK = 4

/** Far below the longest string that V8 can make. */
const MOST_CHARACTERS = 67_108_864
/** Costs nothing on a string with one byte per character, because V8 knows that it can't match. */
const BEYOND_LATIN = /[^\0-\xff]/

/** Index of the first number, after the count of numbers and the counts of both kinds of characters. */
const HEADER = 3
/** Larger batches are sent as messages. */
const MEMORY_BYTES = 1_048_576
const NUMBERS_BYTES = 262_144

export const batchMemory = () => new SharedArrayBuffer(MEMORY_BYTES)

export class BatchWriter implements Recording {
  readonly #shared: Float64Array<SharedArrayBuffer>
  readonly #text: Buffer
  readonly #known = new Map<string, number>()
  #fresh: string[] = []
  #numbers: Float64Array
  #at = HEADER
  #latin: string[] = []
  #wide: string[] = []
  #characters = 0

  constructor(memory: SharedArrayBuffer) {
    this.#shared = new Float64Array(memory, 0, NUMBERS_BYTES / 8)
    this.#text = Buffer.from(memory, NUMBERS_BYTES)
    this.#numbers = this.#shared
  }

  add(sql: string, parameters: SqlParameters): void {
    let number = this.#known.get(sql)
    if (number === undefined) {
      number = this.#known.size
      this.#known.set(sql, number)
      this.#fresh.push(sql)
    }
    if (this.#at + 2 + 4 * parameters.length > this.#numbers.length) this.#grow(4 * parameters.length)
    this.#numbers[this.#at++] = number
    this.#numbers[this.#at++] = parameters.length
    for (const value of parameters) this.#addValue(value)
  }

  #addValue(value: SqlParameters[number]): void {
    if (value === null) this.#numbers[this.#at++] = NULL
    else if (typeof value === 'number') {
      this.#numbers[this.#at++] = NUMBER
      this.#numbers[this.#at++] = value
    } else if (typeof value === 'string') this.#addText(value, 0)
    else if (value instanceof UnmadeValue) {
      if (value.make === 'seal') {
        this.#addText(value.text, SEAL)
        // An id only has characters of one byte.
        this.#numbers[this.#at++] = value.owner.length
        this.#latin.push(value.owner)
      } else this.#addText(value.text, PACK)
    } else throw new TypeError('Only numbers, strings and null can be sent to the thread')
  }

  #addText(text: string, how: number): void {
    this.#characters += text.length
    if (this.#characters > MOST_CHARACTERS) throw new RangeError('Too much for one batch')
    const isWide = BEYOND_LATIN.test(text)
    this.#numbers[this.#at++] = (isWide ? WIDE : LATIN) + how
    this.#numbers[this.#at++] = text.length
    ;(isWide ? this.#wide : this.#latin).push(text)
  }

  #grow(by: number): void {
    const larger = new Float64Array(2 * this.#numbers.length + by)
    larger.set(this.#numbers)
    this.#numbers = larger
  }

  /** Statements that no earlier batch had; they are numbered in this order. */
  takeStatements(): readonly string[] {
    const fresh = this.#fresh
    this.#fresh = []
    return fresh
  }

  /** Puts the added statements into the shared memory and returns null; returns the batch if it doesn't fit there. */
  take(): Batch | null {
    const latin = this.#latin.join('')
    const wide = this.#wide.join('')
    const fits = this.#numbers === this.#shared && latin.length + 2 * wide.length <= this.#text.length
    const batch = fits
      ? null
      : { numbers: new Float64Array(this.#numbers.subarray(HEADER, this.#at)), latin, wide }
    if (fits) {
      this.#shared.set([this.#at, latin.length, wide.length])
      this.#text.write(latin, 'latin1')
      if (wide.length > 0) this.#text.write(wide, latin.length, 'utf16le')
    }
    this.clear()
    return batch
  }

  /** Discards the added statements. */
  clear(): void {
    this.#numbers = this.#shared
    this.#at = HEADER
    this.#latin = []
    this.#wide = []
    this.#characters = 0
  }
}

/** Reads the batch that `take` has put into the shared memory. */
export function batchIn(memory: SharedArrayBuffer): Batch {
  const numbers = new Float64Array(memory, 0, NUMBERS_BYTES / 8)
  const text = Buffer.from(memory, NUMBERS_BYTES)
  const [end = 0, latin = 0, wide = 0] = numbers
  return {
    numbers: numbers.subarray(HEADER, end),
    latin: text.toString('latin1', 0, latin),
    wide: wide === 0 ? '' : text.toString('utf16le', latin, latin + 2 * wide),
  }
}

export interface Making {
  readonly seal: (runId: string, text: string) => SqlValue
  /** The columns of a list of steps. */
  readonly pack: (text: string) => readonly [SqlValue, SqlValue]
}

/** Calls `run` with each statement's number and values. */
export function readBatch(
  { numbers, latin, wide }: Batch,
  { seal, pack }: Making,
  run: (statement: number, values: readonly SqlValue[]) => void,
): void {
  let at = 0
  let latinAt = 0
  let wideAt = 0
  const next = () => numbers[at++] as number
  const takeLatin = () => latin.slice(latinAt, (latinAt += next()))
  const takeWide = () => wide.slice(wideAt, (wideAt += next()))
  while (at < numbers.length) {
    const statement = next()
    const values: SqlValue[] = []
    const count = next()
    while (values.length < count) {
      const kind = next()
      if (kind === NULL) values.push(null)
      else if (kind === NUMBER) values.push(next())
      else {
        const text = kind % 2 === 0 ? takeLatin() : takeWide()
        if (kind < LATIN + SEAL) values.push(text)
        else if (kind < LATIN + PACK) values.push(seal(takeLatin(), text))
        else {
          values.push(...pack(text))
          at++ // the null that stood for the second column
        }
      }
    }
    run(statement, values)
  }
}
