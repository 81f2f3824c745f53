import { dictionaryOf, getKey, isDictionary } from '../../../data/value.ts'
import type { StepRunner } from '../../model/compiled-step.ts'

/** Begins a flow at its times. A run that was started in another way is given the moment at which it starts. */
export const schedule: StepRunner<'schedule'> = {
  outside: false,
  run(_step, scope) {
    const { input } = scope
    const planned = isDictionary(input) ? getKey(input, 'scheduled_at') : undefined
    const at = planned ?? scope.decideOnce(() => new Date(scope.ports.clock.now()).toISOString())
    return dictionaryOf([['scheduled_at', at]])
  },
}
