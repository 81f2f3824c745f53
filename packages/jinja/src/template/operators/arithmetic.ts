import { say } from '../../data/said.ts'
import type { BinarySign } from '../base/tree.ts'
import { typeFault } from '../base/faults.ts'
import { checkListSize, checkTextSize, current, limitFault, spend } from '../base/limits.ts'
import { formatPercent } from '../format/percent.ts'
import { List } from '../values/containers.ts'
import { escapeHtml } from '../values/markup.ts'
import { bitLength, floatOf, type Int, intOf, isFloat, makeFloat, makeInt } from '../values/numbers.ts'
import { typeName } from '../values/truth.ts'
import { assertDefined } from '../base/undefined.ts'
import { Bytes, Markup, Tuple, type Value } from '../base/value.ts'
import { divideFloats, divideInts, floorDivideFloats, floorModFloats } from './division.ts'

/** Python's arithmetic. Each function begins with the most common case: two small numbers. */
export function add(a: Value, b: Value): Value {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b
    if (isSmall(sum) ? isSmall(a) && isSmall(b) : !Number.isInteger(sum)) return sum
  }
  return addNumbers(a, b) ?? addOthers(a, b)
}

export function subtract(a: Value, b: Value): Value {
  if (typeof a === 'number' && typeof b === 'number') {
    const difference = a - b
    if (isSmall(difference) ? isSmall(a) && isSmall(b) : !Number.isInteger(difference)) return difference
  }
  return numeric(
    '-',
    a,
    b,
    (x, y) => x - y,
    (x, y) => x - y,
  )
}

export function multiply(a: Value, b: Value): Value {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b
    if (isSmall(product) ? isSmall(a) && isSmall(b) : !Number.isInteger(product)) return product + 0
  }
  const repeated = repeat(a, b) ?? repeat(b, a)
  return repeated ?? numeric('*', a, b, multiplyInts, (x, y) => x * y)
}

export function divide(a: Value, b: Value): Value {
  const left = intOf(a)
  const right = intOf(b)
  if (left !== undefined && right !== undefined) return makeFloat(divideInts(left, right))
  return makeFloat(divideFloats(...bothFloats('/', a, b)))
}

export function floorDivide(a: Value, b: Value): Value {
  const left = intOf(a)
  const right = intOf(b)
  if (left === undefined || right === undefined)
    return makeFloat(floorDivideFloats(...bothFloats('//', a, b)))
  if (right === 0) throw typeFault(say`integer division or modulo by zero`)
  if (typeof left === 'number' && typeof right === 'number') return Math.floor(left / right) + 0
  return makeInt(floorDivideBig(BigInt(left), BigInt(right)))
}

export function modulo(a: Value, b: Value): Value {
  if (typeof a === 'string') return formatPercent(a, b)
  if (a instanceof Markup) return new Markup(formatPercent(a.text, b, (value) => escapeHtml(value).text))
  const left = intOf(a)
  const right = intOf(b)
  if (left === undefined || right === undefined) return makeFloat(floorModFloats(...bothFloats('%', a, b)))
  if (right === 0) throw typeFault(say`integer modulo by zero`)
  if (typeof left === 'number' && typeof right === 'number') {
    const rest = left % right
    return (rest !== 0 && rest < 0 !== right < 0 ? rest + right : rest) + 0
  }
  const divisor = BigInt(right)
  const rest = BigInt(left) % divisor
  return makeInt(rest !== 0n && rest < 0n !== divisor < 0n ? rest + divisor : rest)
}

export function power(a: Value, b: Value): Value {
  const base = intOf(a)
  const exponent = intOf(b)
  if (base !== undefined && exponent !== undefined && exponent >= 0) return powerOfInts(base, exponent)
  const [x, y] = bothFloats('**', a, b, '** or pow()')
  if (x === 0 && y < 0) throw typeFault(say`0.0 cannot be raised to a negative power`)
  if (x < 0 && Number.isFinite(x) && !Number.isInteger(y) && Number.isFinite(y)) {
    throw typeFault(say`A negative number cannot be raised to a fractional power`)
  }
  const result = x === 1 || (x === -1 && !Number.isFinite(y)) ? 1 : x ** y
  if (!Number.isFinite(result) && Number.isFinite(x) && Number.isFinite(y)) {
    throw typeFault(say`Numerical result out of range`)
  }
  return makeFloat(result)
}

export function negate(value: Value): Value {
  const int = intOf(value)
  if (int !== undefined) return typeof int === 'number' ? 0 - int : makeInt(-int)
  const float = floatOf(value)
  if (float !== undefined) return makeFloat(-float)
  assertDefined(value)
  throw typeFault(say`bad operand type for unary -: '${typeName(value)}'`)
}

export function plus(value: Value): Value {
  const int = intOf(value)
  if (int !== undefined) return int
  if (floatOf(value) !== undefined) return value
  assertDefined(value)
  throw typeFault(say`bad operand type for unary +: '${typeName(value)}'`)
}

/** A safe integer other than minus zero, so the result for two of them is an int. */
const isSmall = (value: number) => Number.isSafeInteger(value)

type IntOperation = (a: bigint, b: bigint) => bigint
type FloatOperation = (a: number, b: number) => number

