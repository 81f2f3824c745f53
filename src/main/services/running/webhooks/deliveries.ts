/** Signed webhook requests: verifies the signature, and finds the response to a repeated delivery. */
import { say } from '../../../../shared/contract/base/message.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import type { SignatureConfig } from '../../../../shared/contract/step-types/triggers/webhook.ts'
import type { Clock } from '../../../engine/ports.ts'
import { jinja } from '@millrace/jinja/environment'
import { checkSignature, type SignedRequest } from '../../../engine/webhook/check-signature.ts'
import type { DeliveryAnswer, Store } from '../../../store/index.ts'
import type { EnvValues, Execution } from '../execution/run-executor.ts'

export type Deliveries = ReturnType<typeof createDeliveries>

export interface RunningDelivery {
  readonly runId: string
  readonly execution: Execution
}

export interface DeliveriesOptions {
  readonly store: Pick<Store, 'seenDeliveries' | 'secretBox'>
  readonly env: EnvValues
  readonly clock: Pick<Clock, 'now'>
}

export function createDeliveries({ store, env, clock }: DeliveriesOptions) {
  const running = new Map<string, RunningDelivery>()
  const keyOf = (flowId: string, id: string) => `${flowId} ${id}`

  function secretOf(template: string): string {
    try {
      const text = jinja.renderString(template, env())
      if (text.trim() !== '') return text
    } catch {
      // Reported below, without the rendered value.
    }
    throw new AppError(
      'flow_error',
      say("Can't verify the signature: its secret is missing or empty; check the secret variable"),
    )
  }

  return {
    /** @throws AppError `flow_error` if it is empty */
    secretOf,
    /**
     * @returns the sender's delivery id; null if it sends none
     * @throws AppError `unauthorized`, or `flow_error` if the secret is missing
     */
    checkSignature(config: SignatureConfig, request: SignedRequest): string | null {
      const verdict = checkSignature(config, { request, secret: secretOf(config.secret), now: clock.now() })
      if (verdict.isGood) return verdict.id
      throw new AppError('unauthorized', verdict.reason)
    },
    /** The earlier response to the delivery; null if it is new. */
    answerOf: (flowId: string, id: string) =>
      store.secretBox.locked ? null : store.seenDeliveries.get(flowId, id),
    /** Call inside the write that makes the response final. False if the delivery already has one. */
    remember(flowId: string, id: string, { status, headers, body }: DeliveryAnswer): boolean {
      // Failed deliveries aren't remembered, so that they can succeed if the sender repeats them.
      if (status >= 500 || store.secretBox.locked) return true
      return store.seenDeliveries.insert(flowId, id, { status, headers, body }, clock.now())
    },
    /** The run of the delivery while it is in progress. */
    findRunning: (flowId: string, id: string) => running.get(keyOf(flowId, id)) ?? null,
    begin(flowId: string, id: string, run: RunningDelivery): void {
      const key = keyOf(flowId, id)
      const end = () => void running.delete(key)
      running.set(key, run)
      run.execution.outcome.then(end, end)
    },
  }
}
