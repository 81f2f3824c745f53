import type { StepRunner } from '../../model/compiled-step.ts'
import { constantProblems, WEBHOOK_FIELDS, webhookResponse } from '../support/webhook-answer.ts'

/**
 * Starts a flow. Its result is the object that was built from the request. The caller's response is rendered at the
 * end of the run.
 */
export const webhook: StepRunner<'webhook'> = {
  outside: false,
  check: (config) => constantProblems(webhookResponse(config), WEBHOOK_FIELDS),
  run: (_step, scope) => scope.input,
}
