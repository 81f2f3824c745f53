import { MIN_SECRET_LENGTH } from './secret-forms.ts'

/** A part of a string, `end` excluded. */
export interface Span {
  readonly start: number
  readonly end: number
}

/**
 * Finds any of many words in one pass (Karp and Rabin, 1987). A rolling hash is compared with the hashes of the words'
 * ends; on a match, the hash of the whole word decides. The time depends only on the length of the input, however
 * repetitive it is. A word takes a few dozen bytes, whatever its length, and words can be added at any time: years of
 * access tokens fit.
 */
export class TextMatcher {
  /** Lengths of the words with a given end, longest first. */
  readonly #lengths = new Map<number, number[]>()
  /** Hash and length of each word. */
  readonly #words = new Set<number>()
  /** A bit set over the hashes of the ends: most of the input is skipped after one look at it. */
  #filter = new Uint32Array(2 ** 7)
  #shift = 32 - 12
  readonly #powers = new Map<number, number>()

  /** @param words of 12 characters or more */
  constructor(words: readonly string[] = []) {
    for (const word of words) this.add(word)
  }

  add(word: string): void {
    const { length } = word
    const known = this.#words.size
    this.#words.add(nameOf(hashOf(word, 0, length, WHOLE), length))
    if (this.#words.size === known) return
    const end = hashOf(word, length - WINDOW, length, END)
    const lengths = this.#lengths.get(end) ?? []
    if (!lengths.includes(length))
      this.#lengths.set(
        end,
        [...lengths, length].toSorted((a, b) => b - a),
      )
    if (!this.#powers.has(length)) this.#powers.set(length, power(WHOLE, length))
    if (this.#lengths.size * 64 > this.#filter.length * 32) this.#widenFilter()
    else this.#note(end)
  }

  /** Overlapping matches are merged; the spans are in order and never overlap. */
  find(text: string): readonly Span[] {
    if (text.length < WINDOW || this.#words.size === 0) return NONE
    const filter = this.#filter
    const shift = this.#shift
    let spans: Span[] | null = null
    let sums: Int32Array | null = null
    let end = hashOf(text, 0, WINDOW - 1, END)
    for (let at = WINDOW - 1; at < text.length; at++) {
      end = (Math.imul(end, END) + text.charCodeAt(at)) | 0
      const bit = Math.imul(end, MIX) >>> shift
      if (((filter[bit >>> 5] ?? 0) & (1 << (bit & 31))) !== 0) {
        const lengths = this.#lengths.get(end)
        if (lengths !== undefined) {
          sums ??= sumsOf(text)
          const length = this.#lengthOfWordAt(at + 1, lengths, sums)
          if (length > 0) addSpan((spans ??= []), at + 1 - length, at + 1)
        }
      }
      end = (end - Math.imul(text.charCodeAt(at + 1 - WINDOW), LEAVING)) | 0
    }
    return spans ?? NONE
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

  #note(end: number): void {
    const bit = Math.imul(end, MIX) >>> this.#shift
    this.#filter[bit >>> 5] = (this.#filter[bit >>> 5] ?? 0) | (1 << (bit & 31))
  }

  #widenFilter(): void {
    this.#filter = new Uint32Array(this.#filter.length * 4)
    this.#shift -= 2
    for (const end of this.#lengths.keys()) this.#note(end)
  }
}

const NONE: readonly Span[] = []
const WINDOW = MIN_SECRET_LENGTH
/** The bases of the two hashes; odd, so that no power of one is 0. */
const END = 0x01000193
const WHOLE = 0x2c9277b5
const MIX = 0x9e3779b1
/** The weight of the oldest code unit in the window. */
const LEAVING = power(END, WINDOW - 1)
const LONGEST = 2 ** 21

function hashOf(text: string, from: number, to: number, base: number): number {
  let hash = 0
  for (let at = from; at < to; at++) hash = (Math.imul(hash, base) + text.charCodeAt(at)) | 0
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

/** The hash of each prefix: the hash of any part follows from two of them. */
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
