import type { Budget } from './budget.ts'
import type { CharacterSet, Pattern } from './i-regexp.ts'

type State =
  | ReadingState
  | Fork
  | { readonly type: 'start' | 'end'; readonly next: State }
  | { readonly type: 'found' }

interface ReadingState {
  readonly type: 'set'
  readonly id: number
  readonly has: (code: number) => boolean
  readonly steps: number
  readonly next: State
}

interface Fork {
  readonly type: 'fork'
  readonly next: State
  other: State
}

/** All states that the characters read so far can lead to. */
interface Position {
  readonly reading: readonly ReadingState[]
  readonly isFound: boolean
  /** Whether it is a match if the input ends here. */
  readonly isFoundAtEnd: boolean
  readonly after: Map<number, Position>
}

/**
 * Matches strings by following all alternatives of a pattern at once: each string is read once, whatever the pattern
 * is, and transitions are cached.
 *
 * re2js, which the templates use, works the same way, but can't count its steps: a pattern of 30 characters can take
 * it a second for a string of 10,000 characters, and charging every pattern for the worst case would reject ordinary
 * pages. Here every step is counted.
 */
export class Automaton {
  readonly #isWhole: boolean
  readonly #first: Position
  readonly #positions = new Map<string, Position>()
  #held = 0

  /** @param isWhole whether the pattern must match the whole string rather than a part of it */
  constructor(pattern: Pattern, isWhole: boolean, budget: Budget) {
    this.#isWhole = isWhole
    const whole: Pattern = isWhole ? pattern : { type: 'sequence', items: [ANYTHING, pattern] }
    this.#first = positionAt([new Builder().build(whole, { type: 'found' })], true, budget)
  }

  matches(text: string, budget: Budget): boolean {
    let position = this.#first
    for (let at = 0; at < text.length;) {
      if (position.isFound && !this.#isWhole) return true
      if (position.reading.length === 0) return false
      const code = text.codePointAt(at) ?? 0
      at += code > 0xffff ? 2 : 1
      budget.spend(0.5)
      position = position.after.get(code) ?? this.#advance(position, code, budget)
    }
    return position.isFoundAtEnd
  }

  #advance(position: Position, code: number, budget: Budget): Position {
    budget.spend(POSITION_STEPS)
    const next: State[] = []
    for (const state of position.reading) {
      budget.spend(state.steps)
      if (state.has(code)) next.push(state.next)
    }
    const found = this.#known(positionAt(next, false, budget))
    position.after.set(code, found)
    this.#held++
    return found
  }

  /** The equal position that was reached before, if any. */
  #known(position: Position): Position {
    if (this.#held > MAX_HELD) this.#forget()
    const ids = position.reading.map(({ id }) => id).toSorted((a, b) => a - b)
    const key = `${position.isFound} ${position.isFoundAtEnd} ${ids.join()}`
    const known = this.#positions.get(key)
    if (known !== undefined) return known
    this.#positions.set(key, position)
    this.#held += 8 + position.reading.length
    return position
  }

  #forget(): void {
    this.#positions.clear()
    this.#first.after.clear()
    this.#held = 0
  }
}

const POSITION_STEPS = 20

/** The limit for cached transitions and states of one automaton; a typical pattern has a few hundred. */
const MAX_HELD = 10_000

const ANYTHING: Pattern = {
  type: 'repeat',
  item: { type: 'set', negated: true, ranges: [], categories: [] },
  min: 0,
  max: Infinity,
}

function positionAt(entries: readonly State[], isAtStart: boolean, budget: Budget): Position {
  const states = [...reachable(entries, isAtStart, false, budget)]
  const isFound = states.some(isEnd)
  const hasAnchor = states.some(({ type }) => type === 'end')
  return {
    reading: states.filter((state) => state.type === 'set'),
    isFound,
    isFoundAtEnd: isFound || (hasAnchor && reachable(entries, isAtStart, true, budget).values().some(isEnd)),
    after: new Map(),
  }
}

/** The states themselves, and those that they lead to without reading a character. */
function reachable(
  entries: readonly State[],
  isAtStart: boolean,
  isAtEnd: boolean,
  budget: Budget,
): ReadonlySet<State> {
  const reached = new Set(entries)
  for (const state of reached) {
    budget.spend(1)
    if (state.type === 'fork') reached.add(state.next).add(state.other)
    else if (state.type === 'start' && isAtStart) reached.add(state.next)
    else if (state.type === 'end' && isAtEnd) reached.add(state.next)
  }
  return reached
}

const isEnd = ({ type }: State) => type === 'found'

/** Builds the states of a pattern from end to start; returns the start. */
class Builder {
  #count = 0

  build(pattern: Pattern, next: State): State {
    switch (pattern.type) {
      case 'set':
        return { type: 'set', id: this.#count++, has: membershipIn(pattern), steps: stepsFor(pattern), next }
      case 'start':
      case 'end':
        return { type: pattern.type, next }
      case 'sequence':
        return pattern.items.reduceRight((after, item) => this.build(item, after), next)
      case 'choice':
        return pattern.branches
          .map((branch) => this.build(branch, next))
          .reduceRight((other, branch) => ({ type: 'fork', next: branch, other }))
      default:
        return this.#buildRepeat(pattern, next)
    }
  }

  #buildRepeat({ item, min, max }: Pattern & { type: 'repeat' }, next: State): State {
    let entry = next
    if (max === Infinity) {
      const loop: Fork = { type: 'fork', next, other: next }
      loop.other = this.build(item, loop)
      entry = loop
    } else {
      for (let count = min; count < max; count++) {
        entry = { type: 'fork', next, other: this.build(item, entry) }
      }
    }
    for (let count = 0; count < min; count++) entry = this.build(item, entry)
    return entry
  }
}

function membershipIn({ ranges, categories, negated }: CharacterSet): (code: number) => boolean {
  // linear: one category of characters
  const tests = categories.map((category) => new RegExp(category, 'u'))
  return (code) => {
    const isIn =
      ranges.some(([from, to]) => code >= from && code <= to) ||
      tests.some((test) => test.test(String.fromCodePoint(code)))
    return isIn !== negated
  }
}

/** The cost of testing whether a character is in a set. */
function stepsFor({ ranges, categories }: CharacterSet): number {
  return 1 + ranges.length / 4 + categories.length * 4
}
