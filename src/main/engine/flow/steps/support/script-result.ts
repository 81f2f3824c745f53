import { say, quoted } from '../../../../../shared/contract/base/message.ts'
import { type Data, JsonError, parseLargeJson } from '@millrace/jinja/data'
import type { StepScope } from '../../model/compiled-step.ts'
import type { ScriptResult } from '../../model/ports.ts'

/**
 * The return value of a script; its console output is shown with the step.
 *
 * @param field the field of the config that failures name
 * @throws StepError if it failed, was stopped, or returned more than a result can hold
 */
export async function readScriptResult(
  { log, outcome }: ScriptResult,
  field: string,
  scope: StepScope,
): Promise<Data> {
  scope.showLog(log)
  if (outcome.kind === 'stopped') throw scope.fail('code_limit', outcome.said, { field })
  if (outcome.kind === 'threw') {
    const { line, message, said = quoted(message) } = outcome
    throw scope.fail(
      'code_error',
      line === null ? said : say('line {{line}}: {{message}}', { line, message }),
      { field, line },
    )
  }
  try {
    return await parseLargeJson(outcome.value)
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    // The value is always valid JSON, but may be too large for a result.
    throw scope.fail(
      'code_limit',
      say("the code's return value can't be used as a result: {{problem}}", { problem: error.problem }),
      {
        field,
      },
    )
  }
}
