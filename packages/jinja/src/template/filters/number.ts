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
import { spendText } from '../base/limits.ts'
import { stripText } from '../text/split.ts'

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
    "Converts to a float, or returns the default if it isn't a number.",
    (value, [fallback]) => {
      if (value instanceof Undefined) throw value.fault()
      const float = floatOrNothing(value)
      return float === undefined ? fallback : float
    },
  ),
  filter(
    'int',
    'default=0, base=10',
    "Converts to an integer, or returns the default if it isn't a number.",
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

/** Python doesn't convert longer numbers. */
const MAX_DIGITS = 4300

/** Python's `int(text, base)`; undefined if it isn't an integer. */
function parseIntText(text: string, base: number): Int | undefined {
  if (base !== 0 && (base < 2 || base > 36)) throw argumentFault(say`int() base must be >= 2 and <= 36, or 0`)
  const stripped = asciiDigits(stripText(text, undefined, 'both'))
  // linear: anchored, and only the optional underscore can be read in two ways
  const [, sign, prefix = '', body = ''] =
    /^([+-]?)(0[bBoOxX](?=_?[\da-zA-Z]))?_?([\da-zA-Z_]*)$/.exec(stripped) ?? []
  const radix = prefix === '' ? undefined : PREFIXES[prefix.toLowerCase()]
  const usesPrefix = radix !== undefined && (base === radix || base === 0)
  const digits = usesPrefix ? body : /^[+-]?(.*)$/s.exec(stripped)?.[1]
  if (sign === undefined || digits === undefined) return undefined
  const effective = usesPrefix ? radix : base === 0 ? 10 : base
  if (base === 0 && !usesPrefix && /^0\d*[1-9]/.test(digits)) return undefined
  return parseDigits(digits, effective, sign === '-')
}

/** Python's `float(text)`; undefined if it isn't a number. */
function parseFloatText(text: string): number | undefined {
  spendText(text.length)
  const stripped = asciiDigits(stripText(text, undefined, 'both'))
  const special = /^([+-]?)(inf|infinity|nan)$/i.exec(stripped)
  if (special !== null) {
    if (special[2]?.toLowerCase() === 'nan') return NaN
    return special[1] === '-' ? -Infinity : Infinity
  }
  // Underscores are only allowed between two digits.
  if (/(?:^|\D)_|_(?:\D|$)/.test(stripped)) return undefined
  const plain = stripped.replaceAll('_', '')
  return /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(plain) ? Number(plain) : undefined
}

const PREFIXES: Readonly<Record<string, number>> = { '0b': 2, '0o': 8, '0x': 16 }

function parseDigits(digits: string, base: number, negative: boolean): Int | undefined {
  if (!/^[\da-zA-Z]+(?:_[\da-zA-Z]+)*$/.test(digits)) return undefined
  const plain = digits.replaceAll('_', '')
  spendText(plain.length)
  if ([...plain].some((digit) => parseInt(digit, 36) >= base)) return undefined
  const powerOfTwo = (base & (base - 1)) === 0
  if (plain.length > MAX_DIGITS && !powerOfTwo) return undefined
  const value = base === 10 ? BigInt(plain) : bigOf(plain, base)
  return makeInt(negative ? -value : value)
}

function bigOf(digits: string, base: number): bigint {
  const native = base === 16 ? '0x' : base === 8 ? '0o' : base === 2 ? '0b' : null
  if (native !== null) return BigInt(native + digits)
  let value = 0n
  for (const digit of digits) value = value * BigInt(base) + BigInt(parseInt(digit, 36))
  return value
}

/** Digits of any script count as digits. */
function asciiDigits(text: string): string {
  if (/^[^\u0080-\uffff]*$/.test(text)) return text
  return text.replace(/\p{Nd}/gu, (digit) => String(digitValue(digit)))
}

/** In Unicode, the digits of a script are in blocks of ten. */
function digitValue(digit: string): number {
  const code = digit.codePointAt(0) ?? 0
  for (let value = 0; value < 10; value++)
    if (!/\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) return value % 10
  return (code - 0x30) % 10
}
