/**
 * Durations as ranges that can be counted and added up: each is a tenth longer than the one before, so a percentile read
 * from the middle of its range is at most 5 % off.
 */
const GROWTH = 1.1
const SHORTEST_MS = 0.1
/** Of records without a duration. */
const NONE = -1_000

/** SQL that gives the range of a row's `duration_ms`. */
export const BIN = `coalesce(CAST(round(ln(max(duration_ms, ${SHORTEST_MS})) / ${Math.log(GROWTH)}) AS INTEGER), ${NONE})`

export const binOf = (ms: number | null) =>
  ms === null ? NONE : Math.round(Math.log(Math.max(ms, SHORTEST_MS)) / Math.log(GROWTH))

/**
 * The duration that this share of the records doesn't exceed; null if none has a duration.
 *
 * @param bins how many records there are by range
 */
export function percentile(bins: ReadonlyMap<number, number>, share: number): number | null {
  const timed = [...bins].filter(([bin, count]) => bin !== NONE && count > 0).toSorted(([a], [b]) => a - b)
  const total = timed.reduce((sum, [, count]) => sum + count, 0)
  let rank = Math.ceil(total * share)
  for (const [bin, count] of timed) {
    rank -= count
    if (rank <= 0) return Number((GROWTH ** bin).toPrecision(4))
  }
  return null
}
