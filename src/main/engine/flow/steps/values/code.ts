import { JsonError, parseLargeJson, writeJson } from '../../../data/json.ts'
import { type Data, dictionaryOf, entriesOf, getKey, isDictionary } from '../../../data/value.ts'
import type { StepRunner, StepScope } from '../../model/compiled-step.ts'
import type { ScriptResult } from '../../model/ports.ts'

/** Runs JavaScript in a sandbox. Its console output is shown with the step. */
export const code: StepRunner<'code'> = {
  outside: false,
  async run({ config }, scope) {
    const input = writeJson(inputOf(scope))
    if (input.length > MOST_INPUT) {
      throw scope.fail(
        'too_large',
        `the results so far are ${input.length} characters of JSON; "input" holds up to ${MOST_INPUT}. Make earlier steps return less, with a filter or a set step`,
        { field: 'config.source' },
      )
    }
    const { log, outcome } = await scope.ports.runScript(
      { source: config.source, runtime: config.runtime ?? 'javascript' },
      input,
      scope.signal,
    )
    scope.showLog(log)
    if (outcome.kind === 'returned') return await readReturned(outcome.value, scope)
    throw failure(outcome, scope)
  },
}

/** The results of the previous steps, and the headers of the request that started the flow. */
function inputOf({ results, context }: StepScope): Data {
  const webhook = context['webhook']
  const headers = isDictionary(webhook) ? getKey(webhook, 'headers') : undefined
  if (headers === undefined || !isDictionary(results)) return results
  return dictionaryOf([...entriesOf(results), ['webhook', dictionaryOf([['headers', headers]])]])
}

/** It is certainly JSON, but may be larger than a result can be. */
async function readReturned(text: string, scope: StepScope): Promise<Data> {
  try {
    return await parseLargeJson(text)
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    throw scope.fail('code_limit', `the code's return value can't be used as a result: ${error.problem}`, {
      field: 'config.source',
    })
  }
}

function failure(outcome: Exclude<ScriptResult['outcome'], { kind: 'returned' }>, scope: StepScope) {
  const field = 'config.source'
  if (outcome.kind === 'stopped') return scope.fail('code_limit', outcome.message, { field })
  const { line, message } = outcome
  return scope.fail('code_error', line === null ? message : `line ${line}: ${message}`, { field, line })
}

const MOST_INPUT = 10_000_000
