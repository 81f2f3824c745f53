import { isStepType, type Step, STEP_TYPES, TRIGGER_TYPES } from '../../../../shared/contract/steps.ts'
import { checkConfig } from './check-config.ts'
import type { CheckContext } from './check-context.ts'
import { checkRef } from './check-refs.ts'
import { checkTemplates, type NamesInReach } from './check-templates.ts'
import { type FlowProblem, problemAt, type StepPlace } from './problem.ts'
import { warnOfStep } from './warn-of-step.ts'

export interface FlowCheck {
  /** For these a save is refused. */
  readonly errors: readonly FlowProblem[]
  /** The flow can be saved and run, but likely not as it is meant. */
  readonly warnings: readonly FlowProblem[]
}

/** Judges the steps of a flow before they are saved. What it lets pass can be run, though a run may still fail. */
export function checkFlow(steps: readonly Step[], context: CheckContext): FlowCheck {
  const check = { errors: [] as FlowProblem[], warnings: [] as FlowProblem[] }
  const visits = [...visitSteps(steps, 'steps', false)]
  const refs = new Set(visits.map(({ step }) => step.ref_id))
  const taken = new Map<string, string>()
  for (const visit of visits) {
    const { step, place } = visit
    check.errors.push(...checkRef(step, place, taken))
    check.errors.push(...checkType(visit, context))
    check.errors.push(...checkConfig(step, place, context))
    const names: NamesInReach = { refs, earlier: taken, envNames: context.envNames, inLoop: visit.inLoop }
    const templates = checkTemplates(step, place, names)
    check.errors.push(...templates.errors)
    check.warnings.push(...templates.warnings, ...warnOfStep(visit, context))
    if (!taken.has(step.ref_id)) taken.set(step.ref_id, place.path)
  }
  return check
}

/** A step and where it stands. */
export interface Visit {
  readonly step: Step
  readonly place: StepPlace
  readonly isFirst: boolean
  readonly inLoop: boolean
}

/** In the order in which they are written; a step before its children. */
function* visitSteps(steps: readonly Step[], list: string, inLoop: boolean): Generator<Visit> {
  for (const [index, step] of steps.entries()) {
    const path = `${list}[${index}]`
    yield { step, place: { refId: step.ref_id, path }, isFirst: path === 'steps[0]', inLoop }
    yield* visitSteps(step.steps ?? [], `${path}.steps`, inLoop || LOOPS.has(step.type))
    yield* visitSteps(step.then ?? [], `${path}.then`, inLoop)
    yield* visitSteps(step.else ?? [], `${path}.else`, inLoop)
    for (const [at, branch] of (step.cases ?? []).entries()) {
      yield* visitSteps(branch.steps, `${path}.cases[${at}].steps`, inLoop)
    }
    yield* visitSteps(step.default ?? [], `${path}.default`, inLoop)
  }
}

const LOOPS: ReadonlySet<string> = new Set(['loop', 'loop_while'])

function checkType({ step, place, isFirst }: Visit, { toleratedSteps }: CheckContext): FlowProblem[] {
  const { type } = step
  if (!isStepType(type) && !toleratedSteps.has(`${step.ref_id}/${type}`)) {
    return [
      problemAt(place, 'type', `"${type.slice(0, 60)}" is no step type; known are ${STEP_TYPES.join(', ')}`),
    ]
  }
  if (TRIGGER_TYPES.includes(type) && !isFirst) {
    return [problemAt(place, 'type', `a step of type ${type} starts a flow, so it must be the first step`)]
  }
  return []
}
