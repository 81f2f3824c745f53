import { type Data, writeJson } from '@millrace/jinja/data'
import { CURSOR_KINDS, type CursorKind as Kind, lastingKind } from '../../../polling/cursor.ts'
import { isEmpty, numberIn, orderOf } from './compare.ts'

/**
 * The highest value of a field over many records.
 *
 * Numbers and times are compared by value, other text by its characters. If the values are of several kinds, only the
 * kind of the stored cursor, or else of most values, counts. Otherwise one stray string would stay the highest
 * forever.
 */
export function createHighest() {
  const counts: Record<Kind, number> = { time: 0, number: 0, text: 0 }
  const best: Partial<Record<Kind, Data>> = {}
  const firstOf: Partial<Record<Kind, Data>> = {}

  function keep(kind: Kind, value: Data): void {
    const known = best[kind]
    if (known === undefined || orderIn(kind, value, known) > 0) best[kind] = value
  }

  return {
    add(value: Data | undefined): void {
      if (value === undefined || isEmpty(value)) return
      const kind = kindOf(value)
      counts[kind]++
      firstOf[kind] ??= value
      keep(kind, value)
      if (kind !== 'text' && typeof value === 'string') keep('text', value)
    },
    /** The new cursor, and a value that was ignored because it is of a different kind than the others. */
    after(stored: Data): { readonly cursor: Data; readonly ignored: Data | undefined } {
      const total = CURSOR_KINDS.reduce((sum, kind) => sum + counts[kind], 0)
      if (total === 0) return { cursor: stored, ignored: undefined }
      const most = CURSOR_KINDS.reduce((a, b) => (counts[b] > counts[a] ? b : a))
      const before = stored === null ? null : kindOf(stored)
      const kind = lastingKind(before, stored) ?? most
      const others = kind === 'text' ? [] : CURSOR_KINDS.filter((other) => other !== kind)
      const ignored = others.map((other) => firstOf[other]).find((value) => value !== undefined)
      const value = best[kind]
      if (value === undefined) return { cursor: stored, ignored }
      const isComparable = before === kind || (kind === 'text' && typeof stored === 'string')
      return { cursor: isComparable && orderIn(kind, stored, value) >= 0 ? stored : value, ignored }
    },
  }
}

function kindOf(value: Data): Kind {
  if (numberIn(value) !== null) return 'number'
  return typeof value === 'string' && instantOf(value) !== null ? 'time' : 'text'
}

function orderIn(kind: Kind, a: Data, b: Data): number {
  if (kind === 'time') return sign(instantOf(a as string) ?? 0n, instantOf(b as string) ?? 0n)
  if (kind === 'number') return orderOfNumbers(a, b)
  return typeof a === 'string' && typeof b === 'string' ? sign(a, b) : orderOf(a, b)
}

/** Compares all digits, because a double keeps only the first 15. */
function orderOfNumbers(a: Data, b: Data): number {
  const [left, right] = [decimalOf(a), decimalOf(b)]
  if (left === null || right === null) return orderOf(a, b)
  const places = Math.max(left.places, right.places)
  const scaled = (one: Decimal) => one.digits * 10n ** BigInt(places - one.places)
  return sign(scaled(left), scaled(right))
}

interface Decimal {
  readonly digits: bigint
  readonly places: number
}

function decimalOf(value: Data): Decimal | null {
  const text = (typeof value === 'string' ? value : writeJson(value)).trim()
  const [, sum = '', whole = '', part = ''] = /^([+-]?)(\d{0,400})(?:\.(\d{0,400}))?$/.exec(text) ?? []
  if (whole + part === '') return null
  const digits = BigInt(whole + part)
  return { digits: sum === '-' ? -digits : digits, places: part.length }
}

/** Nanoseconds since the Unix epoch; null if it isn't a time. Without an offset it is in UTC. */
export function instantOf(text: string): bigint | null {
  const found = ISO_TIME.exec(text)
  if (found === null) return RFC_TIME.test(text) ? nanosecondsOf(Date.parse(text), '') : null
  const [, date = '', time = '', part = '', zone = ''] = found
  if (time === '') return nanosecondsOf(Date.parse(`${date}T00:00:00Z`), '')
  const offset = /^[+-]\d\d$/.test(zone) ? `${zone}:00` : zone.replace(/^([+-]\d\d)(\d\d)$/, '$1:$2')
  return nanosecondsOf(Date.parse(`${date}T${time}${offset.toUpperCase() || 'Z'}`), part)
}

function nanosecondsOf(milliseconds: number, part: string): bigint | null {
  if (Number.isNaN(milliseconds)) return null
  return BigInt(milliseconds) * 1_000_000n + BigInt(part.slice(0, 9).padEnd(9, '0'))
}

function sign<T extends string | bigint>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0
}

const ISO_TIME =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(?:[.,](\d{1,30}))?\s?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i
/** The format of times in the headers of HTTP and emails. */
export const RFC_TIME =
  /^(?:[A-Z][a-z]{2}, )?\d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d(?::\d\d)? (?:GMT|UTC?|Z|[+-]\d{4})$/
