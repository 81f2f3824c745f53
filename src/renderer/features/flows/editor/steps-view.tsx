import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Play } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { EmptyState } from '../../../components/screen/empty-state.tsx'
import { t } from '../../../lib/i18n.ts'
import { DataPanel } from '../data/data-panel.tsx'
import type { FlowDraft } from '../model/draft.ts'
import { RunPanel } from '../runs/run-panel.tsx'
import { TurnSwitch } from '../runs/turn-switch.tsx'
import { useAssist, useStores } from '../state/editor-context.tsx'
import { StepForm } from '../step-forms/step-form.tsx'
import { StepList } from '../steps/step-list.tsx'
import { EditorColumns } from './editor-columns.tsx'
import { useChosenStep } from './use-chosen-step.ts'
import { useEditorRoom } from './use-editor-room.ts'

const route = getRouteApi('/flows/$flowId')

/** The steps as a list, the form of the chosen one, and the values at hand. */
export function StepsView({ draft }: { readonly draft: FlowDraft }) {
  const { step, tab } = route.useSearch()
  const navigate = useNavigate({ from: '/flows/$flowId' })
  const form = useRef<HTMLDivElement>(null)
  const room = useEditorRoom()
  const testAsked = useAssist((state) => state.testAsked)
  const paneShown = useAssist((state) => state.paneShown)
  const assist = useStores().assist
  // An address that names a step means its form.
  const [isNamed] = useState(step !== undefined)
  useEffect(() => {
    const { pane, paneShown: show } = assist.getState()
    if (isNamed && pane === 'steps') show('form')
  }, [assist, isNamed])
  const { placed, identity, select, renamed } = useChosenStep(draft.steps, step)
  if (placed === undefined)
    return (
      <EditorColumns
        room={room}
        steps={<StepList selected={undefined} onSelect={select} onOpen={() => undefined} />}
        form={
          <EmptyState icon={Play} title={t('This flow has no steps yet')}>
            {t(
              'Add a webhook step to start it by a request, or any other step to start it by hand. What each step gives can be read by those below it.',
            )}
          </EmptyState>
        }
        data={<div className="flex-1 bg-surface" />}
      />
    )
  const refId = placed.step.ref_id
  return (
    <EditorColumns
      room={room}
      steps={
        <StepList
          selected={refId}
          onSelect={select}
          onOpen={() => {
            paneShown('form')
            focusFirst(form.current)
          }}
        />
      }
      form={<StepForm placed={placed} identity={identity} formRef={form} onRenamed={renamed} />}
      data={
        <DataPanel
          step={placed.step}
          isWide={room === 'wide'}
          turns={<TurnSwitch refId={refId} />}
          answer={null}
          renderResult={(words) => (
            <RunPanel
              refId={refId}
              words={words}
              tab={tab}
              onTab={(next) =>
                void navigate({ search: (before) => ({ ...before, tab: next }), replace: true })
              }
            />
          )}
          onTest={testAsked}
        />
      }
    />
  )
}

/** Once it is drawn: a pane that was hidden takes no focus before. */
export function focusFirst(form: HTMLElement | null): void {
  requestAnimationFrame(() => form?.querySelector<HTMLElement>('input, textarea, .cm-content')?.focus())
}
