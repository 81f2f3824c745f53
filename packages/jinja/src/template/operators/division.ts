import { say } from '../../data/said.ts'
import { typeFault } from '../base/faults.ts'
import { bigToFloat, bitLength, type Int } from '../values/numbers.ts'

/** Computes `int / int`, rounded once. */
export function divideInts(a: Int, b: Int): number {
  if (b === 0) throw typeFault(say`division by zero`)
  if (typeof a === 'number' && typeof b === 'number') return a / b
  return divideBig(BigInt(a), BigInt(b))
}

export function divideFloats(a: number, b: number): number {
  if (b === 0) throw typeFault(say`float division by zero`)
  return a / b
}

/** Python's `//` for floats, computed from the remainder, so that the two are always consistent. */
export function floorDivideFloats(a: number, b: number): number {
  if (b === 0) throw typeFault(say`float floor division by zero`)
  const [quotient] = divideWithRest(a, b)
  return quotient
}

export function floorModFloats(a: number, b: number): number {
  if (b === 0) throw typeFault(say`float modulo`)
  const [, rest] = divideWithRest(a, b)
  return rest
}

function divideWithRest(a: number, b: number): [quotient: number, rest: number] {
  let rest = a % b
  let quotient = (a - rest) / b
  if (rest === 0) rest = copySign(0, b)
  else if (b < 0 !== rest < 0) {
    rest += b
    quotient -= 1
  }
  if (quotient === 0) return [copySign(0, a / b), rest]
  const whole = Math.floor(quotient)
  return [quotient - whole > 0.5 ? whole + 1 : whole, rest]
}

const copySign = (size: number, sign: number) => (sign < 0 || Object.is(sign, -0) ? -size : size)

/** Scales so that the quotient has 66 significant bits and a sticky last one, which then rounds once. */
function divideBig(a: bigint, b: bigint): number {
  if (a === 0n) return 0
  const negative = a < 0n !== b < 0n
  const dividend = a < 0n ? -a : a
  const divisor = b < 0n ? -b : b
  const shift = BigInt(66 - (bitLength(dividend) - bitLength(divisor)))
  const scaled = shift >= 0n ? dividend << shift : dividend
  const scale = shift >= 0n ? divisor : divisor << -shift
  const quotient = (scaled / scale) | (scaled % scale === 0n ? 0n : 1n)
  const size = bigToFloat(quotient) * 2 ** -Number(shift)
  if (!Number.isFinite(size)) throw typeFault(say`integer division result too large for a float`)
  return negative ? -size : size
}
