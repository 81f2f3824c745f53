import type { StepRunner } from '../../model/compiled-step.ts'

/** Begins a flow: its result is the dictionary of the request. What the caller gets is rendered at the end of the run. */
export const webhook: StepRunner<'webhook'> = {
  outside: false,
  run: (_step, scope) => scope.input,
}
