import { say } from '../../data/said.ts'
import { argumentFault, typeFault } from '../base/faults.ts'
import { checkTextSize } from '../base/limits.ts'
import { type Int, intOf, floatOf } from '../values/numbers.ts'
import { Points, pointLength } from '../text/code-points.ts'
import { textOf } from '../values/repr.ts'
import { typeName } from '../values/truth.ts'
import { Markup, type Value } from '../base/value.ts'
import { floatDigits, type FloatStyle, groupDigits, plainFloatDigits } from './number-text.ts'

/** Python's `format(value, spec)`. */
export function formatValue(value: Value, source: string): string {
  if (source === '') return textOf(value)
  if (typeof value === 'string' || value instanceof Markup)
    return formatText(textOf(value), parseSpec(source))
  const int = intOf(value)
  if (int !== undefined)
    return typeof value === 'boolean' && source === 's' ? 'True' : formatInt(int, parseSpec(source))
  const float = floatOf(value)
  if (float !== undefined) return formatFloat(float, parseSpec(source))
  throw typeFault(say`unsupported format string passed to ${typeName(value)}.__format__`)
}

interface Spec {
  readonly fill: string
  readonly align: '<' | '>' | '=' | '^' | ''
  readonly sign: '+' | '-' | ' ' | ''
  /** Set by `z`: a float that rounds to zero loses its minus sign. */
  readonly unsignedZero: boolean
  readonly alternate: boolean
  readonly zero: boolean
  readonly width: number
  readonly grouping: ',' | '_' | ''
  readonly precision: number | undefined
  readonly type: string
}

const SPEC = /^(?:(.)?([<>=^]))?([+\- ])?(z)?(#)?(0)?(\d+)?([,_])?(?:\.(\d+))?(.)?$/su

function parseSpec(source: string): Spec {
  const match = SPEC.exec(source)
  if (match === null) throw argumentFault(say`Invalid format specifier '${source}'`)
  const [, fill, align, sign, unsignedZero, alternate, zero, width, grouping, precision, type] = match
  const size = Number(width ?? 0)
  checkTextSize(size)
  return {
    fill: fill ?? (zero === undefined ? ' ' : '0'),
    align: (align ?? (zero === undefined ? '' : '=')) as Spec['align'],
    sign: (sign ?? '') as Spec['sign'],
    unsignedZero: unsignedZero !== undefined,
    alternate: alternate !== undefined,
    zero: zero !== undefined,
    width: size,
    grouping: (grouping ?? '') as Spec['grouping'],
    precision: precision === undefined ? undefined : Number(precision),
    type: type ?? '',
  }
}

function formatText(text: string, spec: Spec): string {
  if (spec.type !== '' && spec.type !== 's') throw unknownCode(spec.type, 'str')
  if (spec.unsignedZero)
    throw argumentFault(say`Negative zero coercion (z) not allowed in string format specifier`)
  if (spec.grouping !== '') throw argumentFault(say`Cannot specify '${spec.grouping}' with 's'.`)
  if (spec.sign !== '') throw argumentFault(say`Sign not allowed in string format specifier`)
  if (spec.align === '=' && !spec.zero) {
    throw argumentFault(say`'=' alignment not allowed in string format specifier`)
  }
  const shown = spec.precision === undefined ? text : new Points(text).slice(0, spec.precision)
  return pad('', shown, { ...spec, align: spec.align === '=' || spec.align === '' ? '<' : spec.align })
}

const FLOAT_TYPES = 'eEfFgG%'
const INT_BASES: Readonly<Record<string, readonly [base: number, prefix: string]>> = {
  b: [2, '0b'],
  o: [8, '0o'],
  x: [16, '0x'],
  X: [16, '0X'],
}

function formatInt(value: Int, spec: Spec): string {
  if (FLOAT_TYPES.includes(spec.type) && spec.type !== '') return formatFloat(Number(value), spec)
  if (spec.unsignedZero)
    throw argumentFault(say`Negative zero coercion (z) not allowed in integer format specifier`)
  if (spec.precision !== undefined)
    throw argumentFault(say`Precision not allowed in integer format specifier`)
  if (spec.type === 'c')
    return pad('', String.fromCodePoint(Number(value)), { ...spec, align: spec.align || '<' })
  const [base, prefix] = INT_BASES[spec.type] ?? [10, '']
  if (base === 10 && !['', 'd', 'n'].includes(spec.type)) throw unknownCode(spec.type, 'int')
  if (base !== 10 && spec.grouping === ',') throw argumentFault(say`Cannot specify ',' with '${spec.type}'.`)
  const negative = value < 0
  const size = BigInt(value) < 0n ? -BigInt(value) : BigInt(value)
  const plain = size.toString(base)
  const digits = spec.type === 'X' ? plain.toUpperCase() : plain
  const lead = signOf(negative, spec) + (spec.alternate ? prefix : '')
  return padNumber(lead, digits, '', spec, base === 10 ? 3 : 4)
}

function formatFloat(value: number, spec: Spec): string {
  if (spec.type !== '' && spec.type !== 'n' && !FLOAT_TYPES.includes(spec.type)) {
    throw unknownCode(spec.type, 'float')
  }
  const size = Math.abs(value)
  const text =
    spec.type === ''
      ? plainFloatDigits(size, spec.precision)
      : floatDigits(
          size,
          (spec.type === 'n' ? 'g' : spec.type) as FloatStyle,
          spec.precision ?? 6,
          spec.alternate,
        )
  const [, digits = '', rest = ''] = /^(\d*)(.*)$/s.exec(text) ?? []
  const negative = (value < 0 || Object.is(value, -0)) && !(spec.unsignedZero && /^[0.]*(?:e|%|$)/.test(text))
  return padNumber(signOf(negative, spec), digits, rest, spec, 3)
}

function signOf(negative: boolean, spec: Spec): string {
  if (negative) return '-'
  return spec.sign === '+' || spec.sign === ' ' ? spec.sign : ''
}

/** Zeros that pad to the width are grouped like the other digits. */
function padNumber(lead: string, digits: string, rest: string, spec: Spec, groupSize: number): string {
  const grouped = spec.grouping === '' ? digits : groupDigits(digits, spec.grouping, groupSize)
  if (spec.grouping !== '' && spec.align === '=' && spec.fill === '0') {
    let padded = digits
    const room = spec.width - lead.length - rest.length
    while (groupDigits(padded, spec.grouping, groupSize).length < room) padded = `0${padded}`
    return lead + groupDigits(padded, spec.grouping, groupSize) + rest
  }
  return pad(lead, grouped + rest, { ...spec, align: spec.align || '>' })
}

function pad(lead: string, body: string, { fill, align, width }: Spec): string {
  const missing = width - pointLength(lead) - pointLength(body)
  if (missing <= 0) return lead + body
  if (align === '=') return lead + fill.repeat(missing) + body
  const before = align === '<' ? 0 : align === '>' ? missing : Math.floor(missing / 2)
  return fill.repeat(before) + lead + body + fill.repeat(missing - before)
}

const unknownCode = (code: string, type: string) =>
  argumentFault(say`Unknown format code '${code}' for object of type '${type}'`)
