import type { TestCoverage } from '../../../../shared/contract/flow-tests.ts'
import { listsIn } from '../../../../shared/contract/base/step-lists.ts'
import type { CompiledStep } from '../../../engine/flow/model/compiled-step.ts'

/**
 * @param ran the paths of the steps that ran
 */
export function coverageOf(steps: readonly CompiledStep[], ran: ReadonlySet<string>): TestCoverage {
  const all = steps.flatMap(withBelow)
  return {
    steps: all.length,
    not_run: all.flatMap(({ ref, path }) => (ran.has(path) ? [] : [ref])),
    branches_not_run: all.flatMap((step) => (ran.has(step.path) ? branchesNotRun(step, ran) : [])),
  }
}

function withBelow(step: CompiledStep): CompiledStep[] {
  if (step.disabled || step.isPart) return []
  return [step, ...listsIn(step.children).flatMap(({ steps }) => steps.flatMap(withBelow))]
}

function branchesNotRun(step: CompiledStep, ran: ReadonlySet<string>): string[] {
  return listsIn(step.children).flatMap(({ at, steps }) => {
    const own = steps.flatMap(withBelow)
    return own.length === 0 || own.some(({ path }) => ran.has(path)) ? [] : [`${step.ref}.${at}`]
  })
}
