import { type Data, dictionaryOf } from '@millrace/jinja/data'
import type { StepRunner } from '../../model/compiled-step.ts'
import type { StepError } from '../../model/step-error.ts'

/**
 * Runs `try`, then `catch` if a step in it fails, and `finally` in any case. Only a run that continues later skips
 * `finally`, because it gets there after it is resumed.
 */
export const tryStep: StepRunner<'try'> = {
  outside: false,
  async run({ children }, scope) {
    const body = await scope.attempt(children.try)
    const isCaught = body.kind === 'failed' && children.catch.length > 0
    const error = body.kind === 'failed' ? errorOf(body.failure) : null
    scope.publish(outputOf(error, null))
    const end = isCaught ? await scope.attempt(children.catch) : body
    const output = outputOf(error, end.kind === 'done' ? end.result : null)
    scope.publish(output)
    await scope.runFinally(children.finally, end.kind === 'halted' ? end.halt : null)
    if (end.kind === 'halted') throw end.halt
    if (end.kind === 'failed') throw end.failure
    return output
  },
}

function outputOf(error: Data, result: Data): Data {
  return dictionaryOf([
    ['error', error],
    ['result', result],
  ])
}

function errorOf({ code, message, refId, data }: StepError): Data {
  return dictionaryOf([
    ['code', code],
    ['message', message],
    ['ref_id', refId],
    ['data', data ?? null],
  ])
}
