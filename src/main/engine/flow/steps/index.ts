import type { StepType } from '../../../../shared/contract/steps.ts'
import type { StepRunner } from '../step-runner.ts'
import { condition } from './condition.ts'
import { connectorAction } from './connector-action.ts'
import { delay } from './delay.ts'
import { loop } from './loop.ts'
import { respond } from './respond.ts'
import { rest } from './rest.ts'
import { schedule } from './schedule.ts'
import { set } from './set.ts'
import { stop } from './stop.ts'
import { webhook } from './webhook.ts'

/** One runner a step type: a type added to the contract does not compile until it has one. */
export const STEP_RUNNERS: { readonly [T in StepType]: StepRunner<T> } = {
  webhook,
  schedule,
  connector_action: connectorAction,
  rest,
  condition,
  loop,
  set,
  delay,
  respond,
  stop,
}
