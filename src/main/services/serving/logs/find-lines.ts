/** Finds lines in rotated files, from the newest to the oldest. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileName, fileNumbers, type LogName } from './rotating-file.ts'

export interface LineQuery<Entry> {
  readonly folder: string
  readonly name: LogName
  /** The ids of lines; only lines before `after`, or newer than `newerThan`, are returned. */
  readonly after?: string | undefined
  readonly newerThan?: string | undefined
  readonly limit: number
  /** Null for a line that doesn't match. */
  readonly read: (id: string, line: string) => Entry | null
}

export async function findLines<Entry>(query: LineQuery<Entry>): Promise<readonly Entry[]> {
  const { folder, name, limit, read } = query
  const [after, newerThan] = [placeOf(query.after), placeOf(query.newerThan)]
  const found: Entry[] = []
  let looked = 0
  for (const number of fileNumbers(folder, name)) {
    if (newerThan !== null && number < newerThan.number) break
    if (after !== null && number > after.number) continue
    const bytes = await readFile(join(folder, fileName(name, number))).catch(() => NOTHING) // deleted a moment ago
    for (const { start, line } of linesFromEnd(bytes)) {
      const place = { number, start }
      if (newerThan !== null && !isAfter(place, newerThan)) break
      if (after !== null && !isAfter(after, place)) continue
      const entry = read(`${number}.${start}`, line)
      if (entry !== null) found.push(entry)
      if (found.length === limit) return found
      if (++looked % LINES_PER_TURN === 0) await new Promise((resolve) => setImmediate(resolve))
    }
  }
  return found
}

/** A line is identified by its file and its first byte, which never change. */
interface Place {
  readonly number: number
  readonly start: number
}

/** Null if absent, or if no such place can exist. */
function placeOf(id: string | undefined): Place | null {
  const [, number, start] = /^(\d{1,12})\.(\d{1,12})$/.exec(id ?? '') ?? []
  return number === undefined ? null : { number: Number(number), start: Number(start) }
}

const isAfter = (a: Place, b: Place) => a.number > b.number || (a.number === b.number && a.start > b.start)

function* linesFromEnd(bytes: Buffer): Generator<{ readonly start: number; readonly line: string }> {
  for (let end = bytes.length; end > 0;) {
    const start = bytes.lastIndexOf(LINE_FEED, end - 1) + 1
    if (start < end) yield { start, line: bytes.toString('utf8', start, end) }
    end = start - 1
  }
}

const NOTHING = Buffer.alloc(0)
const LINE_FEED = 10
const LINES_PER_TURN = 2_000
