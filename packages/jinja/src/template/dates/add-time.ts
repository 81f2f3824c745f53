import { say } from '../../data/said.ts'
import { argumentFault } from '../base/faults.ts'
import { floatOf } from '../values/numbers.ts'
import { Dict } from '../values/containers.ts'
import { textOf } from '../values/repr.ts'
import type { Value } from '../base/value.ts'
import { daysInMonth } from './calendar.ts'
import { momentOf, wallTime } from './wall-time.ts'

type Unit = 'year' | 'month' | 'week' | 'day' | 'hour' | 'minute' | 'second' | 'millisecond'

const UNITS: ReadonlyMap<string, Unit> = new Map<string, Unit>([
  ['y', 'year'],
  ['year', 'year'],
  ['month', 'month'],
  ['mo', 'month'],
  ['w', 'week'],
  ['week', 'week'],
  ['d', 'day'],
  ['day', 'day'],
  ['h', 'hour'],
  ['hour', 'hour'],
  ['m', 'minute'],
  ['min', 'minute'],
  ['minute', 'minute'],
  ['s', 'second'],
  ['sec', 'second'],
  ['second', 'second'],
  ['ms', 'millisecond'],
  ['millisecond', 'millisecond'],
])

const FIXED: Readonly<Partial<Record<Unit, number>>> = {
  hour: 3_600_000,
  minute: 60_000,
  second: 1000,
  millisecond: 1,
}

/**
 * Adds a time span: seconds as a number, `'1 day 2 hours'`, `'-1h30m'` or `{'days': 1}`. Days and months follow the
 * zone's calendar.
 */
export function addTime(epochMs: number, amount: Value, zone: string): number {
  let moment = epochMs
  for (const { count, unit } of parseAmount(amount)) {
    const fixed = FIXED[unit]
    moment = fixed === undefined ? addCalendar(moment, count, unit, zone) : moment + count * fixed
  }
  return moment
}

interface Part {
  readonly count: number
  readonly unit: Unit
}

function parseAmount(amount: Value): Part[] {
  const seconds = floatOf(amount)
  if (seconds !== undefined) return [{ count: seconds, unit: 'second' }]
  if (amount instanceof Dict) {
    return amount
      .pairs()
      .map(([name, count]) => ({ count: floatOf(count) ?? NaN, unit: unitOf(textOf(name)) }))
  }
  const text = textOf(amount).replace(/[\s,]+/g, '')
  if (text.length > 100 || !/^(?:[+-]?\d+(?:\.\d+)?[a-zA-Z]+)+$/.test(text)) throw unreadable(text)
  let sign = 1
  // linear: of at most 100 characters
  return [...text.matchAll(/([+-]?)(\d+(?:\.\d+)?)([a-zA-Z]+)/g)].map(([, signText, count, unit = '']) => {
    if (signText !== '') sign = signText === '-' ? -1 : 1
    return { count: sign * Number(count), unit: unitOf(unit) }
  })
}

function unitOf(name: string): Unit {
  const lower = name.toLowerCase()
  const unit = UNITS.get(lower) ?? UNITS.get(lower.replace(/s$/, ''))
  if (unit === undefined) throw unreadable(name)
  return unit
}

function addCalendar(epochMs: number, count: number, unit: Unit, zone: string): number {
  if (!Number.isInteger(count)) throw argumentFault(say`Only whole ${unit}s can be added, not ${count}`)
  const wall = wallTime(epochMs, zone)
  if (unit === 'day' || unit === 'week') {
    return momentOf({ ...wall, day: wall.day + count * (unit === 'week' ? 7 : 1) }, zone)
  }
  const months = wall.year * 12 + wall.month - 1 + count * (unit === 'year' ? 12 : 1)
  const year = Math.floor(months / 12)
  const month = months - year * 12 + 1
  return momentOf({ ...wall, year, month, day: Math.min(wall.day, daysInMonth(year, month)) }, zone)
}

const unreadable = (text: string) =>
  argumentFault(
    say`"${text.slice(0, 40)}" isn't a time span`,
    say`Write it as "1 day", "-2 hours" or "1h30m"`,
  )
