import { CopyPlus, EyeOff, Maximize, Minus, PencilLine, Plus, Trash2, ZoomIn } from '../../../lib/icons.tsx'
import { type Ref, useRef, useState } from 'react'
import { triggersOf } from '../../../../shared/contract/step-types/index.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import { Button, IconButton } from '../../../components/controls/button.tsx'
import { TextInput } from '../../../components/controls/field.tsx'
import { printed } from '../../../components/screen/shortcuts.tsx'
import { t } from '../../../lib/i18n.ts'
import { walkSteps } from '../model/step-tree.ts'
import type { ListPath } from '../model/step-tree.ts'
import { usePlugins } from '../state/editor-context.tsx'
import { faceOf } from '../step-types/index.ts'
import type { Addition } from '../../../components/services/catalogue.ts'
import { AddStepMenu } from '../steps/add-step-menu.tsx'
import type { CanvasBox, CanvasSpot } from './layout.ts'

interface CanvasToolbarProps extends StepSearchProps {
  readonly ref: Ref<HTMLDivElement>
  readonly chosen: CanvasBox | undefined
  readonly hasSearch: boolean
  /** Number of selected steps. */
  readonly picked: number
  /** Does what the key would do. */
  readonly press: (stroke: string) => void
  readonly onAdd: (place: Pick<CanvasSpot, 'list' | 'index'>, type: Addition) => void
}

export function CanvasToolbar({
  ref,
  chosen,
  hasSearch,
  picked,
  steps,
  press,
  onAdd,
  onFound,
  onLeave,
}: CanvasToolbarProps) {
  const { length: triggers } = triggersOf(steps)
  return (
    <div
      ref={ref}
      className="absolute right-3 bottom-3 flex flex-wrap items-center gap-1 rounded border border-line bg-raised p-1 shadow-float"
    >
      {hasSearch ? <StepSearch steps={steps} onFound={onFound} onLeave={onLeave} /> : null}
      {picked > 1 ? (
        <span className="px-1 text-sm text-muted">{t('{{count}} selected', { count: picked })}</span>
      ) : null}
      <AddStepMenu
        leaves
        isFirst={steps.length === 0}
        onAdd={(type) => {
          const [list, index] = placeAfter(chosen, steps)
          onAdd({ list, index }, type)
        }}
        trigger={
          <Button look="quiet" icon={Plus} className="h-6" data-canvas-add>
            {chosen === undefined ? t('Add step') : t('Add step after {{id}}', { id: chosen.id })}
          </Button>
        }
      />
      {triggers === 0 ? null : (
        <AddStepMenu
          leaves
          isFirst={false}
          isTrigger
          onAdd={(type) => onAdd({ list: [], index: triggers }, type)}
          trigger={
            <Button look="quiet" icon={Plus} className="h-6">
              {t('Add another trigger')}
            </Button>
          }
        />
      )}
      {chosen === undefined ? null : (
        <>
          <IconButton small label={t('Edit')} keys="↵" icon={PencilLine} onClick={() => press('enter')} />
          <IconButton
            small
            label={t('Duplicate')}
            keys={printed('mod+d')}
            icon={CopyPlus}
            onClick={() => press('mod+d')}
          />
          <IconButton
            small
            label={t('Turn on or off')}
            keys={printed('mod+/')}
            icon={EyeOff}
            onClick={() => press('mod+/')}
          />
          <IconButton
            small
            label={t('Delete')}
            keys={printed('del')}
            icon={Trash2}
            onClick={() => press('delete')}
          />
        </>
      )}
      <IconButton small label={t('Zoom out')} keys="-" icon={Minus} onClick={() => press('-')} />
      <IconButton small label={t('Zoom in')} keys="+" icon={ZoomIn} onClick={() => press('+')} />
      <IconButton small label={t('Show all')} keys="0" icon={Maximize} onClick={() => press('0')} />
    </div>
  )
}

export function placeAfter(
  chosen: CanvasBox | undefined,
  steps: readonly Step[],
): readonly [list: ListPath, index: number] {
  return chosen === undefined
    ? [[], steps.length]
    : [chosen.path.slice(0, -1), (chosen.path.at(-1) as number) + 1]
}

interface StepSearchProps {
  readonly steps: readonly Step[]
  readonly onFound: (refId: string) => void
  readonly onLeave: () => void
}

/** Finds a step by its name or title; Enter goes to the next one, Escape back to the canvas. */
function StepSearch({ steps, onFound, onLeave }: StepSearchProps) {
  const plugins = usePlugins()
  const [typed, setTyped] = useState('')
  const at = useRef(-1)
  const needle = typed.trim().toLowerCase()
  const found =
    needle === ''
      ? []
      : walkSteps(steps).filter(({ step }) =>
          `${step.ref_id} ${step.title} ${t(faceOf(step, plugins).label)}`.toLowerCase().includes(needle),
        )

  function go(index: number) {
    at.current = found.length === 0 ? -1 : index % found.length
    const refId = found[at.current]?.step.ref_id
    if (refId !== undefined) onFound(refId)
  }

  return (
    <span className="flex items-center gap-1.5">
      <TextInput
        type="search"
        aria-label={t('Find step')}
        placeholder={t('Find step')}
        className="h-6 w-36"
        value={typed}
        onChange={(text) => {
          setTyped(text)
          at.current = -1
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') go(at.current + 1)
          if (event.key !== 'Escape') return
          setTyped('')
          onLeave()
        }}
      />
      <output className="tabular text-sm text-muted">
        {needle === '' ? '' : t('{{count}} found', { count: found.length })}
      </output>
    </span>
  )
}
