import { ExternalLink } from 'lucide-react'
import type { Flow } from '../../../../shared/contract/flows.ts'
import { CopyIcon } from '../../../components/values/copy-button.tsx'
import { TunnelSwitch } from '../../../components/tunnel/tunnel-switch.tsx'
import { t } from '../../../lib/i18n.ts'
import { usePublicAddress } from '../../../lib/public-address.ts'
import { safeHref } from '../../../lib/safe-href.ts'
import { useEditor } from '../state/editor-context.tsx'
import { ReachMark } from './reach-mark.tsx'
import { WaitForRequest } from './wait-for-request.tsx'

/** Where the form of the open flow is. */
export function FormCard({ refId }: { readonly refId: string }) {
  const flow = useEditor((state) => state.flow)
  if (flow === null) return null
  return (
    <section aria-label={t('Link')} className="flex flex-col gap-3 rounded border border-line p-3">
      {flow.webhook ? (
        <>
          <Links webhook={flow.webhook} needsToken={flow.settings.webhook_token_enabled} />
          <ReachMark flowId={flow.id} />
          <WaitForRequest refId={refId} />
        </>
      ) : (
        <p className="text-muted">{t('The form gets its link when you save the flow.')}</p>
      )}
    </section>
  )
}

interface LinksProps {
  readonly webhook: NonNullable<Flow['webhook']>
  readonly needsToken: boolean
}

function Links({ webhook: { url, token }, needsToken }: LinksProps) {
  const outside = usePublicAddress(url)
  const withToken = (address: string) =>
    needsToken ? `${address}?token=${encodeURIComponent(token ?? 'TOKEN')}` : address
  return (
    <>
      <dl className="grid grid-cols-[5.5rem_minmax(0,1fr)] items-center gap-x-3 gap-y-1">
        <dt className="text-sm text-muted">{t('Link')}</dt>
        <dd className="flex min-w-0 items-center gap-1">
          <Address url={url} />
          <CopyIcon label={t('Copy link')} text={withToken(url)} />
          <a
            href={safeHref(withToken(url))}
            target="_blank"
            rel="noreferrer"
            className="flex shrink-0 items-center gap-1 rounded-sm px-1 text-sm text-accent-text hover:underline"
          >
            <ExternalLink size={13} aria-hidden />
            {t('Open')}
          </a>
        </dd>
        <dt className="text-sm text-muted">{t('Public link')}</dt>
        <dd className="flex min-w-0 flex-wrap items-center gap-1">
          {outside === null ? (
            <span className="text-sm text-muted">{t('Off')}</span>
          ) : (
            <>
              <Address url={outside} />
              <CopyIcon label={t('Copy public link')} text={withToken(outside)} />
            </>
          )}
          <TunnelSwitch />
        </dd>
      </dl>
      <p className="text-sm text-muted">
        {needsToken
          ? t('The copied link contains the flow’s token: whoever has it can fill in the form.')
          : t('Anyone who knows the link can fill in the form.')}
      </p>
    </>
  )
}

function Address({ url }: { readonly url: string }) {
  return (
    <code className="min-w-0 truncate text-sm" title={url}>
      {url}
    </code>
  )
}
