/** The flow that benches of webhooks send to, and what they send: an order, which one `set` step marks as received. */
import { createFlow, type HookAddress } from './create-flow.ts'
import type { StartedMillrace } from './millrace.ts'

export const ORDER = JSON.stringify({ id: 1042, email: 'grace@example.test', total: 129.5 })

/**
 * @param config of the webhook step, `hook`
 * @param values that the step behind it, `answer`, makes; may be templates
 */
export function createOrderFlow(
  { port, bearer }: Pick<StartedMillrace, 'port' | 'bearer'>,
  config: object,
  values: object = { state: 'received' },
): Promise<HookAddress> {
  return createFlow(`http://127.0.0.1:${port}`, bearer, {
    name: 'Orders',
    steps: [
      { ref_id: 'hook', type: 'webhook', config },
      { ref_id: 'answer', type: 'set', config: { values } },
    ],
  })
}
