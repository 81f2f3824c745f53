/** The keyboard shortcuts of the canvas, and their buttons in the toolbar. */
import type { ReactFlowInstance } from '@xyflow/react'
import type { KeyboardEvent } from 'react'
import type { Step } from '../../../../shared/contract/steps.ts'
import { useListedKeys } from '../../../components/screen/shortcuts.tsx'
import { t } from '../../../lib/i18n.ts'
import { isMac } from '../../../lib/keys.ts'
import type { useStepActions } from '../steps/step-actions.ts'
import type { StepSelection } from '../steps/use-step-selection.ts'
import type { CanvasEdge } from './canvas-line.tsx'
import type { CanvasNode } from './canvas-nodes.tsx'
import { placeAfter } from './canvas-toolbar.tsx'
import { type CanvasBox, type CanvasLayout, type Direction, firstStep, stepTowards } from './layout.ts'
import { FIT } from './viewport.ts'

export function useListedCanvasKeys(): void {
  useListedKeys(t('Canvas'), {
    a: t('Add step'),
    enter: t('Edit'),
    space: t('Collapse or expand'),
    'alt+up': t('Move up'),
    'alt+down': t('Move down'),
    'alt+right': t('Move into the step above'),
    'alt+left': t('Move out'),
    'mod+d': t('Duplicate'),
    'mod+c': t('Copy'),
    'mod+v': t('Paste'),
    'mod+/': t('Turn on or off'),
    del: t('Delete'),
    '+': t('Zoom in'),
    '-': t('Zoom out'),
    '0': t('Show all'),
  })
}

/** A key with its modifiers: `mod+shift+a`. */
export function strokeOf(event: KeyboardEvent): string {
  const mod = isMac() ? event.metaKey : event.ctrlKey
  return `${mod ? 'mod+' : ''}${event.altKey ? 'alt+' : ''}${event.shiftKey ? 'shift+' : ''}${event.key.toLowerCase()}`
}

interface CanvasState {
  readonly chosen: CanvasBox | undefined
  readonly layout: CanvasLayout
  readonly steps: readonly Step[]
  readonly selection: StepSelection
  readonly actions: ReturnType<typeof useStepActions>
  readonly view: Pick<ReactFlowInstance<CanvasNode, CanvasEdge>, 'zoomIn' | 'zoomOut' | 'fitView'>
  readonly inToolbar: (selector: string) => HTMLElement | null | undefined
  readonly onSelect: (refId: string | undefined) => void
  readonly onOpen: () => void
  readonly onFold: (refId: string) => void
}

/** Undefined for keys that do nothing here. */
export function actionOf(stroke: string, canvas: CanvasState): (() => void) | undefined {
  const { chosen, layout, steps, selection, actions, view, inToolbar, onSelect, onOpen, onFold } = canvas
  const arrow = /^(shift\+)?(arrow\w+)$/.exec(stroke)
  const direction = ARROWS[arrow?.[2] ?? '']
  if (direction !== undefined && chosen !== undefined)
    return () => {
      const next = stepTowards(layout.boxes, chosen.id, direction)
      if (next === null) return
      if (arrow?.[1] === undefined) selection.cleared()
      else selection.replaced([...selection.refIds, next])
      onSelect(next)
    }
  const always: Record<string, () => void> = {
    a: () => inToolbar('[data-canvas-add]')?.click(),
    '+': () => void view.zoomIn(),
    'shift++': () => void view.zoomIn(),
    '-': () => void view.zoomOut(),
    '0': () => void view.fitView(FIT),
    '/': () => inToolbar('input')?.focus(),
    'mod+v': () => void actions.paste(...placeAfter(chosen, steps)),
  }
  if (chosen === undefined) return always[stroke]
  const { path, step } = chosen
  const isSeveral = selection.refIds.size > 1
  const ofStep: Record<string, () => void> = {
    home: () => onSelect(firstStep(layout)?.id ?? chosen.id),
    enter: onOpen,
    escape: selection.cleared,
    ' ': () => {
      if (chosen.canFold) onFold(chosen.id)
    },
    'alt+arrowup': () => actions.move(path, -1),
    'alt+arrowdown': () => actions.move(path, 1),
    'alt+arrowright': () => actions.indent(path),
    'alt+arrowleft': () => actions.outdent(path),
    'mod+d': () => (isSeveral ? actions.duplicateAll(selection.refIds) : actions.duplicate(path, step)),
    'mod+c': () => void actions.copyAll(selection.refIds),
    'mod+/': () => actions.toggleAll(selection.refIds),
    delete: () => (isSeveral ? actions.removeAll(selection.refIds) : actions.remove(path, step)),
  }
  return { ...always, ...ofStep, backspace: ofStep['delete'] }[stroke]
}

const ARROWS: Readonly<Record<string, Direction>> = {
  arrowup: 'up',
  arrowdown: 'down',
  arrowleft: 'left',
  arrowright: 'right',
}
