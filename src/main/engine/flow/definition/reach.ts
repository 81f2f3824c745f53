import {
  facesOf,
  HTTP_TRIGGER_TYPES,
  LOOP_TYPES,
  triggersOf,
} from '../../../../shared/contract/step-types/index.ts'
import { hasForEach } from '../../../../shared/contract/step-types/parts/for-each.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import type { FieldFace } from '../../../../shared/contract/step-types/parts/step-type.ts'
import { areApart, parallelsOf, visitSteps } from './walk-steps.ts'

/** The results and loop variables that the templates of one field can read. */
export interface StepReach {
  /** Steps whose results exist when the template is rendered, in the order in which they run. */
  readonly before: readonly string[]
  /** Steps that haven't run by then. */
  readonly later: readonly string[]
  /** Loops whose `item` and `index` are available, outermost first. */
  readonly loops: readonly Step[]
}

/** Null if the flow has no such step. */
export function reachOf(steps: readonly Step[], refId: string, field: string): StepReach | null {
  const visits = [...visitSteps(steps)]
  const at = visits.findIndex(({ step }) => step.ref_id === refId)
  const visit = visits[at]
  if (!visit) return null
  const refs = visits.map(({ step }) => step.ref_id)
  const loops = readsEntry(visit.step, field) ? [...visit.loops, visit.step] : visit.loops
  if (readsRequest(visit.step, field))
    return { before: [refId], later: refs.filter((ref) => ref !== refId), loops }
  if (isRenderedLast(visit.step, field)) return { before: refs, later: [], loops }
  const parallels = parallelsOf(visits)
  const triggers = triggersOf(steps)
  // Only one trigger starts a run.
  if (triggers.includes(visit.step)) return { before: [], later: refs, loops }
  const isBefore = (path: string) => !areApart(parallels, path, visit.location.path)
  const before = visits.slice(0, at).filter(({ location }) => isBefore(location.path))
  return { before: before.map(({ step }) => step.ref_id), later: refs.slice(at), loops }
}

/** A field that is rendered at the end of the run or of a loop's iteration can read the results of later steps. */
export function isRenderedLast({ type }: Pick<Step, 'type'>, field: string): boolean {
  if (readsRequest({ type }, field)) return false
  return HTTP_TRIGGER_TYPES.includes(type) || (LOOP_TYPES.includes(type) && reads({ type }, field, 'item'))
}

/** Whether a field is rendered once for each item of the step's own list, or for each of its iterations. */
export function readsEntry(step: Pick<Step, 'type' | 'config'>, field: string): boolean {
  const isForEach = hasForEach(step.config) && /^config\.(?!for_each)/.test(field)
  return isForEach || reads(step, field, 'item')
}

/** Whether a field can read `since`, the position that a trigger has reached in its list. */
export function readsSince(step: Pick<Step, 'type'>, field: string): boolean {
  return reads(step, field, 'since')
}

/** Whether a field can read `job` and `poll`, the responses of an export. */
export function readsJob(step: Pick<Step, 'type'>, field: string): boolean {
  return reads(step, field, 'job')
}

/** Whether a field is rendered before there is a run, and reads only the request. */
export function readsRequest(step: Pick<Step, 'type'>, field: string): boolean {
  return reads(step, field, 'request')
}

function reads({ type }: Pick<Step, 'type'>, field: string, what: FieldFace['reads']): boolean {
  const [, name = ''] = /^config\.(\w+)/.exec(field) ?? []
  return facesOf(type, name).some((face) => face.reads === what)
}
