/**
 * Finds the steps that a run still has to go through after it was stopped while it waited: those that lead to a
 * `finally`.
 */
import { LOOP_TYPES } from '../../../../shared/contract/step-types/index.ts'
import { stepsIn } from '../../../../shared/contract/base/step-lists.ts'
import type { CompiledStep } from '../model/compiled-step.ts'
import { type ResumeState, stepKey } from '../model/run-events.ts'

/** Whether the run has finished this step, or begun a step inside it, in this iteration. */
export function isBegun(state: ResumeState, { path }: CompiledStep, iteration: readonly number[]): boolean {
  if (state.get(stepKey(path, iteration))?.end !== undefined) return true
  const around = iteration.join('.')
  return keysBelow(state, path).some(
    ({ turns }) => around === '' || turns.join('.') === around || turns.join('.').startsWith(`${around}.`),
  )
}

/** Whether the run is in a step whose `finally` hasn't run to its end. */
export function owesFinally(steps: readonly CompiledStep[], state: ResumeState): boolean {
  return tries(steps).some(({ path, depth }) =>
    keysBelow(state, path).some(
      ({ turns }) => state.get(stepKey(path, turns.slice(0, depth)))?.end === undefined,
    ),
  )
}

function keysBelow(state: ResumeState, path: string): { readonly turns: readonly number[] }[] {
  return [...state.keys()]
    .filter((key) => key.startsWith(`${path}.`))
    .map((key) => ({ turns: (key.split('#')[1] ?? '').split('.').filter(Boolean).map(Number) }))
}

/** The steps with a `finally`, each with the number of loops around it. */
function tries(
  steps: readonly CompiledStep[],
  depth = 0,
): { readonly path: string; readonly depth: number }[] {
  return steps.flatMap((step) => [
    ...(step.children.finally.length > 0 ? [{ path: step.path, depth }] : []),
    ...tries(stepsIn(step.children), depth + (LOOP_TYPES.includes(step.type) ? 1 : 0)),
  ])
}
