/** A part of a text, `end` excluded. */
export interface Span {
  readonly start: number
  readonly end: number
}

/**
 * Finds any of many words in one pass (Aho and Corasick, 1975): time grows with the text alone, however the
 * words and the text repeat themselves.
 */
export class TextMatcher {
  /** Most states have one way on; it is kept in two flat arrays, the others in `#branches`. */
  readonly #onlyUnit: Uint16Array
  readonly #onlyNext: Int32Array
  readonly #branches: ReadonlyMap<number, ReadonlyMap<number, number>>
  readonly #fallback: Int32Array
  /** The length of the longest word that ends in a state; 0 for none. */
  readonly #longest: Int32Array
  readonly #fromRoot = new Int32Array(65_536)

  constructor(words: readonly string[]) {
    const { ways, longest } = buildTree(words)
    this.#fallback = linkFallbacks(ways, longest)
    this.#longest = Int32Array.from(longest)
    this.#onlyUnit = new Uint16Array(ways.length)
    this.#onlyNext = new Int32Array(ways.length)
    const branches = new Map<number, ReadonlyMap<number, number>>()
    for (const [state, way] of ways.entries()) {
      const [first, second] = way
      if (state === 0) for (const [unit, next] of way) this.#fromRoot[unit] = next
      else if (second !== undefined) branches.set(state, way)
      else if (first !== undefined) [this.#onlyUnit[state], this.#onlyNext[state]] = first
    }
    this.#branches = branches
  }

  /** Overlapping finds come as one span; the spans are in order and do not touch the same unit twice. */
  find(text: string): readonly Span[] {
    let spans: Span[] | null = null
    let state = 0
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at)
      state = state === 0 ? (this.#fromRoot[unit] ?? 0) : this.#step(state, unit)
      const length = this.#longest[state] ?? 0
      if (length > 0) addSpan((spans ??= []), at + 1 - length, at + 1)
    }
    return spans ?? NONE
  }

  #step(from: number, unit: number): number {
    let state = from
    while (state !== 0) {
      const next = this.#next(state, unit)
      if (next !== 0) return next
      state = this.#fallback[state] ?? 0
    }
    return this.#fromRoot[unit] ?? 0
  }

  #next(state: number, unit: number): number {
    const next = this.#onlyNext[state] ?? 0
    if (next !== 0) return this.#onlyUnit[state] === unit ? next : 0
    return this.#branches.get(state)?.get(unit) ?? 0
  }
}

const NONE: readonly Span[] = []

/** State 0 is the root, which no way leads back to, so 0 also stands for no way. */
function buildTree(words: readonly string[]): { ways: Map<number, number>[]; longest: number[] } {
  const ways = [new Map<number, number>()]
  const longest = [0]
  for (const word of words) {
    let state = 0
    for (let at = 0; at < word.length; at++) {
      const unit = word.charCodeAt(at)
      let next = ways[state]?.get(unit)
      if (next === undefined) {
        next = ways.push(new Map()) - 1
        longest.push(0)
        ways[state]?.set(unit, next)
      }
      state = next
    }
    longest[state] = word.length
  }
  longest[0] = 0
  return { ways, longest }
}

/** Breadth first: the state for the longest end of what was read that is also the beginning of a word. */
function linkFallbacks(ways: readonly Map<number, number>[], longest: number[]): Int32Array {
  const fallback = new Int32Array(ways.length)
  const queue = [...(ways[0]?.values() ?? [])]
  for (let at = 0; at < queue.length; at++) {
    const state = queue[at] ?? 0
    for (const [unit, next] of ways[state] ?? []) {
      queue.push(next)
      fallback[next] = fallbackOver(unit, fallback[state] ?? 0, ways, fallback)
      longest[next] = Math.max(longest[next] ?? 0, longest[fallback[next] ?? 0] ?? 0)
    }
  }
  return fallback
}

function fallbackOver(
  unit: number,
  from: number,
  ways: readonly Map<number, number>[],
  fallback: Int32Array,
): number {
  let state = from
  for (;;) {
    const next = ways[state]?.get(unit)
    if (next !== undefined) return next
    if (state === 0) return 0
    state = fallback[state] ?? 0
  }
}

function addSpan(spans: Span[], start: number, end: number): void {
  let from = start
  for (let last = spans.at(-1); last !== undefined && last.end > from; last = spans.at(-1)) {
    from = Math.min(from, last.start)
    spans.pop()
  }
  spans.push({ start: from, end })
}
