import { spend, spendText } from '../base/limits.ts'

/**
 * Searches whose time grows with the sum of both lengths, not with their product. V8's built-in search compares a long
 * part again and again, for minutes, if the string nearly contains it (`aaab` in `aaaaaaaaa`).
 */

/** First position of `part` at or after `from`, or -1. */
export function findText(text: string, part: string, from = 0): number {
  if (isQuick(text, part)) return text.indexOf(part, from)
  let found = -1
  scan(text, part, from, (at) => {
    found = at
    return text.length
  })
  return found
}

/** Last position of `part`, or -1. */
export function findLastText(text: string, part: string): number {
  if (isQuick(text, part)) return text.lastIndexOf(part)
  let found = -1
  scan(text, part, 0, (at) => {
    found = at
    return at + 1
  })
  return found
}

/** The number of non-overlapping occurrences of `part`, which must not be empty. */
export function countText(text: string, part: string): number {
  let count = 0
  if (isQuick(text, part)) {
    for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) {
      spend(0.25)
      count++
    }
    return count
  }
  scan(text, part, 0, (at) => {
    count++
    return at + part.length
  })
  return count
}

/** The parts between `separator`, at most `limit` of them. */
export function splitAtText(text: string, separator: string, limit = Infinity): string[] {
  if (isQuick(text, separator)) return text.split(separator, Math.min(limit, 2 ** 32 - 1))
  const parts: string[] = []
  let start = 0
  scan(text, separator, 0, (at) => {
    if (parts.length < limit) parts.push(text.slice(start, at))
    start = at + separator.length
    return parts.length < limit ? start : text.length
  })
  if (parts.length < limit) parts.push(text.slice(start))
  return parts
}

/** Characters between two charges. */
const SLICE = 4096

/** Up to this size the built-in search takes a few milliseconds at most. */
const QUICK = 10_000_000

const isQuick = (text: string, part: string) => part.length < 16 || text.length * part.length <= QUICK

/** Knuth, Morris and Pratt. `onFound` gets a position and returns where the next match can begin. */
function scan(text: string, part: string, from: number, onFound: (at: number) => number): void {
  const borders = bordersOf(part)
  let known = 0
  for (let at = from; at < text.length; at++) {
    if (at % SLICE === 0) spendText(SLICE * 8)
    const unit = text.charCodeAt(at)
    while (known > 0 && part.charCodeAt(known) !== unit) known = borders[known - 1] ?? 0
    if (part.charCodeAt(known) === unit) known++
    if (known < part.length) continue
    const start = at - part.length + 1
    const next = onFound(start)
    if (next > start + 1) {
      known = 0
      at = next - 1
    } else {
      known = borders[known - 1] ?? 0
    }
  }
}

/** For each prefix of `part`, the length of its longest proper suffix that is also a prefix. */
function bordersOf(part: string): Int32Array {
  const borders = new Int32Array(part.length)
  for (let at = 1, known = 0; at < part.length; at++) {
    if (at % SLICE === 0) spendText(SLICE * 8)
    const unit = part.charCodeAt(at)
    while (known > 0 && part.charCodeAt(known) !== unit) known = borders[known - 1] ?? 0
    if (part.charCodeAt(known) === unit) known++
    borders[at] = known
  }
  return borders
}
