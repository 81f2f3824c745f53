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
  const local = new Date(epochMs + offsetMinutes(epochMs, zone) * 60_000)
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

/** The moment at which clocks in a time zone show this; in the gap of a change of the hour, the moment after it. */
export function momentOf(wall: WallTime, zone: string): number {
  const asUtc = utcOf(wall)
  const first = asUtc - offsetMinutes(asUtc, zone) * 60_000
  return asUtc - offsetMinutes(first, zone) * 60_000
}

/** Minutes that clocks of a zone are ahead of UTC at a moment. */
export function offsetMinutes(epochMs: number, zone: string): number {
  const fixed = /^([+-])(\d{2}):?(\d{2})$/.exec(zone)
  if (fixed !== null) return (fixed[1] === '-' ? -1 : 1) * (Number(fixed[2]) * 60 + Number(fixed[3]))
  if (zone === 'UTC' || zone === 'Z') return 0
  const parts = formatterFor(zone).formatToParts(epochMs)
  const field = (type: Intl.DateTimeFormatPartTypes) =>
    Number(parts.find((part) => part.type === type)?.value ?? 0)
  const shown = utcOf({
    year: field('year'),
    month: field('month'),
    day: field('day'),
    hour: field('hour') % 24,
    minute: field('minute'),
    second: field('second'),
    millisecond: 0,
  })
  return Math.round((shown - Math.floor(epochMs / 1000) * 1000) / 60_000)
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

const formatters = new Map<string, Intl.DateTimeFormat>()
const MAX_FORMATTERS = 50

function formatterFor(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone)
  if (known !== undefined) return known
  const formatter = createFormatter(zone)
  if (formatters.size >= MAX_FORMATTERS) formatters.clear()
  formatters.set(zone, formatter)
  return formatter
}

function createFormatter(zone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone: zone.slice(0, 64),
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  } catch {
    throw argumentFault(
      `"${zone.slice(0, 64)}" is no time zone`,
      'Write one like Europe/Berlin, UTC or +02:00',
    )
  }
}
