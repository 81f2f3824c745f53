import { LOOP_TYPES, triggersOf } from '../../../../shared/contract/step-types/index.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import { listsIn, mapLists } from '../../../../shared/contract/base/step-lists.ts'
import type { StepLocation } from './problem.ts'

/** A step and its position. */
export interface Visit {
  readonly step: Step
  readonly location: StepLocation
  /** Whether it is the first step of the flow, or only triggers come before it. */
  readonly canStart: boolean
  /** The previous step in its list. */
  readonly before: Step | null
  /** The loops around it, outermost first. */
  readonly loops: readonly Step[]
}

/** Visits the steps in the order of the definition, each before its children. */
export function* visitSteps(
  steps: readonly Step[],
  list = 'steps',
  loops: readonly Step[] = [],
): Generator<Visit> {
  const leading = list === 'steps' ? triggersOf(steps).length : -1
  for (const [index, step] of steps.entries()) {
    const path = `${list}[${index}]`
    yield {
      step,
      location: { refId: step.ref_id, path },
      canStart: index <= leading,
      before: steps[index - 1] ?? null,
      loops,
    }
    const around = LOOP_TYPES.includes(step.type) ? [...loops, step] : loops
    for (const { at, steps: inner } of listsIn(step)) yield* visitSteps(inner, `${path}.${at}`, around)
  }
}

/** Whether two steps are in different branches of one of these parallel steps, so that neither reads the other's result. */
export function areApart(parallels: readonly string[], path: string, other: string): boolean {
  return parallels.some((parallel) => {
    const [one, two] = [branchOf(parallel, path), branchOf(parallel, other)]
    return one !== null && two !== null && one !== two
  })
}

function branchOf(parallel: string, path: string): string | null {
  const start = `${parallel}.cases[`
  return path.startsWith(start) ? path.slice(start.length, path.indexOf(']', start.length)) : null
}

/** The paths of parallel steps. */
export function parallelsOf(visits: readonly Visit[]): string[] {
  return visits.flatMap(({ step, location }) => (step.type === 'parallel' ? [location.path] : []))
}

/** The steps before and around a step, with only the branches that lead to it. Null if there is no such step. */
export function stepsBefore(steps: readonly Step[], refId: string): Step[] | null {
  for (const [index, step] of steps.entries()) {
    if (step.ref_id === refId) return steps.slice(0, index)
    const part = partBefore(step, refId)
    if (part !== null) return [...steps.slice(0, index), part]
  }
  return null
}

function partBefore(step: Step, refId: string): Step | null {
  const lists = listsIn(step)
  const found = lists.findIndex(({ steps }) => stepsBefore(steps, refId) !== null)
  if (found === -1) return null
  // The lists of a `try` step run one after the other. Of other steps' lists, only one runs.
  const isSequence = step.type === 'try'
  return mapLists<Step, Step>(step, (steps, place) => {
    const at = lists.findIndex((list) => list.at === place)
    if (at === found) return stepsBefore(steps, refId) ?? []
    return isSequence && at < found ? [...steps] : []
  })
}
