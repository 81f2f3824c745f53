import { trimEnd } from '../../../../shared/trim.ts'
import { HTTP_TRIGGER_TYPES, triggersOf } from '../../../../shared/contract/step-types/index.ts'
import type { Tunnel } from '../../../../shared/contract/reach/tunnel.ts'
import { WEBHOOK_PATH } from '../../../../shared/contract/webhooks.ts'
import type { Store } from '../../../store/index.ts'

/** The flows that anybody who reaches their webhooks can run. */
export function listExposed(flows: Pick<Store['flows'], 'list'>, baseUrl: string): Tunnel['exposed'] {
  return flows.list().records.flatMap(({ id, name, status, steps, settings }) => {
    const trigger = triggersOf(steps).find(
      ({ type, disabled }) => HTTP_TRIGGER_TYPES.includes(type) && !disabled,
    )
    if (trigger === undefined || status === 'paused') return []
    const isSigned = (trigger.config as { readonly signature?: unknown }).signature
    const protection = [
      ...(settings.webhook_token_enabled ? (['token'] as const) : []),
      ...(isSigned ? (['signature'] as const) : []),
    ]
    return [{ flow_id: id, name, url: `${trimEnd(baseUrl, '/')}${WEBHOOK_PATH}/${id}`, protection }]
  })
}
