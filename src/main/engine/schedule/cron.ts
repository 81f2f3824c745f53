import { say, type Said } from '../../../shared/contract/base/message.ts'
import { got } from '../../../shared/contract/base/validate.ts'
import { Cron } from 'croner'
import { DAY_MS, timeZone, type TimeZone } from '@millrace/jinja/data'

const patterns = new Map<string, Cron>()

/** The first time after `after`; null if the pattern has none or is invalid. */
export function nextOfCron(pattern: string, timezone: string | null, after: number): number | null {
  if (namesHours(pattern)) return nextOfHours(pattern, timeZone(timezone), after)
  return compile(pattern, timezone)?.nextRun(new Date(after))?.getTime() ?? null
}

/** `*` and `*\/2` mean elapsed time, whatever the clocks show. */
function namesHours(pattern: string): boolean {
  return !/^[*?]/.test(pattern.trim().split(/\s+/).at(-4) ?? '*')
}

/**
 * Named hours are local time, by the rule of `daily` and `weekly`: a skipped time comes later by the length of the
 * gap, and a time that occurs twice counts once.
 */
function nextOfHours(pattern: string, zone: TimeZone, after: number): number | null {
  const cron = compile(pattern, 'UTC')
  const from = zone.toLocal(after)
  // A time that a recent clock change skipped may still be due.
  const gap = Math.max(0, zone.offsetAt(after) - zone.offsetAt(after - DAY_MS))
  let next: number | null = null
  let local = cron?.nextRun(new Date(from - gap - 1)) ?? null
  for (; local !== null; local = cron?.nextRun(local) ?? null) {
    const moment = zone.toMoment(local.getTime())
    if (moment > after && (next === null || moment < next)) next = moment
    // Times after the gap can come before those that were in it.
    if (next !== null && zone.toLocal(moment) === local.getTime()) break
  }
  return next
}

/** The problem with a pattern of five fields, or six with leading seconds; null if there is none. */
export function cronProblem(pattern: string): Said | null {
  const fields = pattern.trim().split(/\s+/).length
  if (fields !== 5 && fields !== 6)
    return got(say('must be five fields, or six with seconds first, such as 0 9 * * mon-fri'), pattern)
  const outside = outsideOf(pattern.trim().split(/\s+/))
  if (outside !== null) return outside
  try {
    const cron = parse(pattern, 'UTC')
    // A pattern without a year matches within any 12 years, or never.
    return cron.nextRun(A_DAY) === null
      ? say("never matches: the day doesn't exist in any of its months, like February 31")
      : null
  } catch (error) {
    return say("isn't a valid cron expression: {{reason}}", {
      reason: (error as Error).message.replace(/^CronPattern: /, ''),
    })
  }
}

/** The first number outside its field's range. The parser would report it without its place. */
function outsideOf(fields: readonly string[]): Said | null {
  for (const [at, [name, from, to]] of RANGES.slice(-fields.length).entries()) {
    const numbers = (fields[at] ?? '').replaceAll(/[/#]\d+/g, '').match(/\d+/g) ?? []
    const value = numbers.find((one) => Number(one) < from || Number(one) > to)
    if (value !== undefined)
      return say('field {{at}}, the {{name}}, is {{value}}; it can be {{from}} to {{to}}', {
        at: at + 1,
        name,
        value,
        from,
        to,
      })
  }
  return null
}

const RANGES: readonly (readonly [name: Said, from: number, to: number])[] = [
  [say('second'), 0, 59],
  [say('minute'), 0, 59],
  [say('hour'), 0, 23],
  [say('day of the month'), 1, 31],
  [say('month'), 1, 12],
  [say('day of the week'), 0, 7],
]

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
const A_DAY = new Date(Date.UTC(2000, 0, 1))
