import { say } from '../../../../../shared/contract/base/message.ts'
import type { StepScope } from '../../model/compiled-step.ts'
import { numberIn } from './compare.ts'
import { shortText } from './read-input.ts'

/**
 * The end of a wait of the given number of hours, in milliseconds since the Unix epoch.
 *
 * @throws StepError if it isn't a number above 0, or is more than a year
 */
export function readDeadline(name: string, given: unknown, scope: StepScope): number {
  const field = `config.${name}`
  const value = scope.evaluate(field, given)
  const hours = numberIn(value)
  if (typeof hours === 'number' && hours > 0 && hours <= LONGEST_HOURS)
    return scope.ports.clock.now() + Math.ceil(hours * 3_600_000)
  throw scope.fail(
    'validation',
    say('"{{name}}" is {{shortText}}; it must be a number above 0 and up to {{limit}}', {
      name,
      shortText: shortText(value),
      limit: LONGEST_HOURS,
    }),
    { field },
  )
}

const LONGEST_HOURS = 8_784
