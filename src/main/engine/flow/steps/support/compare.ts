import type { StepConfig } from '../../../../../shared/contract/step-types/index.ts'
import { type Data, equalData, Float, writeJson } from '@millrace/jinja/data'

export type Comparison = NonNullable<StepConfig<'condition'>['comparison']>

/**
 * Compares `a` with `b`. Strings from a query, a form or XML count as the numbers they spell.
 *
 * @returns null if the two can't be compared this way
 */
export function compare(a: Data, comparison: Comparison, b: Data): boolean | null {
  return COMPARISONS[comparison](a, b)
}

type Compare = (a: Data, b: Data) => boolean | null

const COMPARISONS: { readonly [C in Comparison]: Compare } = {
  equal: isEqual,
  greater: (a, b) => ordered(a, b, (order) => order > 0),
  greater_equal: (a, b) => ordered(a, b, (order) => order >= 0),
  smaller: (a, b) => ordered(a, b, (order) => order < 0),
  string_is: (a, b) => textBeside(a, b) === textBeside(b, a),
  string_begins: (a, b) => textBeside(a, b).startsWith(textBeside(b, a)),
  string_ends: (a, b) => textBeside(a, b).endsWith(textBeside(b, a)),
  string_includes: (a, b) => textBeside(a, b).includes(textBeside(b, a)),
}

function isEqual(a: Data, b: Data): boolean {
  if (equalData(a, b)) return true
  const [left, right] = [numberIn(a), numberIn(b)]
  // oxlint-disable-next-line eqeqeq -- exact between number and bigint
  return left !== null && right !== null && left == right
}

/**
 * Numbers are compared by value. Strings that aren't both numbers are compared by their characters, which puts ISO
 * dates in order.
 */
function ordered(a: Data, b: Data, holds: (order: number) => boolean): boolean | null {
  const [left, right] = [numberIn(a), numberIn(b)]
  if (left !== null && right !== null) return holds(left < right ? -1 : left > right ? 1 : 0)
  if (typeof a === 'string' && typeof b === 'string') return holds(a < b ? -1 : a > b ? 1 : 0)
  return null
}

/** A number, or the number that a string spells; null for anything else. */
export function numberIn(value: Data): number | bigint | null {
  if (typeof value === 'number' || typeof value === 'bigint') return value
  if (value instanceof Float) return value.value
  if (typeof value !== 'string' || !NUMBER_TEXT.test(value)) return null
  const number = Number(value)
  return Number.isInteger(number) && !Number.isSafeInteger(number) && /^\s*-?\d+\s*$/.test(value)
    ? BigInt(value)
    : number
}

/** Templates print `True` for JSON's `true`, so a string is compared with a boolean without regard to case. */
function textBeside(value: Data, other: Data): string {
  const text = textOf(value)
  return typeof value === 'boolean' || typeof other === 'boolean' ? text.toLowerCase() : text
}

function textOf(value: Data): string {
  if (typeof value === 'string') return value
  if (value === null) return ''
  return writeJson(value)
}

// linear: anchored, and each part begins with another character
const NUMBER_TEXT = /^\s*[+-]?(\d{1,400}(\.\d{0,400})?|\.\d{1,400})([eE][+-]?\d{1,4})?\s*$/

/**
 * Negative if `a` comes first. The order is numbers and strings that spell one, other strings, everything else, and
 * finally null and the empty string.
 */
export function orderOf(a: Data, b: Data): number {
  const [left, right] = [rankOf(a), rankOf(b)]
  if (left !== right) return left - right
  if (left === NUMBER) return sign(numberIn(a) ?? 0, numberIn(b) ?? 0)
  if (left === EMPTY) return 0
  return sign(textOf(a), textOf(b))
}

/** Whether a value is null or an empty string, which can't be sorted by. */
export function isEmpty(value: Data): boolean {
  return value === null || value === ''
}

const NUMBER = 0
const TEXT = 1
const OTHER = 2
const EMPTY = 3

function rankOf(value: Data): number {
  if (isEmpty(value)) return EMPTY
  if (numberIn(value) !== null) return NUMBER
  return typeof value === 'string' ? TEXT : OTHER
}

function sign<T extends string | number | bigint>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0
}
