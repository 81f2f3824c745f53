import { Cron } from 'croner'
import { type TimeZone, timeZone } from '../data/time-zone.ts'

const patterns = new Map<string, Cron>()

/** The first time after `after`; null if the pattern has none or is invalid. */
export function nextOfCron(pattern: string, timezone: string | null, after: number): number | null {
  const cron = compile(pattern, timezone)
  let next = cron?.nextRun(new Date(after)) ?? null
  // An hour that occurs twice has its times once, unless the pattern matches every hour (`*`, `*/2`).
  if (namesHours(pattern))
    while (next !== null && comesAgain(next.getTime(), timeZone(timezone))) next = cron?.nextRun(next) ?? null
  return next?.getTime() ?? null
}

function namesHours(pattern: string): boolean {
  return !/^[*?]/.test(pattern.trim().split(/\s+/).at(-4) ?? '*')
}

/** Whether the clocks have shown the same time before. */
function comesAgain(moment: number, zone: TimeZone): boolean {
  return zone.toMoment(zone.toLocal(moment)) < moment
}

/** What is wrong with a pattern of five fields, or six with leading seconds; null if nothing is. */
export function cronProblem(pattern: string): string | null {
  const fields = pattern.trim().split(/\s+/).length
  if (fields !== 5 && fields !== 6) return 'must be five fields, or six with seconds first: 0 9 * * mon-fri'
  try {
    parse(pattern, null)
    return null
  } catch (error) {
    return `isn't a valid cron expression: ${(error as Error).message}`
  }
}

function compile(pattern: string, timezone: string | null): Cron | null {
  const key = `${timezone ?? ''} ${pattern}`
  const known = patterns.get(key)
  if (known) return known
  try {
    const cron = parse(pattern, timezone)
    if (patterns.size >= MOST_KEPT) patterns.clear()
    patterns.set(key, cron)
    return cron
  } catch {
    return null
  }
}

/** Without a callback, croner only computes times. */
function parse(pattern: string, timezone: string | null): Cron {
  return new Cron(pattern, { mode: '5-or-6-parts', paused: true, ...(timezone === null ? {} : { timezone }) })
}

const MOST_KEPT = 500
