import { say } from '../../data/said.ts'
import { argumentFault } from '../base/faults.ts'
import { spendText } from '../base/limits.ts'
import { stripText } from '../text/split.ts'
import { type Int, makeInt } from '../values/numbers.ts'

/** Python doesn't convert longer numbers. */
const MAX_DIGITS = 4300

/** Python's `int(text, base)`; undefined if it isn't an integer. */
export function parseIntText(text: string, base: number): Int | undefined {
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
export function parseFloatText(text: string): number | undefined {
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
