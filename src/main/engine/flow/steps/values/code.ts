import { say } from '../../../../../shared/contract/base/message.ts'
import { type Data, dictionaryOf, entriesOf, getKey, isDictionary, writeJson } from '@millrace/jinja/data'
import type { StepRunner, StepScope } from '../../model/compiled-step.ts'
import { readScriptResult } from '../support/script-result.ts'

/** Runs JavaScript in a sandbox. Its console output is shown with the step. */
export const code: StepRunner<'code'> = {
  outside: false,
  async run({ config }, scope) {
    const input = writeJson(inputOf(scope))
    if (input.length > MOST_INPUT) {
      throw scope.fail(
        'too_large',
        say(
          'the results so far are {{length}} characters of JSON; "input" holds up to {{limit}}. Make earlier steps return less, with a filter or a set step',
          { length: input.length, limit: MOST_INPUT },
        ),
        { field: 'config.source' },
      )
    }
    const result = await scope.ports.runScript(
      { source: config.source, runtime: config.runtime ?? 'javascript' },
      input,
      scope.signal,
    )
    return readScriptResult(result, 'config.source', scope)
  },
}

/** The results of the previous steps, and the headers of the request that started the flow. */
function inputOf({ results, context }: StepScope): Data {
  const webhook = context['webhook']
  const headers = isDictionary(webhook) ? getKey(webhook, 'headers') : undefined
  if (headers === undefined || !isDictionary(results)) return results
  return dictionaryOf([...entriesOf(results), ['webhook', dictionaryOf([['headers', headers]])]])
}

const MOST_INPUT = 10_000_000
