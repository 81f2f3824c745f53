import { say } from '../../data/said.ts'
import { typeFault } from '../base/faults.ts'
import { spend } from '../base/limits.ts'
import { List } from './containers.ts'
import { areEqual } from './equality.ts'
import { floatOf, intOf } from './numbers.ts'
import { compareText } from '../text/code-points.ts'
import { typeName } from './truth.ts'
import { assertDefined } from '../base/undefined.ts'
import { Bytes, Markup, Tuple, type Value } from '../base/value.ts'

export type OrderSign = '<' | '<=' | '>' | '>='

/** Python's `<`, `<=`, `>` and `>=`. */
export function isOrdered(sign: OrderSign, a: Value, b: Value): boolean {
  if (typeof a === 'number' && typeof b === 'number') return holds(sign, a < b, a > b, a === b)
  spend(1)
  const left = intOf(a) ?? floatOf(a)
  const right = intOf(b) ?? floatOf(b)
  // eslint-disable-next-line eqeqeq
  if (left !== undefined && right !== undefined) return holds(sign, left < right, left > right, left == right)
  const order = compare(sign, a, b)
  return holds(sign, order < 0, order > 0, order === 0)
}

/** Sorts in place, stably, with Python's `<`. */
export function sortValues<T>(items: T[], keyOf: (item: T) => Value, descending = false): T[] {
  spend(items.length * Math.ceil(Math.log2(items.length + 1)))
  const keyed = items.map((item) => ({ item, key: keyOf(item) }))
  keyed.sort((a, b) => {
    if (isOrdered('<', b.key, a.key)) return descending ? -1 : 1
    return isOrdered('<', a.key, b.key) ? (descending ? 1 : -1) : 0
  })
  return keyed.map(({ item }) => item)
}

function holds(sign: OrderSign, less: boolean, greater: boolean, equal: boolean): boolean {
  if (sign === '<') return less
  if (sign === '>') return greater
  return equal || (sign === '<=' ? less : greater)
}

function compare(sign: OrderSign, a: Value, b: Value): number {
  const left = textIn(a)
  const right = textIn(b)
  if (left !== undefined && right !== undefined) {
    spend(Math.min(left.length, right.length) / 32)
    return compareText(left, right)
  }
  if (a instanceof List && b instanceof List) return compareItems(sign, a.values(), b.values())
  if (a instanceof Tuple && b instanceof Tuple) return compareItems(sign, a.items, b.items)
  if (a instanceof Bytes && b instanceof Bytes) return Buffer.compare(a.bytes, b.bytes)
  assertDefined(a, b)
  throw typeFault(say`'${sign}' not supported between instances of '${typeName(a)}' and '${typeName(b)}'`)
}

const textIn = (value: Value) =>
  typeof value === 'string' ? value : value instanceof Markup ? value.text : undefined

function compareItems(sign: OrderSign, a: readonly Value[], b: readonly Value[]): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const left = a[at] ?? null
    const right = b[at] ?? null
    if (areEqual(left, right)) continue
    const strict = sign === '<' || sign === '<=' ? '<' : '>'
    const first = isOrdered(strict, left, right)
    return first === (strict === '<') ? -1 : 1
  }
  return a.length - b.length
}
