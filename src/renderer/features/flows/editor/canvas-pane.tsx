import { getRouteApi } from '@tanstack/react-router'
import { X } from '../../../lib/icons.tsx'
import { useRef, useState } from 'react'
import { Button } from '../../../components/controls/button.tsx'
import { SplitPane } from '../../../components/screen/split-pane.tsx'
import { t } from '../../../lib/i18n.ts'
import { CanvasTab } from '../canvas/canvas-tab.tsx'
import type { FlowDraft } from '../model/draft.ts'
import { StepForm } from '../step-forms/step-form.tsx'
import { focusFirst } from './focus-field.ts'
import { useChosenStep } from './use-chosen-step.ts'

const route = getRouteApi('/flows/$flowId')

/** The canvas, and next to it the form of the step opened in it. */
export function CanvasPane({ draft }: { readonly draft: FlowDraft }) {
  const { step } = route.useSearch()
  const form = useRef<HTMLDivElement>(null)
  const [isOpen, setIsOpen] = useState(false)
  const { placed, identity, select, renamed } = useChosenStep(draft.steps, step)
  const canvas = (
    <CanvasTab
      selected={step}
      onSelect={select}
      onOpen={() => {
        setIsOpen(true)
        requestAnimationFrame(() => focusFirst(form.current))
      }}
    />
  )
  if (!isOpen || placed === undefined) return canvas
  return (
    <SplitPane
      name="canvas-form"
      label={t('Form width')}
      direction="row"
      sized="second"
      initial={480}
      min={320}
      max={900}
    >
      {canvas}
      <div className="flex min-h-0 flex-1 flex-col">
        <div className="flex shrink-0 justify-end border-b border-line bg-surface p-1">
          <Button look="quiet" icon={X} onClick={() => setIsOpen(false)}>
            {t('Close form')}
          </Button>
        </div>
        <StepForm placed={placed} identity={identity} formRef={form} onRenamed={renamed} />
      </div>
    </SplitPane>
  )
}
