import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Play } from '../../../lib/icons.tsx'
import { useEffect, useRef, useState } from 'react'
import { EmptyState } from '../../../components/screen/empty-state.tsx'
import { t } from '../../../lib/i18n.ts'
import { DataPanel } from '../data/data-panel.tsx'
import type { FlowDraft } from '../model/draft.ts'
import { AnswerLine } from '../runs/answer-line.tsx'
import { RunPanel } from '../runs/run-panel.tsx'
import { TurnSwitch } from '../runs/turn-switch.tsx'
import { useAssist, usePlugins, useStores } from '../state/editor-context.tsx'
import { StepForm } from '../step-forms/step-form.tsx'
import { isPluginStep } from '../../../components/plugins/plugin-parts.ts'
import { fieldLabel, labelOfInput, placeOfField } from '../model/step-errors.ts'
import { StepList } from '../steps/step-list.tsx'
import { EditorColumns } from './editor-columns.tsx'
import { focusField, focusFirst, focusRequired } from './focus-field.ts'
import { useChosenStep } from './use-chosen-step.ts'
import { useEditorRoom } from './use-editor-room.ts'

const route = getRouteApi('/flows/$flowId')

/** The steps as a list, the form of the selected one, and the available values. */
export function StepsView({ draft }: { readonly draft: FlowDraft }) {
  const { step, field, tab } = route.useSearch()
  const navigate = useNavigate({ from: '/flows/$flowId' })
  const form = useRef<HTMLDivElement>(null)
  const room = useEditorRoom()
  const plugins = usePlugins()
  const testAsked = useAssist((state) => state.testAsked)
  const paneShown = useAssist((state) => state.paneShown)
  const assist = useStores().assist
  // A URL that names a step opens its form.
  const [isNamed] = useState(step !== undefined)
  useEffect(() => {
    const { pane, paneShown: show } = assist.getState()
    if (isNamed && pane === 'steps') show('form')
  }, [assist, isNamed])
  const { placed, identity, select, renamed } = useChosenStep(draft.steps, step)
  const added = useRef<string>(undefined)
  useEffect(() => {
    if (placed === undefined || added.current !== placed.step.ref_id) return
    added.current = undefined
    focusRequired(form.current)
  })
  const stepAdded = (refId: string) => {
    added.current = refId
    paneShown('form')
  }
  // Problems and failed runs link to a field, which is removed from the URL once it has the focus.
  const wanted = field !== undefined && placed?.step.ref_id === step ? field : undefined
  const label =
    wanted === undefined || placed === undefined || (plugins === null && isPluginStep(placed.step.type))
      ? undefined
      : (labelOfInput(placed.step, wanted, plugins) ?? fieldLabel(placed.step.type, placeOfField(wanted).key))
  useEffect(() => {
    if (wanted === undefined || label === undefined) return
    focusField(form.current, label, placeOfField(wanted).name)
    void navigate({ search: ({ field: _field, ...rest }) => rest, replace: true })
  }, [wanted, label, navigate])
  if (placed === undefined)
    return (
      <EditorColumns
        room={room}
        steps={
          <StepList selected={undefined} onSelect={select} onAdded={stepAdded} onOpen={() => undefined} />
        }
        form={
          <EmptyState icon={Play} title={t('No steps yet')}>
            {t(
              'Add a trigger to start this flow, such as a webhook, a schedule or a form, or any other step to run it manually. Steps can use the results of the steps above.',
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
          onAdded={stepAdded}
          onProblem={(problemRef, problemField) => {
            paneShown('form')
            select(problemRef, problemField)
          }}
          onClicked={() => paneShown('form')}
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
          answer={<AnswerLine />}
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
          onTest={() => testAsked(refId)}
        />
      }
    />
  )
}
