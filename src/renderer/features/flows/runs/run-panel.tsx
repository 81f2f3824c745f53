import { Link, useNavigate } from '@tanstack/react-router'
import { PencilLine, Pin, Play, Undo2 } from '../../../lib/icons.tsx'
import { useState } from 'react'
import { englishOf } from '../../../../shared/contract/base/message.ts'
import type { RunError } from '../../../../shared/contract/flow-runs.ts'
import { pinStepRoute } from '../../../../shared/contract/step-pins.ts'
import { runStepRoute } from '../../../../shared/contract/flows.ts'
import { WayOut } from '../../../components/auths/way-out.tsx'
import { Button, IconButton } from '../../../components/controls/button.tsx'
import { stateOf } from '../../../components/runs/run-state.ts'
import { describeError, stepState } from '../../../components/runs/run-step-view.tsx'
import { RunStops } from '../../../components/runs/run-stops.tsx'
import { StepResult } from '../../../components/runs/step-result.tsx'
import type { ResultTab } from '../../../components/runs/step-tabs.ts'
import { StatusIcon } from '../../../components/values/status-badge.tsx'
import { Time } from '../../../components/values/time.tsx'
import { announceFailure } from '../../../components/screen/toast.tsx'
import { authOfStep, withoutStep } from '../../../lib/steps-within.ts'
import { Trans } from '../../../lib/trans.tsx'
import { t, translateMessage } from '../../../lib/i18n.ts'
import { PinBar, PinDialog } from './pin-bar.tsx'
import { findStep } from '../model/step-tree.ts'
import type { Plugins, TypedConfig } from '../../../components/plugins/plugin-parts.ts'
import { placeInWords } from '../model/step-errors.ts'
import { useEditor, usePlugins, useRunPanel, useStores } from '../state/editor-context.tsx'
import { valuesOver } from '../state/step-values.ts'

interface RunPanelProps {
  readonly refId: string
  /** The text searched for in the output. */
  readonly words: string
  readonly tab: ResultTab | undefined
  readonly onTab: (tab: ResultTab) => void
}

