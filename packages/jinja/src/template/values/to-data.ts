import { type Data, dictionaryOf } from '../../data/value.ts'
import { current, limitFault, spend } from '../base/limits.ts'
import { Dict, List } from './containers.ts'
import { valuesOf } from './iterate.ts'
import { textOf } from './repr.ts'
import { Undefined } from '../base/undefined.ts'
import { Float, Iter, Markup, Thing, Tuple, type Value } from '../base/value.ts'
import { Range, View } from './views.ts'

/**
 * Converts a value to data for use outside the template: undefined becomes null, tuples and iterators become lists,
 * keys become strings.
 */
export function toData(value: Value, depth = 0): Data {
  spend(1)
  if (!(value instanceof Thing) || value instanceof Float) return value
  if (depth > current.limits.nesting) throw limitFault('nesting')
  if (value instanceof Undefined) return null
  const given =
    value instanceof List || value instanceof Dict ? value.given(current.limits.nesting - depth) : null
  if (given !== null) return given
  if (value instanceof Markup) return value.text
  if (value instanceof Dict)
    return dictionaryOf(value.pairs().map(([key, item]) => [textOf(key), toData(item, depth + 1)]))
  if (
    value instanceof List ||
    value instanceof Tuple ||
    value instanceof Iter ||
    value instanceof Range ||
    value instanceof View
  ) {
    return valuesOf(value).map((item) => toData(item, depth + 1))
  }
  return textOf(value)
}
