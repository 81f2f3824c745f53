import { WebhookAddress } from '../../components/webhook-address.tsx'
import { useEditor } from './editor-context.tsx'

/** Where the flow that is open is called. */
export function WebhookCard() {
  const flow = useEditor((state) => state.flow)
  const tokenRotated = useEditor((state) => state.tokenRotated)
  if (flow === null) return null
  return (
    <div className="rounded border border-line p-3">
      <WebhookAddress flow={flow} onRotate={tokenRotated} />
    </div>
  )
}
