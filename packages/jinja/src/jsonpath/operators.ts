import { type Data, Float, getKey, isDictionary, isList, keysOf } from '../data/value.ts'
import type { Budget } from './budget.ts'
import type { Operator } from './syntax.ts'

/** An operand of a filter: a value, or undefined if it is absent. */
export type Operand = Data | undefined

/** As in jq, only null and false are false; 0 and "" are true, because a record with the id 0 is a record. */
export function isTrue(value: Operand): boolean {
  return value !== undefined && value !== null && value !== false
}

/** `&&` and `||` are handled by the caller, which need not evaluate their right side. */
export function applyOperator(
  operator: Exclude<Operator, '&&' | '||'>,
  left: Operand,
  right: Operand,
  budget: Budget,
): Operand {
  switch (operator) {
    case '==':
      return areAlike(left, right, budget)
    case '!=':
      return !areAlike(left, right, budget)
    case '===':
      return areEqual(left, right, budget)
    case '!==':
      return !areEqual(left, right, budget)
    case '<':
      return isLess(left, right, budget)
    case '>':
      return isLess(right, left, budget)
    case '<=':
      return isLess(left, right, budget) || areEqual(left, right, budget)
    case '>=':
      return isLess(right, left, budget) || areEqual(left, right, budget)
    default:
      return calculate(operator, left, right, budget)
  }
}

export function negate(value: Operand): Operand {
  const amount = amountOf(value)
  return amount === undefined ? undefined : -amount
}

/** An absent value equals null, so `@.deleted_at == null` also finds records without the member. */
function areAlike(left: Operand, right: Operand, budget: Budget): boolean {
  return areEqual(left ?? null, right ?? null, budget)
}

function areEqual(left: Operand, right: Operand, budget: Budget): boolean {
  if (typeof left === 'string' && typeof right === 'string') {
    if (left.length !== right.length) return false
    budget.spend(left.length >> 6)
    return left === right
  }
  if (left === right) return true
  const amount = amountOf(left)
  if (amount !== undefined) {
    const other = amountOf(right)
    // oxlint-disable-next-line eqeqeq -- exact between number and bigint
    return other !== undefined && amount == other
  }
  if (isList(left)) {
    if (!isList(right) || left.length !== right.length) return false
    budget.spend(left.length)
    return left.every((item, index) => areEqual(item, right[index], budget))
  }
  if (!isDictionary(left) || !isDictionary(right)) return false
  const keys = keysOf(left)
  budget.spend(keys.length)
  return (
    keys.length === keysOf(right).length &&
    keys.every((key) => areEqual(getKey(left, key), getKey(right, key), budget))
  )
}

/** Numbers are compared with numbers, and strings with strings by code points; nothing else has an order. */
function isLess(left: Operand, right: Operand, budget: Budget): boolean {
  if (typeof left === 'string' && typeof right === 'string') {
    budget.spend(Math.min(left.length, right.length) >> 5)
    return comesBefore(left, right)
  }
  const amount = amountOf(left)
  const other = amountOf(right)
  return amount !== undefined && other !== undefined && amount < other
}

/**
 * JavaScript compares UTF-16 units, which sorts characters beyond U+FFFF before those from U+E000 on; for strings
 * without such characters the built-in comparison is right.
 */
function comesBefore(left: string, right: string): boolean {
  if (!SURROGATE.test(left) && !SURROGATE.test(right)) return left < right
  const length = Math.min(left.length, right.length)
  let at = 0
  while (at < length && left.charCodeAt(at) === right.charCodeAt(at)) at++
  if (at === length) return left.length < right.length
  const a = left.charCodeAt(at)
  const b = right.charCodeAt(at)
  return isSurrogate(a) === isSurrogate(b) ? a < b : isSurrogate(b)
}

const SURROGATE = /[\ud800-\udfff]/

function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdfff
}

type Sign = '+' | '-' | '*' | '/' | '%'

/** Undefined if an operand isn't a number, so that a comparison is simply false. */
function calculate(operator: Sign, left: Operand, right: Operand, budget: Budget): Operand {
  if (operator === '+' && typeof left === 'string' && typeof right === 'string') {
    const length = left.length + right.length
    budget.spend(length >> 4)
    return length > MAX_TEXT ? undefined : left + right
  }
  const a = amountOf(left)
  const b = amountOf(right)
  if (a === undefined || b === undefined) return undefined
  if (typeof a === 'number' && typeof b === 'number') {
    const result = calculateRoughly(operator, a, b)
    if (Math.abs(result) <= Number.MAX_SAFE_INTEGER) return result
  }
  const exact = operator === '/' ? undefined : calculateExactly(operator, a, b, budget)
  return exact ?? finite(calculateRoughly(operator, Number(a), Number(b)))
}

/** Integers keep their digits, up to a size that keeps every operation cheap. */
function calculateExactly(
  operator: '+' | '-' | '*' | '%',
  left: number | bigint,
  right: number | bigint,
  budget: Budget,
): bigint | undefined {
  if (!isSmallInteger(left) || !isSmallInteger(right)) return undefined
  budget.spend(4)
  const a = BigInt(left)
  const b = BigInt(right)
  if (operator === '%') return b === 0n ? undefined : a % b
  if (operator === '*') return a * b
  return operator === '+' ? a + b : a - b
}

function isSmallInteger(value: number | bigint): boolean {
  return typeof value === 'bigint' ? value < LARGE && value > -LARGE : Number.isSafeInteger(value)
}

const LARGE = 2n ** 512n

function calculateRoughly(operator: Sign, a: number, b: number): number {
  switch (operator) {
    case '+':
      return a + b
    case '-':
      return a - b
    case '*':
      return a * b
    case '/':
      return a / b
    default:
      return a % b
  }
}

/** No filter needs a longer string, and repeated concatenation would exceed the maximum length of a string. */
const MAX_TEXT = 1_000_000

function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined
}

function amountOf(value: Operand): number | bigint | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return value
  return value instanceof Float ? value.value : undefined
}
