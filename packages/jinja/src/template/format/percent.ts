import { say } from '../../data/said.ts'
import { argumentFault, typeFault } from '../base/faults.ts'
import { checkTextSize, spend } from '../base/limits.ts'
import { Dict } from '../values/containers.ts'
import { floatOf, type Int, intOf, truncateFloat } from '../values/numbers.ts'
import { Points, pointLength } from '../text/code-points.ts'
import { repr, textOf } from '../values/repr.ts'
import { typeName } from '../values/truth.ts'
import { assertDefined } from '../base/undefined.ts'
import { Bytes, Float, Markup, Thing, Tuple, type Value } from '../base/value.ts'
import { floatDigits, type FloatStyle } from './number-text.ts'

/** Python's `'…' % values`. `escape` is applied to the values inserted into HTML. */
export function formatPercent(template: string, values: Value, escape?: (value: Value) => string): string {
  const source = new Values(values)
  let text = ''
  let from = 0
  for (let at = template.indexOf('%'); at !== -1; at = template.indexOf('%', from)) {
    text += template.slice(from, at)
    CONVERSION.lastIndex = at + 1
    const match = CONVERSION.exec(template)
    if (match === null) throw argumentFault(say`incomplete format`)
    from = CONVERSION.lastIndex
    text += convert(match, source, escape)
    checkTextSize(text.length)
  }
  source.assertUsedUp()
  return text + template.slice(from)
}

// linear: sticky, and the last part matches any character
const CONVERSION = /(?:\(([^)]*)\))?([#0\- +]*)(\*|\d+)?(?:\.(\*|\d+)?)?[hlL]?(.)/suy

function convert(match: RegExpExecArray, values: Values, escape?: (value: Value) => string): string {
  spend(2)
  const [whole, name, flags = '', width, precision, type = ''] = match
  if (type === '%') return '%'
  const named = name === undefined ? undefined : values.named(name)
  const size = width === '*' ? Number(intOf(values.next()) ?? 0) : Number(width ?? 0)
  const exact = precision === '*' ? Number(intOf(values.next()) ?? 0) : Number(precision ?? 0)
  const hasPrecision = whole.includes('.')
  checkTextSize(Math.abs(size))
  checkTextSize(exact)
  if (!'diouxXeEfFgGcrsa'.includes(type)) {
    throw argumentFault(
      say`unsupported format character '${type}' (0x${(type.codePointAt(0) ?? 0).toString(16)})`,
    )
  }
  const value = named === undefined ? values.next() : named
  const left = flags.includes('-') || size < 0
  const [lead, body] = write(value, type, flags, hasPrecision ? exact : undefined, escape)
  const missing = Math.abs(size) - pointLength(lead) - pointLength(body)
  if (missing <= 0) return lead + body
  if (left) return lead + body + ' '.repeat(missing)
  return flags.includes('0') && !'crsa'.includes(type)
    ? lead + '0'.repeat(missing) + body
    : ' '.repeat(missing) + lead + body
}

type Written = readonly [lead: string, body: string]

function write(
  value: Value,
  type: string,
  flags: string,
  precision: number | undefined,
  escape?: (value: Value) => string,
): Written {
  if ('rsa'.includes(type)) {
    const text =
      type === 's' ? (escape ?? textOf)(value) : type === 'a' ? asciiOnly(repr(value)) : repr(value)
    return ['', precision === undefined ? text : new Points(text).slice(0, precision)]
  }
  if (type === 'c') return ['', character(value)]
  if ('diuoxX'.includes(type)) return writeInt(intFor(value, type), type, flags, precision)
  const float = floatOf(value)
  if (float === undefined) {
    assertDefined(value)
    throw typeFault(say`must be real number, not ${typeName(value)}`)
  }
  const digits = floatDigits(Math.abs(float), type as FloatStyle, precision ?? 6, flags.includes('#'))
  return [signOf(float < 0 || Object.is(float, -0), flags), digits]
}

/** Python's `ascii()` for a string that is already quoted. */
function asciiOnly(text: string): string {
  return text.replace(/[\u0080-\u{10ffff}]/gu, (character) => {
    const hex = (character.codePointAt(0) ?? 0).toString(16)
    return hex.length <= 2
      ? `\\x${hex}`
      : hex.length <= 4
        ? `\\u${hex.padStart(4, '0')}`
        : `\\U${hex.padStart(8, '0')}`
  })
}

function writeInt(int: Int, type: string, flags: string, precision: number | undefined): Written {
  const base = type === 'o' ? 8 : type === 'x' || type === 'X' ? 16 : 10
  const big = BigInt(int)
  const plain = (big < 0n ? -big : big).toString(base)
  const digits = (type === 'X' ? plain.toUpperCase() : plain).padStart(precision ?? 0, '0')
  const prefix = !flags.includes('#') || base === 10 ? '' : base === 8 ? '0o' : `0${type}`
  return [signOf(big < 0n, flags) + prefix, digits]
}

function signOf(negative: boolean, flags: string): string {
  if (negative) return '-'
  return flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : ''
}

function intFor(value: Value, type: string): Int {
  const int = intOf(value)
  if (int !== undefined) return int
  const isFloat = typeof value === 'number' || value instanceof Float
  if (isFloat && 'diu'.includes(type)) return truncateFloat(floatOf(value) ?? 0)
  assertDefined(value)
  const wanted = 'diu'.includes(type) ? say`a real number` : say`an integer`
  throw typeFault(say`%${type} format: ${wanted} is required, not ${typeName(value)}`)
}

function character(value: Value): string {
  const code = intOf(value)
  if (code !== undefined) {
    if (code < 0 || code > 0x10ffff) throw typeFault(say`%c arg not in range(0x110000)`)
    return String.fromCodePoint(Number(code))
  }
  if (typeof value === 'string' && pointLength(value) === 1) return value
  throw typeFault(say`%c requires int or char`)
}

/** The values to the right of `%`: a tuple by position, a dictionary by name, anything else once. */
class Values {
  private used = 0
  private readonly value: Value
  private readonly items: readonly Value[]

  constructor(value: Value) {
    this.value = value
    this.items = value instanceof Tuple ? value.items : [value]
  }

  next(): Value {
    const item = this.items[this.used]
    if (item === undefined) throw argumentFault(say`not enough arguments for format string`)
    this.used++
    return item
  }

  named(name: string): Value {
    if (!(this.value instanceof Dict)) throw argumentFault(say`format requires a mapping`)
    this.used = this.items.length
    const item = this.value.getText(name)
    if (item === undefined) throw argumentFault(say`'${name}'`, say`The format has no value "${name}"`)
    return item
  }

  assertUsedUp(): void {
    const single = !(this.value instanceof Tuple)
    const scalar = !(this.value instanceof Thing) || this.value instanceof Markup
    if (single && !scalar && !(this.value instanceof Bytes)) return
    if (this.used < this.items.length)
      throw argumentFault(say`not all arguments converted during string formatting`)
  }
}
