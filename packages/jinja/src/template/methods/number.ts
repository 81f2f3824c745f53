import { say } from '../../data/said.ts'
import { operation } from '../calls/operation.ts'
import type { Operation } from '../base/operation.ts'
import { argumentFault, typeFault } from '../base/faults.ts'
import { checkListSize } from '../base/limits.ts'
import { splitFloat } from '../format/decimal.ts'
import { bitLength, floatOf, type Int, intOf, makeFloat, makeInt } from '../values/numbers.ts'
import { Bytes, type Float, Tuple, type Value } from '../base/value.ts'
import { needInt, needText } from './arguments.ts'

const big = (value: Value) => BigInt(intOf(value) ?? 0)
const absolute = (value: bigint) => (value < 0n ? -value : value)

/** Python's methods of `int` (and `bool`). */
export const INT_METHODS: readonly Operation<Int | boolean>[] = [
  operation(
    'as_integer_ratio',
    '',
    'The number as a fraction.',
    (value: Int | boolean) => new Tuple([intOf(value) ?? 0, 1]),
  ),
  operation(
    'bit_count',
    '',
    'Number of ones in its binary form.',
    (value: Int | boolean) => absolute(big(value)).toString(2).replaceAll('0', '').length,
  ),
  operation('bit_length', '', 'Number of binary digits.', (value: Int | boolean) => bitLength(big(value))),
  operation('conjugate', '', 'Itself.', (value: Int | boolean) => intOf(value) ?? 0),
  operation(
    'to_bytes',
    "length=1, byteorder='big', signed=false",
    'Its bytes.',
    (value: Int | boolean, [length, order, signed]) =>
      toBytes(big(value), Number(needInt(length)), needText('to_bytes', order), signed === true),
  ),
]

/** Python's methods of `float`. */
export const FLOAT_METHODS: readonly Operation<number | Float>[] = [
  operation('as_integer_ratio', '', 'The number as a fraction.', (value: number | Float) =>
    ratio(floatOf(value) ?? 0),
  ),
  operation('conjugate', '', 'Itself.', (value: number | Float) => value),
  operation('hex', '', 'Its exact hexadecimal form.', (value: number | Float) =>
    hexText(floatOf(value) ?? 0),
  ),
  operation('is_integer', '', 'Whether it is whole.', (value: number | Float) =>
    Number.isInteger(floatOf(value)),
  ),
]

/** Attributes of numbers that aren't methods. */
export function numberAttribute(value: Value, name: string): Value | undefined {
  const int = intOf(value)
  if (name === 'real') return int ?? value
  if (name === 'imag') return int === undefined ? makeFloat(0) : 0
  if (int === undefined) return undefined
  if (name === 'numerator') return int
  return name === 'denominator' ? 1 : undefined
}

function toBytes(value: bigint, length: number, order: string, signed: boolean): Bytes {
  if (length < 0) throw argumentFault(say`length argument must be non-negative`)
  if (order !== 'big' && order !== 'little')
    throw argumentFault(say`byteorder must be either 'little' or 'big'`)
  if (value < 0n && !signed) throw typeFault(say`can't convert negative int to unsigned`)
  checkListSize(length)
  const range = 1n << BigInt(length * 8)
  const half = range >> 1n
  if (signed ? value >= half || value < -half : value >= range) throw typeFault(say`int too big to convert`)
  const digits = (value < 0n ? value + range : value).toString(16).padStart(length * 2, '0')
  const bytes = Buffer.from(length === 0 ? '' : digits, 'hex')
  return new Bytes(order === 'big' ? bytes : bytes.toReversed())
}

function ratio(value: number): Tuple {
  if (!Number.isFinite(value)) throw typeFault(say`cannot convert Infinity or NaN to integer ratio`)
  const [mantissa, exponent] = splitFloat(Math.abs(value))
  let top = exponent > 0 ? mantissa << BigInt(exponent) : mantissa
  let bottom = exponent < 0 ? 1n << BigInt(-exponent) : 1n
  while (top !== 0n && (top & 1n) === 0n && (bottom & 1n) === 0n) {
    top >>= 1n
    bottom >>= 1n
  }
  if (top === 0n) bottom = 1n
  return new Tuple([makeInt(value < 0 ? -top : top), makeInt(bottom)])
}

function hexText(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf'
  const sign = value < 0 || Object.is(value, -0) ? '-' : ''
  if (value === 0) return `${sign}0x0.0p+0`
  const [mantissa, exponent] = splitFloat(Math.abs(value))
  const normal = mantissa >> 52n === 1n
  const fraction = (mantissa & 0xfffffffffffffn).toString(16).padStart(13, '0')
  const power = exponent + 52
  return `${sign}0x${normal ? 1 : 0}.${fraction}p${power < 0 ? '-' : '+'}${Math.abs(power)}`
}
