import { type TimeZone, timeZone } from '../../data/time-zone.ts'
import { argumentFault } from '../base/faults.ts'

/** A moment as calendar and clock of some time zone show it. */
export interface WallTime {
  readonly year: number
  /** From 1. */
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
  readonly millisecond: number
}

/** What clocks in a time zone (`Europe/Berlin`, `UTC`, `+02:00`) show at a moment. */
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

/** The moment at which clocks in a time zone show this. */
export function momentOf(wall: WallTime, zone: string): number {
  return zoneOf(zone).toMoment(utcOf(wall))
}

/** Minutes that clocks of a zone are ahead of UTC at a moment. */
export function offsetMinutes(epochMs: number, zone: string): number {
  return zoneOf(zone).offsetAt(epochMs) / 60_000
}

/** The short name of a zone at a moment, such as CEST; its offset where it has none. */
export function zoneName(epochMs: number, zone: string): string {
  if (zone === 'UTC' || zone === 'Z') return 'UTC'
  if (/^[+-]/.test(zone)) return `UTC${zone}`
  const parts = new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeZoneName: 'short' }).formatToParts(
    epochMs,
  )
  return parts.find((part) => part.type === 'timeZoneName')?.value ?? zone
}

/** The moment of a wall time in UTC; years below 100 are meant as they are. */
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
      `"${name.slice(0, 64)}" isn't a time zone`,
      'Write one like Europe/Berlin, UTC or +02:00',
    )
  }
}
