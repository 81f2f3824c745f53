import { isDictionary, isList, keysOf } from '../data/value.ts'
import type { Budget } from './budget.ts'
import type { Operand } from './operators.ts'
import type { FunctionName } from './syntax.ts'

/** The signature of each function of RFC 9535 (2.4), for messages. */
export const USAGE: Readonly<Record<FunctionName, string>> = {
  length: 'length(value)',
  count: 'count(path)',
  value: 'value(path)',
  match: 'match(text, pattern)',
  search: 'search(text, pattern)',
}

export const FUNCTION_NAMES = 'length, count, value, match and search'

export function isFunctionName(name: string): name is FunctionName {
  return Object.hasOwn(USAGE, name)
}

/**
 * The number of characters in a string (code points, not UTF-16 units), items in a list or members of an object;
 * undefined for other values.
 */
export function lengthOf(value: Operand, budget: Budget): number | undefined {
  if (typeof value === 'string') return characterCount(value, budget)
  if (isList(value)) return value.length
  if (!isDictionary(value)) return undefined
  if (value instanceof Map) return value.size
  const { length } = keysOf(value)
  budget.spend(length * 4)
  return length
}

function characterCount(text: string, budget: Budget): number {
  budget.spend(text.length >> 4)
  let count = text.length
  for (let at = 1; at < text.length; at++) {
    if (isLow(text.charCodeAt(at)) && isHigh(text.charCodeAt(at - 1))) count--
  }
  return count
}

const isHigh = (unit: number) => unit >= 0xd800 && unit < 0xdc00
const isLow = (unit: number) => unit >= 0xdc00 && unit < 0xe000
