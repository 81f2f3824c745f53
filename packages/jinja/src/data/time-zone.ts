/** Converts between the times of a time zone and UTC. All values are in milliseconds. */
export interface TimeZone {
  /** The offset from UTC, in whole minutes, because written offsets have no seconds, unlike local times before 1920. */
  offsetAt(moment: number): number
  /** The local time, as if it were UTC: milliseconds since 1970. */
  toLocal(moment: number): number
  /**
   * The moment of a local time. A time skipped by a clock change is moved by the length of the gap. If a time occurs
   * twice, the first is returned.
   */
  toMoment(local: number): number
}

export const DAY_MS = 86_400_000

/**
 * @param name an IANA name, `UTC`, or an offset such as `+02:00`; null is the system time zone
 * @throws RangeError for an unknown name
 */
export function timeZone(name: string | null): TimeZone {
  const key = name ?? ''
  const known = zones.get(key)
  if (known !== undefined) return known
  const zone = createZone(name)
  if (zones.size >= MAX_ZONES) zones.clear()
  zones.set(key, zone)
  return zone
}

/** Keyed by name; names come from templates, so their number is limited. */
const zones = new Map<string, TimeZone>()
const MAX_ZONES = 50

function createZone(name: string | null): TimeZone {
  const offsetAt = fixedOffset(name) ?? offsetsOf(name)
  return {
    offsetAt,
    toLocal: (moment) => moment + offsetAt(moment),
    toMoment(local) {
      const before = local - offsetAt(local - DAY_MS)
      const after = local - offsetAt(local + DAY_MS)
      if (before === after) return before
      const shown = [before, after].filter((moment) => moment + offsetAt(moment) === local)
      return shown.length === 0 ? before : Math.min(...shown)
    },
  }
}

function fixedOffset(name: string | null): TimeZone['offsetAt'] | null {
  if (name === 'UTC' || name === 'Z') return () => 0
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(name ?? '') ?? []
  if (sign === undefined) return null
  const offset = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
  return () => offset
}

function offsetsOf(name: string | null): TimeZone['offsetAt'] {
  const format = new Intl.DateTimeFormat('en-US', {
    ...(name === null ? {} : { timeZone: name }),
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  return (moment) => {
    if (Number.isNaN(moment)) return moment
    const within = Math.floor(Math.min(Math.max(moment, FIRST_MOMENT), LAST_MOMENT) / 1000) * 1000
    const part: Record<string, number> = {}
    for (const { type, value } of format.formatToParts(within)) part[type] = Number(value)
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part
    const shown = new Date(0)
    // Avoids Date.UTC, which moves years before 100 to the 20th century.
    shown.setUTCFullYear(year, month - 1, day)
    shown.setUTCHours(hour, minute, second)
    return Math.round((shown.getTime() - within) / 60_000) * 60_000
  }
}

/**
 * Years before 1 are shown without their sign, and dates end in the year 275,760. No time zone changes outside this
 * range.
 */
const FIRST_MOMENT = Date.parse('0001-01-02T00:00:00Z')
const LAST_MOMENT = Date.parse('+275760-09-12T00:00:00Z')
