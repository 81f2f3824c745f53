import { Globe, Monitor } from '../../../lib/icons.tsx'
import { useEffect, useState } from 'react'
import { listWebhookRequestsRoute, type WebhookRequest } from '../../../../shared/contract/webhooks.ts'
import { forwardingHeader, isLoopbackHost } from '../../../../shared/forwarding.ts'
import { useApi } from '../../../api/provider.tsx'
import { Time } from '../../../components/values/time.tsx'
import { formatExact } from '../../../lib/format.ts'
import { t } from '../../../lib/i18n.ts'
import { Trans } from '../../../lib/trans.tsx'
import { useRunPanel } from '../state/editor-context.tsx'

const LOOKED_AT = 200

/** Undefined until it has been checked; null if no stored request came from outside. */
function useReach(flowId: string): SeenFromOutside | null | undefined {
  const api = useApi()
  const newest = useRunPanel((state) => state.recent[0]?.id)
  const [seen, setSeen] = useState<SeenFromOutside | null>()
  useEffect(() => {
    const controller = new AbortController()
    const query = { filter: `flow_id,eq,${flowId}`, per_page: String(LOOKED_AT) }
    api.call(listWebhookRequestsRoute, { query }, controller.signal).then(
      (requests) => setSeen(seenFromOutside(requests)),
      () => undefined, // Nothing is claimed then.
    )
    return () => controller.abort()
    // A newer run may have come from outside.
    // oxlint-disable-next-line react/exhaustive-effect-dependencies
  }, [api, flowId, newest])
  return seen
}

/** Whether this flow's webhook was reached from outside of this computer, as far as its stored requests show. */
export function ReachMark({ flowId }: { readonly flowId: string }) {
  const seen = useReach(flowId)
  if (seen === undefined) return null
  return seen === null ? (
    <p className="flex items-start gap-2 text-sm text-muted">
      <Monitor size={14} aria-hidden className="mt-0.5 shrink-0" />
      <span>{t('Local only: no recent request came through a tunnel or proxy.')}</span>
    </p>
  ) : (
    <p className="flex items-start gap-2 text-sm text-running">
      <Globe size={14} aria-hidden className="mt-0.5 shrink-0" />
      <span className="min-w-0 [overflow-wrap:anywhere]">
        {seen.header === null ? (
          <Trans
            text="Public: <time/>, a request came to <host/>."
            parts={{ host: <code>{seen.host}</code>, time: <Time at={seen.at} /> }}
          />
        ) : (
          <Trans
            text="Public: <time/>, a request came to <host/> through a tunnel or proxy (header <header/>)."
            parts={{
              host: <code>{seen.host}</code>,
              header: <code>{seen.header}</code>,
              time: <Time at={seen.at} />,
            }}
          />
        )}
      </span>
    </p>
  )
}

/** The same as a badge next to the flow's status; without evidence, nothing is claimed. */
export function ReachBadge({ flowId }: { readonly flowId: string }) {
  const seen = useReach(flowId)
  if (seen === undefined || seen === null) return null
  return (
    <span
      title={t('A request came to {{host}}, {{when}}', {
        host: seen.host,
        when: formatExact(Date.parse(seen.at)),
      })}
      className="inline-flex h-5 shrink-0 items-center gap-1 rounded-full bg-running-soft px-2 text-sm font-medium text-running"
    >
      <Globe size={13} aria-hidden />
      {t('Public')}
    </span>
  )
}

/** A request that came from elsewhere: the evidence, and when. */
interface SeenFromOutside {
  readonly at: string
  /** The host name it was sent to. */
  readonly host: string
  /** The header added by a proxy or a tunnel; null if only the host name shows it. */
  readonly header: string | null
}

/**
 * The newest stored request that came through a proxy or a tunnel, or under a host name other than this machine's
 * own.
 *
 * @param requests newest first
 */
export function seenFromOutside(requests: readonly WebhookRequest[]): SeenFromOutside | null {
  for (const { at, headers } of requests) {
    const header = forwardingHeader(headers)
    const { host = '' } = headers
    if (header !== null || (host !== '' && !isLoopbackHost(host)))
      return { at, host: headers['x-forwarded-host'] ?? host, header }
  }
  return null
}
