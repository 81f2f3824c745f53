import { stateOf } from '../../components/runs/run-state.ts'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import {
  Ban,
  CircleX,
  Download,
  Ellipsis,
  GitCompareArrows,
  KeyRound,
  PencilLine,
  Play,
  StepForward,
  Trash2,
  Settings2,
} from '../../lib/icons.tsx'
import { useEffect, useState } from 'react'
import { useStore } from 'zustand'
import {
  exportFlowRunRoute,
  exportRunHarRoute,
  rerunFlowRunRoute,
} from '../../../shared/contract/run-debugging.ts'
import {
  cancelFlowRunRoute,
  deleteFlowRunRoute,
  resumeFlowRunRoute,
} from '../../../shared/contract/flow-runs.ts'
import type { FlowRun, FlowRunStep } from '../../../shared/contract/flow-runs.ts'
import { useApi } from '../../api/provider.tsx'
import { Button, ButtonLink, IconButton } from '../../components/controls/button.tsx'
import { CopyIcon } from '../../components/values/copy-button.tsx'
import { ConfirmDialog } from '../../components/screen/confirm-dialog.tsx'
import { Loaded } from '../../components/screen/loaded.tsx'
import { Menu } from '../../components/controls/menu.tsx'
import { Page } from '../../components/screen/page.tsx'
import { describeError, exchangesOf, RunStepView, stepState } from '../../components/runs/run-step-view.tsx'
import { SkeletonRows } from '../../components/screen/skeleton.tsx'
import { useShortcut } from '../../components/screen/shortcuts.tsx'
import { SplitPane } from '../../components/screen/split-pane.tsx'
import { StatusBadge } from '../../components/values/status-badge.tsx'
import { Duration, Time } from '../../components/values/time.tsx'
import { announce, attempt } from '../../components/screen/toast.tsx'
import { formatDuration, formatTime, plural } from '../../lib/format.ts'
import { t, translateMessage } from '../../lib/i18n.ts'
import { formatJson } from '../../lib/json.ts'
import { saveFile } from '../../lib/save-file.ts'
import { settingOfError, statusOfError } from '../../lib/steps-within.ts'
import { failureInShort } from './failure-in-short.ts'
import { ReplayMenu } from './replay-menu.tsx'
import { RerunDialog } from './rerun-dialog.tsx'
import { RunAnswer } from './run-answer.tsx'
import { RunQuestions } from './run-questions.tsx'
import { resumeLabel } from './resume-label.ts'
import { createRunStore, firstStepToShow, hasEnded } from './run-store.ts'
import { StepList } from './step-list.tsx'
import { waitedMs } from './timeline.ts'
import { triesOf } from './tries.ts'
import { TRIGGER_WORDS } from '../../components/runs/trigger-words.ts'

const route = getRouteApi('/runs/$runId')

export function RunPage() {
  const { runId } = route.useParams()
  return <RunScreen key={runId} runId={runId} />
}

