import { requestTrigger } from '../../../shared/request-trigger.ts'
import { KeyRound, Lock, LockOpen } from '../../lib/icons.tsx'
import { useState } from 'react'
import { rotateWebhookTokenRoute, updateFlowRoute } from '../../../shared/contract/flows.ts'
import type { Flow } from '../../../shared/contract/flows.ts'
import { t } from '../../lib/i18n.ts'
import { usePublicAddress } from '../../lib/urls.ts'
import { Button } from '../controls/button.tsx'
import { CopyIcon } from '../values/copy-button.tsx'
import { ConfirmDialog } from '../screen/confirm-dialog.tsx'
import { mask, SecretValue } from '../values/secret-value.tsx'
import { SnippetBox } from '../values/snippet-box.tsx'
import { announce, attempt } from '../screen/toast.tsx'
import { TunnelSwitch } from '../tunnel/tunnel-switch.tsx'

interface WebhookAddressProps {
  readonly flow: Pick<Flow, 'webhook' | 'status' | 'settings' | 'steps'>
  /** The body that the snippets send, as text. */
  readonly body?: string
  /** Content type of that body. */
  readonly contentType?: string
  readonly onRotate: () => Promise<void>
  /** Absent while the flow's settings are being edited next to it. */
  readonly onTokenSwitch?: (on: boolean) => Promise<void>
}

/** The URL and token of a flow, and code that calls it, in the caller's language. */
export function WebhookAddress(props: WebhookAddressProps) {
  const { flow, onRotate, onTokenSwitch } = props
  const { body = '{"order_id": "A-1042"}', contentType = 'application/json' } = props
  const [asking, setAsking] = useState<'rotate' | 'open' | null>(null)
  const { webhook, status, settings } = flow
  const outside = usePublicAddress(webhook?.url ?? '')
  if (webhook === null || webhook === undefined)
    return (
      <p className="rounded bg-sunken px-3 py-2 text-muted">
        {t('The flow gets its URL and token when you save it with a webhook step.')}
      </p>
    )

  const { url, token } = webhook
  const asksToken = settings.webhook_token_enabled
  const method = methodOf(flow)
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const request = (secret: string) => ({
    method,
    url,
    headers: {
      ...(hasBody ? { 'Content-Type': contentType } : {}),
      ...(asksToken ? { Authorization: `Bearer ${secret}` } : {}),
    },
    body: hasBody ? body : '',
  })

  return (
    <section aria-label={t('Webhook')} className="flex flex-col gap-2">
      <dl className="grid grid-cols-[4.5rem_minmax(0,1fr)] items-center gap-x-3 gap-y-1">
        <dt className="text-sm text-muted">{t('URL')}</dt>
        <dd className="flex min-w-0 items-center gap-1">
          <code className="min-w-0 truncate text-code" title={url}>
            {method} {url}
          </code>
          <CopyIcon label={t('Copy URL')} text={url} />
        </dd>
        <dt className="text-sm text-muted">{t('Public URL')}</dt>
        <dd className="flex min-w-0 flex-wrap items-center gap-1">
          {outside === null ? (
            <span className="text-sm text-muted">{t('Off')}</span>
          ) : (
            <>
              <code className="min-w-0 truncate text-code" title={outside}>
                {method} {outside}
              </code>
              <CopyIcon label={t('Copy public URL')} text={outside} />
            </>
          )}
          <TunnelSwitch />
        </dd>
        <dt className="self-start text-sm leading-6 text-muted">{t('Token')}</dt>
        <dd className="flex min-h-6 min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
          {asksToken ? (
            <>
              {token === null ? (
                <span className="text-sm text-retrying">
                  {t('The token can’t be decrypted here. Rotate it or use an access token.')}
                </span>
              ) : (
                <SecretValue value={token} label={t('the webhook token')} />
              )}
              <span className="-ml-2 flex">
                <Button
                  look="quiet"
                  icon={KeyRound}
                  className="h-6"
                  needs={rotateWebhookTokenRoute}
                  onClick={() => setAsking('rotate')}
                >
                  {t('Rotate')}
                </Button>
                {onTokenSwitch === undefined ? null : (
                  <Button
                    look="quiet"
                    icon={LockOpen}
                    className="h-6"
                    needs={updateFlowRoute}
                    onClick={() => setAsking('open')}
                  >
                    {t('Turn off')}
                  </Button>
                )}
              </span>
            </>
          ) : (
            <>
              <span className="text-sm text-retrying">
                {t('Off: anyone who knows the URL can call the flow.')}
              </span>
              {onTokenSwitch === undefined ? null : (
                <Button
                  look="quiet"
                  icon={Lock}
                  className="h-6"
                  needs={updateFlowRoute}
                  onClick={() =>
                    void attempt(t('Couldn’t turn on token'), async () => {
                      await onTokenSwitch(true)
                      announce(t('Callers need the token again'))
                    })
                  }
                >
                  {t('Turn on')}
                </Button>
              )}
            </>
          )}
        </dd>
      </dl>
      {status === 'paused' ? (
        <p className="text-paused">
          {t('The flow is paused. Webhook calls get 200, but nothing runs and nothing is stored.')}
        </p>
      ) : null}
      <SnippetBox
        request={request(token ?? 'TOKEN')}
        shown={request(token === null ? 'TOKEN' : mask(token))}
      />
      <ConfirmDialog
        open={asking === 'rotate'}
        title={t('Rotate webhook token?')}
        action={t('Rotate token')}
        onClose={() => setAsking(null)}
        onConfirm={async () => {
          await onRotate()
          announce(t('Webhook token rotated'))
        }}
      >
        {t('Requests with the current token will get 401. Access tokens keep working.')}
      </ConfirmDialog>
      <ConfirmDialog
        open={asking === 'open'}
        title={t('Turn off token authentication?')}
        action={t('Turn off token')}
        onClose={() => setAsking(null)}
        onConfirm={async () => {
          await onTokenSwitch?.(false)
          announce(t('The webhook no longer needs a token'))
        }}
      >
        {t(
          'Any program on this computer can then start this flow with any input. If the URL is public, so can anyone who knows it. Consider requiring a signature in the webhook step instead.',
        )}
      </ConfirmDialog>
    </section>
  )
}

/** The first method that the webhook accepts. */
function methodOf({ steps }: Pick<Flow, 'steps'>): string {
  const methods = requestTrigger(steps)?.config['methods']
  return Array.isArray(methods) && typeof methods[0] === 'string' ? methods[0] : 'POST'
}
