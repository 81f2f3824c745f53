import { formatJson } from '../../../lib/json.ts'
import { Holds } from '../../../components/runs/holds.tsx'
import { WebhookAddress } from '../../../components/runs/webhook-address.tsx'
import { useEditor, useRunPanel } from '../state/editor-context.tsx'
import { ForwardCard } from './forward-card.tsx'
import { ReachMark } from './reach-mark.tsx'
import { WaitForRequest } from './wait-for-request.tsx'

/** The URL of the open flow; the snippets send the input of the last run. */
export function WebhookCard({ refId }: { readonly refId: string }) {
  const flow = useEditor((state) => state.flow)
  const tokenRotated = useEditor((state) => state.tokenRotated)
  const last = useRunPanel((state) => state.steps[refId]?.output)
  if (flow === null) return null
  return (
    <div className="flex flex-col gap-3 rounded border border-line p-3">
      <WebhookAddress
        flow={flow}
        onRotate={tokenRotated}
        {...(last === undefined || last === null ? {} : { body: formatJson(last, 0) })}
      />
      {flow.webhook ? <ReachMark flowId={flow.id} /> : null}
      {flow.webhook ? <WaitForRequest flowId={flow.id} refId={refId} /> : null}
      {flow.webhook ? <Holds flowId={flow.id} /> : null}
      {flow.webhook ? <ForwardCard flowId={flow.id} /> : null}
    </div>
  )
}