function numeric(sign: BinarySign, a: Value, b: Value, ints: IntOperation, floats: FloatOperation): Value {
  const left = intOf(a)
  const right = intOf(b)
  if (left !== undefined && right !== undefined) return makeInt(ints(BigInt(left), BigInt(right)))
  return makeFloat(floats(...bothFloats(sign, a, b)))
}

function bothFloats(sign: BinarySign, a: Value, b: Value, shown: string = sign): [number, number] {
  const left = floatOf(a)
  const right = floatOf(b)
  if (left === undefined || right === undefined) throw unsupported(shown, a, b)
  return [left, right]
}

function unsupported(sign: string, a: Value, b: Value) {
  assertDefined(a, b)
  const hint =
    sign === '+' && (isText(a) || isText(b)) ? say`To join strings and numbers, write ~ instead of +` : null
  return typeFault(say`unsupported operand type(s) for ${sign}: '${typeName(a)}' and '${typeName(b)}'`, hint)
}

const isText = (value: Value) => typeof value === 'string' || value instanceof Markup

function addNumbers(a: Value, b: Value): Value | undefined {
  const left = intOf(a)
  const right = intOf(b)
  if (left !== undefined && right !== undefined) return makeInt(BigInt(left) + BigInt(right))
  const x = floatOf(a)
  const y = floatOf(b)
  if (x === undefined || y === undefined || !(isFloat(a) || isFloat(b))) return undefined
  return makeFloat(x + y)
}

function addOthers(a: Value, b: Value): Value {
  if (isText(a) && isText(b)) return addTexts(a, b)
  if (a instanceof List && b instanceof List) return new List(joinItems(a.values(), b.values()))
  if (a instanceof Tuple && b instanceof Tuple) return new Tuple(joinItems(a.items, b.items))
  if (a instanceof Bytes && b instanceof Bytes) return new Bytes(Buffer.concat([a.bytes, b.bytes]))
  assertDefined(a, b)
  if (isText(a)) {
    throw typeFault(
      say`can only concatenate str (not "${typeName(b)}") to str`,
      say`To join strings and numbers, write ~ instead of +`,
    )
  }
  if (a instanceof List || a instanceof Tuple) {
    throw typeFault(say`can only concatenate ${a.typeName} (not "${typeName(b)}") to ${a.typeName}`)
  }
  throw unsupported('+', a, b)
}

function addTexts(a: Value, b: Value): Value {
  if (a instanceof Markup || b instanceof Markup) {
    const text = escapeHtml(a).text + escapeHtml(b).text
    checkTextSize(text.length)
    return new Markup(text)
  }
  const left = a as string
  const right = b as string
  checkTextSize(left.length + right.length)
  return left + right
}

function joinItems(a: readonly Value[], b: readonly Value[]): Value[] {
  checkListSize(a.length + b.length)
  return [...a, ...b]
}

function repeat(sequence: Value, times: Value): Value | undefined {
  if (
    !(isText(sequence) || sequence instanceof List || sequence instanceof Tuple || sequence instanceof Bytes)
  ) {
    return undefined
  }
  const count = intOf(times)
  if (count === undefined) {
    assertDefined(times)
    throw typeFault(say`can't multiply sequence by non-int of type '${typeName(times)}'`)
  }
  const factor = Math.max(0, Number(count))
  if (typeof sequence === 'string') return repeatText(sequence, factor)
  if (sequence instanceof Markup) return new Markup(repeatText(sequence.text, factor))
  if (sequence instanceof List) return new List(repeatItems(sequence.values(), factor))
  if (sequence instanceof Tuple) return new Tuple(repeatItems(sequence.items, factor))
  if (sequence instanceof Bytes) {
    return new Bytes(Uint8Array.from(repeatItems([...sequence.bytes], factor) as number[]))
  }
  return undefined
}

function repeatText(text: string, factor: number): string {
  if (text === '') return ''
  checkTextSize(text.length * factor)
  return text.repeat(factor)
}

function repeatItems(items: readonly Value[], factor: number): Value[] {
  if (items.length === 0) return []
  checkListSize(items.length * factor)
  return Array.from({ length: items.length * factor }, (_, index) => items[index % items.length] ?? null)
}

function multiplyInts(a: bigint, b: bigint): bigint {
  chargeProduct(bitLength(a), bitLength(b))
  return a * b
}

function chargeProduct(a: number, b: number): void {
  if (a + b > current.limits.integerBits + 1) throw limitFault('integerBits')
  spend((a / 64) * (b / 64) * 0.05)
}

function powerOfInts(base: Int, exponent: Int): Value {
  const bits = bitLength(BigInt(base))
  if (bits > 1) {
    const size = bits * Number(exponent)
    chargeProduct(size / 2, size / 2)
  }
  if (exponent > Number.MAX_SAFE_INTEGER)
    return BigInt(exponent) % 2n === 0n || base !== -1 ? Number(base) ** 2 : -1
  if (bits <= 1 && Number(exponent) > 1) return Number(base) ** (Number(exponent) % 2 === 0 ? 2 : 1) + 0
  return makeInt(BigInt(base) ** BigInt(exponent))
}

function floorDivideBig(a: bigint, b: bigint): bigint {
  const quotient = a / b
  return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient
}
