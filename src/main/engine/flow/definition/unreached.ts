/** Finds steps that no run reaches, because a step before them always ends it. */
import { say } from '../../../../shared/contract/base/message.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import { type DefinitionProblem, type FindMend, warningAt } from './problem.ts'
import type { Visit } from './walk-steps.ts'

export function warnOfUnreached(visits: readonly Visit[]): DefinitionProblem[] {
  const lastOf = new Map(visits.map(({ step, location }) => [listOf(location.path), step.ref_id]))
  return visits.flatMap(({ step, before, location }) => {
    if (before === null || step.disabled || !alwaysEnds(before)) return []
    const reason = say('is never reached: "{{name}}" before it always ends the run', { name: before.ref_id })
    const list = listOf(location.path)
    const mend = before.type === 'stop' ? mendOf(before, list, lastOf.get(list) ?? step.ref_id) : undefined
    return [warningAt(location, '', reason, { code: 'unreached', mend })]
  })
}

const listOf = (path: string) => path.slice(0, path.lastIndexOf('['))

/** A stop with success and no message at the end of a flow changes nothing, so it can be removed. */
function mendOf({ ref_id: ref, config }: Step, list: string, last: string): FindMend {
  const saysNothing = (config['status'] ?? 'success') === 'success' && !config['message']
  return () => (list === 'steps' && saysNothing ? { remove: ref } : { move: ref, after: last })
}

/** A condition ends the run if both of its branches do. */
function alwaysEnds({ type, disabled, then = [], else: otherwise = [] }: Step): boolean {
  if (disabled) return false
  if (type === 'stop') return true
  return type === 'condition' && then.some(alwaysEnds) && otherwise.some(alwaysEnds)
}
