/** The flow that webhook benchmarks call, and the request: an order, which a `set` step marks as received. */
import { createFlow, type HookAddress } from './create-flow.ts'
import type { StartedMillrace } from './millrace.ts'

export const ORDER = JSON.stringify({ id: 1042, email: 'grace@example.test', total: 129.5 })

/**
 * @param config of the webhook step, `hook`
 * @param values set by the step after it, `answer`; can be templates
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
