import { Link } from '@tanstack/react-router'
import { Pin, Play } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../components/controls/button.tsx'
import { describeError, RunStepView } from '../../../components/runs/run-step-view.tsx'
import type { StepTab } from '../../../components/runs/step-tabs.ts'
import { StatusBadge } from '../../../components/values/status-badge.tsx'
import { Time } from '../../../components/values/time.tsx'
import { announceFailure } from '../../../components/screen/toast.tsx'
import { Trans } from '../../../lib/trans.tsx'
import { t } from '../../../lib/i18n.ts'
import { PinBar, PinDialog } from './pin-bar.tsx'
import { findStep } from '../model/step-tree.ts'
import { useEditor, useRunPanel, useStores } from '../state/editor-context.tsx'
import { valuesOver } from '../state/step-values.ts'
import { TurnSwitch } from './turn-switch.tsx'

interface RunPanelProps {
  readonly refId: string
  readonly tab: StepTab
  readonly onTab: (tab: StepTab) => void
}

/** What the chosen step did in the newest run, or in the one that was opened from its history. */
export function RunPanel({ refId, tab, onTab }: RunPanelProps) {
  const run = useRunPanel((state) => state.run)
  const alone = useRunPanel((state) => state.alone[refId])
  const inRun = useRunPanel((state) => state.steps[refId])
  const aloneDismissed = useRunPanel((state) => state.aloneDismissed)
  const record = alone ?? inRun
  const stepStarted = useRunPanel((state) => state.stepStarted)
  const stores = useStores()
  const kept = useEditor((state) => state.kept)
  const pinnable = !useRunPanel((state) => Object.hasOwn(state.pins, refId))
  const [pinning, setPinning] = useState(false)
  const [busy, setBusy] = useState(false)

  async function runStep() {
    setBusy(true)
    try {
      await kept()
      const { source, iterationAt } = stores.assist.getState()
      const steps = stores.editor.getState().history?.present.steps ?? []
      const text = JSON.stringify(findStep(steps, refId)?.step)
      const over = valuesOver(steps, { ...stores.panel.getState(), source }, text)
      await stepStarted(refId, { over, iteration: iterationAt(refId, '') })
    } catch (error) {
      announceFailure(t('Step “{{refId}}” was not run', { refId }), error)
    } finally {
      setBusy(false)
    }
  }

  return (
    <section
      aria-label={t('Run of step {{refId}}', { refId })}
      className="flex min-h-0 flex-1 flex-col bg-surface"
    >
      <div className="flex min-h-9 shrink-0 flex-wrap items-center gap-x-2 border-b border-line px-4 text-sm">
        {alone !== undefined ? (
          <>
            <span className="min-w-0 truncate">
              <Trans text="This step alone, <time/>" parts={{ time: <Time at={alone.started_at} /> }} />
            </span>
            <StatusBadge state={alone.status} />
            {run === null ? null : (
              <Button look="quiet" className="h-6" onClick={() => aloneDismissed(refId)}>
                {t('Back to the run')}
              </Button>
            )}
          </>
        ) : run === null ? (
          <span className="text-muted">{t('This flow has not run yet.')}</span>
        ) : (
          <>
            <Link
              to="/runs/$runId"
              params={{ runId: run.id }}
              {...(record === undefined ? {} : { search: { step: record.id } })}
              className="shrink-0 rounded-sm whitespace-nowrap text-accent-text hover:underline"
            >
              <Trans text="Ran <time/>" parts={{ time: <Time at={run.started_at ?? run.created_at} /> }} />
            </Link>
            <StatusBadge state={run.status} />
            <span className="min-w-0 truncate text-muted">
              {t('version {{flowVersion}}', { flowVersion: run.flow_version })}
            </span>
          </>
        )}
        <span className="ml-auto" />
        <TurnSwitch refId={refId} />
        {pinnable ? (
          <Button look="quiet" icon={Pin} className="h-6" onClick={() => setPinning(true)}>
            {t('Pin')}
          </Button>
        ) : null}
        <Button look="quiet" icon={Play} busy={busy} onClick={() => void runStep()} className="h-6">
          {t('Run this step')}
        </Button>
      </div>
      <PinBar refId={refId} />
      {pinning ? (
        <PinDialog
          refId={refId}
          value={record?.output ?? {}}
          runId={alone === undefined ? inRun?.flow_run_id : undefined}
          onClose={() => setPinning(false)}
        />
      ) : null}
      {record === undefined ? (
        <p className="p-4 text-muted">
          {run === null
            ? t('Send a test request or press Test: what each step got and gave stands here.')
            : t('Step “{{refId}}” did not run there.', { refId })}
        </p>
      ) : (
        <>
          {record.error === null ? null : (
            <p role="alert" className="shrink-0 border-b border-error/30 bg-error-soft px-4 py-2">
              {describeError(record.error)}
            </p>
          )}
          <RunStepView key={record.id} step={record} tab={tab} onTab={onTab} />
        </>
      )}
    </section>
  )
}
