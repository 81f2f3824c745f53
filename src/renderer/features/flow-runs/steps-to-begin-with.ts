import type { FlowRunStep } from '../../../shared/contract/flow-runs.ts'

/** The names of steps that a run can start from, in order: steps inside a loop run with their loop. */
export function stepsToBeginWith(
  steps: readonly Pick<FlowRunStep, 'ref_id' | 'iteration'>[],
): readonly string[] {
  return [...new Set(steps.filter(({ iteration }) => iteration.length === 0).map((step) => step.ref_id))]
}
