import { say } from '../../data/said.ts'
import { argumentFault } from '../base/faults.ts'
import { addTime } from '../dates/add-time.ts'
import { formatDate } from '../dates/format-date.ts'
import { parseDate } from '../dates/parse-date.ts'
import { floatOf, makeFloat } from '../values/numbers.ts'
import { textOf } from '../values/repr.ts'
import { typeName } from '../values/truth.ts'
import { Undefined } from '../base/undefined.ts'
import { Markup, type Value } from '../base/value.ts'
import { needText } from '../methods/arguments.ts'
import { type Filter, filter } from '../calls/operation.ts'

const SIGNATURE = "format='iso', parse=none, add=none, timezone='UTC', from_timezone='UTC'"

export const DATE_FILTERS: readonly Filter[] = [
  filter(
    'date',
    SIGNATURE,
    'Formats, parses, shifts or converts a date: format, parse, add, timezone.',
    (value, [format, parse, add, timezone, from]) => {
      const pattern = parse === null ? null : needText('date', parse)
      return shownAs(momentIn(value, pattern, needText('date', from)), format, add, timezone)
    },
  ),
]

/** The output of `date` and `now`. */
export function shownAs(epochMs: number, format: Value, add: Value, timezone: Value): Value {
  const zone = needText('date', timezone)
  const moment = add === null ? epochMs : addTime(epochMs, add, zone)
  if (!(Math.abs(moment) <= MAX_MS)) throw argumentFault(say`The date is outside of the supported years`)
  const name = needText('date', format)
  if (name === 'unix') return Math.floor(moment / 1000)
  if (name === 'unix_ms') return Math.floor(moment)
  return formatDate(moment, name, zone)
}

/** The latest time that a Date can hold, minus a day for time zone offsets. */
const MAX_MS = 8.64e15 - 86_400_000

/** Larger numbers are milliseconds since 1970, smaller ones seconds. */
const MILLISECONDS_FROM = 1e11

function momentIn(value: Value, pattern: string | null, zone: string): number {
  if (value instanceof Undefined) throw value.fault()
  if (typeof value === 'string' || value instanceof Markup) {
    const text = textOf(value)
    if (pattern === null && /^-?\d{9,13}(?:\.\d+)?$/.test(text))
      return momentIn(makeFloat(Number(text)), null, zone)
    return parseDate(text, pattern, zone)
  }
  const number = typeof value === 'boolean' ? undefined : floatOf(value)
  if (number === undefined || !Number.isFinite(number)) {
    throw argumentFault(say`date needs a string or a number, not ${typeName(value)}`)
  }
  return Math.abs(number) >= MILLISECONDS_FROM ? number : number * 1000
}
