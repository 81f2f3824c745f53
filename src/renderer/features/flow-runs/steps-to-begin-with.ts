import type { FlowRunStep } from '../../../shared/contract/flow-runs.ts'

/** The names of steps that a run can begin with, in their order: those of loops run with their loop. */
export function stepsToBeginWith(
  steps: readonly Pick<FlowRunStep, 'ref_id' | 'iteration'>[],
): readonly string[] {
  return [...new Set(steps.filter(({ iteration }) => iteration.length === 0).map((step) => step.ref_id))]
}
