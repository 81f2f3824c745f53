import { Globe, Monitor } from '../../../lib/icons.tsx'
import { listWebhookRequestsRoute, type WebhookRequest } from '../../../../shared/contract/webhooks.ts'
import { forwardingHeader, isLoopbackHost } from '../../../../shared/forwarding.ts'
import { resource, useResource } from '../../../api/resource.ts'
import { Time } from '../../../components/values/time.tsx'
import { formatExact } from '../../../lib/format.ts'
import { t } from '../../../lib/i18n.ts'
import { Trans } from '../../../lib/trans.tsx'

const LOOKED_AT = '200'

/** Whether any stored request of a flow came from outside. */
const reachOf = (flowId: string) =>
  resource(listWebhookRequestsRoute, {
    nouns: ['flow_run'],
    concerns: ({ flow_id: id }) => id === flowId,
    query: { filter: `flow_id,eq,${flowId}`, per_page: LOOKED_AT },
  })

/** Whether this flow's webhook was reached from outside of this computer, according to its stored requests. */
export function ReachMark({ flowId }: { readonly flowId: string }) {
  const { data: requests } = useResource(reachOf(flowId))
  if (requests === null) return null
  const seen = seenFromOutside(requests)
  return seen === null ? (
    <p className="flex items-start gap-2 text-muted">
      <Monitor size={14} aria-hidden className="mt-0.5 shrink-0" />
      <span>{t('Local only: no recent request came through a tunnel or proxy.')}</span>
    </p>
  ) : (
    <p className="flex items-start gap-2 text-running">
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

/** The same as a badge next to the flow's status; without evidence, no badge is shown. */
export function ReachBadge({ flowId }: { readonly flowId: string }) {
  const { data: requests } = useResource(reachOf(flowId))
  const seen = seenFromOutside(requests ?? [])
  if (seen === null) return null
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
