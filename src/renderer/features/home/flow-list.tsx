import { Link } from '@tanstack/react-router'
import { ExternalLink, Send } from '../../lib/icons.tsx'
import { lazy, Suspense, useState } from 'react'
import type { Flow } from '../../../shared/contract/flows.ts'
import { useResource } from '../../api/resource.ts'
import { IconButton } from '../../components/controls/button.tsx'
import type { Series } from '../../components/charts/series.ts'
import { Sparkline } from '../../components/charts/sparkline.tsx'
import { formLink } from '../../components/runs/form-link.ts'
import { Card } from '../../components/screen/page.tsx'
import { CopyIcon } from '../../components/values/copy-button.tsx'
import { stateOf } from '../../components/runs/run-state.ts'
import { stateWord, StatusIcon } from '../../components/values/status-badge.tsx'
import { Time } from '../../components/values/time.tsx'
import { t } from '../../lib/i18n.ts'
import { usePublicAddress } from '../../lib/urls.ts'
import { safeHref } from '../../lib/urls.ts'
import { Trans } from '../../lib/trans.tsx'
import { type FlowRow, isScheduled, lastRunOf, nextStartOf } from './home.ts'
import { SAMPLE_FLOW, SAMPLE_ORDER } from './sample.ts'

/** The others are on the Flows screen. */
const SHOWN_FLOWS = 10

/** Loaded when a request is to be sent. */
const SendRequestDialog = lazy(async () => ({
  default: (await import('../../components/runs/send-request-dialog.tsx')).SendRequestDialog,
}))

/** One line per flow: its last day, how its newest run ended, and its next start. */
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
  // The URL to give to others.
  const url = usePublicAddress(webhook?.url ?? '') ?? webhook?.url ?? ''
  return (
    <li className="group flex min-h-10 flex-wrap items-center gap-x-3 border-b border-line px-4 py-1 last:border-0 hover:bg-hover">
      <StatusIcon state={flow.status} size={14} />
      <span className="flex min-w-40 flex-1 items-center gap-2">
        <Link
          to="/flows/$flowId"
          params={{ flowId: flow.id }}
          className="min-w-0 truncate rounded-sm font-medium hover:underline"
        >
          {flow.name}
        </Link>
        {webhook === null || webhook === undefined ? null : (
          <span className="flex min-w-0 flex-1 items-center overflow-hidden opacity-0 group-focus-within:min-w-20 group-focus-within:overflow-visible group-focus-within:opacity-100 group-hover:min-w-20 group-hover:overflow-visible group-hover:opacity-100 pointer-coarse:min-w-20 pointer-coarse:opacity-100">
            <code className="min-w-0 truncate text-code text-muted max-md:hidden" title={url}>
              {url}
            </code>
            {flow.steps.some(({ type }) => type === 'form_trigger') ? (
              <FormLink flow={flow} url={url} />
            ) : (
              <>
                <CopyIcon label={t('Copy the URL of “{{name}}”', { name: flow.name })} text={url} />
                {flow.status === 'paused' ? null : (
                  <IconButton
                    small
                    icon={Send}
                    label={t('Send a test request to “{{name}}”', { name: flow.name })}
                    onClick={onSend}
                  />
                )}
              </>
            )}
          </span>
        )}
      </span>
      {hours === null ? (
        <span className="w-28 shrink-0 max-md:hidden" />
      ) : (
        <Sparkline
          label={t('Runs in the last 24 hours: {{summary}}', { summary: summaryOf(hours) })}
          bars={barsOf(hours)}
          className="shrink-0 max-md:hidden"
        />
      )}
      <span className="w-32 shrink-0 text-muted max-sm:w-auto">
        <LastResult flow={flow} />
      </span>
      <span className="w-28 shrink-0 text-right text-muted max-sm:w-auto">
        {next === null || next.at === null ? null : (
          <Trans text="next <time/>" parts={{ time: <Time at={next.at} /> }} />
        )}
      </span>
    </li>
  )
}

/** The result of a flow's newest run, and when it ended. */
function LastResult({ flow }: { readonly flow: Flow }) {
  const { data: runs } = useResource(lastRunOf(flow))
  const run = runs?.[0]
  if (runs === null) return null
  if (run === undefined) return stateWord(flow.status)
  return (
    <Link
      to="/runs/$runId"
      params={{ runId: run.id }}
      className="inline-flex max-w-full items-center gap-1.5 rounded-sm hover:text-text hover:underline"
    >
      <StatusIcon state={stateOf(run)} />
      <Time at={run.started_at ?? run.created_at} />
    </Link>
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
          className="inline-grid size-6 shrink-0 place-items-center rounded text-muted hover:bg-hover hover:text-text"
        >
          <ExternalLink size={14} aria-hidden />
        </a>
      )}
    </>
  )
}

function summaryOf(hours: NonNullable<FlowRow['hours']>): string {
  const success = hours.reduce((sum, hour) => sum + hour.success, 0)
  const failed = hours.reduce((sum, hour) => sum + hour.error, 0)
  if (failed === 0) return t('{{success}} successful', { success })
  return success === 0
    ? t('{{failed}} failed', { failed })
    : t('{{success}} successful · {{failed}} failed', { success, failed })
}

function barsOf(hours: NonNullable<FlowRow['hours']>): readonly Series[] {
  return [
    { key: 'success', label: t('Worked'), tone: 'main', values: hours.map(({ success }) => success) },
    { key: 'error', label: t('Failed'), tone: 'failed', values: hours.map(({ error }) => error) },
  ]
}
