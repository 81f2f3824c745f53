import type { Step } from '../../../shared/contract/steps.ts'
import { OWN_JSON_LIMITS, parseJson, writeJson } from '../../engine/data/json.ts'
import { visitSteps } from '../../engine/flow/definition/walk-steps.ts'

/** Every step of a flow, those inside others included. */
export function* eachStep(steps: readonly Step[]): Generator<Step> {
  for (const { step } of visitSteps(steps)) yield step
}

/** Steps that can be changed without changing those. */
export function copyOf(steps: readonly Step[]): Step[] {
  return parseJson(writeJson(steps as never), OWN_JSON_LIMITS) as never
}

/** A text of a step's config; empty where it is none. */
export function textIn({ config }: Step, key: string): string {
  const held = config[key]
  return typeof held === 'string' ? held : ''
}
