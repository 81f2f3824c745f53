import '@xyflow/react/dist/base.css'
import { t, tn } from '../../../lib/i18n.ts'
import './canvas.css'
import {
  Background,
  BackgroundVariant,
  MiniMap,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
} from '@xyflow/react'
import type { NodeChange } from '@xyflow/react'
import { useEffect, useId, useMemo, useRef, useState } from 'react'
import type { KeyboardEvent } from 'react'
import { LIMITS } from '../../../../shared/contract/base/limits.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import { stateWord } from '../../../components/values/status-badge.tsx'
import { formatCount, formatDuration } from '../../../lib/format.ts'
import { useSteady } from '../../../lib/use-steady.ts'
import { useEditor, usePlugins } from '../state/editor-context.tsx'
import { toPosition, walkSteps } from '../model/step-tree.ts'
import type { Plugins } from '../../../components/plugins/plugin-parts.ts'
import { faceOf } from '../step-types/index.ts'
import type { Addition } from '../../../components/services/catalogue.ts'
import { useAdding } from '../../../components/services/open-flow.ts'
import { useStepActions } from '../steps/step-actions.ts'
import { useStepSelection } from '../steps/use-step-selection.ts'
import { CanvasLine } from './canvas-line.tsx'
import type { CanvasEdge } from './canvas-line.tsx'
import { FrameNode, SpotNode, StepNode, turnsOf } from './canvas-nodes.tsx'
import type { CanvasNode } from './canvas-nodes.tsx'
import { actionOf, strokeOf, useListedCanvasKeys } from './canvas-keys.ts'
import { CanvasToolbar, placeAfter } from './canvas-toolbar.tsx'
import { type Drag, dragOf, edgesOf, isOwnPlace, nodesOf, spotsOf } from './drawing.ts'
import { firstStep, layoutFlow } from './layout.ts'
import type { CanvasBox, CanvasSpot } from './layout.ts'
import type { StepOutcome } from './run-overlay.ts'
import { useRunOverlay } from './use-run-overlay.ts'
import { bringIntoView, showBeginning, useChosenInView } from './viewport.ts'

interface CanvasViewProps {
  readonly selected: string | undefined
  readonly onSelect: (refId: string | undefined) => void
  /** Called on Enter or a double click: editing continues in the form next to the canvas. */
  readonly onOpen: () => void
}

const NO_STEPS: readonly Step[] = []
const FIXED = {
  nodeTypes: { step: StepNode, frame: FrameNode, spot: SpotNode },
  edgeTypes: { line: CanvasLine },
  // Its link could be reached by Tab although it is hidden from screen readers.
  proOptions: { hideAttribution: true },
  minZoom: 0.02,
  maxZoom: 1.6,
  nodesConnectable: false,
  nodesFocusable: false,
  edgesFocusable: false,
  disableKeyboardA11y: true,
  deleteKeyCode: null,
  selectionKeyCode: 'Shift',
  multiSelectionKeyCode: 'Shift',
  zoomOnDoubleClick: false,
  panOnScroll: true,
  nodeDragThreshold: 4,
} as const
/** From this many steps on there is a minimap and a search field. */
const MANY_STEPS = 30

/**
 * The flow as a diagram that can be edited like the list, by mouse and by keyboard; screen readers announce each
 * step.
 */
export function CanvasView(props: CanvasViewProps) {
  return (
    <ReactFlowProvider>
      <Canvas {...props} />
    </ReactFlowProvider>
  )
}

