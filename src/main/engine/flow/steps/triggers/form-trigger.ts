import type { StepRunner } from '../../model/compiled-step.ts'

/** Starts a flow with what a person entered on its page. The input has already been checked. */
export const formTrigger: StepRunner<'form_trigger'> = {
  outside: false,
  run: (_step, scope) => scope.input,
}
