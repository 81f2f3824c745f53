/**
 * Calculates the run times of a flow with a schedule. All functions are pure, and take and return milliseconds since
 * the Unix epoch.
 */
import type { StepConfig } from '../../../shared/contract/step-types/index.ts'
import { WEEKDAYS } from '../../../shared/contract/step-types/triggers/schedule.ts'
import { nextOfCron } from './cron.ts'
import { DAY_MS, timeZone, type TimeZone } from '@millrace/jinja/data'

export type Schedule = StepConfig<'schedule'>

/** The first due time after `after`; null if there is none. */
export function nextFire(schedule: Schedule, after: number): number | null {
  const zone = timeZone(schedule.timezone)
  const start = readBound(schedule.start, zone, 'first')
  const end = readBound(schedule.end, zone, 'last')
  const from = start === null ? after : Math.max(after, start - 1)
  const next = nextInSeries(schedule, zone, from, start)
  return next === null || (end !== null && next > end) ? null : next
}

/** The last due time after `from` and up to `to`; null if there was none. */
export function latestFire(schedule: Schedule, from: number, to: number): number | null {
  for (const window of LOOK_BACK_MS) {
    const begin = Math.max(from, to - window)
    let found: number | null = null
    for (let next = nextFire(schedule, begin); next !== null && next <= to; next = nextFire(schedule, next)) {
      found = next
    }
    if (found !== null || begin === from) return found
  }
  return null
}

/** Growing windows keep the number of times to check small, whether the flow is due each second or each year. */
const LOOK_BACK_MS = [60_000, 3_600_000, DAY_MS, 32 * DAY_MS, 367 * DAY_MS, Infinity]

function nextInSeries(
  schedule: Schedule,
  zone: TimeZone,
  after: number,
  start: number | null,
): number | null {
  switch (schedule.interval) {
    case '5m':
      return nextPeriod(5, zone, after, start)
    case '15m':
      return nextPeriod(15, zone, after, start)
    case '1h':
      return nextPeriod(60, zone, after, start)
    case 'custom':
      return nextPeriod(schedule.minutes ?? 60, zone, after, start)
    case 'cron':
      return nextOfCron(schedule.cron ?? '', schedule.timezone, after)
    case 'once': {
      const moment = readMoment(schedule.at ?? '', zone)
      return moment !== null && moment > after ? moment : null
    }
    case 'daily':
      return nextDay(schedule, zone, after, () => true)
    case 'weekly': {
      const days = new Set<number>((schedule.weekdays ?? []).map((name) => (WEEKDAYS.indexOf(name) + 1) % 7))
      return nextDay(schedule, zone, after, (day) => days.has(new Date(day).getUTCDay()))
    }
    case 'monthly':
      return nextMonth(schedule, zone, after, start)
    default:
      return schedule.interval satisfies never
  }
}

/**
 * The next time at an interval in elapsed minutes, regardless of clock changes. It is counted from the start if there
 * is one, otherwise aligned with full hours.
 */
function nextPeriod(minutes: number, zone: TimeZone, after: number, start: number | null): number {
  const period = minutes * 60_000
  const anchor = start ?? zone.toMoment(FULL_HOUR)
  return anchor + (Math.floor((after - anchor) / period) + 1) * period
}

const FULL_HOUR = Date.UTC(2020, 0, 1)

function nextDay(
  { at }: Schedule,
  zone: TimeZone,
  after: number,
  isMeant: (day: number) => boolean,
): number | null {
  const today = startOfDay(zone.toLocal(after))
  // Begins with the day before, because a clock change may have moved yesterday's time into today.
  for (let day = today - DAY_MS; day <= today + 8 * DAY_MS; day += DAY_MS) {
    const moment = zone.toMoment(day + timeOfDay(at))
    if (isMeant(day) && moment > after) return moment
  }
  return null
}

/** Uses the day of the month of `start`, or the last day of shorter months. */
function nextMonth({ at }: Schedule, zone: TimeZone, after: number, start: number | null): number | null {
  const wanted = start === null ? 1 : new Date(zone.toLocal(start)).getUTCDate()
  const now = new Date(zone.toLocal(after))
  for (let ahead = -1; ahead <= 2; ahead++) {
    const [year, month] = [now.getUTCFullYear(), now.getUTCMonth() + ahead]
    const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
    const moment = zone.toMoment(Date.UTC(year, month, Math.min(wanted, last)) + timeOfDay(at))
    if (moment > after) return moment
  }
  return null
}

/** A bound that is only a date means the whole of that day. */
function readBound(text: string | null | undefined, zone: TimeZone, edge: 'first' | 'last'): number | null {
  if (!text) return null
  const isDate = /^\d{4}-\d\d-\d\d$/.test(text)
  const moment = readMoment(isDate ? `${text}T00:00` : text, zone)
  if (moment === null || !isDate || edge === 'first') return moment
  return zone.toMoment(startOfDay(zone.toLocal(moment)) + DAY_MS) - 1
}

/** Reads a time, which is in the schedule's time zone if the string has no offset. */
function readMoment(text: string, zone: TimeZone): number | null {
  const namesZone = /(?:Z|[+-]\d\d:\d\d)$/.test(text)
  const moment = Date.parse(namesZone ? text : `${text}Z`)
  if (Number.isNaN(moment)) return null
  return namesZone ? moment : zone.toMoment(moment)
}

function timeOfDay(at: string | undefined): number {
  const [hours = 0, minutes = 0] = (at ?? '00:00').split(':').map(Number)
  return (hours * 60 + minutes) * 60_000
}

const startOfDay = (local: number) => Math.floor(local / DAY_MS) * DAY_MS
