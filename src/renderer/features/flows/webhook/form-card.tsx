import { ExternalLink } from '../../../lib/icons.tsx'
import type { Flow } from '../../../../shared/contract/flows.ts'
import { formLink } from '../../../components/runs/form-link.ts'
import { CopyIcon } from '../../../components/values/copy-button.tsx'
import { TunnelSwitch } from '../../../components/tunnel/tunnel-switch.tsx'
import { t } from '../../../lib/i18n.ts'
import { usePublicAddress } from '../../../lib/urls.ts'
import { safeHref } from '../../../lib/urls.ts'
import { useEditor } from '../state/editor-context.tsx'
import { ReachMark } from './reach-mark.tsx'
import { WaitForRequest } from './wait-for-request.tsx'

/** The URL of the open flow's form. */
export function FormCard({ refId }: { readonly refId: string }) {
  const flow = useEditor((state) => state.flow)
  if (flow === null) return null
  return (
    <section aria-label={t('Link')} className="flex flex-col gap-3 rounded border border-line p-3">
      {flow.webhook ? (
        <>
          <Links flow={flow} url={flow.webhook.url} />
          <ReachMark flowId={flow.id} />
          <WaitForRequest flowId={flow.id} refId={refId} />
        </>
      ) : (
        <p className="text-muted">{t('The form gets its link when you save the flow.')}</p>
      )}
    </section>
  )
}

interface LinksProps {
  readonly flow: Pick<Flow, 'webhook' | 'settings'>
  readonly url: string
}

function Links({ flow, url }: LinksProps) {
  const outside = usePublicAddress(url)
  const link = formLink(url, flow)
  const publicLink = outside === null ? null : formLink(outside, flow)
  return (
    <>
      <dl className="grid grid-cols-[5.5rem_minmax(0,1fr)] items-center gap-x-3 gap-y-1">
        <dt className="text-sm text-muted">{t('Link')}</dt>
        <dd className="flex min-w-0 items-center gap-1">
          <Address url={url} />
          {link === null ? null : (
            <>
              <CopyIcon label={t('Copy link')} text={link} />
              <a
                href={safeHref(link)}
                target="_blank"
                rel="noreferrer"
                className="flex shrink-0 items-center gap-1 rounded-sm px-1 text-sm text-accent-text hover:underline"
              >
                <ExternalLink size={13} aria-hidden />
                {t('Open')}
              </a>
            </>
          )}
        </dd>
        <dt className="text-sm text-muted">{t('Public link')}</dt>
        <dd className="flex min-w-0 flex-wrap items-center gap-1">
          {outside === null ? (
            <span className="text-sm text-muted">{t('Off')}</span>
          ) : (
            <>
              <Address url={outside} />
              {publicLink === null ? null : <CopyIcon label={t('Copy public link')} text={publicLink} />}
            </>
          )}
          <TunnelSwitch />
        </dd>
      </dl>
      <p className="text-muted">
        {link === null
          ? t('The token can’t be decrypted here. Rotate it or use an access token.')
          : flow.settings.webhook_token_enabled
            ? t('The copied link contains the flow’s token, so whoever has it can fill in the form.')
            : t('Anyone who knows the link can fill in the form.')}
      </p>
    </>
  )
}

function Address({ url }: { readonly url: string }) {
  return (
    <code className="min-w-0 truncate text-code" title={url}>
      {url}
    </code>
  )
}
