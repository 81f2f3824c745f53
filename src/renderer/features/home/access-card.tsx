import { Link } from '@tanstack/react-router'
import type { Token } from '../../../shared/contract/tokens.ts'
import { TUNNEL } from '../../api/lists.ts'
import { useResource } from '../../api/resource.ts'
import { Card } from '../../components/screen/page.tsx'
import { TunnelSwitch } from '../../components/tunnel/tunnel-switch.tsx'
import { CopyIcon } from '../../components/values/copy-button.tsx'
import { StatusIcon } from '../../components/values/status-badge.tsx'
import { Time, useNow } from '../../components/values/time.tsx'
import { Globe } from '../../lib/icons.tsx'
import { t } from '../../lib/i18n.ts'

const SOON_MS = 14 * 86_400_000

/** Access from outside: tokens that expire soon, and the public URL. */
export function AccessCard({ tokens }: { readonly tokens: readonly Token[] }) {
  const now = useNow()
  const ending = tokens.filter(
    ({ expiration }) => expiration !== null && Date.parse(expiration) - now < SOON_MS,
  )
  return (
    <Card title={t('Access')}>
      <ul>
        {ending.map((token) => (
          <li key={token.id} className="border-b border-line last:border-0">
            <Link
              to="/tokens"
              className="flex min-h-9 items-center gap-2.5 px-4 py-1 hover:bg-hover focus-visible:-outline-offset-2"
            >
              <StatusIcon state={Date.parse(token.expiration ?? '') < now ? 'expired' : 'ending'} size={14} />
              <span className="min-w-0 flex-1 truncate">
                {Date.parse(token.expiration ?? '') < now
                  ? t('Token “{{note}}” expired', { note: token.note || `…${token.last_four}` })
                  : t('Token “{{note}}” expires', { note: token.note || `…${token.last_four}` })}
              </span>
              <span className="shrink-0 text-sm text-muted">
                <Time at={token.expiration ?? ''} />
              </span>
            </Link>
          </li>
        ))}
        <PublicUrl />
      </ul>
    </Card>
  )
}

/** The public URL of webhooks, with its switch. */
function PublicUrl() {
  const { data: tunnel } = useResource(TUNNEL)
  if (tunnel === null) return null
  const { public_url: url, state } = tunnel
  return (
    <li className="flush-quiet flex min-h-9 flex-wrap items-center gap-x-2.5 border-b border-line px-4 py-1 last:border-0">
      <Globe size={14} aria-hidden className="shrink-0 text-muted" />
      {url === null ? (
        <span className="min-w-0 flex-1">{state === 'off' ? t('Public URL is off') : t('Public URL')}</span>
      ) : (
        <span className="flex min-w-0 flex-1 items-center gap-1">
          <code className="min-w-0 truncate text-code" title={url}>
            {url}
          </code>
          <CopyIcon label={t('Copy public URL')} text={url} />
        </span>
      )}
      <TunnelSwitch />
    </li>
  )
}
