import { say } from '../../../../shared/contract/base/message.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import type { StepPin } from '../../../../shared/contract/step-pins.ts'
import type { Store } from '../../../store/index.ts'

/**
 * The pins of a flow for a test.
 *
 * @throws AppError `conflict` if one of them can't be decrypted on this machine
 */
export function readablePins(store: Pick<Store, 'stepPins'>, flowId: string): readonly StepPin[] {
  const pins = store.stepPins.ofFlow(flowId)
  const locked = pins.find(({ state }) => state === 'needs_reentry')
  if (locked === undefined) return pins
  throw new AppError(
    'conflict',
    say('The value pinned to the step "{{ref}}" can\'t be decrypted on this machine; pin it again', {
      ref: locked.ref_id,
    }),
  )
}
