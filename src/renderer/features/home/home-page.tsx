import { Link } from '@tanstack/react-router'
import { Plus, HardDrive, TriangleAlert } from '../../lib/icons.tsx'
import type { FlowRun } from '../../../shared/contract/flow-runs.ts'
import { CONNECTOR_AUTHS, FLOWS, TOKENS, DATA_FOLDER } from '../../api/lists.ts'
import { together, useResource } from '../../api/resource.ts'
import { ButtonLink } from '../../components/controls/button.tsx'
import { Loaded } from '../../components/screen/loaded.tsx'
import { Card, Page } from '../../components/screen/page.tsx'
import { stateOf } from '../../components/runs/run-state.ts'
import { StatusIcon } from '../../components/values/status-badge.tsx'
import { Duration, Time } from '../../components/values/time.tsx'
import { t } from '../../lib/i18n.ts'
import { sentenceOfError } from '../../lib/steps-within.ts'
import { FirstStepsCard } from './first-steps-card.tsx'
import { FirstWebhookCard } from './first-webhook-card.tsx'
import { FlowList } from './flow-list.tsx'
import {
  ACTIVITY,
  ASKING_RUNS,
  FAILED_RUNS,
  FIRST_WEBHOOK_RUN,
  IS_FIRST_START,
  RECENT_RUNS,
  rowsOf,
} from './home.ts'
import { AccessCard } from './access-card.tsx'
import { Failures } from './failure-list.tsx'
import { Waiting } from './waiting.tsx'
import { Week } from './week.tsx'
import { SAMPLE_FLOW } from './sample.ts'
import { formatBytes } from '../../lib/format.ts'

/** The state of the flows and what needs attention; before anything has run, the way to the first webhook. */
export function HomePage() {
  const { data, failure, reload } = together({
    flows: useResource(FLOWS),
    activity: useResource(ACTIVITY),
    recent: useResource(RECENT_RUNS),
    asking: useResource(ASKING_RUNS),
    failed: useResource(FAILED_RUNS),
    webhookRuns: useResource(FIRST_WEBHOOK_RUN),
    auths: useResource(CONNECTOR_AUTHS),
    tokens: useResource(TOKENS),
    isFirstStart: useResource(IS_FIRST_START),
  })

  return (
    <Page
      title={t('Home')}
      actions={
        <ButtonLink icon={Plus} to="/flows" search={{ create: true }}>
          {t('New flow')}
        </ButtonLink>
      }
    >
      <Loaded value={data} failure={failure} what={t('Home')} onRetry={reload}>
        {({ flows, activity, recent, asking, failed, webhookRuns, auths, tokens, isFirstStart }) => {
          const sample = flows.find(({ name, webhook }) => name === SAMPLE_FLOW && webhook)
          const isIntroduced = sample !== undefined && isFirstStart
          const run = recent.find((one) => one.flow_id === sample?.id)
          return (
            <div className="min-h-0 flex-1 overflow-auto">
              <div className="mx-auto grid w-full max-w-[104rem] items-start gap-5 p-6 max-sm:p-3 lg:grid-cols-[minmax(0,1fr)_22rem] 2xl:grid-cols-[minmax(0,1fr)_26rem]">
                <div className="grid min-w-0 gap-5">
                  {isIntroduced ? (
                    <>
                      <Waiting asking={asking} flows={flows} />
                      <FirstWebhookCard flow={sample} run={run} />
                    </>
                  ) : null}
                  {recent.length === 0 ? null : <Week />}
                  {isIntroduced ? null : <Waiting asking={asking} flows={flows} />}
                  {recent.length === 0 ? null : <Failures failed={failed} flows={flows} />}
                  <FlowList rows={rowsOf(flows, activity)} />
                </div>
                <div className="grid min-w-0 gap-5">
                  <FirstStepsCard
                    steps={{
                      webhook: webhookRuns.length > 0,
                      ownFlow: flows.some(({ name }) => name !== SAMPLE_FLOW),
                      auth: auths.length > 0,
                      active: flows.some(({ status }) => status === 'active'),
                    }}
                  />
                  <RecentRuns runs={recent} />
                  <AccessCard tokens={tokens} />
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

const LITTLE_BYTES = 1_073_741_824

/** The disk space used by Millrace, and whether there is room for more. */
function DiskUsed() {
  const { data: folder } = useResource(DATA_FOLDER)
  if (folder === null) return null
  const used = folder.database_bytes + folder.files_bytes + folder.backups_bytes
  const isLow = folder.disk_free_bytes < LITTLE_BYTES
  const Icon = isLow ? TriangleAlert : HardDrive
  return (
    <Card
      title={t('Disk')}
      aside={
        <Link to="/settings" hash={t('Data folder')} className="rounded-sm text-accent-text hover:underline">
          {t('Data folder')}
        </Link>
      }
    >
      <div className="flex items-start gap-2.5 px-4 py-2.5">
        <Icon size={14} aria-hidden className={isLow ? 'mt-1 text-retrying' : 'mt-1 text-muted'} />
        <div className="min-w-0 flex-1">
          <p>
            {t('{{used}} used, {{free}} free on disk', {
              used: formatBytes(used),
              free: formatBytes(folder.disk_free_bytes),
            })}
          </p>
          <p className="text-muted">
            {t('Runs and settings: {{database}}, files: {{files}}, backups: {{backups}}', {
              database: formatBytes(folder.database_bytes),
              files: formatBytes(folder.files_bytes),
              backups: formatBytes(folder.backups_bytes),
            })}
          </p>
          {isLow ? (
            <p className="text-retrying">
              {t('Disk space is low. Keep runs for fewer days, or move the data folder.')}
            </p>
          ) : null}
        </div>
      </div>
    </Card>
  )
}
