/** Values of a field that only grows: numbers, dates, or strings in their own order. */
import { type Data, Float } from '@millrace/jinja/data'

export const CURSOR_KINDS = ['time', 'number', 'text'] as const
export type CursorKind = (typeof CURSOR_KINDS)[number]

interface Comparable {
  readonly kind: CursorKind
  readonly value: number | bigint | string
}

/** Whether a value can be a cursor at all. */
export function isCursor(value: Data): boolean {
  return toComparable(value) !== null
}

/** Null if the value can't be a cursor. */
export function cursorKind(value: Data): CursorKind | null {
  return toComparable(value)?.kind ?? null
}

/**
 * The kind that a cursor keeps, whatever values follow, because one stray string among times would stay the highest
 * forever. Null for strings, since IDs can look like anything.
 */
export function lastingKind(kind: CursorKind | null, cursor: Data): 'number' | 'time' | null {
  return kind === 'time' || (kind === 'number' && typeof cursor !== 'string') ? kind : null
}

/**
 * The kind of the stored cursor, or of most values. Values of another kind are stray, and don't move the cursor. Null
 * means that all values count.
 */
export function commonKind(values: readonly Data[], stored: Data): 'number' | 'time' | null {
  const storedKind = cursorKind(stored)
  const lasting = lastingKind(storedKind, stored)
  if (lasting !== null || storedKind === 'text') return lasting
  const counts = { number: 0, time: 0, text: 0 }
  for (const value of values) {
    const kind = cursorKind(value)
    if (kind !== null) counts[kind]++
  }
  const { number, time, text } = counts
  if (text > Math.max(number, time)) return null
  return time > number ? 'time' : 'number'
}

/** Below zero if `a` comes before `b`. Values that can't be cursors come first. */
export function compareCursors(a: Data, b: Data): number {
  const [left, right] = [toComparable(a), toComparable(b)]
  if (left === null || right === null) return Number(left !== null) - Number(right !== null)
  if (left.kind !== right.kind) return KINDS.indexOf(left.kind) - KINDS.indexOf(right.kind)
  if (left.value < right.value) return -1
  return left.value > right.value ? 1 : 0
}

/**
 * The cursor minus the look-back, which is in seconds for dates and a difference for numbers. Strings stay as they are.
 * A date keeps its format, because databases and APIs without a date type compare dates as strings.
 */
export function lookBackFrom(cursor: Data, lookBack: number): Data {
  const comparable = lookBack === 0 ? null : toComparable(cursor)
  if (comparable === null) return cursor
  const { kind, value } = comparable
  if (kind === NUMBER) {
    const back = typeof value === 'bigint' ? value - BigInt(Math.ceil(lookBack)) : Number(value) - lookBack
    return typeof cursor === 'string' ? String(back) : back
  }
  if (kind !== TIME || typeof cursor !== 'string') return cursor
  const moment = new Date(Number(value) - lookBack * 1_000)
  const year = moment.getUTCFullYear()
  // Other years would be written with a sign, and then compared as strings.
  return year >= 0 && year <= 9_999 ? inFormOf(cursor.trim(), moment) : null
}

/** Never later than the moment, because the format may lack its fraction. */
function inFormOf(sample: string, moment: Date): string {
  const form = FORM.exec(sample)
  if (form === null) return moment.toISOString()
  const [, separator, seconds, fraction = '', zone = ''] = form
  const [, sign, hours = 0, minutes = 0] = /^([+-])(\d\d):?(\d\d)$/.exec(zone) ?? []
  const ahead = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
  const text = new Date(moment.getTime() + ahead * 60_000).toISOString()
  if (separator === undefined) return text.slice(0, 10)
  const clock = text.slice(11, seconds === undefined ? 16 : Math.min(19 + fraction.length, 23))
  return `${text.slice(0, 10)}${separator}${clock}${zone}`
}

const FORM = /^\d{4}-\d\d-\d\d(?:([Tt ])\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:?\d\d)?)?$/

function toComparable(value: Data): Comparable | null {
  if (typeof value === 'number' || typeof value === 'bigint') return { kind: NUMBER, value }
  if (value instanceof Float) return { kind: NUMBER, value: value.value }
  if (typeof value !== 'string' || value === '') return null
  const text = value.trim()
  if (/^-?\d{1,40}$/.test(text)) return { kind: NUMBER, value: BigInt(text) }
  if (/^-?\d{1,20}\.\d{1,20}$/.test(text)) return { kind: NUMBER, value: Number(text) }
  const time = timeOf(text)
  return time === null ? { kind: TEXT, value } : { kind: TIME, value: time }
}

/** Reads ISO 8601, in UTC if there is no zone, and the date format of emails and feeds. */
function timeOf(text: string): number | null {
  const iso = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:?\d\d)?)?$/i.exec(text)
  if (iso) {
    const [, day, clock = '00:00', zone = 'Z'] = iso
    return numberOrNull(Date.parse(`${day}T${clock}${zone.replace(/^([+-]\d\d)(\d\d)$/, '$1:$2')}`))
  }
  return MAIL_DATE.test(text) ? numberOrNull(Date.parse(text)) : null
}

const MAIL_DATE =
  /^(?:[A-Z][a-z]{2}, )?\d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d(?::\d\d)? (?:GMT|UTC|UT|Z|[+-]\d{4})$/

const numberOrNull = (value: number) => (Number.isNaN(value) ? null : value)

const NUMBER = 'number'
const TIME = 'time'
const TEXT = 'text'
/** Values of different kinds are ordered by kind. */
const KINDS: readonly CursorKind[] = [NUMBER, TIME, TEXT]