function RunScreen({ runId }: { readonly runId: string }) {
  const api = useApi()
  const [store] = useState(() => createRunStore(api, runId))
  const { run, flowName, currentVersion, configs, steps, after, failure, answer, request, refusedAuth } =
    useStore(store)
  const { opened, reload, moreWanted } = store.getState()
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/runs/$runId' })
  useEffect(() => opened(), [opened])

  /** The step that failed stays in view: its new attempt is what was asked for. */
  async function resume() {
    const step = run === null ? undefined : firstStepToShow(steps ?? [], run)
    await store.getState().resume()
    if (search.step === undefined && step !== undefined)
      await navigate({ search: (before) => ({ ...before, step: step.id }), replace: true })
    announce(step === undefined ? t('Run resumed') : t('Run resumed from {{refId}}', { refId: step.ref_id }))
  }

  return (
    <Page
      title={run?.title ?? t('Runs')}
      crumbs={[{ label: t('Runs'), to: '/runs' }]}
      badge={run === null ? null : <StatusBadge state={stateOf(run)} />}
      actions={
        run === null ? null : (
          <RunActions
            run={run}
            currentVersion={currentVersion}
            steps={steps ?? []}
            store={store}
            onResume={resume}
          />
        )
      }
    >
      <Loaded value={run} failure={failure} what={t('the run')} onRetry={reload}>
        {(value) => (
          <>
            <Facts run={value} flowName={flowName} steps={steps} areAll={after === null} />
            {value.error === null ? null : (
              <ErrorCard run={value} steps={steps} refusedAuth={refusedAuth} onResume={resume} />
            )}
            <RunQuestions run={value} />
            <RunAnswer answer={answer} request={request} />
            {steps === null ? (
              <SkeletonRows />
            ) : (
              <Steps
                run={value}
                steps={steps}
                configs={configs}
                onMore={after === null ? null : () => void moreWanted()}
                readResult={store.getState().readResult}
              />
            )}
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Facts({
  run,
  flowName,
  steps,
  areAll,
}: {
  readonly run: FlowRun
  readonly flowName: string | null
  readonly steps: readonly FlowRunStep[] | null
  readonly areAll: boolean
}) {
  const calls = steps?.reduce((sum, step) => sum + exchangesOf(step).length, 0) ?? 0
  const resumedAt = steps?.findLast((step) => step.earlier_attempts !== undefined)?.started_at
  return (
    <dl className="flex min-h-10 shrink-0 flex-wrap items-center gap-x-6 gap-y-1 border-b border-line bg-surface px-4 py-2 text-sm">
      <Fact name={t('Flow')}>
        {flowName ?? '…'}{' '}
        <span className="text-muted">{t('version {{flowVersion}}', { flowVersion: run.flow_version })}</span>
      </Fact>
      <Fact name={t('Trigger')}>
        {run.trigger === 'replay' && run.parent_run_id !== null ? (
          <Link
            to="/runs/$runId"
            params={{ runId: run.parent_run_id }}
            className="rounded-sm text-accent-text hover:underline"
          >
            {t('Replay of an earlier run')}
          </Link>
        ) : (
          t(TRIGGER_WORDS[run.trigger])
        )}
      </Fact>
      <Fact name={run.started_at === null ? t('Queued') : t('Started')}>
        <Time at={run.started_at ?? run.created_at} />
      </Fact>
      {run.parked_until === undefined || run.asks === true ? null : (
        <Fact name={t('Continues')}>
          <span className="text-retrying">
            <Time at={run.parked_until} />
          </span>
        </Fact>
      )}
      <Fact name={t('Duration')}>
        <Duration ms={run.duration_ms} since={run.started_at} />
      </Fact>
      <Fact name={t('HTTP requests')}>{areAll ? calls : t('{{count}} or more', { count: calls })}</Fact>
      {resumedAt === undefined ? null : (
        <Fact name={t('Resumed')}>
          <Time at={resumedAt} />
        </Fact>
      )}
      {run.attempt > 1 ? <Fact name={t('Attempt')}>{run.attempt}</Fact> : null}
      <Fact name="Id">
        <span className="inline-flex items-center gap-1">
          <code className="text-sm text-muted">{run.id.slice(0, 8)}</code>
          <CopyIcon label={t('Copy run ID')} text={run.id} />
        </span>
      </Fact>
      {run.warnings.map((warning) => (
        <Fact key={warning.code + warning.message} name={t('Warning')}>
          <span className="text-retrying">{translateMessage(warning.message, warning)}</span>
        </Fact>
      ))}
    </dl>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: React.ReactNode }) {
  return (
    <div className="flex min-w-0 items-center gap-1.5">
      <dt className="shrink-0 text-muted">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </div>
  )
}

interface ErrorCardProps {
  readonly run: FlowRun
  readonly steps: readonly FlowRunStep[] | null
  readonly refusedAuth: string | null
  readonly onResume: () => Promise<void>
}

/** The step, its request and the response, and what can be done. */
function ErrorCard({ run, steps, refusedAuth, onResume }: ErrorCardProps) {
  const { error } = run
  if (error === null) return null
  const step = steps?.find((one) => one.ref_id === error.ref_id && one.status === 'error')
  const setting = settingOfError(error)
  return (
    <div
      role="alert"
      className="flex shrink-0 flex-wrap items-start gap-x-3 gap-y-2 border-b border-error/30 bg-error-soft px-4 py-3"
    >
      <div className="flex min-w-0 flex-1 basis-96 items-start gap-3">
        <CircleX size={17} aria-hidden className="mt-0.5 shrink-0 text-error" />
        <div className="min-w-0 flex-1">
          <p className="font-medium wrap-anywhere">{failureInShort(error)}</p>
          {statusOfError(error) === null ? null : (
            <p className="text-sm wrap-anywhere">{translateMessage(error.message, error)}</p>
          )}
          <p className="text-sm text-muted">
            <code>{error.code}</code>
            {step === undefined
              ? ''
              : ` · ${t('step {{refId}}, position {{path}}', { refId: step.ref_id, path: step.path })}`}
            {step !== undefined && step.attempt > 1 ? ` · ${plural(step.attempt, 'attempt')}` : ''}
          </p>
        </div>
      </div>
      <div className="flex flex-wrap gap-2">
        {setting === null ? null : (
          <ButtonLink icon={Settings2} to="/settings" hash={t(setting)}>
            {t('Open settings')}
          </ButtonLink>
        )}
        {refusedAuth === null ? null : (
          <ButtonLink icon={KeyRound} to="/auths/$authId" params={{ authId: refusedAuth }}>
            {t('Open connector auth')}
          </ButtonLink>
        )}
        <ButtonLink
          icon={PencilLine}
          to="/flows/$flowId"
          params={{ flowId: run.flow_id }}
          search={{
            run: run.id,
            ...(error.ref_id === null ? {} : { step: error.ref_id }),
            ...(error.field === null ? {} : { field: error.field }),
          }}
        >
          {t('Open in editor')}
        </ButtonLink>
        <ResumeButton run={run} onResume={onResume} />
      </div>
    </div>
  )
}

function ResumeButton({ run, onResume }: { readonly run: FlowRun; readonly onResume: () => Promise<void> }) {
  const label = resumeLabel(run)
  if (label === null) return null
  return (
    <Button
      icon={Play}
      needs={resumeFlowRunRoute}
      onClick={() => void attempt(t('Couldn’t resume run'), onResume)}
    >
      {label}
    </Button>
  )
}

interface StepsProps {
  readonly run: FlowRun
  readonly steps: readonly FlowRunStep[]
  /** By reference name. */
  readonly configs: Readonly<Record<string, unknown>>
  readonly onMore: (() => void) | null
  readonly readResult: (refId: string) => Promise<unknown>
}

function Steps({ run, steps, configs, onMore, readResult }: StepsProps) {
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/runs/$runId' })
  const shown = steps.find((step) => step.id === search.step) ?? firstStepToShow(steps, run)
  if (shown === undefined)
    return (
      <p className="p-6 text-muted">
        {hasEnded(run.status)
          ? t('No steps ran, or the flow keeps no history.')
          : t('No steps have started yet.')}
      </p>
    )
  const tab = search.tab ?? (shown.http.length > 0 && shown.status === 'error' ? 'http' : 'output')
  return (
    <SplitPane name="run" label={t('Steps width')} direction="row" initial={520} min={280} max={1100}>
      <StepList
        run={run}
        steps={steps}
        configs={configs}
        selected={shown.id}
        onMore={onMore}
        onSelect={(step) => void navigate({ search: (before) => ({ ...before, step }), replace: true })}
      />
      <div className="flex min-h-0 flex-1 flex-col bg-surface">
        <StepHeader step={shown} run={run} />
        <RunStepView
          key={shown.id}
          step={shown}
          tab={tab}
          onTab={(next) => void navigate({ search: (before) => ({ ...before, tab: next }), replace: true })}
          readWhole={
            shown.truncated && shown.iteration.length === 0 ? () => readResult(shown.ref_id) : undefined
          }
        />
      </div>
    </SplitPane>
  )
}

interface StepHeaderProps {
  readonly step: FlowRunStep
  readonly run: FlowRun
}

function StepHeader({ step, run }: StepHeaderProps) {
  const waited = waitedMs(step)
  const tries = triesOf(step, (at) => formatTime(Date.parse(at)))
  return (
    <div className="flex min-h-10 shrink-0 flex-wrap items-center gap-x-3 gap-y-1 px-4 py-1.5">
      <code className="font-medium">{step.ref_id}</code>
      <StatusBadge state={stepState(step, run)} />
      <span className="text-sm text-muted">
        {step.duration_ms === null ? '' : formatDuration(step.duration_ms)}
        {step.attempt > 1 ? `, ${plural(step.attempt, 'attempt')}` : ''}
        {waited >= 1 && step.attempt > 1
          ? t(', {{duration}} waited', { duration: formatDuration(waited) })
          : ''}
      </span>
      {tries === null ? null : <p className="tabular w-full text-sm text-muted">{tries}</p>}
      {step.error === null || step.error.message === run.error?.message ? null : (
        <p className="w-full text-sm text-error">{describeError(step.error)}</p>
      )}
    </div>
  )
}

function RunActions({
  run,
  currentVersion,
  steps,
  store,
  onResume,
}: {
  readonly run: FlowRun
  readonly currentVersion: number | null
  readonly steps: readonly FlowRunStep[]
  readonly store: ReturnType<typeof createRunStore>
  readonly onResume: () => Promise<void>
}) {
  const navigate = useNavigate()
  const search = route.useSearch()
  const [deleting, setDeleting] = useState(false)
  const [rerunning, setRerunning] = useState(false)
  const lookedAt = steps.find((step) => step.id === search.step) ?? firstStepToShow(steps, run)
  const { cancel, remove, replay, readExport } = store.getState()
  const exported = (kind: 'report' | 'har') =>
    attempt(t('Couldn’t export run'), async () => {
      const text = formatJson(await readExport(kind))
      saveFile(
        `millrace-run-${run.id.slice(0, 8)}.${kind === 'har' ? 'har' : 'json'}`,
        'application/json',
        text,
      )
    })
  const ended = hasEnded(run.status)

  useShortcut(
    { keys: 'e', label: t('Rerun from this step'), group: t('Run'), needs: rerunFlowRunRoute },
    () => setRerunning(true),
    ended && lookedAt !== undefined,
  )
  useShortcut(
    { keys: 'c', label: t('Compare with the last successful run'), group: t('Run') },
    () => void navigate({ to: '/runs/$runId/compare', params: { runId: run.id } }),
    ended,
  )

  return (
    <>
      {ended ? null : (
        <Button
          icon={Ban}
          needs={cancelFlowRunRoute}
          onClick={() => void attempt(t('Couldn’t cancel run'), cancel)}
        >
          {t('Cancel run')}
        </Button>
      )}
      {run.error === null ? <ResumeButton run={run} onResume={onResume} /> : null}
      <ReplayMenu run={run} currentVersion={currentVersion} onReplay={replay} />
      {ended && lookedAt !== undefined ? (
        <Button icon={StepForward} needs={rerunFlowRunRoute} onClick={() => setRerunning(true)}>
          {t('Rerun from step…')}
        </Button>
      ) : null}
      {ended ? (
        <ButtonLink icon={GitCompareArrows} to="/runs/$runId/compare" params={{ runId: run.id }}>
          {run.status === 'success' ? t('Compare') : t('Compare with last success')}
        </ButtonLink>
      ) : null}
      <Menu
        trigger={<IconButton label={t('More')} icon={Ellipsis} />}
        groups={[
          [
            {
              label: t('Open in editor'),
              icon: PencilLine,
              onSelect: () =>
                void navigate({
                  to: '/flows/$flowId',
                  params: { flowId: run.flow_id },
                  search: { run: run.id },
                }),
            },
          ],
          [
            {
              label: t('Export for a report'),
              icon: Download,
              needs: exportFlowRunRoute,
              hint: t('The flow, steps and HTTP requests, without secrets'),
              onSelect: () => void exported('report'),
            },
            {
              label: t('Export HTTP requests (HAR)'),
              icon: Download,
              needs: exportRunHarRoute,
              onSelect: () => void exported('har'),
            },
          ],
          [
            {
              label: t('Delete run'),
              icon: Trash2,
              danger: true,
              needs: deleteFlowRunRoute,
              disabled: !ended,
              ...(ended ? {} : { hint: t('Active runs can’t be deleted. Cancel the run first.') }),
              onSelect: () => setDeleting(true),
            },
          ],
        ]}
      />
      {rerunning && lookedAt !== undefined ? (
        <RerunDialog run={run} steps={steps} initial={lookedAt.ref_id} onClose={() => setRerunning(false)} />
      ) : null}
      <ConfirmDialog
        open={deleting}
        title={t('Delete run?')}
        action={t('Delete run')}
        onClose={() => setDeleting(false)}
        onConfirm={async () => {
          await remove()
          announce(t('Run of “{{title}}” deleted', { title: run.title }))
          await navigate({ to: '/runs' })
        }}
      >
        {t(
          'The history of “{{title}}” is deleted permanently, with its steps and requests. The flow stays.',
          { title: run.title },
        )}
      </ConfirmDialog>
    </>
  )
}
