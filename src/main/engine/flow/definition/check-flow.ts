import { isDeepStrictEqual } from 'node:util'
import { say, type Said } from '../../../../shared/contract/base/message.ts'
import {
  hasCallback,
  HTTP_TRIGGER_TYPES,
  isStepType,
  STEP_TYPES,
  TRIGGER_TYPES,
  triggersOf,
} from '../../../../shared/contract/step-types/index.ts'
import { RESERVED_REFS, type Step } from '../../../../shared/contract/steps.ts'
import { closest, isReadableName } from '@millrace/jinja'
import { checkStepConfig } from './check-step-config.ts'
import { checkTemplates, type NamesInReach } from './check-templates.ts'
import { type CheckContext, type DefinitionProblem, problemAt, type StepLocation } from './problem.ts'
import { plainRestRefs } from './rest-members.ts'
import { areApart, parallelsOf, type Visit, visitSteps } from './walk-steps.ts'
import {
  warnOfAsync,
  warnOfJsonTexts,
  warnOfResponseBody,
  warnOfRestMembers,
  warnOfStep,
} from './warnings.ts'
import { warnOfUnreached } from './unreached.ts'

export interface FlowCheck {
  /** The flow isn't saved if there are any. */
  readonly errors: readonly DefinitionProblem[]
  /** The flow can be saved and run, but probably doesn't do what was intended. */
  readonly warnings: readonly DefinitionProblem[]
}

/**
 * Checks the steps of a flow before they are saved. A flow that passes can be run, though a run may still fail.
 *
 * @param only the name of the only step to check
 */
export function checkFlow(steps: readonly Step[], context: CheckContext, only?: string): FlowCheck {
  const check = { errors: [] as DefinitionProblem[], warnings: [] as DefinitionProblem[] }
  const visits = [...visitSteps(steps)]
  const rests = plainRestRefs(steps)
  const parallels = parallelsOf(visits)
  const triggers = triggersOf(steps)
  const refs = new Set(visits.map(({ step }) => step.ref_id))
  const hasCallbacks = visits.some(({ step }) => hasCallback(step.type))
  const taken = new Map<string, string>()
  for (const visit of visits) {
    const { step, location } = visit
    if (only !== undefined && step.ref_id !== only) {
      if (!taken.has(step.ref_id)) taken.set(step.ref_id, location.path)
      continue
    }
    check.errors.push(...checkRef(step, location, taken))
    check.errors.push(...checkType(visit, context))
    check.errors.push(...checkTriggers(visit, triggers), ...checkStepConfig(step, location, context))
    const names: NamesInReach = {
      refs,
      earlier: taken,
      apart: new Set(
        [...(parallels.length === 0 ? [] : taken)].flatMap(([ref, path]) =>
          areApart(parallels, path, location.path) ? [ref] : [],
        ),
      ),
      envNames: context.envNames,
      inLoop: visit.loops.length > 0,
      hasCallbacks,
      hasTrigger: triggers.length > 0,
    }
    const templates = checkTemplates(step, location, names)
    check.errors.push(...templates.errors)
    check.warnings.push(
      ...templates.warnings,
      ...warnOfStep(visit, context),
      ...warnOfJsonTexts(visit),
      ...warnOfResponseBody(visit),
      ...warnOfRestMembers(visit, rests),
    )
    if (!taken.has(step.ref_id)) taken.set(step.ref_id, location.path)
  }
  if (only === undefined) check.warnings.push(...warnOfAsync(visits), ...warnOfUnreached(visits))
  return check
}

function saidNearest(type: string): Said | null {
  const near = closest(type, STEP_TYPES)
  return near === undefined
    ? null
    : say('"{{type}}" isn\'t a step type; did you mean "{{near}}"?', { type: type.slice(0, 60), near })
}

function checkType(
  { step, location, canStart }: Visit,
  { toleratedSteps }: CheckContext,
): DefinitionProblem[] {
  const { type } = step
  if (!isStepType(type) && !toleratedSteps.has(`${step.ref_id}/${type}`)) {
    return [
      problemAt(
        location,
        'type',
        saidNearest(type) ??
          say('"{{type}}" isn\'t a step type; the types are {{types}}', {
            type: type.slice(0, 60),
            types: STEP_TYPES.join(', '),
          }),
      ),
    ]
  }
  if (TRIGGER_TYPES.includes(type) && !canStart) {
    return [
      problemAt(
        location,
        'type',
        say('a {{type}} step starts a flow, so only triggers can be above it', { type }),
        { mend: () => ({ move: step.ref_id, after: null }) },
      ),
    ]
  }
  return []
}

/**
 * Reports triggers that can't be told apart: a flow has only one webhook URL, and an item that two triggers
 * find would start two runs.
 */
function checkTriggers({ step, location }: Visit, triggers: readonly Step[]): DefinitionProblem[] {
  const before = triggers.slice(0, Math.max(0, triggers.indexOf(step)))
  const isHttp = HTTP_TRIGGER_TYPES.includes(step.type)
  const other = isHttp
    ? before.find(({ type }) => HTTP_TRIGGER_TYPES.includes(type))
    : before.find(({ type, config }) => type === step.type && isDeepStrictEqual(config, step.config))
  if (other === undefined) return []
  const name = { ref: other.ref_id }
  return [
    problemAt(
      location,
      'type',
      isHttp
        ? say(
            'is a second trigger at the URL of the flow, which "{{ref}}" already uses; make a separate flow for it',
            name,
          )
        : say(
            'looks for the same thing as the trigger "{{ref}}", so each match would start two runs; remove one',
            name,
          ),
    ),
  ]
}

/** Checks a step's name beyond its syntax: it must be unique and unambiguous in templates. */
function checkRef(
  step: Step,
  location: StepLocation,
  taken: ReadonlyMap<string, string>,
): DefinitionProblem[] {
  const { ref_id: refId } = step
  const first = taken.get(refId)
  if (first !== undefined) {
    return [
      problemAt(
        location,
        'ref_id',
        say('"{{name}}" is already the name of {{place}}; rename one of them', { name: refId, place: first }),
      ),
    ]
  }
  if (RESERVED_REFS.includes(refId)) {
    return [
      problemAt(
        location,
        'ref_id',
        say('"{{name}}" is reserved in templates; choose another name', { name: refId }),
      ),
    ]
  }
  if (!isReadableName(refId)) {
    return [
      problemAt(
        location,
        'ref_id',
        say('"{{name}}" is a reserved word of the template language; choose another name', { name: refId }),
      ),
    ]
  }
  return []
}
