import { say, sentenceOf } from '../../../../../shared/contract/base/message.ts'
import type { StepConfig } from '../../../../../shared/contract/step-types/index.ts'
import { type Dictionary, dictionaryOf, isDictionary } from '@millrace/jinja/data'
import type { StepRunner, StepScope } from '../../model/compiled-step.ts'
import { RunHalt } from '../../model/run-halt.ts'
import { atField, shortText } from '../support/read-input.ts'

/**
 * Starts another flow and, if configured, waits for its result. The other run gets its id before it is stored, so that
 * a crash in between doesn't start a second one. While waiting, this run is parked and occupies no worker.
 */
export const runFlowStep: StepRunner<'run_flow'> = {
  outside: true,
  async run({ config }, scope) {
    const { subFlows, clock } = scope.ports
    const call = readCall(config, scope)
    const runId = await nameRun(scope)
    scope.showInput(dictionaryOf([...call.shown, ['flow_run_id', runId]]))
    if (subFlows.endOf(runId) === null) {
      const { flowId, input } = call
      const child = { runId, flowId, input, parentRunId: scope.runId, awaited: config.wait }
      await atField(scope, 'config.flow_id', subFlows.start(child))
    }
    if (!config.wait) return dictionaryOf([['flow_run_id', runId]])
    for (;;) {
      const end = subFlows.endOf(runId)
      if (end?.kind === 'output') {
        // A step that writes the result has to know that it may be incomplete.
        for (const doubt of end.doubts)
          scope.warn(
            doubt.code,
            say('In the flow it runs: {{message}}', { message: sentenceOf(doubt) }),
            true,
          )
        return end.output
      }
      if (end) {
        scope.saveProgress(TOLD)
        throw scope.fail('flow_error', say('the flow it runs failed: {{why}}', { why: end.said }), {
          field: 'config.flow_id',
          data: { flow_run_id: runId },
        })
      }
      if (scope.resumable) {
        const awaited = { kind: 'run', id: runId } as const
        throw new RunHalt(
          'parked',
          say('Waits for the flow run {{runId}}', { runId }),
          clock.now() + LOOK_EVERY_MS,
          awaited,
        )
      }
      await scope.waitUncounted(() => subFlows.wait(runId, scope.signal))
    }
  },
}

/**
 * The run that was saved before, unless its failure has been reported, which means that the step is being retried. If
 * Millrace was killed before that run was stored, it gets a new id, because the old one may belong to another run by
 * now.
 */
async function nameRun(scope: StepScope): Promise<string> {
  const last = scope.savedProgress.at(-1)
  const { subFlows } = scope.ports
  if (typeof last === 'string' && last !== TOLD && subFlows.isStored(last)) return last
  const runId = subFlows.newRunId()
  scope.saveProgress(runId)
  await scope.commit()
  return runId
}

interface Call {
  readonly flowId: string
  readonly input: Dictionary
  readonly shown: [string, string | Dictionary][]
}

function readCall(config: StepConfig<'run_flow'>, scope: StepScope): Call {
  const field = 'config.flow_id'
  const flowId = scope.renderText(field, config.flow_id).trim()
  if (flowId === '')
    throw scope.fail('validation', say('"flow_id" is empty; choose the flow to run'), { field })
  const input = readInput(config, scope)
  return {
    flowId,
    input,
    shown: [
      ['flow_id', flowId],
      ['input', input],
    ],
  }
}

function readInput({ input }: StepConfig<'run_flow'>, scope: StepScope): Dictionary {
  const field = 'config.input'
  const value = scope.evaluate(field, input)
  if (isDictionary(value)) return value
  if (value === null || value === '') return dictionaryOf([])
  throw scope.fail(
    'validation',
    say('"input" must be an object, got {{shortText}}', { shortText: shortText(value) }),
    { field },
  )
}

const TOLD = 'told'
/** The end of the other run wakes this one, which also checks by itself in case the notification was lost. */
const LOOK_EVERY_MS = 60_000
