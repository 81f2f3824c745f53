/** Converts values of fields with a declared type to the form that columns in every kind of target accept. */
import type { ColumnType } from '../../../shared/contract/step-types/parts/sink.ts'
import { trimEnd } from '../../../shared/trim.ts'
import { type Data, Float, writeJson } from '@millrace/jinja/data'

export interface TypedValue {
  /** `2026-01-02`, `2026-01-02T03:04:05.000000Z`, or a decimal number with all its digits. */
  readonly text: string | null
  /** Whether digits after the microseconds were left out. */
  readonly isCut: boolean
}

/** Null if it isn't a value of the type. An empty string, as in CSV, counts as no value. */
export function typedValue(value: Data, type: ColumnType): TypedValue | null {
  if (value === null || value === '') return { text: null, isCut: false }
  if (type === 'decimal') {
    const text = decimalText(value)
    return text === null ? null : { text, isCut: false }
  }
  if (typeof value !== 'string') return null
  return type === 'date' ? dateText(value) : timestampText(value)
}

function dateText(value: string): TypedValue | null {
  const [, date] = DATE.exec(value) ?? []
  return date === undefined || momentOf(`${date}T00:00:00`, 'Z') === null
    ? null
    : { text: date, isCut: false }
}

function timestampText(value: string): TypedValue | null {
  const [, date, clock = '00:00', seconds = '00', digits = '', zone = 'Z'] = TIMESTAMP.exec(value) ?? []
  const moment = date === undefined ? null : momentOf(`${date}T${clock}:${seconds}`, zone)
  if (moment === null) return null
  return { text: `${moment}.${digits.slice(0, 6).padEnd(6, '0')}Z`, isCut: /[1-9]/.test(digits.slice(6)) }
}

/** The time in UTC, to the second; null for a date or time that doesn't exist, such as February 30. */
function momentOf(local: string, zone: string): string | null {
  const [, sign, hours, minutes = '00'] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? []
  const at = Date.parse(`${local}Z`)
  if (Number.isNaN(at) || new Date(at).toISOString().slice(0, 19) !== local) return null
  if (sign === undefined) return inYears(at)
  if (Number(hours) > 23 || Number(minutes) > 59) return null
  return inYears(at - Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * 60_000)
}

/** Databases have no year 0, and columns no year after 9999. */
function inYears(at: number): string | null {
  const text = new Date(at).toISOString()
  return /^(?!0000)\d{4}-/.test(text) ? text.slice(0, 19) : null
}

/** The number without an exponent or zeros at either end, so that equal numbers are equal strings. */
function decimalText(value: Data): string | null {
  const isNumber = typeof value === 'number' || typeof value === 'bigint' || value instanceof Float
  const given = isNumber ? writeJson(value) : value
  if (typeof given !== 'string' || given.length > MOST_DIGITS) return null
  const [, sign, whole = '', part = '', power = '0'] = DECIMAL.exec(given) ?? []
  const digits = whole + part
  const point = whole.length + Number(power)
  if (digits === '' || Math.abs(Number(power)) > MOST_POWER) return null
  const before = digits.slice(0, Math.max(0, point)).padEnd(point, '0').replace(/^0+/, '')
  const after = trimEnd('0'.repeat(Math.max(0, -point)) + digits.slice(Math.max(0, point)), '0')
  const text = `${before || '0'}${after === '' ? '' : `.${after}`}`
  return sign === '-' && text !== '0' ? `-${text}` : text
}

/** Precision and scale of decimals in Parquet files. */
export const PARQUET_DECIMAL = [38, 9] as const

/** A decimal as an integer in units of `scale` decimal places; null if it has more places or digits. */
export function scaledDecimal(text: string, precision: number, scale: number): bigint | null {
  const [whole = '', part = ''] = text.split('.')
  if (part.length > scale || whole.replace('-', '').length > precision - scale) return null
  return BigInt(whole + part.padEnd(scale, '0'))
}

/** A date, possibly followed by midnight as a time, which adds nothing. */
const DATE = /^(\d{4}-\d\d-\d\d)(?:[T ]00:00(?::00(?:\.0{1,12})?)?Z?)?$/
const TIMESTAMP =
  /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d)(?::(\d\d)(?:[.,](\d{1,30}))?)? ?([Zz]|[+-]\d\d(?::?\d\d)?)?)?$/
const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/
const MOST_POWER = 400
const MOST_DIGITS = 1_000
