import { Link } from '@tanstack/react-router'
import { ExternalLink, Send } from '../../lib/icons.tsx'
import { lazy, Suspense, useState } from 'react'
import type { Flow } from '../../../shared/contract/flows.ts'
import { useResource } from '../../api/resource.ts'
import { Button } from '../../components/controls/button.tsx'
import { Sparkline } from '../../components/charts/sparkline.tsx'
import { formLink } from '../../components/runs/form-link.ts'
import { Card } from '../../components/screen/page.tsx'
import { CopyIcon } from '../../components/values/copy-button.tsx'
import { stateWord, StatusIcon } from '../../components/values/status-badge.tsx'
import { Time } from '../../components/values/time.tsx'
import { t } from '../../lib/i18n.ts'
import { usePublicAddress } from '../../lib/urls.ts'
import { safeHref } from '../../lib/urls.ts'
import { Trans } from '../../lib/trans.tsx'
import { type FlowRow, isScheduled, nextStartOf } from './home.ts'
import { barsOf } from './last-day.tsx'
import { SAMPLE_FLOW, SAMPLE_ORDER } from './sample.ts'

/** The others are on the Flows screen. */
const SHOWN_FLOWS = 10

/** Loaded when a request is to be sent. */
const SendRequestDialog = lazy(async () => ({
  default: (await import('../../components/runs/send-request-dialog.tsx')).SendRequestDialog,
}))

/** The flows with their last day, their webhook and their next time. */
export function FlowList({ rows }: { readonly rows: readonly FlowRow[] }) {
  const [sendingTo, setSendingTo] = useState<Flow | null>(null)
  return (
    <Card
      title={t('Flows')}
      aside={
        <Link to="/flows" className="rounded-sm text-accent-text hover:underline">
          {rows.length > SHOWN_FLOWS ? t('Show all {{count}}', { count: rows.length }) : t('Show all')}
        </Link>
      }
    >
      {rows.length === 0 ? <p className="px-4 py-3 text-muted">{t('No flows yet')}</p> : null}
      <ul>
        {rows.slice(0, SHOWN_FLOWS).map((row) => (
          <Row key={row.flow.id} {...row} onSend={() => setSendingTo(row.flow)} />
        ))}
      </ul>
      {sendingTo === null ? null : (
        <Suspense>
          <SendRequestDialog
            flow={sendingTo}
            {...(sendingTo.name === SAMPLE_FLOW ? { body: JSON.stringify(SAMPLE_ORDER, null, 2) } : {})}
            onClose={() => setSendingTo(null)}
          />
        </Suspense>
      )}
    </Card>
  )
}

function Row({ flow, hours, onSend }: FlowRow & { readonly onSend: () => void }) {
  const { webhook } = flow
  const { data: next } = useResource(isScheduled(flow) ? nextStartOf(flow) : null)
  // The one to hand out.
  const url = usePublicAddress(webhook?.url ?? '') ?? webhook?.url ?? ''
  return (
    <li className="border-b border-line px-4 py-2 last:border-0">
      <div className="flex min-h-7 items-center gap-2.5">
        <StatusIcon state={flow.status} size={14} />
        <Link
          to="/flows/$flowId"
          params={{ flowId: flow.id }}
          className="min-w-0 flex-1 truncate rounded-sm font-medium hover:underline"
        >
          {flow.name}
        </Link>
        {hours === null ? (
          <span className="w-28 shrink-0 max-md:hidden" />
        ) : (
          <Sparkline
            label={t('Runs in the last 24 hours: {{summary}}', { summary: summaryOf(hours) })}
            bars={barsOf(hours)}
            className="shrink-0 max-md:hidden"
          />
        )}
        <span className="w-28 shrink-0 text-right text-sm text-muted max-sm:w-auto xl:w-44">
          <Outcome flow={flow} hours={hours} nextAt={next?.at ?? null} />
        </span>
      </div>
      {webhook === null || webhook === undefined ? null : (
        <div className="flex min-w-0 items-center gap-1 pl-6">
          <code className="min-w-0 truncate text-code text-muted" title={url}>
            {url}
          </code>
          {flow.steps[0]?.type === 'form_trigger' ? (
            <FormLink flow={flow} url={url} />
          ) : (
            <>
              <CopyIcon label={t('Copy the URL of “{{name}}”', { name: flow.name })} text={url} />
              {flow.status === 'paused' ? null : (
                <Button
                  look="quiet"
                  icon={Send}
                  aria-label={t('Send a test request to “{{name}}”', { name: flow.name })}
                  onClick={onSend}
                >
                  {t('Send')}
                </Button>
              )}
            </>
          )}
        </div>
      )}
    </li>
  )
}

/** People open a form in a browser, with the token in its link. */
function FormLink({ flow, url }: { readonly flow: Flow; readonly url: string }) {
  const link = formLink(url, flow)
  if (link === null) return null
  return (
    <>
      <CopyIcon label={t('Copy the link of “{{name}}”', { name: flow.name })} text={link} />
      {flow.status === 'paused' ? null : (
        <a
          href={safeHref(link)}
          target="_blank"
          rel="noopener noreferrer"
          aria-label={t('Open the form of “{{name}}”', { name: flow.name })}
          className="inline-flex h-7 shrink-0 items-center gap-1.5 rounded px-2 text-text hover:bg-hover"
        >
          <ExternalLink size={14} aria-hidden />
          {t('Open')}
        </a>
      )}
    </>
  )
}

function Outcome({ flow, hours, nextAt }: FlowRow & { readonly nextAt: string | null }) {
  if (nextAt !== null) return <Trans text="next <time/>" parts={{ time: <Time at={nextAt} /> }} />
  if (hours === null) return stateWord(flow.status)
  return summaryOf(hours)
}

function summaryOf(hours: NonNullable<FlowRow['hours']>): string {
  const success = hours.reduce((sum, hour) => sum + hour.success, 0)
  const failed = hours.reduce((sum, hour) => sum + hour.error, 0)
  if (failed === 0) return t('{{success}} successful', { success })
  return success === 0
    ? t('{{failed}} failed', { failed })
    : t('{{success}} successful · {{failed}} failed', { success, failed })
}
