/** Finds lines in the log files, newest first. */
import { LOG_LEVELS, type LogEntry, type LogLevel } from '../../../../shared/contract/logs.ts'
import { findLines } from './find-lines.ts'

export interface TimeSpan {
  /** Unix time in milliseconds, inclusive. */
  readonly since?: number | undefined
  readonly until?: number | undefined
}

export interface LogQuery extends TimeSpan {
  /** Only lines with this level or a higher one. */
  readonly level?: LogLevel | undefined
  /** Text in any part of the line; case is ignored. */
  readonly text?: string | undefined
  /** The ids of lines; only lines before `after`, or newer than `newerThan`, are returned. */
  readonly after?: string | undefined
  readonly newerThan?: string | undefined
  readonly limit: number
}

export function readLogs(folder: string, query: LogQuery): Promise<readonly LogEntry[]> {
  const matches = matcherOf(query)
  const { after, newerThan, limit } = query
  return findLines({
    folder,
    name: 'millrace',
    after,
    newerThan,
    limit,
    read(id, line) {
      const entry = matches(line) ? toEntry(id, line) : null
      return entry !== null && isWithin(entry, query) ? entry : null
    },
  })
}

/** Makes the checks that are possible without parsing the line. */
function matcherOf({ level, text = '' }: LogQuery): (line: string) => boolean {
  const wanted = text.toLowerCase()
  const least = level === undefined ? 0 : PINO_LEVELS[level]
  return (line) =>
    (least === 0 || Number(/^\{"level":(\d+)/.exec(line)?.[1] ?? PINO_LEVELS.warn) >= least) &&
    (wanted === '' || line.toLowerCase().includes(wanted))
}

function toEntry(id: string, line: string): LogEntry {
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

export function isWithin({ time }: { readonly time: string | null }, { since, until }: TimeSpan): boolean {
  if (since === undefined && until === undefined) return true
  const at = Date.parse(time ?? '')
  return at >= (since ?? -Infinity) && at <= (until ?? Infinity)
}

const PINO_LEVELS: Readonly<Record<LogLevel, number>> = { info: 30, warn: 40, error: 50 }
