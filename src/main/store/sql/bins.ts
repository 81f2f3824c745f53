/**
 * Ranges of durations, which can be counted and added up. Each is a tenth longer than the one before, so a percentile
 * read from the middle of its range is at most 5 % off.
 */
import type { Database } from 'better-sqlite3'

/** The number of records in each range, beginning with `first`; records without a duration are in none. */
export interface Bins {
  readonly first: number
  readonly counts: ArrayLike<number>
}

const GROWTH = 1.1
/** The ranges of 0.1 ms and 40 days, which also count shorter and longer durations. */
const FIRST = -24
const LAST = 231

/** SQL that gives the range of a row's `duration_ms`. */
export const BIN = `min(${LAST}, CAST(round(ln(max(duration_ms, 0.1)) / ${Math.log(GROWTH)}) AS INTEGER))`

export const binOf = (ms: number | null) =>
  ms === null ? null : Math.min(LAST, Math.round(Math.log(Math.max(ms, 0.1)) / Math.log(GROWTH)))

export const oneBin = (bin: number | null, count: number): Bins =>
  bin === null ? NONE : { first: bin, counts: [count] }

const NONE: Bins = { first: FIRST, counts: [] }

/**
 * SQL functions for a column of bins: `to_bins('12:3,13:1')` and `add_bins(bins, bins)`. The column holds the first
 * range and the count of each from there on, as 32-bit numbers.
 */
export function defineBins(db: Database): void {
  const options = { deterministic: true, directOnly: true } as const
  db.function('to_bins', options, (text) => writeBins(readText(text as string | null)))
  db.function('add_bins', options, (one, other) =>
    writeBins(addBins([readBins(one as Buffer | null), readBins(other as Buffer | null)])),
  )
}

function readText(text: string | null): Bins {
  const pairs = text === null ? [] : text.split(',').map((pair) => pair.split(':').map(Number))
  return addBins(pairs.map(([bin = 0, count = 0]) => oneBin(bin, count)))
}

export function readBins(column: Uint8Array | null): Bins {
  if (column === null) return NONE
  const { buffer, byteOffset, byteLength } = column
  const [first = FIRST, ...counts] = new Int32Array(buffer.slice(byteOffset, byteOffset + byteLength))
  return { first, counts }
}

function writeBins({ first, counts }: Bins): Uint8Array | null {
  let from = 0
  let to = counts.length
  while (from < to && counts[from] === 0) from++
  while (to > from && counts[to - 1] === 0) to--
  if (from === to) return null
  return Buffer.from(Int32Array.of(first + from, ...Array.from(counts).slice(from, to)).buffer)
}

export function addBins(all: Iterable<Bins>): Bins {
  const sum = new Float64Array(LAST - FIRST + 1)
  for (const { first, counts } of all)
    for (let at = 0; at < counts.length; at++) {
      const to = at + first - FIRST
      sum[to] = (sum[to] ?? 0) + (counts[at] ?? 0)
    }
  return { first: FIRST, counts: sum }
}

/** The duration that this share of the records doesn't exceed; null if no record has a duration. */
export function percentile({ first, counts }: Bins, share: number): number | null {
  let total = 0
  for (let at = 0; at < counts.length; at++) total += Math.max(0, counts[at] ?? 0)
  let rank = Math.ceil(total * share)
  if (total === 0) return null
  let at = 0
  while (at < counts.length && (rank -= Math.max(0, counts[at] ?? 0)) > 0) at++
  return Number((GROWTH ** (first + at)).toPrecision(4))
}
