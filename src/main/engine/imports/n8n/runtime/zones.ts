/** Time zone offsets for scripts: their sandbox only knows UTC. */

/** An offset in minutes, and since when it applies (seconds since 1970). */
export type ZoneChanges = readonly (readonly [from: number, minutes: number])[]

/** Null for an unknown time zone. */
export function zoneChanges(zone: string): ZoneChanges | null {
  const known = KNOWN.get(zone)
  if (known !== undefined) return known
  const changes = readChanges(zone)
  if (KNOWN.size < MOST_KNOWN) KNOWN.set(zone, changes)
  return changes
}

/** Cached, because computing the changes takes thousands of lookups per zone. */
const KNOWN = new Map<string, ZoneChanges | null>()
const MOST_KNOWN = 100

function readChanges(zone: string): ZoneChanges | null {
  const offsetAt = offsets(zone)
  if (offsetAt === null) return null
  const changes: [number, number][] = [[FIRST, offsetAt(FIRST)]]
  for (let at = FIRST; at < LAST; at += STEP) {
    const [before, after] = [offsetAt(at), offsetAt(at + STEP)]
    if (before !== after) changes.push([firstWith(after, at, at + STEP, offsetAt), after])
  }
  return changes
}

const FIRST = 0
/** The year 2045. */
const LAST = 2_366_841_600
/** No time zone changes twice within three weeks. */
const STEP = 21 * 86_400

function firstWith(minutes: number, from: number, to: number, offsetAt: (at: number) => number): number {
  let [low, high] = [from, to]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetAt(middle) === minutes) high = middle
    else low = middle
  }
  return high
}

function offsets(zone: string): ((seconds: number) => number) | null {
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
    return (seconds) => {
      const [, sign, hours = '0', minutes = '0'] =
        /GMT(?:([+-])(\d{2}):(\d{2}))?/.exec(format.format(new Date(seconds * 1000))) ?? []
      return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
    }
  } catch {
    return null
  }
}
