/** A time zone: what the clocks on its walls show at a moment, and when they show a given time. */
export interface Zone {
  /** What the clocks show, as if it were UTC: milliseconds since 1970. */
  toLocal(moment: number): number
  /**
   * When they show it. A time that an hour's change leaves out counts as that much later; of one that comes twice it is
   * the first.
   */
  toMoment(local: number): number
}

const zones = new Map<string, Zone>()

/** @param name of IANA; null is the zone of the machine */
export function zoneOf(name: string | null): Zone {
  const key = name ?? ''
  const known = zones.get(key) ?? createZone(name)
  zones.set(key, known)
  return known
}

function createZone(name: string | null): Zone {
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
  function toLocal(moment: number): number {
    const part: Record<string, number> = {}
    for (const { type, value } of format.formatToParts(moment)) part[type] = Number(value)
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part
    return Date.UTC(year, month - 1, day, hour, minute, second) + (((moment % 1000) + 1000) % 1000)
  }
  return {
    toLocal,
    toMoment(local) {
      const before = local - offsetAt(toLocal, local - DAY_MS)
      const after = local - offsetAt(toLocal, local + DAY_MS)
      const shown = [before, after].filter((moment) => toLocal(moment) === local)
      return shown.length === 0 ? before : Math.min(...shown)
    },
  }
}

const offsetAt = (toLocal: Zone['toLocal'], moment: number) => toLocal(moment) - moment

export const DAY_MS = 86_400_000