function Canvas({ selected, onSelect, onOpen }: CanvasViewProps) {
  const plugins = usePlugins()
  const steps = useEditor((state) => state.history?.present.steps ?? NO_STEPS)
  const { outcomes, isCut } = useRunOverlay()
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set())
  const layout = useMemo(() => layoutFlow(steps, folded), [steps, folded])
  const chosen = layout.boxes.find((box) => box.kind === 'step' && box.id === selected) ?? firstStep(layout)
  const selection = useStepSelection(chosen?.id)
  const actions = useStepActions(onSelect)
  const [drag, setDrag] = useState<Drag | null>(null)
  const flow = useReactFlow<CanvasNode, CanvasEdge>()
  const area = useRef<HTMLDivElement>(null)
  const toolbar = useRef<HTMLDivElement>(null)
  const help = useId()
  const hasMany = walkSteps(steps).length >= MANY_STEPS

  useListedCanvasKeys()

  const steady = useSteady({
    addAt({ list, index }: Pick<CanvasSpot, 'list' | 'index'>, type: Addition) {
      actions.add(list, index, type)
      // Waits until the menu is closed, which returns the focus to where the menu was opened.
      requestAnimationFrame(() => area.current?.focus())
    },
    addHere(added: Addition) {
      const [list, index] = placeAfter(chosen, steps)
      steady.addAt({ list, index }, added)
    },
    fold(refId: string) {
      const next = new Set(folded)
      if (!next.delete(refId)) next.add(refId)
      setFolded(next)
      onSelect(refId)
    },
  })
  useAdding({ isEmpty: steps.length === 0, add: (added) => steady.addHere(added) })
  const nodes = useMemo(
    () => [
      ...nodesOf(layout, outcomes, {
        chosen: chosen?.id,
        picked: selection.refIds,
        drag,
        onFold: (refId) => steady.fold(refId),
      }),
      ...spotsOf(layout, drag, (spot, type) => steady.addAt(spot, type)),
    ],
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the selection is a new set each time; its members count
    [layout, outcomes, chosen?.id, [...selection.refIds].join(), drag, steady],
  )
  const edges = useMemo(() => edgesOf(layout, outcomes), [layout, outcomes])

  useChosenInView(flow, area, chosen)

  // Unfolds all branches if a step in a folded one was selected elsewhere.
  useEffect(() => {
    if (selected !== undefined && folded.size > 0 && layout.boxes.every(({ id }) => id !== selected))
      setFolded(new Set())
  }, [selected, folded, layout])

  const keysFor = (stroke: string) =>
    actionOf(stroke, {
      chosen,
      layout,
      steps,
      selection,
      actions,
      view: flow,
      inToolbar: (selector) => toolbar.current?.querySelector<HTMLElement>(selector),
      onSelect,
      onOpen,
      onFold: (refId) => steady.fold(refId),
    })

  function onKeyDown(event: KeyboardEvent) {
    if (event.target !== event.currentTarget) return
    const run = keysFor(strokeOf(event))
    if (run === undefined) return
    event.preventDefault()
    event.stopPropagation()
    run()
  }

  function onNodesChange(changes: readonly NodeChange<CanvasNode>[]) {
    const picked = new Set(selection.refIds)
    for (const change of changes) {
      if (change.type !== 'select' || change.id.includes(':')) continue
      if (change.selected) picked.add(change.id)
      else picked.delete(change.id)
    }
    if ([...picked].join() === [...selection.refIds].join()) return
    selection.replaced(picked)
    const [first] = picked
    if (first !== undefined && !picked.has(chosen?.id ?? '')) onSelect(first)
  }

  const dragged = (node: CanvasNode) => dragOf(node, layout, steps, selection.refIds)

  return (
    <div className="relative min-h-0 flex-1">
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- an application takes its keys itself */}
      <div
        ref={area}
        role="application"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- one stop for the whole drawing; arrows move in it
        tabIndex={0}
        aria-label={t('Flow canvas')}
        aria-describedby={help}
        onKeyDown={onKeyDown}
        className="absolute inset-0 focus-visible:-outline-offset-2"
      >
        <div aria-hidden className="contents">
          <ReactFlow
            nodes={nodes}
            edges={edges}
            onInit={(drawn) => {
              showBeginning(drawn, layout)
              if (chosen !== undefined) bringIntoView(drawn, chosen)
            }}
            {...FIXED}
            onNodesChange={onNodesChange}
            onNodeDrag={(_event, node) => setDrag(dragged(node))}
            onNodeDragStop={(_event, node) => {
              const end = dragged(node)
              setDrag(null)
              if (end?.target !== null && end !== null && !isOwnPlace(end))
                actions.placeAll(end.moved, end.target.list, end.target.index)
            }}
            onNodeClick={(event, { id, type }) => {
              if (type !== 'step') return
              if (!event.shiftKey) {
                selection.cleared()
                onSelect(id)
              }
              area.current?.focus()
            }}
            onNodeDoubleClick={(_event, { id, type }) => {
              if (type !== 'step') return
              onSelect(id)
              onOpen()
            }}
          >
            <Background variant={BackgroundVariant.Dots} gap={20} size={1} color="var(--line)" />
            {hasMany ? (
              <MiniMap
                pannable
                zoomable
                position="bottom-left"
                nodeColor={(node) => (node.type === 'step' ? 'var(--line-control)' : 'transparent')}
                maskColor="color-mix(in srgb, var(--canvas) 70%, transparent)"
                bgColor="var(--raised)"
              />
            ) : null}
          </ReactFlow>
        </div>
      </div>
      <p id={help} className="sr-only">
        {t(
          'Use the arrow keys to select a step, and hold Shift to select several. Enter opens its form, A adds a step after it, Alt+arrow moves it, Delete removes it, and Space collapses its branches. Plus and minus zoom, and 0 shows the whole flow.',
        )}
        {hasMany
          ? ` ${t('Slash searches the steps. Enter selects the next match, and Escape returns to the canvas.')}`
          : ''}
      </p>
      <p role="status" className="sr-only">
        {chosen === undefined ? '' : wordsOf(chosen, outcomes[chosen.id], plugins)}
        {selection.refIds.size > 1 ? `, ${t('{{count}} selected', { count: selection.refIds.size })}` : ''}
      </p>
      <CanvasToolbar
        ref={toolbar}
        chosen={chosen}
        hasSearch={hasMany}
        picked={selection.refIds.size}
        steps={steps}
        press={(stroke) => keysFor(stroke)?.()}
        onAdd={(place, type) => steady.addAt(place, type)}
        onFound={onSelect}
        onLeave={() => area.current?.focus()}
      />
      {isCut ? (
        <p className="absolute top-3 left-3 rounded bg-raised px-2 py-1 text-muted">
          {t('Counts iterations among the {{number}} steps kept per run, plus all that failed.', {
            number: formatCount(LIMITS.shownSteps),
          })}
        </p>
      ) : null}
    </div>
  )
}

function wordsOf(
  { step, path, folded }: CanvasBox,
  outcome: StepOutcome | undefined,
  plugins: Plugins,
): string {
  const hidden =
    folded === 0 ? '' : `, ${tn(folded, '{{count}} nested step hidden', '{{count}} nested steps hidden')}`
  const name = `${toPosition(path)} ${step.ref_id}, ${step.title || t(faceOf(step, plugins).label)}${hidden}`
  if (outcome === undefined) return name
  const time = outcome.durationMs === null ? '' : `, ${formatDuration(outcome.durationMs)}`
  const turns = outcome.turns > 1 ? `, ${turnsOf(outcome)}` : ''
  return `${name}, ${stateWord(outcome.state)}${time}${turns}`
}
