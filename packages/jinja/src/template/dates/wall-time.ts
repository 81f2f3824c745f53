import { say } from '../../data/said.ts'
import { type TimeZone, timeZone } from '../../data/time-zone.ts'
import { argumentFault } from '../base/faults.ts'

/** The date and time of day in some time zone. */
export interface WallTime {
  readonly year: number
  /** Counted from 1. */
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
  readonly millisecond: number
}

/** The wall time in a time zone (`Europe/Berlin`, `UTC`, `+02:00`) at a moment. */
export function wallTime(epochMs: number, zone: string): WallTime {
  const local = new Date(zoneOf(zone).toLocal(epochMs))
  return {
    year: local.getUTCFullYear(),
    month: local.getUTCMonth() + 1,
    day: local.getUTCDate(),
    hour: local.getUTCHours(),
    minute: local.getUTCMinutes(),
    second: local.getUTCSeconds(),
    millisecond: local.getUTCMilliseconds(),
  }
}

/** The moment of a wall time in a time zone. */
export function momentOf(wall: WallTime, zone: string): number {
  return zoneOf(zone).toMoment(utcOf(wall))
}

/** The UTC offset of a zone at a moment, in minutes. */
export function offsetMinutes(epochMs: number, zone: string): number {
  return zoneOf(zone).offsetAt(epochMs) / 60_000
}

/** The short name of a zone at a time, such as CEST; its offset if it has none. */
export function zoneName(epochMs: number, zone: string): string {
  if (zone === 'UTC' || zone === 'Z') return 'UTC'
  if (/^[+-]/.test(zone)) return `UTC${zone}`
  const parts = new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeZoneName: 'short' }).formatToParts(
    epochMs,
  )
  return parts.find((part) => part.type === 'timeZoneName')?.value ?? zone
}

/** Interprets a wall time as UTC; years below 100 are taken literally, unlike in `Date.UTC`. */
export function utcOf(wall: WallTime): number {
  const date = new Date(0)
  date.setUTCFullYear(wall.year, wall.month - 1, wall.day)
  date.setUTCHours(wall.hour, wall.minute, wall.second, wall.millisecond)
  return date.getTime()
}

function zoneOf(name: string): TimeZone {
  try {
    return timeZone(name)
  } catch {
    throw argumentFault(
      say`"${name.slice(0, 64)}" isn't a time zone`,
      say`Write one like Europe/Berlin, UTC or +02:00`,
    )
  }
}
