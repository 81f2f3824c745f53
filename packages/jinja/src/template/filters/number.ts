import { say } from '../../data/said.ts'
import { argumentFault, typeFault } from '../base/faults.ts'
import { Undefined } from '../base/undefined.ts'
import { Markup, type Value } from '../base/value.ts'
import { type Filter, filter } from '../calls/operation.ts'
import { fixedDigits, roundFloat } from '../format/decimal.ts'
import { needInt, needText } from '../methods/arguments.ts'
import { divide, multiply, power } from '../operators/arithmetic.ts'
import { floatOf, type Int, intOf, isFloat, makeFloat, makeInt, truncateFloat } from '../values/numbers.ts'
import { textOf } from '../values/repr.ts'
import { isTrue, typeName } from '../values/truth.ts'
import { parseFloatText, parseIntText } from './parse-number.ts'

export const NUMBER_FILTERS: readonly Filter[] = [
  filter('abs', '', 'The absolute value.', (value) => {
    const int = intOf(value)
    if (int !== undefined) return int < 0 ? (typeof int === 'number' ? -int : makeInt(-int)) : int
    const float = floatOf(value)
    if (float !== undefined) return makeFloat(Math.abs(float))
    if (value instanceof Undefined) throw value.fault()
    throw typeFault(say`bad operand type for abs(): '${typeName(value)}'`)
  }),
  filter('filesizeformat', 'binary=false', 'A size such as 4.1 MB.', (value, [binary]) =>
    fileSize(toFloat(value), isTrue(binary)),
  ),
  filter(
    'float',
    'default=0.0',
    "Converts to a float; the default if it isn't a number.",
    (value, [fallback]) => {
      if (value instanceof Undefined) throw value.fault()
      const float = floatOrNothing(value)
      return float === undefined ? fallback : float
    },
  ),
  filter(
    'int',
    'default=0, base=10',
    "Converts to an integer; the default if it isn't a number.",
    (value, [fallback, base]) => {
      if (value instanceof Undefined) throw value.fault()
      const int = intOrNothing(value, Number(needInt(base)))
      return int === undefined ? fallback : int
    },
  ),
  filter(
    'round',
    "precision=0, method='common'",
    'Rounded: common, ceil or floor.',
    (value, [precision, method]) => round(value, precision, method),
  ),
]

function floatOrNothing(value: Value): Value | undefined {
  const float = floatOf(value)
  if (float !== undefined) return makeFloat(float)
  if (typeof value !== 'string' && !(value instanceof Markup)) return undefined
  const parsed = parseFloatText(textOf(value))
  return parsed === undefined ? undefined : makeFloat(parsed)
}

function intOrNothing(value: Value, base: number): Value | undefined {
  const int = intOf(value)
  if (int !== undefined) return int
  if (typeof value === 'string' || value instanceof Markup) {
    const parsed = parseIntText(textOf(value), base)
    if (parsed !== undefined) return parsed
  }
  const float = floatOrNothing(value)
  const number = float === undefined ? undefined : floatOf(float)
  return number === undefined || !Number.isFinite(number) ? undefined : truncateFloat(number)
}

function toFloat(value: Value): number {
  const float = floatOrNothing(value)
  if (float !== undefined) return floatOf(float) ?? 0
  if (value instanceof Undefined) throw value.fault()
  if (typeof value === 'string')
    throw argumentFault(say`could not convert string to float: '${value.slice(0, 40)}'`)
  throw typeFault(say`float() argument must be a string or a real number, not '${typeName(value)}'`)
}

function round(value: Value, precision: Value, method: Value): Value {
  const name = needText('round', method)
  if (name !== 'common' && name !== 'ceil' && name !== 'floor') {
    throw argumentFault(say`method must be common, ceil or floor`)
  }
  if (value instanceof Undefined) throw value.fault()
  const digits = Number(needInt(precision))
  const float = floatOf(value)
  if (float === undefined) throw typeFault(say`type ${typeName(value)} doesn't define __round__ method`)
  if (name === 'common') {
    const int = intOf(value)
    return int === undefined ? makeFloat(roundFloat(float, digits)) : roundInt(int, digits)
  }
  const scale = power(10, digits)
  const scaled = multiply(value, scale)
  const whole = isFloat(scaled) ? wholeFloat(floatOf(scaled) ?? 0, name) : scaled
  return divide(whole, scale)
}

function wholeFloat(value: number, method: 'ceil' | 'floor'): Int {
  return truncateFloat(method === 'ceil' ? Math.ceil(value) : Math.floor(value))
}

/** Ints are rounded to tens, hundreds and so on with negative digits, half to even. */
function roundInt(value: Int, digits: number): Value {
  if (digits >= 0) return value
  if (digits < -400) return 0
  const unit = 10n ** BigInt(-digits)
  const big = BigInt(value)
  const size = big < 0n ? -big : big
  const rest = size % unit
  const down = size - rest
  const up = rest * 2n > unit || (rest * 2n === unit && (down / unit) % 2n === 1n)
  const rounded = up ? down + unit : down
  return makeInt(big < 0n ? -rounded : rounded)
}

const UNITS = ['k', 'M', 'G', 'T', 'P', 'E', 'Z', 'Y']

function fileSize(bytes: number, binary: boolean): string {
  const base = binary ? 1024 : 1000
  if (bytes === 1) return '1 Byte'
  if (bytes < base) return `${String(truncateFloat(bytes))} Bytes`
  const index = UNITS.findIndex((_, at) => bytes < base ** (at + 2))
  const at = index === -1 ? UNITS.length - 1 : index
  const unit = UNITS[at] ?? 'k'
  const shown = fixedDigits((base * bytes) / base ** (at + 2), 1)
  return `${shown} ${binary ? `${unit.toUpperCase()}iB` : `${unit}B`}`
}
