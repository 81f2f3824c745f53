/** The steps of a flow on their way into the store: checked, and complete with every default. */
import type { PaginationConfig } from '../../shared/contract/pagination.ts'
import { isStepType, STEP_CONFIGS, type Step } from '../../shared/contract/steps.ts'
import { parseInput } from '../../shared/contract/validate.ts'
import type { CheckContext } from '../engine/flow/check/check-context.ts'
import { checkFlow } from '../engine/flow/check/check-flow.ts'
import { flowRefusal } from '../engine/flow/check/problem.ts'
import type { Store } from '../store/index.ts'
import { withReplaceBody } from './replace-body.ts'

/**
 * @param mayStay steps whose unknown types are let pass: those that the flow has already, or that are imported
 * @throws AppError `validation` naming the steps and their fields
 */
export type PrepareSteps = (steps: readonly Step[], mayStay: readonly Step[]) => Step[]

export function createPrepareSteps(
  store: Pick<Store, 'connectors' | 'actions' | 'connectorAuths' | 'envVariables'>,
): PrepareSteps {
  return (steps, mayStay) => {
    const { errors } = checkFlow(steps, contextOf(store, mayStay))
    if (errors.length > 0) throw flowRefusal(errors)
    return steps.map(complete)
  }
}

/** A flow is called from outside where it begins with a webhook step, a disabled one included. */
export function beginsWithWebhook([first]: readonly Step[]): boolean {
  return first?.type === 'webhook'
}

/** What every template of a flow may read beside env variables and the results of steps. */
const BUILT_IN_NAMES = ['playground_url']

function contextOf(
  { connectors, actions, connectorAuths, envVariables }: Parameters<typeof createPrepareSteps>[0],
  mayStay: readonly Step[],
): CheckContext {
  const variables = envVariables.list().records.map(({ name }) => name)
  return {
    envNames: new Set([...variables, ...BUILT_IN_NAMES]),
    toleratedSteps: new Set(allOf(mayStay).map(({ ref_id, type }) => `${ref_id}/${type}`)),
    hasConnector: (id) => connectors.get(id) !== null,
    findAction: (connectorId, name) => actions.find(connectorId, name),
    connectorOfAuth: (id) => connectorAuths.get(id)?.connector_id ?? null,
  }
}

function allOf(steps: readonly Step[]): Step[] {
  return steps.flatMap((step) => [step, ...allOf(childrenOf(step))])
}

function childrenOf({
  steps = [],
  then = [],
  else: otherwise = [],
  cases = [],
  default: last = [],
}: Step): Step[] {
  return [...steps, ...then, ...otherwise, ...cases.flatMap((branch) => branch.steps), ...last]
}

function complete(step: Step): Step {
  const { steps, then, else: otherwise, cases, default: last } = step
  return {
    ...step,
    config: completeConfig(step),
    ...(steps && { steps: steps.map(complete) }),
    ...(then && { then: then.map(complete) }),
    ...(otherwise && { else: otherwise.map(complete) }),
    ...(cases && { cases: cases.map((branch) => ({ ...branch, steps: branch.steps.map(complete) })) }),
    ...(last && { default: last.map(complete) }),
  }
}

function completeConfig({ type, config }: Step): Step['config'] {
  if (!isStepType(type)) return config
  const complete: Step['config'] = parseInput(STEP_CONFIGS[type], config, 'config')
  if (type !== 'rest' || complete['pagination'] === null) return complete
  return { ...complete, pagination: withReplaceBody(complete['pagination'] as PaginationConfig) }
}
