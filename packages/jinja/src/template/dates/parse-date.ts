import { say } from '../../data/said.ts'
import { argumentFault } from '../base/faults.ts'
import { daysInMonth } from './calendar.ts'
import { DAYS, MONTHS } from './names.ts'
import { momentOf, utcOf } from './wall-time.ts'

/**
 * Parses a string to milliseconds since 1970: ISO 8601, an HTTP or email date, or a given format of `%` codes. Without
 * an offset, the time is in `zone`.
 */
export function parseDate(text: string, format: string | null, zone: string): number {
  const trimmed = text.trim()
  if (trimmed.length > 100) throw unreadable(trimmed)
  return format === null ? parseKnown(trimmed, zone) : parseFormat(trimmed, format, zone)
}

const ISO =
  /^([+-]?\d{4,6})-(\d{2})(?:-(\d{2}))?(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?\s*(Z|z|UTC|[+-]\d{2}(?::?\d{2})?)?$/
const MAIL =
  /^(?:[A-Za-z]{3,9},?\s+)?(\d{1,2})[\s-]+([A-Za-z]{3,9})[\s-]+(\d{4})(?:\s+(\d{1,2}):(\d{2})(?::(\d{2}))?)?\s*(GMT|UTC|Z|[+-]\d{2}:?\d{2})?$/

function parseKnown(text: string, zone: string): number {
  const iso = ISO.exec(text)
  if (iso !== null) {
    const [, year, month, day = '1', hour = '0', minute = '0', second = '0', fraction = '0', offset] = iso
    return moment({ year, month, day, hour, minute, second, fraction }, offset, zone, text)
  }
  const mail = MAIL.exec(text)
  if (mail === null) throw unreadable(text)
  const [, day, name = '', year, hour = '0', minute = '0', second = '0', offset] = mail
  const month = String(monthNumber(name))
  return moment({ year, month, day, hour, minute, second, fraction: '0' }, offset, zone, text)
}

type Fields = Readonly<
  Partial<Record<'year' | 'month' | 'day' | 'hour' | 'minute' | 'second' | 'fraction', string | undefined>>
>

function moment(fields: Fields, offset: string | undefined, zone: string, text: string): number {
  const wall = {
    year: Number(fields.year ?? 1970),
    month: Number(fields.month ?? 1),
    day: Number(fields.day ?? 1),
    hour: Number(fields.hour ?? 0),
    minute: Number(fields.minute ?? 0),
    second: Number(fields.second ?? 0),
    millisecond: Math.floor(Number(`0.${fields.fraction ?? '0'}`) * 1000 + 1e-9),
  }
  const fits =
    wall.month >= 1 &&
    wall.month <= 12 &&
    wall.day >= 1 &&
    wall.day <= daysInMonth(wall.year, wall.month) &&
    wall.hour < 24 &&
    wall.minute < 60 &&
    wall.second <= 60
  if (!fits) throw unreadable(text)
  if (offset === undefined) return momentOf(wall, zone)
  return utcOf(wall) - offsetOf(offset) * 60_000
}

function offsetOf(offset: string): number {
  const match = /^([+-])(\d{2}):?(\d{2})?$/.exec(offset)
  if (match === null) return 0
  return (match[1] === '-' ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3] ?? 0))
}

function monthNumber(name: string): number {
  const wanted = name.toLowerCase()
  return (
    MONTHS.findIndex(
      (month) => month.toLowerCase() === wanted || month.slice(0, 3).toLowerCase() === wanted,
    ) + 1
  )
}

/** The pattern of each code. */
const CODES: Readonly<Record<string, string>> = {
  Y: '(?<year>\\d{4})',
  y: '(?<shortYear>\\d{2})',
  m: '(?<month>\\d{1,2})',
  d: '(?<day>\\d{1,2})',
  e: '\\s?(?<day>\\d{1,2})',
  H: '(?<hour>\\d{1,2})',
  I: '(?<hour>\\d{1,2})',
  M: '(?<minute>\\d{1,2})',
  S: '(?<second>\\d{1,2})',
  f: '(?<fraction>\\d{1,9})',
  L: '(?<fraction>\\d{1,3})',
  p: '(?<half>[AaPp]\\.?[Mm]\\.?)',
  b: `(?<monthName>${MONTHS.map((name) => name.slice(0, 3)).join('|')})`,
  B: `(?<monthName>${MONTHS.join('|')})`,
  a: `(?:${DAYS.map((name) => name.slice(0, 3)).join('|')})`,
  A: `(?:${DAYS.join('|')})`,
  z: '(?<offset>Z|[+-]\\d{2}:?\\d{2})',
  Z: '(?:[A-Za-z]{1,5})',
  s: '(?<epoch>-?\\d{1,12})',
  Q: '(?<epochMs>-?\\d{1,15})',
  F: '(?<year>\\d{4})-(?<month>\\d{2})-(?<day>\\d{2})',
  T: '(?<hour>\\d{2}):(?<minute>\\d{2}):(?<second>\\d{2})',
  '%': '%',
}

function parseFormat(text: string, format: string, zone: string): number {
  const groups = formatPattern(format).exec(text)?.groups
  if (groups === undefined) throw unreadable(text, say`It doesn't match ${format}`)
  if (groups['epoch'] !== undefined) return Number(groups['epoch']) * 1000
  if (groups['epochMs'] !== undefined) return Number(groups['epochMs'])
  const { monthName, shortYear, half, hour } = groups
  const fields = {
    ...groups,
    ...(monthName === undefined ? {} : { month: String(monthNumber(monthName)) }),
    ...(shortYear === undefined
      ? {}
      : { year: String(Number(shortYear) + (Number(shortYear) < 69 ? 2000 : 1900)) }),
    ...(half === undefined ? {} : { hour: String((Number(hour ?? 0) % 12) + (/^p/i.test(half) ? 12 : 0)) }),
  }
  return moment(fields, groups['offset'], zone, text)
}

function formatPattern(format: string): RegExp {
  if (format.length > 100)
    throw argumentFault(say`The date format has ${format.length} characters; at most 100 are allowed`)
  const used = new Set<string>()
  const pattern = format.replace(
    /%-?(.)|(\s+)|(.)/gs,
    (whole, code?: string, space?: string, character = '') => {
      if (space !== undefined) return '\\s+'
      if (code === undefined) return character.replace(/[$()*+.?[\\\]^{|}/-]/, '\\$&')
      const reads = CODES[code]
      if (reads === undefined)
        throw argumentFault(say`"${whole}" can't be read from a date`, say`Write it like %d.%m.%Y %H:%M`)
      // Deciding between repeated codes would need backtracking, whose time grows with each one.
      if (code !== '%' && used.has(code))
        throw argumentFault(say`The date format "${format}" contains ${whole} twice`)
      used.add(code)
      return reads
    },
  )
  try {
    // linear: anchored, and each code reads a bounded number of characters
    return new RegExp(`^${pattern}$`, 'i')
  } catch {
    throw argumentFault(say`The date format "${format}" names a field twice`)
  }
}

function unreadable(
  text: string,
  hint = say`Write it as 2024-03-09T14:05:06Z, or say how it is written: parse="%d.%m.%Y"`,
) {
  return argumentFault(say`"${text.slice(0, 40)}" isn't a date`, hint)
}
