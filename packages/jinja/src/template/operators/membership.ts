import { say } from '../../data/said.ts'
import { typeFault } from '../base/faults.ts'
import { spendText } from '../base/limits.ts'
import { Dict } from '../values/containers.ts'
import { areEqual } from '../values/equality.ts'
import { findText } from '../text/find-text.ts'
import { isIterable, iterate } from '../values/iterate.ts'
import { intOf, floatOf } from '../values/numbers.ts'
import { typeName } from '../values/truth.ts'
import { Undefined } from '../base/undefined.ts'
import { Bytes, END, Markup, type Value } from '../base/value.ts'
import { Range, View } from '../values/views.ts'

/** Python's `in`. */
export function contains(container: Value, item: Value): boolean {
  const text = textIn(container)
  if (text !== undefined) return containsText(text, item)
  if (container instanceof Dict) return container.has(item)
  if (container instanceof View && container.typeName === 'dict_keys') return container.dict.has(item)
  if (container instanceof Range) return containsNumber(container, item)
  if (container instanceof Undefined) return false
  if (!isIterable(container)) throw typeFault(say`argument of type '${typeName(container)}' is not iterable`)
  const cursor = iterate(container)
  for (let next = cursor.next(); next !== END; next = cursor.next()) if (areEqual(next, item)) return true
  return false
}

const textIn = (value: Value) =>
  typeof value === 'string' ? value : value instanceof Markup ? value.text : undefined

function containsText(text: string, item: Value): boolean {
  const part = textIn(item)
  if (part === undefined) {
    throw typeFault(say`'in <string>' requires string as left operand, not ${typeName(item)}`)
  }
  spendText(text.length)
  return findText(text, part) !== -1
}

function containsNumber(range: Range, item: Value): boolean {
  if (item instanceof Bytes) return false
  const number = Number(intOf(item) ?? floatOf(item) ?? NaN)
  const index = (number - range.start) / range.step
  return Number.isInteger(index) && index >= 0 && index < range.length
}
