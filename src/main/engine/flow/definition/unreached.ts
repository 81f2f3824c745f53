/** Finds steps that no run comes to, because a step before them always ends it. */
import { say } from '../../../../shared/contract/base/message.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import { type DefinitionProblem, warningAt } from './problem.ts'
import type { Visit } from './walk-steps.ts'

export function warnOfUnreached(visits: readonly Visit[]): DefinitionProblem[] {
  return visits.flatMap(({ step, before, location }) => {
    if (before === null || step.disabled || !alwaysEnds(before)) return []
    const reason = say('is never reached: "{{name}}" before it always ends the run', { name: before.ref_id })
    const mend = before.type === 'stop' ? () => ({ move: before.ref_id, after: step.ref_id }) : undefined
    return [warningAt(location, '', reason, { code: 'unreached', mend })]
  })
}

/** A condition ends the run if both of its branches do. */
function alwaysEnds({ type, disabled, then = [], else: otherwise = [] }: Step): boolean {
  if (disabled) return false
  if (type === 'stop') return true
  return type === 'condition' && then.some(alwaysEnds) && otherwise.some(alwaysEnds)
}
