import type { StepRunner } from '../../model/compiled-step.ts'

/** Starts a flow with a person's input from its page, which has already been checked. */
export const formTrigger: StepRunner<'form_trigger'> = {
  outside: false,
  run: (_step, scope) => scope.input,
}
