import { say } from '../../data/said.ts'
import { argumentFault } from '../base/faults.ts'
import { intOf } from '../values/numbers.ts'
import { typeName } from '../values/truth.ts'
import { Undefined } from '../base/undefined.ts'
import { Markup, type Value } from '../base/value.ts'

/** A string argument of a method. */
export function needText(name: string, value: Value, position?: number): string {
  if (typeof value === 'string') return value
  if (value instanceof Markup) return value.text
  if (position !== undefined) {
    throw argumentFault(say`${name}() argument ${position} must be str, not ${typeName(value)}`)
  }
  throw argumentFault(say`${name}: must be str, not ${typeName(value)}`)
}

export function needInt(value: Value): number | bigint {
  const int = intOf(value)
  if (int !== undefined) return int
  if (value instanceof Undefined) throw value.fault()
  throw argumentFault(say`'${typeName(value)}' object cannot be interpreted as an integer`)
}
