/** Finds lines in the log files, newest first. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LOG_LEVELS, type LogEntry, type LogLevel } from '../../../shared/contract/logs.ts'
import { fileName, fileNumbers } from './rotating-file.ts'

export interface LogQuery {
  /** This level and those above it. */
  readonly level?: LogLevel | undefined
  /** In any part of the line, in any case. */
  readonly text?: string | undefined
  /** Unix time in milliseconds, inclusive. */
  readonly since?: number | undefined
  readonly until?: number | undefined
  /** Only lines before this one, or after it. */
  readonly after?: string | undefined
  readonly newerThan?: string | undefined
  readonly limit: number
}

export async function readLogs(folder: string, query: LogQuery): Promise<readonly LogEntry[]> {
  const [after, newerThan] = [placeOf(query.after), placeOf(query.newerThan)]
  const matches = matcherOf(query)
  const found: LogEntry[] = []
  let looked = 0
  for (const number of fileNumbers(folder)) {
    if (newerThan !== null && number < newerThan.number) break
    if (after !== null && number > after.number) continue
    const bytes = await readFile(join(folder, fileName(number))).catch(() => NOTHING) // deleted a moment ago
    for (const { start, line } of linesFromEnd(bytes)) {
      const place = { number, start }
      if (newerThan !== null && !isAfter(place, newerThan)) break
      if (after !== null && !isAfter(after, place)) continue
      const entry = matches(line) ? toEntry(place, line) : null
      if (entry !== null && isWithin(entry, query)) found.push(entry)
      if (found.length === query.limit) return found
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

/** Null if absent, or no such place can exist. */
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

/** What can be decided without parsing the line. */
function matcherOf({ level, text = '' }: LogQuery): (line: string) => boolean {
  const wanted = text.toLowerCase()
  const least = level === undefined ? 0 : PINO_LEVELS[level]
  return (line) =>
    (least === 0 || Number(/^\{"level":(\d+)/.exec(line)?.[1] ?? PINO_LEVELS.warn) >= least) &&
    (wanted === '' || line.toLowerCase().includes(wanted))
}

function toEntry({ number, start }: Place, line: string): LogEntry {
  const id = `${number}.${start}`
  try {
    const { level, time, msg, ...details } = JSON.parse(line) as Record<string, unknown>
    return {
      id,
      time: String(time),
      level: LOG_LEVELS.findLast((name) => PINO_LEVELS[name] <= Number(level)) ?? 'info',
      message: String(msg),
      details: Object.keys(details).length === 0 ? null : details,
    }
  } catch {
    // A partial line, left by a kill or a full disk.
    return { id, time: null, level: 'warn', message: line.slice(0, 1_000), details: null }
  }
}

function isWithin({ time }: LogEntry, { since, until }: LogQuery): boolean {
  if (since === undefined && until === undefined) return true
  const at = Date.parse(time ?? '')
  return at >= (since ?? -Infinity) && at <= (until ?? Infinity)
}

const PINO_LEVELS: Readonly<Record<LogLevel, number>> = { info: 30, warn: 40, error: 50 }
const NOTHING = Buffer.alloc(0)
const LINE_FEED = 10
const LINES_PER_TURN = 2_000
