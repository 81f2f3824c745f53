import { MIN_SECRET_LENGTH } from './secret-forms.ts'

/** A part of a string, `end` excluded. */
export interface Span {
  readonly start: number
  readonly end: number
}

/**
 * Finds any of many words in one pass. The shifts of Wu and Manber (1994) skip most of the text, and hashes (Karp and
 * Rabin, 1987) decide where a word may end. The time depends only on the length of the input, however repetitive it
 * is. A word takes about a hundred bytes, whatever its length, and words can be added at any time, so there is room
 * for years of access tokens.
 */
export class TextMatcher {
  /** Lengths of the words with a given end (the hash of their last `WINDOW` code units), longest first. */
  readonly #lengths = new Map<number, number[]>()
  /** Hash and length of each word. */
  readonly #words = new Set<number>()
  /** The hashes of the words' first `WINDOW` code units. `#longest` is the length of the longest word. */
  readonly #beginnings = new Set<number>()
  #longest = 0
  /** Hashes of all blocks in the ends, those of an end one after the other, from its last block backwards. */
  readonly #blocks: number[] = []
  /** How far the search can skip after a block, because no word ends there, by the block's hash. */
  #shifts = new Uint8Array(2 ** 12).fill(LONGEST_SHIFT)
  #bits = 32 - 12
  readonly #powers = new Map<number, number>()

  /** @param words of 12 characters or more */
  constructor(words: readonly string[] = []) {
    for (const word of words) this.add(word)
  }

  add(word: string): void {
    const { length } = word
    const known = this.#words.size
    this.#words.add(nameOf(hashOf(word, 0, length), length))
    if (this.#words.size === known) return
    this.#beginnings.add(hashOf(word, 0, WINDOW))
    this.#longest = Math.max(this.#longest, length)
    if (!this.#powers.has(length)) this.#powers.set(length, power(WHOLE, length))
    const end = hashOf(word, length - WINDOW, length)
    const lengths = this.#lengths.get(end)
    if (lengths === undefined) this.#noteBlocks(word)
    if (!lengths?.includes(length))
      this.#lengths.set(
        end,
        [...(lengths ?? []), length].toSorted((a, b) => b - a),
      )
  }

  /** Overlapping matches are merged; the spans are in order and never overlap. */
  find(text: string): readonly Span[] {
    if (text.length < WINDOW || this.#words.size === 0) return NONE
    const shifts = this.#shifts
    const bits = this.#bits
    let spans: Span[] | null = null
    let sums: Int32Array | null = null
    for (let at = WINDOW - 1; at < text.length;) {
      const shift = shifts[blockAt(text, at) >>> bits] ?? 0
      at += shift
      if (shift > 0) continue
      const lengths = this.#lengths.get(hashOf(text, at + 1 - WINDOW, at + 1))
      if (lengths !== undefined) {
        sums ??= sumsOf(text)
        const length = this.#lengthOfWordAt(at + 1, lengths, sums)
        if (length > 0) addSpan((spans ??= []), at + 1 - length, at + 1)
      }
      at++
    }
    return spans ?? NONE
  }

  /**
   * The length of a truncated string without the beginning of a word at its end. A beginning of only a few code units
   * isn't recognized.
   */
  lengthWithoutBeginning(text: string): number {
    if (this.#words.size === 0) return text.length
    const last = Math.max(0, text.length - WINDOW + 1)
    for (let at = Math.max(0, text.length - this.#longest + 1); at < last; at++)
      if (this.#beginnings.has(hashOf(text, at, at + WINDOW))) return at
    return last
  }

  /** The length of the longest word that ends there; 0 if none does. */
  #lengthOfWordAt(end: number, lengths: readonly number[], sums: Int32Array): number {
    for (const length of lengths) {
      if (length > end) continue
      const before = Math.imul(sums[end - length] ?? 0, this.#powers.get(length) ?? 0)
      if (this.#words.has(nameOf(((sums[end] ?? 0) - before) | 0, length))) return length
    }
    return 0
  }

  #noteBlocks(word: string): void {
    for (let shift = 0; shift < LONGEST_SHIFT; shift++) {
      const block = blockAt(word, word.length - 1 - shift)
      this.#blocks.push(block)
      this.#noteShift(block, shift)
    }
    if (this.#blocks.length * ROOM_PER_BLOCK > this.#shifts.length) this.#widenShifts()
  }

  #noteShift(block: number, shift: number): void {
    const at = block >>> this.#bits
    this.#shifts[at] = Math.min(this.#shifts[at] ?? 0, shift)
  }

  #widenShifts(): void {
    this.#shifts = new Uint8Array(this.#shifts.length * 4).fill(LONGEST_SHIFT)
    this.#bits -= 2
    this.#blocks.forEach((block, index) => this.#noteShift(block, index % LONGEST_SHIFT))
  }
}

const NONE: readonly Span[] = []
const WINDOW = MIN_SECRET_LENGTH
const BLOCK = 4
/** If a block isn't in the end of any word, no word ends before the block has left the window. */
const LONGEST_SHIFT = WINDOW - BLOCK + 1
/** With fewer entries per block, other text would too often look like a block. */
const ROOM_PER_BLOCK = 8
/** The base of the hashes; odd, so that no power of it is 0. */
const WHOLE = 0x2c9277b5
const MIX = 0x9e3779b1
const LONGEST = 2 ** 21

/** The 32-bit hash of the four code units up to here. Its upper bits are mixed best. */
function blockAt(text: string, at: number): number {
  const first = text.charCodeAt(at - 3) | (text.charCodeAt(at - 2) << 16)
  const second = text.charCodeAt(at - 1) | (text.charCodeAt(at) << 16)
  return Math.imul(Math.imul(first, MIX) ^ second, WHOLE) >>> 0
}

function hashOf(text: string, from: number, to: number): number {
  let hash = 0
  for (let at = from; at < to; at++) hash = (Math.imul(hash, WHOLE) + text.charCodeAt(at)) | 0
  return hash
}

const nameOf = (hash: number, length: number) => (hash >>> 0) * LONGEST + length

function power(base: number, exponent: number): number {
  let result = 1
  for (let factor = base, left = exponent; left > 0; left >>>= 1) {
    if ((left & 1) === 1) result = Math.imul(result, factor)
    factor = Math.imul(factor, factor)
  }
  return result
}

/** The hash of each prefix. The hash of any part follows from two of them. */
function sumsOf(text: string): Int32Array {
  const sums = new Int32Array(text.length + 1)
  let hash = 0
  for (let at = 0; at < text.length; at++) {
    hash = (Math.imul(hash, WHOLE) + text.charCodeAt(at)) | 0
    sums[at + 1] = hash
  }
  return sums
}

function addSpan(spans: Span[], start: number, end: number): void {
  let from = start
  for (let last = spans.at(-1); last !== undefined && last.end > from; last = spans.at(-1)) {
    from = Math.min(from, last.start)
    spans.pop()
  }
  spans.push({ start: from, end })
}
