/** Checks every step result in any test against what the step's type says about it. */
import { z } from 'zod'
import { definitionOf } from '../../src/shared/contract/step-types/index.ts'
import type { FlowRunStep } from '../../src/shared/contract/flow-runs.ts'
import type { Step } from '../../src/shared/contract/steps.ts'
import { visitSteps } from '../../src/main/engine/flow/definition/walk-steps.ts'

/**
 * The differences, one line each. Skips results that weren't kept completely, and those that no step can read, such as
 * what `stop` ends a run with.
 */
export function faultsOfResults(steps: readonly Step[], executed: readonly FlowRunStep[]): readonly string[] {
  const configs = new Map([...visitSteps(steps)].map(({ step }) => [step.ref_id, step.config]))
  return executed.flatMap(({ type, ref_id: refId, status, input, output, truncated }) => {
    const definition = definitionOf(type)
    const config = configs.get(refId)
    if (definition === undefined || config === undefined || definition.result instanceof z.ZodNever) return []
    if (status !== 'success' || truncated || input === null) return []
    const { error } = (definition.resultOf?.(config) ?? definition.result).safeParse(output)
    if (error === undefined) return []
    const faults = error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')
    return [`${type} "${refId}" gave ${JSON.stringify(output)}: ${faults}`]
  })
}
