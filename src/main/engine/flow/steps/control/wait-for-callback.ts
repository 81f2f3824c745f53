import { say } from '../../../../../shared/contract/base/message.ts'
import { type Data, type Dictionary, dictionaryOf } from '@millrace/jinja/data'
import type { StepRunner } from '../../model/compiled-step.ts'
import { RunHalt } from '../../model/run-halt.ts'
import { readDeadline } from '../support/deadline.ts'

/**
 * Waits for a call to its URL. The run is parked meanwhile and occupies no worker; the call is stored when it comes, even
 * if that is before the run reaches the step.
 */
export const waitForCallback: StepRunner<'wait_for_callback'> = {
  outside: true,
  async run(step, scope) {
    const { callbacks } = scope.ports
    const expiresAt = Number(
      scope.decideOnce(() => readDeadline('timeout_hours', step.config.timeout_hours, scope)),
    )
    const place = { runId: scope.runId, stepKey: scope.key, refId: step.ref, expiresAt }
    scope.showInput(
      dictionaryOf([
        ['url', callbacks.urlOf(place.runId, place.stepKey)],
        ['expires_at', new Date(expiresAt).toISOString()],
      ]),
    )
    for (;;) {
      const end = await callbacks.settle(place)
      if (end !== null) {
        const output = end === 'timed_out' ? NOBODY : end
        scope.publish(output)
        if (end === 'timed_out') await scope.runChildren(step.children.default)
        return output
      }
      if (scope.resumable)
        throw new RunHalt(
          'parked',
          say('Waits for a callback until {{moment}}', { moment: new Date(expiresAt).toISOString() }),
          expiresAt,
          { kind: 'callback', id: `${place.runId}/${place.stepKey}` },
        )
      await scope.waitUncounted(() => callbacks.wait(place, scope.signal))
    }
  },
}

const NOBODY: Dictionary = dictionaryOf([
  ['method', null],
  ['headers', dictionaryOf([])],
  ['query', dictionaryOf([])],
  ['body', null],
  ['received_at', null],
  ['timed_out', true],
] satisfies [string, Data][])
