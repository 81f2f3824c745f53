import { type Said, say } from '../data/said.ts'
import { Automaton } from './automaton.ts'
import type { Budget } from './budget.ts'
import { JsonPathError } from './error.ts'
import { parseIRegexp, type Pattern, PatternError } from './i-regexp.ts'

/** The problem with a literal pattern in a path; null if it is valid. */
export function patternProblem(source: string): Said | null {
  try {
    readPattern(source)
    return null
  } catch (error) {
    if (error instanceof PatternError) return messageOf(source, error)
    throw error
  }
}

/**
 * Whether a pattern matches the whole string (`match`) or a part of it (`search`); false for a pattern that isn't an
 * I-Regexp, as in RFC 9535.
 *
 * @throws JsonPathError for an I-Regexp beyond the limits
 */
export function matchesPattern(
  text: string,
  source: string,
  extent: 'match' | 'search',
  budget: Budget,
): boolean {
  const known = automatons[extent]
  let automaton = known.get(source)
  if (automaton === undefined) {
    automaton = compile(source, extent === 'match', budget)
    if (known.size >= MAX_AUTOMATONS) known.delete(known.keys().next().value ?? '')
    known.set(source, automaton)
  }
  return automaton?.matches(text, budget) ?? false
}

/** Null if it isn't an I-Regexp. */
const automatons = {
  match: new Map<string, Automaton | null>(),
  search: new Map<string, Automaton | null>(),
}
const MAX_AUTOMATONS = 30

function compile(source: string, isWhole: boolean, budget: Budget): Automaton | null {
  budget.spend(COMPILE_STEPS + Math.min(source.length, MAX_LENGTH) * 10)
  try {
    const { pattern, size } = readPattern(source)
    budget.spend(size * 10)
    return new Automaton(pattern, isWhole, budget)
  } catch (error) {
    if (!(error instanceof PatternError)) throw error
    if (error.isLimit) throw new JsonPathError(messageOf(source, error), null)
    return null
  }
}

const COMPILE_STEPS = 200

function readPattern(source: string): { pattern: Pattern; size: number } {
  if (source.length > MAX_LENGTH) {
    throw new PatternError(say`it has ${source.length} characters; at most ${MAX_LENGTH} are allowed`, true)
  }
  const pattern = parseIRegexp(source)
  const size = sizeOf(pattern)
  if (size > MAX_SIZE)
    throw new PatternError(say`its counts add up to more than ${MAX_SIZE} characters`, true)
  return { pattern, size }
}

function messageOf(source: string, { said, isLimit }: PatternError): Said {
  const shown = source.length > 100 ? `${source.slice(0, 100)}…` : source
  return isLimit
    ? say`the pattern "${shown}" is too large: ${said}`
    : say`the pattern "${shown}" is not an I-Regexp (RFC 9485): ${said}`
}

const MAX_LENGTH = 1000
const MAX_SIZE = 2000

/** An upper bound for the number of states in the automaton, in which a part with a count is repeated. */
function sizeOf(pattern: Pattern): number {
  switch (pattern.type) {
    case 'sequence':
      return pattern.items.reduce((size, item) => size + sizeOf(item), 0)
    case 'choice':
      return pattern.branches.reduce((size, branch) => size + 1 + sizeOf(branch), 0)
    case 'repeat': {
      const { item, min, max } = pattern
      return (1 + sizeOf(item)) * Math.max(1, max === Infinity ? min + 1 : max)
    }
    default:
      return 1
  }
}
