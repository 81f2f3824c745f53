import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import type { Flow } from '../../shared/contract/flows.ts'
import { Button } from './button.tsx'
import { CopyIcon } from './copy-button.tsx'
import { ConfirmDialog } from './dialog.tsx'
import { mask, SecretValue } from './secret-value.tsx'
import { SnippetBox } from './snippet-box.tsx'
import { announce } from './toast.tsx'

interface WebhookAddressProps {
  readonly flow: Pick<Flow, 'webhook' | 'status' | 'settings'>
  /** The body that the snippets send, as text. */
  readonly body?: string
  readonly onRotate: () => Promise<void>
}

/** Where a flow is called, with what, and how that is written in the language of the caller. */
export function WebhookAddress({ flow, body = '{"order_id": "A-1042"}', onRotate }: WebhookAddressProps) {
  const [rotating, setRotating] = useState(false)
  const { webhook, status, settings } = flow
  if (webhook === null || webhook === undefined)
    return (
      <p className="rounded bg-sunken px-3 py-2 text-muted">
        The flow gets its address and its token when it is saved with a webhook step.
      </p>
    )

  const { url, token } = webhook
  const asksToken = settings.webhook_token_enabled
  const request = (secret: string) => ({
    method: 'POST',
    url,
    headers: {
      'Content-Type': 'application/json',
      ...(asksToken ? { Authorization: `Bearer ${secret}` } : {}),
    },
    body,
  })

  return (
    <section aria-label="Webhook" className="flex flex-col gap-2">
      <dl className="grid grid-cols-[4.5rem_minmax(0,1fr)] items-center gap-x-3 gap-y-1">
        <dt className="text-sm text-muted">Address</dt>
        <dd className="flex min-w-0 items-center gap-1">
          <code className="min-w-0 truncate text-sm" title={url}>
            POST {url}
          </code>
          <CopyIcon label="Copy the address" text={url} />
        </dd>
        <dt className="text-sm text-muted">Token</dt>
        <dd className="flex min-h-6 min-w-0 items-center gap-2">
          {asksToken ? (
            <>
              {token === null ? (
                <span className="text-sm text-retrying">
                  It cannot be shown here; rotate it, or call with a personal access token.
                </span>
              ) : (
                <SecretValue value={token} label="the webhook token" />
              )}
              <Button look="quiet" icon={KeyRound} className="h-6" onClick={() => setRotating(true)}>
                Rotate
              </Button>
            </>
          ) : (
            <span className="text-sm text-retrying">
              Switched off in the flow’s settings: whoever knows the address may call it.
            </span>
          )}
        </dd>
      </dl>
      {status === 'paused' ? (
        <p className="text-sm text-paused">
          The flow is paused: callers get a 200 that says so, nothing runs and nothing is stored.
        </p>
      ) : null}
      <SnippetBox
        request={request(token ?? 'TOKEN')}
        shown={request(token === null ? 'TOKEN' : mask(token))}
      />
      <ConfirmDialog
        open={rotating}
        title="Give the webhook a new token?"
        action="Rotate token"
        onClose={() => setRotating(false)}
        onConfirm={async () => {
          await onRotate()
          announce('The webhook has a new token')
        }}
      >
        Every caller that sends the present token is answered 401 from that moment. Personal access tokens go
        on working.
      </ConfirmDialog>
    </section>
  )
}
