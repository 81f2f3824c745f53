import { dictionaryOf, getKey, isDictionary } from '@millrace/jinja/data'
import type { StepRunner } from '../../model/compiled-step.ts'
import { scheduleProblems } from './schedule-problems.ts'

/** Starts a flow at its times. If a run was started in another way, its result contains the time of that start. */
export const schedule: StepRunner<'schedule'> = {
  outside: false,
  check: scheduleProblems,
  run(_step, scope) {
    const { input } = scope
    const planned = isDictionary(input) ? getKey(input, 'scheduled_at') : undefined
    const at = planned ?? scope.decideOnce(() => new Date(scope.ports.clock.now()).toISOString())
    return dictionaryOf([['scheduled_at', at]])
  },
}
