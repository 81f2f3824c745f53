import { checkTextSize } from '../base/limits.ts'
import { floatText } from '../values/repr.ts'
import { exponentDigits, fixedDigits, MAX_DIGITS } from './decimal.ts'

/** The ways to write a float; with an upper-case style, the exponent is in upper case. */
export type FloatStyle = 'e' | 'E' | 'f' | 'F' | 'g' | 'G' | '%'

/** Formats a float's absolute value, without sign and grouping. */
export function floatDigits(size: number, style: FloatStyle, precision: number, alternate = false): string {
  checkTextSize(precision)
  if (!Number.isFinite(size)) {
    const name = Number.isNaN(size) ? 'nan' : 'inf'
    const text = style === 'E' || style === 'F' || style === 'G' ? name.toUpperCase() : name
    return style === '%' ? `${text}%` : text
  }
  switch (style) {
    case 'f':
    case 'F':
      return withPoint(fixedDigits(size, precision), alternate)
    case '%':
      return `${withPoint(fixedDigits(size * 100, precision), alternate)}%`
    case 'e':
    case 'E':
      return exponentForm(size, precision, style, alternate)
    default:
      return generalForm(size, precision === 0 ? 1 : precision, style === 'G' ? 'E' : 'e', alternate)
  }
}

/** Formats a float without a style: like `repr`, or with a precision like `g`, plus a digit after the decimal point. */
export function plainFloatDigits(size: number, precision: number | undefined): string {
  if (precision === undefined || !Number.isFinite(size)) return floatText(size)
  const text = generalForm(size, precision === 0 ? 1 : precision, 'e', false, -1)
  return /[.e]/.test(text) ? text : `${text}.0`
}

/** Puts `,` or `_` between groups of digits. */
export function groupDigits(digits: string, separator: string, size = 3): string {
  const groups: string[] = []
  for (let end = digits.length; end > 0; end -= size) groups.push(digits.slice(Math.max(0, end - size), end))
  return groups.toReversed().join(separator)
}

const withPoint = (text: string, alternate: boolean) => (alternate && !text.includes('.') ? `${text}.` : text)

function exponentForm(size: number, precision: number, style: 'e' | 'E', alternate: boolean): string {
  const { digits, exponent } = exponentDigits(size, precision)
  const head = precision > 0 ? `${digits[0]}.${digits.slice(1)}` : withPoint(digits, alternate)
  return head + exponentText(exponent, style)
}

function exponentText(exponent: number, style: 'e' | 'E'): string {
  return `${style}${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
}

/** `shift` narrows the range of plain notation by one digit, as `repr`-like formatting with a precision does. */
function generalForm(
  size: number,
  precision: number,
  style: 'e' | 'E',
  alternate: boolean,
  shift = 0,
): string {
  const { digits, exponent } = exponentDigits(
    size,
    (alternate ? precision : Math.min(precision, MAX_DIGITS)) - 1,
  )
  if (exponent < -4 || exponent >= precision + shift) {
    const kept = alternate ? digits : withoutZeros(digits)
    const head = kept.length > 1 ? `${kept[0]}.${kept.slice(1)}` : withPoint(digits[0] ?? '0', alternate)
    return head + exponentText(exponent, style)
  }
  const text = fixedDigits(size, (alternate ? precision : Math.min(precision, MAX_DIGITS)) - 1 - exponent)
  return alternate ? withPoint(text, true) : text.includes('.') ? withoutZeros(text).replace(/\.$/, '') : text
}

/** The digits without trailing zeros. A regular expression like `/0+$/` would start again at each zero. */
function withoutZeros(digits: string): string {
  let end = digits.length
  while (digits[end - 1] === '0') end--
  return digits.slice(0, end)
}
