import { say } from '../../../../../shared/contract/base/message.ts'
import { got } from '../../../../../shared/contract/base/validate.ts'
import type { StepConfig } from '../../../../../shared/contract/step-types/index.ts'
import type { FieldProblem } from '../../../../../shared/contract/step-types/parts/step-type.ts'
import { cronProblem } from '../../../schedule/cron.ts'
import { nextFire } from '../../../schedule/fire-times.ts'

type Schedule = StepConfig<'schedule'>

/** Problems that keep a schedule from ever running, or make it run at unintended times. */
export function scheduleProblems(config: Schedule): FieldProblem[] {
  const problems = [...intervalProblems(config), ...boundProblems(config), ...zoneProblems(config)]
  if (problems.length > 0 || nextFire(config, LONG_AGO) !== null) return problems
  const bound = config.end ? 'config.end' : 'config.start'
  return [[bound, say('leaves no time for a run: the schedule has none between "start" and "end"')]]
}

const LONG_AGO = Date.UTC(1900, 0, 1)

function intervalProblems({ interval, minutes, cron, at, weekdays }: Schedule): FieldProblem[] {
  switch (interval) {
    case 'custom':
      return minutes === undefined ? [['config.minutes', say('is required if "interval" is custom')]] : []
    case 'cron': {
      const problem = cronProblem(cron ?? '')
      return problem === null ? [] : [['config.cron', problem]]
    }
    case 'once':
      return isMoment(at ?? '')
        ? []
        : [['config.at', got(say('must be the date and time of the run, such as 2027-01-31T09:00'), at)]]
    case 'weekly': {
      const days: FieldProblem[] = weekdays?.length
        ? []
        : [['config.weekdays', say('must name at least one day if "interval" is weekly')]]
      return [...days, ...timeProblems(at)]
    }
    case 'daily':
    case 'monthly':
      return timeProblems(at)
    default:
      return []
  }
}

function timeProblems(at: string | undefined): FieldProblem[] {
  if (at !== undefined && /^([01]\d|2[0-3]):[0-5]\d$/.test(at)) return []
  return [['config.at', got(say('must be a time from 00:00 to 23:59, such as 09:00'), at)]]
}

function boundProblems({ start, end }: Schedule): FieldProblem[] {
  const problems: FieldProblem[] = []
  for (const [name, value] of Object.entries({ start, end })) {
    if (value && !isMoment(value) && !isDate(value))
      problems.push([
        `config.${name}`,
        got(say('must be a date or a date and time, such as 2027-01-31 or 2027-01-31T09:00'), value),
      ])
  }
  if (problems.length === 0 && start && end && Date.parse(end) < Date.parse(start))
    problems.push(['config.end', say('is before "start", so the flow would never run')])
  return problems
}

function zoneProblems({ timezone }: Schedule): FieldProblem[] {
  if (timezone === null || isZone(timezone)) return []
  return [
    [
      'config.timezone',
      say(
        "is {{value}}, which isn't a time zone; use one such as Europe/Paris, or null for the system time zone",
        { value: JSON.stringify(timezone) },
      ),
    ],
  ]
}

function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

function isMoment(text: string): boolean {
  return (
    /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?$/.test(text) &&
    isDate(text.slice(0, 10))
  )
}

/** Whether the date exists in the calendar, unlike February 31. */
function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false
  const time = Date.parse(text)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}
