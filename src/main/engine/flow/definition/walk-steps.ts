import { LOOP_TYPES } from '../../../../shared/contract/step-types/index.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
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

/**
 * The flow up to a step: those before it and those around it, with only the branch that leads to it. Null if there is no
 * such step.
 */
export function stepsBefore(steps: readonly Step[], refId: string): Step[] | null {
  for (const [index, step] of steps.entries()) {
    if (step.ref_id === refId) return steps.slice(0, index)
    const part = partBefore(step, refId)
    if (part !== null) return [...steps.slice(0, index), part]
  }
  return null
}

function partBefore(step: Step, refId: string): Step | null {
  const { steps, then, else: otherwise, cases, default: rest } = step
  const inLoop = steps && stepsBefore(steps, refId)
  if (inLoop) return { ...step, steps: inLoop }
  const inThen = then && stepsBefore(then, refId)
  if (inThen) return { ...step, then: inThen, else: [] }
  const inElse = otherwise && stepsBefore(otherwise, refId)
  if (inElse) return { ...step, then: [], else: inElse }
  const inDefault = rest && stepsBefore(rest, refId)
  const parts = cases?.map((branch) => ({ ...branch, steps: stepsBefore(branch.steps, refId) }))
  if (!inDefault && !parts?.some((branch) => branch.steps)) return null
  return {
    ...step,
    ...(cases && { cases: cases.map((branch, at) => ({ ...branch, steps: parts?.[at]?.steps ?? [] })) }),
    ...(rest && { default: inDefault || [] }),
  }
}
