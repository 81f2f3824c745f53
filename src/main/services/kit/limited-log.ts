import type { Clock } from '../../engine/ports.ts'
import type { Log } from './ports.ts'

/** Limits how often something happens: `take` is false once `most` were taken within the hour. */
export function createHourlyLimit(
  clock: Pick<Clock, 'monotonic'>,
  most: number,
): { take(): boolean; readonly leftOut: number } {
  let hour = { beganAt: -Infinity, count: 0 }
  let leftOut = 0
  return {
    take() {
      const now = clock.monotonic()
      if (now - hour.beganAt >= HOUR_MS) {
        leftOut = Math.max(0, hour.count - most)
        hour = { beganAt: now, count: 0 }
      }
      return ++hour.count <= most
    },
    /** Number left out in the previous hour. */
    get leftOut() {
      return leftOut
    },
  }
}

/**
 * A log for events that callers without credentials cause, limited per hour so that other lines stay in the log for
 * months.
 */
export function createLimitedLog(log: Log, clock: Pick<Clock, 'monotonic'>): Log {
  const limit = createHourlyLimit(clock, MOST_LINES)
  const unlessTooMany = (level: keyof Log) => (fields: object, message: string) => {
    if (!limit.take()) return
    log[level](limit.leftOut === 0 ? fields : { ...fields, leftOutBefore: limit.leftOut }, message)
  }
  return { info: unlessTooMany('info'), warn: unlessTooMany('warn'), error: unlessTooMany('error') }
}

const HOUR_MS = 3_600_000
const MOST_LINES = 20
