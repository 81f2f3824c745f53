import { Link } from '@tanstack/react-router'
import { CalendarClock, Plus } from 'lucide-react'
import { useEffect } from 'react'
import type { FlowRun } from '../../../shared/contract/flow-runs.ts'
import type { Token } from '../../../shared/contract/tokens.ts'
import { ButtonLink } from '../../components/controls/button.tsx'
import { Loaded } from '../../components/screen/loaded.tsx'
import { Card, Column, Page } from '../../components/screen/page.tsx'
import { StatusIcon } from '../../components/values/status-badge.tsx'
import { Duration, Time, useNow } from '../../components/values/time.tsx'
import { t, translateMessage } from '../../lib/i18n.ts'
import { DiskUsed } from './disk-used.tsx'
import { FirstWebhookCard } from './first-webhook-card.tsx'
import type { Upcoming } from './home-store.ts'
import { useHome } from './home-store.ts'

/** What ran, what failed and what ends soon; before anything ran, the way to the first webhook. */
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
      <Loaded value={known} failure={failure} what={t('What ran')} onRetry={() => void reload()}>
        {({ sample, recent, failed, tokens, upcoming }) => {
          const run = recent.find((one) => one.flow_id === sample?.id)
          return (
            <Column wide>
              {sample !== null && firstStart ? <FirstWebhookCard flow={sample} run={run} /> : null}
              <div className="grid grid-cols-1 items-start gap-5 lg:grid-cols-2">
                <Runs title={t('Ran lately')} runs={recent} none={t('Nothing has run yet.')} to={{}} />
                <div className="grid gap-5">
                  <Runs
                    title={t('Failed lately')}
                    runs={failed}
                    none={t('No stored run failed.')}
                    to={{ status: 'error' }}
                  />
                  <ComesNext upcoming={upcoming} />
                  <EndingTokens tokens={tokens} />
                  <DiskUsed />
                </div>
              </div>
            </Column>
          )
        }}
      </Loaded>
    </Page>
  )
}

interface RunsProps {
  readonly title: string
  readonly runs: readonly FlowRun[]
  readonly none: string
  readonly to: { readonly status?: 'error' }
}

function Runs({ title, runs, none, to }: RunsProps) {
  return (
    <Card
      title={title}
      aside={
        runs.length === 0 ? null : (
          <Link to="/runs" search={to} className="rounded-sm text-accent-text hover:underline">
            {t('Show all')}
          </Link>
        )
      }
    >
      {runs.length === 0 ? <p className="px-4 py-3 text-muted">{none}</p> : null}
      <ul>
        {runs.map((run) => (
          <li key={run.id} className="border-b border-line last:border-0">
            <Link
              to="/runs/$runId"
              params={{ runId: run.id }}
              className="flex min-h-9 items-center gap-2.5 px-4 py-1 hover:bg-hover focus-visible:-outline-offset-2"
            >
              <StatusIcon state={run.status} size={14} />
              <span className="min-w-0 flex-1">
                <span className="block truncate">{run.title}</span>
                {run.error === null ? null : (
                  <span className="block truncate text-sm text-muted">
                    {translateMessage(run.error.message)}
                  </span>
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

function ComesNext({ upcoming }: { readonly upcoming: readonly Upcoming[] }) {
  if (upcoming.length === 0) return null
  return (
    <Card title={t('Comes next')}>
      <ul>
        {upcoming.map(({ flow, at }) => (
          <li key={flow.id} className="border-b border-line last:border-0">
            <Link
              to="/flows/$flowId"
              params={{ flowId: flow.id }}
              className="flex h-9 items-center gap-2.5 px-4 hover:bg-hover focus-visible:-outline-offset-2"
            >
              <CalendarClock size={14} aria-hidden className="shrink-0 text-muted" />
              <span className="min-w-0 flex-1 truncate">{flow.name}</span>
              <span className="shrink-0 text-sm text-muted">
                <Time at={at} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  )
}

const SOON_MS = 14 * 86_400_000

function EndingTokens({ tokens }: { readonly tokens: readonly Token[] }) {
  const now = useNow()
  const ending = tokens.filter(
    ({ expiration }) => expiration !== null && Date.parse(expiration) - now < SOON_MS,
  )
  if (ending.length === 0) return null
  return (
    <Card
      title={t('Tokens that end')}
      aside={
        <Link to="/tokens" className="rounded-sm text-accent-text hover:underline">
          {t('Show all')}
        </Link>
      }
    >
      <ul>
        {ending.map((token) => (
          <li
            key={token.id}
            className="flex h-9 items-center gap-2.5 border-b border-line px-4 last:border-0"
          >
            <StatusIcon state={Date.parse(token.expiration ?? '') < now ? 'expired' : 'ending'} size={14} />
            <span className="min-w-0 flex-1 truncate">{token.note || t('No note')}</span>
            <code className="text-sm text-muted">…{token.last_four}</code>
            <span className="w-24 shrink-0 text-right text-sm text-muted">
              <Time at={token.expiration ?? ''} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
