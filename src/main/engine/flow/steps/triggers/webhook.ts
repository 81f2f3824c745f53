import type { StepRunner } from '../../model/compiled-step.ts'

/** Starts a flow: its result is the request's object. The caller's response is rendered at the end of the run. */
export const webhook: StepRunner<'webhook'> = {
  outside: false,
  run: (_step, scope) => scope.input,
}
