import { Link } from '@tanstack/react-router'
import { Plus } from '../../lib/icons.tsx'
import { useEffect } from 'react'
import type { FlowRun } from '../../../shared/contract/flow-runs.ts'
import { ButtonLink } from '../../components/controls/button.tsx'
import { Loaded } from '../../components/screen/loaded.tsx'
import { Card, Page } from '../../components/screen/page.tsx'
import { stateOf } from '../../components/runs/run-state.ts'
import { StatusIcon } from '../../components/values/status-badge.tsx'
import { Duration, Time } from '../../components/values/time.tsx'
import { t } from '../../lib/i18n.ts'
import { sentenceOfError } from '../../lib/steps-within.ts'
import { DiskUsed } from './disk-used.tsx'
import { FirstStepsCard } from './first-steps-card.tsx'
import { FirstWebhookCard } from './first-webhook-card.tsx'
import { FlowList } from './flow-list.tsx'
import { useHome } from './home-store.ts'
import { NeedsAttention } from './needs-attention.tsx'

/** The state of the flows and what needs attention; before anything ran, the way to the first webhook. */
export function HomePage() {
  const opened = useHome((state) => state.opened)
  const reload = useHome((state) => state.reload)
  const known = useHome((state) => state.known)
  const failure = useHome((state) => state.failure)
  const firstStart = useHome((state) => state.firstStart)
  useEffect(() => opened(), [opened])

  return (
    <Page
      title={t('Home')}
      actions={
        <ButtonLink icon={Plus} to="/flows" search={{ create: true }}>
          {t('New flow')}
        </ButtonLink>
      }
    >
      <Loaded value={known} failure={failure} what={t('Home')} onRetry={() => void reload()}>
        {({ sample, flows, recent, asking, failures, tokens, steps }) => {
          const run = recent.find((one) => one.flow_id === sample?.id)
          return (
            <div className="min-h-0 flex-1 overflow-auto">
              <div className="mx-auto grid w-full max-w-[104rem] items-start gap-5 p-6 max-sm:p-3 lg:grid-cols-[minmax(0,1fr)_24rem] 2xl:grid-cols-[minmax(0,1fr)_30rem]">
                <div className="grid min-w-0 gap-5">
                  {sample !== null && firstStart ? <FirstWebhookCard flow={sample} run={run} /> : null}
                  <FlowList rows={flows} />
                  <RecentRuns runs={recent} />
                </div>
                <div className="grid min-w-0 gap-5">
                  <NeedsAttention asking={asking} failures={failures} tokens={tokens} />
                  <FirstStepsCard steps={steps} />
                  <DiskUsed />
                </div>
              </div>
            </div>
          )
        }}
      </Loaded>
    </Page>
  )
}

function RecentRuns({ runs }: { readonly runs: readonly FlowRun[] }) {
  return (
    <Card
      title={t('Recent runs')}
      aside={
        runs.length === 0 ? null : (
          <Link to="/runs" className="rounded-sm text-accent-text hover:underline">
            {t('Show all')}
          </Link>
        )
      }
    >
      {runs.length === 0 ? <p className="px-4 py-3 text-muted">{t('No runs yet')}</p> : null}
      <ul>
        {runs.map((run) => (
          <li key={run.id} className="border-b border-line last:border-0">
            <Link
              to="/runs/$runId"
              params={{ runId: run.id }}
              className="flex min-h-9 items-center gap-2.5 px-4 py-1 hover:bg-hover focus-visible:-outline-offset-2"
            >
              <StatusIcon state={stateOf(run)} size={14} />
              <span className="min-w-0 flex-1">
                <span className="block truncate">{run.title}</span>
                {run.error === null ? null : (
                  <span className="block truncate text-sm text-muted">{sentenceOfError(run.error)}</span>
                )}
              </span>
              <span className="shrink-0 text-sm text-muted">
                <Duration ms={run.duration_ms} since={run.started_at} />
              </span>
              <span className="w-20 shrink-0 text-right text-sm text-muted">
                <Time at={run.started_at ?? run.created_at} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  )
}
