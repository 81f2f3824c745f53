/** Pinned values: what a step gives in test runs, instead of running. */
import { AppError, fieldErrors } from '../../shared/contract/errors.ts'
import type { StepPin } from '../../shared/contract/step-pins.ts'
import type { Clock } from '../engine/ports.ts'
import type { Store } from '../store/index.ts'
import type { EventsService } from './events.ts'
import { noFlow } from './not-found.ts'

export interface StepPinsService {
  /** @throws AppError `not_found` */
  list(flowId: string): readonly StepPin[]
  pin(flowId: string, refId: string, value: StepPin['value']): Promise<StepPin>
  unpin(flowId: string, refId: string): Promise<void>
}

export interface StepPinsOptions {
  readonly store: Pick<Store, 'flows' | 'stepPins' | 'write'>
  readonly clock: Pick<Clock, 'now'>
  readonly events: Pick<EventsService, 'emit'>
}

/** A flow has no more steps than this. */
const MOST_PINS = 1_000

export function createStepPinsService({ store, clock, events }: StepPinsOptions): StepPinsService {
  function requireFlow(id: string): void {
    if (store.flows.get(id) === null) throw noFlow(id)
  }
  const announce = (id: string) => events.emit({ type: 'updated', noun: 'flow', id })

  return {
    list(flowId) {
      requireFlow(flowId)
      return store.stepPins.ofFlow(flowId)
    },
    async pin(flowId, refId, value) {
      if (!/^[A-Za-z_]\w{0,99}$/.test(refId)) throw fieldErrors({ ref_id: ['is no name of a step'] })
      const pin = { ref_id: refId, value, pinned_at: new Date(clock.now()).toISOString() }
      await store.write(() => {
        requireFlow(flowId)
        const others = store.stepPins.ofFlow(flowId).filter((one) => one.ref_id !== refId)
        if (others.length >= MOST_PINS)
          throw new AppError('conflict', `${MOST_PINS} steps are pinned already`)
        store.stepPins.save(flowId, pin)
      })
      announce(flowId)
      return pin
    },
    async unpin(flowId, refId) {
      await store.write(() => {
        requireFlow(flowId)
        if (!store.stepPins.delete(flowId, refId))
          throw new AppError('not_found', `Nothing is pinned to the step "${refId.slice(0, 100)}"`)
      })
      announce(flowId)
    },
  }
}
