import { DAY_MS } from '../../data/time-zone.ts'
import { utcOf, type WallTime } from './wall-time.ts'

type Day = Pick<WallTime, 'year' | 'month' | 'day'>

const startOf = ({ year, month, day }: Day) =>
  utcOf({ year, month, day, hour: 0, minute: 0, second: 0, millisecond: 0 })

/** The day of the week, 0 for Sunday. */
export function weekday(day: Day): number {
  return new Date(startOf(day)).getUTCDay()
}

/** The day of the year, 1 for January 1. */
export function dayOfYear(day: Day): number {
  return (startOf(day) - startOf({ year: day.year, month: 1, day: 1 })) / DAY_MS + 1
}

/**
 * The week of the year, with weeks that begin on Sunday (0) or Monday (1); days before the first such day are in week
 * 0.
 */
export function weekOfYear(day: Day, firstDay: 0 | 1): number {
  return Math.floor((dayOfYear(day) + 6 - ((weekday(day) - firstDay + 7) % 7)) / 7)
}

/** The ISO 8601 week, and the year it belongs to. */
export function isoWeek(day: Day): { year: number; week: number } {
  const fromMonday = (weekday(day) + 6) % 7
  const thursday = new Date(startOf(day) + (3 - fromMonday) * DAY_MS)
  const year = thursday.getUTCFullYear()
  const firstDay = startOf({ year, month: 1, day: 1 })
  return { year, week: Math.floor((thursday.getTime() - firstDay) / DAY_MS / 7) + 1 }
}

export function daysInMonth(year: number, month: number): number {
  return new Date(Date.UTC(2000 + (((year % 400) + 400) % 400), month, 0)).getUTCDate()
}