/** The result of the selected step in the newest run, or in the one opened from its history. */
export function RunPanel({ refId, words, tab, onTab }: RunPanelProps) {
  const run = useRunPanel((state) => state.run)
  const alone = useRunPanel((state) => state.alone[refId])
  const inRun = useRunPanel((state) => state.steps[refId])
  const aloneDismissed = useRunPanel((state) => state.aloneDismissed)
  const record = alone ?? inRun
  // A response is rendered after the last step, so a failure in it belongs to the run, not to the step that defines it.
  const ofRun = alone === undefined && run?.error?.ref_id === refId ? run.error : null
  const error = record?.error ?? ofRun
  const plugins = usePlugins()
  const own = useEditor((state) => findStep(state.history?.present.steps ?? [], refId)?.step)
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
      announceFailure(t('Couldn’t run step “{{refId}}”', { refId }), error)
    } finally {
      setBusy(false)
    }
  }

  return (
    <section
      aria-label={t('Run of step {{refId}}', { refId })}
      className="flex min-h-0 flex-1 flex-col bg-surface"
    >
      <div className="flex h-9 shrink-0 items-center gap-x-2 border-b border-line pr-2 pl-3 text-sm">
        <code className="max-w-[40%] min-w-0 shrink-0 truncate font-medium">{refId}</code>
        {alone !== undefined ? (
          <>
            <span className="min-w-0 truncate">
              <Trans text="Single-step test, <time/>" parts={{ time: <Time at={alone.started_at} /> }} />
            </span>
            <StatusIcon state={stateOf(alone)} />
          </>
        ) : run === null ? null : (
          <>
            <Link
              to="/runs/$runId"
              params={{ runId: run.id }}
              {...(record === undefined ? {} : { search: { step: record.id } })}
              className="min-w-0 truncate rounded-sm whitespace-nowrap text-accent-text hover:underline"
            >
              {run.finished_at === null ? (
                <Trans
                  text="Started <time/>"
                  parts={{ time: <Time at={run.started_at ?? run.created_at} /> }}
                />
              ) : (
                <Trans text="Ran <time/>" parts={{ time: <Time at={run.started_at ?? run.created_at} /> }} />
              )}
            </Link>
            {record === undefined ? null : <StatusIcon state={stepState(record, run)} />}
          </>
        )}
        <span className="ml-auto" />
        {alone === undefined || run === null ? null : (
          <IconButton small icon={Undo2} label={t('Back to the run')} onClick={() => aloneDismissed(refId)} />
        )}
        {pinnable ? (
          <IconButton
            small
            icon={Pin}
            label={t('Pin')}
            needs={pinStepRoute}
            onClick={() => setPinning(true)}
          />
        ) : null}
        <Button
          look="quiet"
          icon={Play}
          needs={runStepRoute}
          busy={busy}
          onClick={() => void runStep()}
          className="h-6 shrink-0 text-accent-text"
        >
          {t('Test step')}
        </Button>
      </div>
      <PinBar refId={refId} />
      {run?.stopped !== true ? null : (
        <div className="min-h-0 shrink-[9] overflow-auto">
          <RunStops run={run} />
        </div>
      )}
      {pinning ? (
        <PinDialog
          refId={refId}
          value={record?.output ?? {}}
          runId={alone === undefined ? inRun?.flow_run_id : undefined}
          onClose={() => setPinning(false)}
        />
      ) : null}
      {record === undefined ? (
        <p className="p-3 text-muted">
          {run === null
            ? t('This flow hasn’t run yet. Run a test, or test only this step, to see its output here.')
            : run.finished_at === null
              ? t('Step “{{refId}}” hasn’t run yet.', { refId })
              : t('Step “{{refId}}” didn’t run there.', { refId })}
        </p>
      ) : (
        <>
          {error === null ? null : (
            <div
              role="alert"
              className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-2 border-b border-error/30 bg-error-soft px-3 py-2"
            >
              <p className="min-w-0 flex-1 basis-40 [overflow-wrap:anywhere]">
                {describeHere(error, own ?? { type: record.type, config: {} }, plugins)}
              </p>
              {error.field === null || own === undefined ? null : <ToField error={error} />}
              <WayOut error={error} authId={own === undefined ? null : authOfStep([own], refId)} />
            </div>
          )}
          <StepResult key={record.id} step={record} words={words} tab={tab} onTab={onTab} />
        </>
      )}
    </section>
  )
}

/** A button that leads to the field in the form that the error is about. */
function ToField({ error }: { readonly error: RunError }) {
  const navigate = useNavigate({ from: '/flows/$flowId' })
  const { ref_id: step, field } = error
  return (
    <Button
      icon={PencilLine}
      onClick={() =>
        void navigate({
          search: (before) => ({
            ...before,
            view: before.view === 'canvas' ? 'canvas' : 'steps',
            step: step ?? undefined,
            field: field ?? undefined,
          }),
          replace: true,
        })
      }
    >
      {t('Go to field')}
    </Button>
  )
}

/** Next to its form, an error names the field as the form does, and doesn't repeat the step. */
function describeHere(error: RunError, step: TypedConfig, plugins: Plugins): string {
  const own = withoutStep(error)
  const { field: named, rest } = own.said?.key === '"{{field}}" {{rest}}' ? own.said.params : {}
  const isNamed = typeof named === 'string' && named.startsWith('config.') && typeof rest === 'object'
  if (own.message === error.message && !isNamed) return describeError(error)
  const said = isNamed ? rest : own.said
  const { line, column } = error
  return [
    ...(isNamed || error.field !== null
      ? [placeInWords(step, isNamed ? named : (error.field ?? ''), plugins)]
      : []),
    ...(line === null || column === null ? [] : [t('line {{line}}, column {{column}}', { line, column })]),
    translateMessage(isNamed ? englishOf(rest) : own.message, { said }),
  ].join(': ')
}
