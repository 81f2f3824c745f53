import { say } from '../../data/said.ts'
import { typeFault } from '../base/faults.ts'
import { Dict, List } from './containers.ts'
import { pointLength } from '../text/code-points.ts'
import { Undefined } from '../base/undefined.ts'
import { Bytes, Float, Markup, Thing, Tuple, type Value } from '../base/value.ts'
import { Range, View } from './views.ts'

/** Python's `bool()`. */
export function isTrue(value: Value): boolean {
  if (typeof value === 'boolean') return value
  if (typeof value === 'string') return value !== ''
  if (typeof value === 'number') return value !== 0
  if (value === null) return false
  if (typeof value === 'bigint') return true
  if (value instanceof Float) return value.value !== 0
  if (value instanceof Markup) return value.text !== ''
  const size = sizeOf(value)
  return size === undefined || size > 0
}

/** Python's `len()`, or undefined if a value has none. */
export function sizeOf(value: Value): number | undefined {
  if (typeof value === 'string') return pointLength(value)
  if (value instanceof List) return value.length
  if (value instanceof Dict) return value.size
  if (value instanceof Tuple) return value.items.length
  if (value instanceof Range) return value.length
  if (value instanceof View) return value.dict.size
  if (value instanceof Markup) return pointLength(value.text)
  if (value instanceof Bytes) return value.bytes.length
  if (value instanceof Undefined) return 0
  return value instanceof Sized ? value.size() : undefined
}

export function lengthOf(value: Value): number {
  const size = sizeOf(value)
  if (size === undefined) throw typeFault(say`object of type '${typeName(value)}' has no len()`)
  return size
}

/** A value of the language that counts its items itself. */
export abstract class Sized extends Thing {
  abstract size(): number
}

/** Python's name of a value's type. */
export function typeName(value: Value): string {
  if (value === null) return 'NoneType'
  if (typeof value === 'string') return 'str'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'bigint') return 'int'
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float'
  return value instanceof Float ? 'float' : value.typeName
}
