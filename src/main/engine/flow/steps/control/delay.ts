import { say } from '../../../../../shared/contract/base/message.ts'
import type { StepConfig } from '../../../../../shared/contract/step-types/index.ts'
import { type Data, dictionaryOf, Float } from '@millrace/jinja/data'
import { shortText } from '../support/read-input.ts'
import type { StepRunner, StepScope } from '../../model/compiled-step.ts'

/**
 * Waits for a number of seconds or until a time. If no caller is waiting for the run, a long wait occupies no worker.
 */
export const delay: StepRunner<'delay'> = {
  outside: true,
  async run({ config }, scope) {
    const { clock } = scope.ports
    const [from, until] = scope.decideOnce(() => {
      const now = clock.now()
      return [now, readMoment(config, now, scope)]
    }) as [number, number]
    scope.showInput(dictionaryOf([['until', new Date(until).toISOString()]]))
    await scope.waitUntil(until, PARK_ABOVE_MS)
    return dictionaryOf([['waited_seconds', Math.max(0, until - from) / 1000]])
  },
}

/** Milliseconds since the Unix epoch. */
function readMoment({ seconds, until }: StepConfig<'delay'>, now: number, scope: StepScope): number {
  if (seconds !== undefined) {
    const given = scope.evaluate('config.seconds', seconds)
    const value = toNumber(given)
    if (value !== null && value >= 0 && value <= LONGEST_SECONDS) return now + value * 1000
    throw scope.fail(
      'validation',
      say('"seconds" is {{value}}, not a number from 0 to {{limit}}', {
        value: shortText(given),
        limit: LONGEST_SECONDS,
      }),
      {
        field: 'config.seconds',
      },
    )
  }
  const value = scope.evaluate('config.until', until ?? '')
  const moment = typeof value === 'string' ? Date.parse(value.trim()) : NaN
  if (!Number.isNaN(moment)) return moment
  throw scope.fail(
    'validation',
    say('"until" is {{value}}, not a time like 2030-01-31T09:00:00Z', { value: shortText(value) }),
    {
      field: 'config.until',
    },
  )
}

function toNumber(value: Data): number | null {
  if (value instanceof Float) return value.value
  if (typeof value === 'number') return value
  if (typeof value !== 'string' || value.trim() === '') return null
  const number = Number(value)
  return Number.isNaN(number) ? null : number
}

const PARK_ABOVE_MS = 1_000
const LONGEST_SECONDS = 31_622_400
