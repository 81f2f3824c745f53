import { LOOP_TYPES, type Step } from '../../../../shared/contract/steps.ts'
import type { StepLocation } from './problem.ts'

/** A step and its position. */
export interface Visit {
  readonly step: Step
  readonly location: StepLocation
  readonly isFirst: boolean
  /** The previous step in its list. */
  readonly before: Step | null
  /** The loops around it, outermost first. */
  readonly loops: readonly Step[]
}

/** In the order of the definition; a step before its children. */
export function* visitSteps(
  steps: readonly Step[],
  list = 'steps',
  loops: readonly Step[] = [],
): Generator<Visit> {
  for (const [index, step] of steps.entries()) {
    const path = `${list}[${index}]`
    yield {
      step,
      location: { refId: step.ref_id, path },
      isFirst: path === 'steps[0]',
      before: steps[index - 1] ?? null,
      loops,
    }
    yield* visitSteps(
      step.steps ?? [],
      `${path}.steps`,
      LOOP_TYPES.includes(step.type) ? [...loops, step] : loops,
    )
    yield* visitSteps(step.then ?? [], `${path}.then`, loops)
    yield* visitSteps(step.else ?? [], `${path}.else`, loops)
    for (const [at, branch] of (step.cases ?? []).entries()) {
      yield* visitSteps(branch.steps, `${path}.cases[${at}].steps`, loops)
    }
    yield* visitSteps(step.default ?? [], `${path}.default`, loops)
  }
}
