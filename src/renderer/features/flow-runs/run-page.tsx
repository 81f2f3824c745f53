import { stateOf } from '../../components/runs/run-state.ts'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import {
  Ban,
  Download,
  Ellipsis,
  FlaskConical,
  GitCompareArrows,
  PencilLine,
  StepForward,
  Trash2,
} from '../../lib/icons.tsx'
import { lazy, Suspense, useEffect, useState } from 'react'
import { useStore } from 'zustand'
import {
  exportFlowRunRoute,
  exportRunHarRoute,
  rerunFlowRunRoute,
} from '../../../shared/contract/run-debugging.ts'
import { createStoredTestRoute } from '../../../shared/contract/flow-tests.ts'
import { cancelFlowRunRoute, deleteFlowRunRoute } from '../../../shared/contract/flow-runs.ts'
import type { FlowRun, FlowRunStep } from '../../../shared/contract/flow-runs.ts'
import type { Step } from '../../../shared/contract/steps.ts'
import { useApi } from '../../api/provider.tsx'
import { Button, ButtonLink, IconButton } from '../../components/controls/button.tsx'
import { ConfirmDialog } from '../../components/screen/confirm-dialog.tsx'
import { Loaded } from '../../components/screen/loaded.tsx'
import { Menu } from '../../components/controls/menu.tsx'
import { Page } from '../../components/screen/page.tsx'
import { describeError, RunStepView, stepState } from '../../components/runs/run-step-view.tsx'
import { SkeletonRows } from '../../components/screen/skeleton.tsx'
import { useShortcut } from '../../components/screen/shortcuts.tsx'
import { SplitPane } from '../../components/screen/split-pane.tsx'
import { StatusBadge } from '../../components/values/status-badge.tsx'
import { announce, attempt } from '../../components/screen/toast.tsx'
import { formatDuration, formatTime, plural } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { formatJson } from '../../lib/json.ts'
import { saveFile } from '../../lib/save-file.ts'
import { ResolveRunButton } from '../../components/runs/resolve-button.tsx'
import { Outcome, ResumeButton } from './outcome.tsx'
import { ReplayMenu } from './replay-menu.tsx'
import { RerunDialog } from './rerun-dialog.tsx'
import { createRunStore, firstStepToShow, hasEnded } from './run-store.ts'
import { StepName } from './step-name.tsx'
import { waitedMs } from './timeline.ts'
import { triesOf } from './tries.ts'
import { Waterfall } from './waterfall.tsx'

const MakeTestSheet = lazy(async () => ({
  default: (await import('../../components/runs/test-sheet.tsx')).MakeTestSheet,
}))

const route = getRouteApi('/runs/$runId')

export function RunPage() {
  const { runId } = route.useParams()
  return <RunScreen key={runId} runId={runId} />
}

function RunScreen({ runId }: { readonly runId: string }) {
  const api = useApi()
  const [store] = useState(() => createRunStore(api, runId))
  const state = useStore(store)
  const { run, currentVersion, flowSteps, steps, after, failure } = state
  const { opened, reload, moreWanted } = store.getState()
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/runs/$runId' })
  useEffect(() => opened(), [opened])

  /** The step that failed stays in view, because the user asked for its new attempt. */
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
          // In a low window the screen scrolls as a whole.
          <div className="flex min-h-0 flex-1 flex-col overflow-y-auto">
            {value.resolved === undefined ? null : (
              <p className="border-b border-line px-4 py-2">
                {value.resolved.note === ''
                  ? t('Marked as resolved')
                  : t('Marked as resolved: {{note}}', { note: value.resolved.note })}
              </p>
            )}
            <Outcome {...state} run={value} onResume={resume} />
            {steps === null ? (
              <SkeletonRows />
            ) : (
              <Steps
                run={value}
                steps={steps}
                flowSteps={flowSteps}
                onMore={after === null ? null : () => void moreWanted()}
                readResult={store.getState().readResult}
              />
            )}
          </div>
        )}
      </Loaded>
    </Page>
  )
}

interface StepsProps {
  readonly run: FlowRun
  readonly steps: readonly FlowRunStep[]
  /** Keyed by reference name. */
  readonly flowSteps: Readonly<Record<string, Step>>
  readonly onMore: (() => void) | null
  readonly readResult: (refId: string) => Promise<unknown>
}

function Steps({ run, steps, flowSteps, onMore, readResult }: StepsProps) {
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/runs/$runId' })
  // A run that was watched stays at the step that it ended with.
  const [follows] = useState(!hasEnded(run.status))
  const shown = steps.find((step) => step.id === search.step) ?? firstStepToShow(steps, run, follows)
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
    <div className="flex min-h-[28rem] flex-1 flex-col">
      <SplitPane
        name="waterfall"
        label={t('Height of the steps')}
        direction="column"
        sized="first"
        isFitted
        initial={340}
        min={96}
        max={1400}
      >
        <Waterfall
          run={run}
          steps={steps}
          flowSteps={flowSteps}
          selected={shown.id}
          onMore={onMore}
          onSelect={(step) => void navigate({ search: (before) => ({ ...before, step }), replace: true })}
        />
        <div className="flex min-h-0 flex-1 flex-col bg-surface">
          <StepHeader step={shown} run={run} title={flowSteps[shown.ref_id]?.title} />
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
    </div>
  )
}

interface StepHeaderProps {
  readonly step: FlowRunStep
  readonly run: FlowRun
  readonly title: string | undefined
}

function StepHeader({ step, run, title }: StepHeaderProps) {
  const waited = waitedMs(step)
  const tries = triesOf(step, (at) => formatTime(Date.parse(at)))
  return (
    <div className="flex min-h-10 shrink-0 flex-wrap items-center gap-x-2 gap-y-1 px-4 py-1.5">
      <StepName step={step} title={title} />
      <StatusBadge state={stepState(step, run)} />
      <span className="text-sm text-muted">
        {step.duration_ms === null ? '' : formatDuration(step.duration_ms)}
        {step.attempt > 1 ? `, ${plural(step.attempt, 'attempt')}` : ''}
        {waited >= 1 && step.attempt > 1
          ? `, ${t('{{duration}} waited', { duration: formatDuration(waited) })}`
          : ''}
      </span>
      {tries === null ? null : <span className="tabular text-sm text-muted">{tries}</span>}
      {step.error === null || step.error.message === run.error?.message ? null : (
        <p className="w-full text-error">{describeError(step.error)}</p>
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
  const [testing, setTesting] = useState(false)
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
      <ResolveRunButton run={run} />
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
              label: t('Make this a test…'),
              icon: FlaskConical,
              needs: createStoredTestRoute,
              disabled: !ended,
              hint: t('Repeats this run with its recorded calls and compares the results.'),
              onSelect: () => setTesting(true),
            },
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
      {testing ? (
        <Suspense>
          <MakeTestSheet
            run={run}
            onClose={() => setTesting(false)}
            onOpen={() =>
              void navigate({
                to: '/flows/$flowId',
                params: { flowId: run.flow_id },
                search: { view: 'tests' },
              })
            }
            onReplayed={(runId) => void navigate({ to: '/runs/$runId', params: { runId } })}
          />
        </Suspense>
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
