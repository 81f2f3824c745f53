import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { FilterX, ListOrdered } from 'lucide-react'
import { useEffect } from 'react'
import { RUN_STATUSES, RUN_TRIGGERS } from '../../../shared/contract/flow-runs.ts'
import type { FlowRun } from '../../../shared/contract/flow-runs.ts'
import { Button, ButtonLink } from '../../components/button.tsx'
import { DataTable, RowLink } from '../../components/data-table.tsx'
import type { Column } from '../../components/data-table.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Page, Toolbar } from '../../components/page.tsx'
import { Select } from '../../components/select.tsx'
import { stateWord, StatusBadge } from '../../components/status-badge.tsx'
import { Duration, Time } from '../../components/time.tsx'
import { plural } from '../../lib/format.ts'
import { english, t } from '../../lib/i18n.ts'
import { TRIGGER_WORDS } from '../../components/trigger-words.ts'
import { useRuns } from './runs-store.ts'
import type { RunFilters } from './runs-store.ts'

const route = getRouteApi('/runs')

export function RunsPage() {
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/runs' })
  const opened = useRuns((state) => state.opened)
  const filtered = useRuns((state) => state.filtered)
  const reload = useRuns((state) => state.reload)
  const endReached = useRuns((state) => state.endReached)
  const runs = useRuns((state) => state.runs)
  const total = useRuns((state) => state.total)
  const failure = useRuns((state) => state.failure)
  const flows = useRuns((state) => state.flows)
  useEffect(() => filtered(search), [filtered, search])
  useEffect(() => opened(), [opened])

  const isFiltered = Object.keys(search).length > 0
  const filter = (change: RunFilters) =>
    void navigate({ search: (before) => withoutAny({ ...before, ...change }), replace: true })

  return (
    <Page title={t('Runs')}>
      <Toolbar>
        <Select
          label={t('Status')}
          className="w-40"
          value={search.status ?? ANY}
          onChange={(status) => filter({ status: status === ANY ? undefined : status })}
          options={[
            { value: ANY, label: t('Any status') },
            { value: 'unfinished', label: t('Not ended') },
            ...RUN_STATUSES.map((status) => ({ value: status, label: stateWord(status) })),
          ]}
        />
        <Select
          label={t('Trigger')}
          className="w-40"
          value={search.trigger ?? ANY}
          onChange={(trigger) => filter({ trigger: trigger === ANY ? undefined : trigger })}
          options={[
            { value: ANY, label: t('Any trigger') },
            ...RUN_TRIGGERS.map((trigger) => ({ value: trigger, label: t(TRIGGER_WORDS[trigger]) })),
          ]}
        />
        <Select
          label={t('Flow')}
          className="w-56"
          value={search.flow ?? ANY}
          onChange={(flow) => filter({ flow: flow === ANY ? undefined : flow })}
          options={[
            { value: ANY, label: t('Any flow') },
            ...flows.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
        {isFiltered ? (
          <Button look="quiet" icon={FilterX} onClick={() => void navigate({ search: {}, replace: true })}>
            {t('Clear filters')}
          </Button>
        ) : null}
        <output className="ml-auto text-sm text-muted">{total === null ? '' : plural(total, 'run')}</output>
      </Toolbar>
      <Loaded value={runs} failure={failure} what={t('The runs')} onRetry={reload}>
        {(list) =>
          list.length === 0 ? (
            <NoRuns isFiltered={isFiltered} />
          ) : (
            <DataTable
              label={t('Runs')}
              noun={t('run')}
              columns={COLUMNS}
              rows={list}
              onEnd={() => void endReached()}
            />
          )
        }
      </Loaded>
    </Page>
  )
}

const ANY = 'any'

function withoutAny(filters: RunFilters): RunFilters {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined))
}

function NoRuns({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered)
    return (
      <EmptyState
        icon={FilterX}
        title={t('No run matches')}
        action={<ButtonLink to="/runs">{t('Show all runs')}</ButtonLink>}
      >
        {t(
          'No stored run has this status, trigger and flow. Runs are kept as long as the settings of their flow say.',
        )}
      </EmptyState>
    )
  return (
    <EmptyState
      icon={ListOrdered}
      title={t('No runs yet')}
      action={
        <ButtonLink look="primary" to="/">
          {t('Receive your first webhook')}
        </ButtonLink>
      }
    >
      {t(
        'Each time a flow is started, by webhook, schedule or hand, its run stands here with every step and every request it made.',
      )}
    </EmptyState>
  )
}

const COLUMNS: readonly Column<FlowRun>[] = [
  {
    id: 'status',
    header: english('Status'),
    width: '7rem',
    cell: (run) => <StatusBadge state={run.status} />,
  },
  {
    id: 'title',
    header: english('Run of'),
    width: 'minmax(12rem, 3fr)',
    cell: (run) => (
      <RowLink to="/runs/$runId" params={{ runId: run.id }}>
        {run.title}
      </RowLink>
    ),
  },
  {
    id: 'error',
    header: english('Outcome'),
    width: 'minmax(8rem, 4fr)',
    cell: (run) => <Outcome run={run} />,
  },
  {
    id: 'trigger',
    header: english('Trigger'),
    width: '6rem',
    cell: (run) => <span className="text-muted">{t(TRIGGER_WORDS[run.trigger])}</span>,
  },
  {
    id: 'version',
    header: english('Version'),
    width: '4rem',
    align: 'end',
    cell: (run) => <span className="text-muted">{run.flow_version}</span>,
  },
  {
    id: 'started',
    header: english('Started'),
    width: '7rem',
    cell: (run) => <Time at={run.started_at ?? run.created_at} />,
  },
  {
    id: 'duration',
    header: english('Took'),
    width: '6rem',
    align: 'end',
    cell: (run) => <Duration ms={run.duration_ms} since={run.started_at} />,
  },
]

function Outcome({ run }: { readonly run: FlowRun }) {
  if (run.error !== null)
    return (
      <span className="text-sm text-error" title={run.error.message}>
        {run.error.message}
      </span>
    )
  if (run.warnings.length > 0)
    return <span className="text-sm text-retrying">{plural(run.warnings.length, 'warning')}</span>
  return run.attempt > 1 ? (
    <span className="text-sm text-muted">{t('attempt {{attempt}}', { attempt: run.attempt })}</span>
  ) : null
}
