/**
 * Converts between milliseconds since 1970 and the API's `2026-03-01T12:00:00.000Z`.
 *
 * A time is usually written several times and read again soon after, so the latest string is cached for each last
 * digit of the milliseconds.
 */
const newest = Array.from({ length: 10 }, () => ({ time: Number.NaN, iso: '' }))

export function isoOf(time: number): string {
  const slot = newest[time % 10]
  if (slot === undefined) return new Date(time).toISOString()
  if (slot.time !== time) {
    slot.iso = new Date(time).toISOString()
    slot.time = time
  }
  return slot.iso
}

/** NaN if it isn't a valid time. */
export function timeOf(iso: string): number {
  const slot = newest[iso.charCodeAt(LAST_DIGIT) - ZERO]
  return slot?.iso === iso ? slot.time : Date.parse(iso)
}

const LAST_DIGIT = '2026-03-01T12:00:00.000'.length - 1
const ZERO = 0x30
