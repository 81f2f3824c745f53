import { say } from '../../data/said.ts'
import { typeFault } from '../base/faults.ts'
import { current, limitFault, spend } from '../base/limits.ts'
import { Float, type Value } from '../base/value.ts'

/** An int: a `number` if it is a safe integer, or else a `bigint`. */
export type Int = number | bigint

/** The int of a value (True is 1), or undefined. */
export function intOf(value: Value): Int | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? exactInt(value) : undefined
  if (typeof value === 'bigint') return value
  if (typeof value === 'boolean') return value ? 1 : 0
  return undefined
}

export function isFloat(value: Value): boolean {
  return value instanceof Float || (typeof value === 'number' && !Number.isInteger(value))
}

export function isNumber(value: Value): boolean {
  return (
    typeof value === 'number' ||
    typeof value === 'bigint' ||
    typeof value === 'boolean' ||
    value instanceof Float
  )
}

/** The float of a number, or undefined if the value isn't a number. */
export function floatOf(value: Value): number | undefined {
  if (typeof value === 'number') return value
  if (value instanceof Float) return value.value
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value === 'bigint') return bigToFloat(value)
  return undefined
}

export function bigToFloat(value: bigint): number {
  const float = Number(value)
  if (!Number.isFinite(float)) throw typeFault(say`The integer is too large to become a float`)
  return float
}

/** A float as a value. A whole float remains a float. */
export function makeFloat(value: number): number | Float {
  return Number.isInteger(value) ? new Float(value) : value
}

/** An int as a value, in its smallest form. */
export function makeInt(value: bigint): Int {
  if (value >= MIN_SAFE && value <= MAX_SAFE) return Number(value)
  if (bitLength(value) > current.limits.integerBits) throw limitFault('integerBits')
  return value
}

/** Truncates a float to an int. */
export function truncateFloat(value: number): Int {
  if (Number.isNaN(value)) throw typeFault(say`cannot convert float NaN to integer`)
  if (!Number.isFinite(value)) throw typeFault(say`cannot convert float infinity to integer`)
  const whole = Math.trunc(value)
  return Number.isSafeInteger(whole) ? whole + 0 : makeInt(BigInt(whole))
}

/** Bits of the absolute value. */
export function bitLength(value: bigint): number {
  const hex = (value < 0n ? -value : value).toString(16)
  spend(hex.length / 64)
  return value === 0n ? 0 : hex.length * 4 - Math.clz32(parseInt(hex[0] ?? '0', 16)) + 28
}

const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER)
const MIN_SAFE = -MAX_SAFE

function exactInt(value: number): Int {
  if (Number.isSafeInteger(value)) return value === 0 ? 0 : value
  return BigInt(value)
}
