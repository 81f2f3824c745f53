import type { Flow } from '../../../shared/contract/flows.ts'
import { requestTrigger } from '../../../shared/request-trigger.ts'
import { t } from '../../lib/i18n.ts'

/** Only the sender can sign requests, so one that is sent from here is rejected. */
export function UnsignedNotice({ flow: { steps } }: { readonly flow: Pick<Flow, 'steps'> }) {
  if (!requestTrigger(steps)?.config['signature']) return null
  return (
    <p className="rounded border border-line bg-retrying-soft px-3 py-2">
      {t(
        'The webhook checks signatures and will reject this request, which isn’t signed. To run the flow with other data, use “Test” in its editor.',
      )}
    </p>
  )
}
