import { say } from '../../data/said.ts'
import { getItem } from '../methods/attributes.ts'
import { typeFault } from '../base/faults.ts'
import { spendText } from '../base/limits.ts'
import { typeName } from '../values/truth.ts'
import { Undefined } from '../base/undefined.ts'
import { Markup, type Value } from '../base/value.ts'

/** Reads the value of a path such as `attribute='a.b.0'` from an item. */
export type ReadItem = (item: Value) => Value

/** Creates the reader of a dotted attribute; null reads the item itself. */
export function attributeReader(attribute: Value, fallback: Value = null): ReadItem {
  const parts = attributeParts(attribute)
  if (parts.length === 0) return (item) => item
  return (item) => {
    let value = item
    for (const part of parts) {
      value = getItem(value, part)
      if (fallback !== null && value instanceof Undefined) value = fallback
    }
    return value
  }
}

/** Creates the readers of `'a,b.c'`. */
export function attributeReaders(attribute: Value): ReadItem[] {
  if (typeof attribute !== 'string') return [attributeReader(attribute)]
  return attribute.split(',').map((part) => attributeReader(part))
}

/** Strings compare case-insensitively by default. */
export function ignoreCase(value: Value): Value {
  const text = value instanceof Markup ? value.text : value
  if (typeof text !== 'string') return value
  spendText(text.length)
  return text.toLowerCase()
}

function attributeParts(attribute: Value): Value[] {
  if (attribute === null) return []
  if (attribute instanceof Undefined) throw attribute.fault()
  if (typeof attribute !== 'string') {
    if (typeof attribute === 'object')
      throw typeFault(say`An attribute is a name, not ${typeName(attribute)}`)
    return [attribute]
  }
  return attribute.split('.').map((part) => (/^\p{Nd}+$/u.test(part) ? Number(part) : part))
}
