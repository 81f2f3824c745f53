import { spend } from '../base/limits.ts'

/**
 * Decimal digits of a float's exact binary value, rounded half to even, as in Python and C. `toFixed` rounds halves up
 * and doesn't work from 1e21.
 */
export function fixedDigits(size: number, digits: number): string {
  if (digits > MAX_DIGITS) return fixedDigits(size, MAX_DIGITS) + '0'.repeat(digits - MAX_DIGITS)
  if (size === 0) return digits > 0 ? `0.${'0'.repeat(digits)}` : '0'
  const scaled = scaleAndRound(size, digits).toString()
  if (digits <= 0) return digits === 0 || scaled === '0' ? scaled : scaled + '0'.repeat(-digits)
  const padded = scaled.padStart(digits + 1, '0')
  return `${padded.slice(0, -digits)}.${padded.slice(-digits)}`
}

/** No float has more decimal digits; all further ones are zeros. */
export const MAX_DIGITS = 1100

/** Like `fixedDigits`, but with one digit before the decimal point; returns digits and decimal exponent. */
export function exponentDigits(size: number, digits: number): { digits: string; exponent: number } {
  if (digits > MAX_DIGITS) {
    const { digits: exact, exponent } = exponentDigits(size, MAX_DIGITS)
    return { digits: exact + '0'.repeat(digits - MAX_DIGITS), exponent }
  }
  if (size === 0) return { digits: '0'.repeat(digits + 1), exponent: 0 }
  const guess = Math.floor(Math.log10(size))
  for (const exponent of [guess - 1, guess, guess + 1, guess + 2]) {
    const found = scaleAndRound(size, digits - exponent).toString()
    if (found.length === digits + 1) return { digits: found, exponent }
  }
  return { digits: '0'.repeat(digits + 1), exponent: 0 }
}

/** Python's `round(value, digits)`. */
export function roundFloat(value: number, digits: number): number {
  if (!Number.isFinite(value) || value === 0 || digits > 323) return value
  if (digits < -308) return value < 0 ? -0 : 0
  const size = Number(fixedDigits(Math.abs(value), digits))
  return value < 0 ? -size : size
}

/** `size * 10^digits` as the nearest integer, rounded half to even. */
function scaleAndRound(size: number, digits: number): bigint {
  spend(Math.abs(digits) / 16 + 20)
  const [mantissa, exponent] = split(size)
  let dividend = mantissa
  let divisor = 1n
  if (exponent > 0) dividend <<= BigInt(exponent)
  else divisor <<= BigInt(-exponent)
  if (digits > 0) dividend *= 10n ** BigInt(digits)
  else divisor *= 10n ** BigInt(-digits)
  return roundHalfEven(dividend, divisor)
}

/** The quotient of two positive integers, rounded half to even. */
export function roundHalfEven(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor
  const twice = (dividend % divisor) * 2n
  if (twice < divisor) return quotient
  if (twice > divisor) return quotient + 1n
  return quotient + (quotient & 1n)
}

/** A float as mantissa times a power of two. */
function split(size: number): [mantissa: bigint, exponent: number] {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, size)
  const bits = view.getBigUint64(0)
  const exponent = Number((bits >> 52n) & 0x7ffn)
  const fraction = bits & 0xfffffffffffffn
  return exponent === 0 ? [fraction, -1074] : [fraction | 0x10000000000000n, exponent - 1075]
}

export { split as splitFloat }
