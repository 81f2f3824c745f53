import { current, limitFault, spend, spendText } from '../base/limits.ts'
import { Dict, List } from './containers.ts'
import { floatOf, intOf } from './numbers.ts'
import { Undefined } from '../base/undefined.ts'
import { Bytes, Float, Markup, Thing, Tuple, type Value } from '../base/value.ts'
import { Range } from './views.ts'

/** Python's `==`. */
export function areEqual(a: Value, b: Value, depth = 0): boolean {
  if (typeof a === 'string' && typeof b === 'string') {
    if (a.length !== b.length) return false
    spendText(a.length / 8)
    return a === b
  }
  if (a === b) return !Number.isNaN(a)
  spend(1)
  if (isNumeric(a)) return isNumeric(b) && sameNumber(a, b)
  if (!(a instanceof Thing)) return typeof a === 'string' && b instanceof Markup && a === b.text
  if (depth > current.limits.nesting) throw limitFault('nesting')
  return sameThing(a, b, depth + 1)
}

/** Python's `is`, for values without an identity in JavaScript: the same type and value. */
export function areSame(a: Value, b: Value): boolean {
  if (a instanceof Undefined) return a === b
  if (a instanceof Float || b instanceof Float) return a === b
  return a === b
}

type Numeric = number | bigint | boolean | Float

function isNumeric(value: Value): value is Numeric {
  const kind = typeof value
  return kind === 'number' || kind === 'bigint' || kind === 'boolean' || value instanceof Float
}

function sameNumber(a: Numeric, b: Numeric): boolean {
  // JavaScript compares a number and a bigint by value, without rounding either.
  // eslint-disable-next-line eqeqeq
  return amount(a) == amount(b)
}

function amount(value: Numeric): number | bigint {
  return intOf(value) ?? floatOf(value) ?? 0
}

function sameThing(a: Thing, b: Value, depth: number): boolean {
  if (a instanceof Markup) return a.text === (b instanceof Markup ? b.text : b)
  if (a instanceof List) return b instanceof List && sameItems(a.values(), b.values(), depth)
  if (a instanceof Tuple) return b instanceof Tuple && sameItems(a.items, b.items, depth)
  if (a instanceof Dict) return b instanceof Dict && sameEntries(a, b, depth)
  if (a instanceof Undefined) return b instanceof Undefined
  if (a instanceof Range) return b instanceof Range && sameRange(a, b)
  if (a instanceof Bytes && b instanceof Bytes) return Buffer.compare(a.bytes, b.bytes) === 0
  return false
}

function sameItems(a: readonly Value[], b: readonly Value[], depth: number): boolean {
  spend(a.length)
  return a.length === b.length && a.every((item, index) => areEqual(item, b[index] ?? null, depth))
}

function sameEntries(a: Dict, b: Dict, depth: number): boolean {
  if (a.size !== b.size) return false
  spendText(a.size)
  return a.pairs().every(([key, value]) => {
    const other = b.get(key)
    return other !== undefined && areEqual(value, other, depth)
  })
}

function sameRange(a: Range, b: Range): boolean {
  if (a.length !== b.length) return false
  return a.length === 0 || (a.start === b.start && (a.length === 1 || a.step === b.step))
}
