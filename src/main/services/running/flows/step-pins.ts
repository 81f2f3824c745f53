/** Pinned values, which replace the output of a step in test runs, so that the step doesn't run. */
import { say } from '../../../../shared/contract/base/message.ts'
import { AppError, fieldErrors } from '../../../../shared/contract/base/errors.ts'
import type { z } from 'zod'
import type { pinStepRoute, StepPin } from '../../../../shared/contract/step-pins.ts'
import type { Data } from '@millrace/jinja/data'
import type { Clock } from '../../../engine/ports.ts'
import type { Redactor } from '../../../engine/redaction/redactor.ts'
import type { Store } from '../../../store/index.ts'
import type { Caller } from '../../kit/caller.ts'
import type { EventsService } from '../../kit/live-events.ts'
import { flowNotFound } from '../../kit/not-found.ts'
import { unhidden } from '../../keeping/secrets/unhidden.ts'
import { writeSealed } from '../../keeping/secrets/write-sealed.ts'

type PinBody = z.output<typeof pinStepRoute.body>

export interface StepPinsOptions {
  readonly store: Pick<Store, 'flowRuns' | 'flows' | 'stepPins' | 'write'>
  readonly clock: Pick<Clock, 'now'>
  readonly events: Pick<EventsService, 'emit'>
  readonly redactor: () => Redactor
}

/** The maximum number of steps in a flow. */
const MOST_PINS = 1_000

export function createStepPinsService({ store, clock, events, redactor }: StepPinsOptions) {
  function requireFlow(id: string): void {
    if (store.flows.get(id) === null) throw flowNotFound(id)
  }
  const shownPins = (flowId: string) =>
    store.stepPins
      .ofFlow(flowId)
      .map((pin) => ({ ...pin, value: redactor().redactData(pin.value as Data) as StepPin['value'] }))
  const announce = (id: string) => events.emit({ type: 'updated', noun: 'flow', id })

  return {
    /** @throws AppError `not_found` */
    list(flowId: string): readonly StepPin[] {
      requireFlow(flowId)
      return shownPins(flowId)
    },
    /** @throws AppError `not_found`, `validation` if the run belongs to another flow */
    async pin(
      { userId }: Pick<Caller, 'userId'>,
      flowId: string,
      refId: string,
      { value, flow_run_id: runId }: PinBody,
    ): Promise<StepPin> {
      if (!/^[A-Za-z_]\w{0,99}$/.test(refId)) throw fieldErrors({ ref_id: [say("isn't the name of a step")] })
      if (runId && store.flowRuns.get(runId)?.flow_id !== flowId)
        throw fieldErrors({ flow_run_id: [say("isn't a run of this flow")] })
      const pinned_at = new Date(clock.now()).toISOString()
      await writeSealed(store.write, () => {
        requireFlow(flowId)
        const pins = store.stepPins.ofFlow(flowId)
        const others = pins.filter((one) => one.ref_id !== refId)
        const before = pins.find((one) => one.ref_id === refId)?.value ?? null
        if (others.length >= MOST_PINS)
          throw new AppError('conflict', say('{{count}} steps are already pinned', { count: MOST_PINS }))
        store.stepPins.save(flowId, {
          ref_id: refId,
          value: unhidden(value, before, redactor()) as StepPin['value'],
          pinned_at,
          author_id: userId,
          flow_run_id: runId ?? null,
        })
      })
      announce(flowId)
      return shownPins(flowId).find(({ ref_id: ref }) => ref === refId) as StepPin
    },
    async unpin(flowId: string, refId: string): Promise<void> {
      await store.write(() => {
        requireFlow(flowId)
        if (!store.stepPins.delete(flowId, refId))
          throw new AppError(
            'not_found',
            say('The step "{{step}}" has no pinned value', { step: refId.slice(0, 100) }),
          )
      })
      announce(flowId)
    },
  }
}
