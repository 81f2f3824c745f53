/** Luxon's dates in the time zone of the workflow, and the methods that n8n adds to them. */
import {
  DateTime,
  type DateTimeUnit,
  Duration,
  type DurationLike,
  type DurationLikeObject,
  Info,
  Interval,
  Settings,
} from 'luxon'
import { fail } from './base.ts'

export { DateTime, Duration, Interval }

Settings.defaultLocale = 'en-US'
Settings.defaultZone = 'UTC'

/** The time zone of dates that don't name one. */
export function timezone(zone: string): void {
  if (!Info.normalizeZone(zone).isValid) fail(`the time zone "${zone}" is not known here`)
  Settings.defaultZone = zone
}

let start: DateTime | undefined
export const now = (): DateTime => (start ??= DateTime.now())
export const today = (): DateTime => now().startOf('day')

/** Undefined if it can't be read as a date. */
export function moment(value: unknown): DateTime | undefined {
  if (DateTime.isDateTime(value)) return value.isValid ? value : undefined
  const text = String(value).trim()
  const options = { setZone: true }
  const reads =
    value instanceof Date
      ? [() => DateTime.fromJSDate(value)]
      : [
          () => DateTime.fromISO(text, options),
          () => DateTime.fromHTTP(text, options),
          () => DateTime.fromRFC2822(text, options),
          () => DateTime.fromSQL(text, options),
          () => DateTime.fromMillis(Date.parse(text)),
        ]
  for (const read of reads) {
    const date = read()
    if (date.isValid) return date
  }
  return undefined
}

export type AnyDate = DateTime | Date

const dated = (value: unknown): DateTime =>
  DateTime.isDateTime(value) ? value : (moment(value) ?? fail(`"${String(value)}" can't be read as a date`))

/** Returns a `Date` if the input was one. */
const alike = (value: AnyDate, date: DateTime): AnyDate => (value instanceof Date ? date.toJSDate() : date)

const SHORT: Readonly<Record<string, string>> = {
  ms: 'millisecond',
  sec: 'second',
  secs: 'second',
  min: 'minute',
  mins: 'minute',
  hr: 'hour',
  hrs: 'hour',
}

const unitOf = (name: string): DateTimeUnit =>
  (SHORT[name] ?? name.toLowerCase().replace(/s$/, '')) as DateTimeUnit

const amountOf = (amount: DurationLike, unit?: string): DurationLike =>
  unit === undefined ? amount : { [unitOf(unit)]: Number(amount) }

function difference(value: AnyDate, other: unknown, units: string | string[] = 'days'): unknown {
  const names = [units].flat().map((name) => `${unitOf(name)}s` as keyof DurationLikeObject)
  const duration = dated(value).diff(dated(other), names)
  return names.length > 1 ? duration.toObject() : duration.as(names[0] ?? 'days')
}

const millis = (value: AnyDate): number => dated(value).toMillis()

/** The methods that n8n adds to `Date` and `DateTime`. Luxon's own methods need no entry. */
export const DATE_METHODS = {
  beginningOf: (value: AnyDate, unit = 'week') => alike(value, dated(value).startOf(unitOf(unit))),
  endOfMonth: (value: AnyDate) => alike(value, dated(value).endOf('month')),
  extract(value: AnyDate, part = 'week') {
    const name =
      part === 'week' ? 'weekNumber' : part === 'yearDayNumber' ? 'ordinal' : part.replace(/s$/, '')
    return dated(value).get(name as keyof DateTime)
  },
  format: (value: AnyDate, format: string, options?: object) => dated(value).toFormat(format, options),
  isBetween(value: AnyDate, from: unknown, to: unknown) {
    const [start, end] = [Number(dated(from)), Number(dated(to))]
    return Math.min(start, end) < millis(value) && millis(value) < Math.max(start, end)
  },
  isDst: (value: AnyDate) => dated(value).isInDST,
  isInLast(value: AnyDate, amount = 0, unit = 'minutes') {
    const end = DateTime.now()
    return end.minus(amountOf(amount, unit)) <= dated(value) && dated(value) <= end
  },
  isWeekend: (value: AnyDate) => dated(value).weekday > 5,
  plus: (value: AnyDate, amount: DurationLike, unit?: string) =>
    alike(value, dated(value).plus(amountOf(amount, unit))),
  minus: (value: AnyDate, amount: DurationLike, unit?: string) =>
    alike(value, dated(value).minus(amountOf(amount, unit))),
  diffTo: difference,
  diffToNow: (value: AnyDate, units?: string | string[]) => difference(value, DateTime.now(), units),
  toInt: millis,
  toFloat: millis,
  toBoolean: () => undefined,
  isEmpty: () => false,
  isNotEmpty: () => true,
  toDateTime: dated,
}
