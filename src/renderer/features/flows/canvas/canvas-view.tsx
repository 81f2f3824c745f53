import '@xyflow/react/dist/base.css'
import { t } from '../../../lib/i18n.ts'
import './canvas.css'
import {
  Background,
  BackgroundVariant,
  MarkerType,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
} from '@xyflow/react'
import { List, Maximize, Minus, Plus } from 'lucide-react'
import { useEffect, useId, useMemo } from 'react'
import type { KeyboardEvent } from 'react'
import { LIMITS } from '../../../../shared/contract/base/limits.ts'
import { Button, IconButton } from '../../../components/controls/button.tsx'
import { stateWord } from '../../../components/values/status-badge.tsx'
import { formatCount, formatDuration } from '../../../lib/format.ts'
import { useEditor } from '../state/editor-context.tsx'
import { toPosition } from '../model/step-tree.ts'
import { faceOf } from '../step-types/index.ts'
import { CanvasLine } from './canvas-line.tsx'
import type { CanvasEdge } from './canvas-line.tsx'
import { FrameNode, StepNode, turnsOf } from './canvas-nodes.tsx'
import type { CanvasNode } from './canvas-nodes.tsx'
import { layoutFlow, stepTowards } from './layout.ts'
import type { CanvasBox, CanvasLayout, Direction } from './layout.ts'
import type { StepOutcome } from './run-overlay.ts'
import { useRunOverlay } from './use-run-overlay.ts'

interface CanvasViewProps {
  readonly selected: string | undefined
  readonly onSelect: (refId: string) => void
  /** Enter, or a double click: work goes on in the list. */
  readonly onOpen: (refId: string) => void
}

const NO_STEPS = [] as const
const NODE_TYPES = { step: StepNode, frame: FrameNode }
const EDGE_TYPES = { line: CanvasLine }
const FIT = { padding: 0.08, maxZoom: 1, duration: 0 } as const

/** The flow as a drawing, to look at; it is changed in the list, which is also what a screen reader reads. */
export function CanvasView(props: CanvasViewProps) {
  return (
    <ReactFlowProvider>
      <Canvas {...props} />
    </ReactFlowProvider>
  )
}

function Canvas({ selected, onSelect, onOpen }: CanvasViewProps) {
  const steps = useEditor((state) => state.history?.present.steps ?? NO_STEPS)
  const { outcomes, isCut } = useRunOverlay()
  const layout = useMemo(() => layoutFlow(steps), [steps])
  const chosen = layout.boxes.find((box) => box.kind === 'step' && box.id === selected) ?? firstStep(layout)
  const nodes = useMemo(() => nodesOf(layout, outcomes, chosen?.id), [layout, outcomes, chosen?.id])
  const edges = useMemo(() => edgesOf(layout, outcomes), [layout, outcomes])
  const flow = useReactFlow()
  const help = useId()

  // What the keys choose is brought into view, without a jump where it can be seen already.
  useEffect(() => {
    if (chosen !== undefined) bringIntoView(flow, chosen)
  }, [flow, chosen])

  function onKeyDown(event: KeyboardEvent) {
    if (chosen === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    const keys: Record<string, () => void> = {
      ...Object.fromEntries(
        Object.entries(ARROWS).map(([key, direction]) => [
          key,
          () => {
            const next = stepTowards(layout.boxes, chosen.id, direction)
            if (next !== null) onSelect(next)
          },
        ]),
      ),
      Home: () => onSelect(firstStep(layout)?.id ?? chosen.id),
      Enter: () => onOpen(chosen.id),
      '+': () => void flow.zoomIn(),
      '-': () => void flow.zoomOut(),
      '0': () => void flow.fitView(FIT),
    }
    const run = keys[event.key]
    if (run === undefined) return
    event.preventDefault()
    event.stopPropagation()
    run()
  }

  return (
    <div className="relative min-h-0 flex-1">
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- an application takes its keys itself */}
      <div
        role="application"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- one stop for the whole drawing; arrows move in it
        tabIndex={0}
        aria-label={t('Canvas of the flow')}
        aria-describedby={help}
        onKeyDown={onKeyDown}
        className="absolute inset-0 focus-visible:-outline-offset-2"
      >
        <div aria-hidden className="contents">
          <ReactFlow
            nodes={nodes}
            edges={edges}
            nodeTypes={NODE_TYPES}
            edgeTypes={EDGE_TYPES}
            onInit={() => showBeginning(flow, layout)}
            // Its link could be reached by Tab in what is hidden from screen readers.
            proOptions={{ hideAttribution: true }}
            minZoom={0.1}
            maxZoom={1.6}
            nodesDraggable={false}
            nodesConnectable={false}
            nodesFocusable={false}
            edgesFocusable={false}
            elementsSelectable={false}
            disableKeyboardA11y
            deleteKeyCode={null}
            selectionKeyCode={null}
            multiSelectionKeyCode={null}
            zoomOnDoubleClick={false}
            panOnScroll
            onNodeClick={(_event, { id, type }) => type === 'step' && onSelect(id)}
            onNodeDoubleClick={(_event, { id, type }) => type === 'step' && onOpen(id)}
          >
            <Background variant={BackgroundVariant.Dots} gap={20} size={1} color="var(--line)" />
          </ReactFlow>
        </div>
      </div>
      <p id={help} className="sr-only">
        {t(
          'Arrow keys choose a step, Enter opens it in the list, plus and minus zoom, 0 shows all. The list under Steps has the same steps as text, and is where they are changed.',
        )}
      </p>
      <p role="status" className="sr-only">
        {chosen === undefined ? '' : wordsOf(chosen, outcomes[chosen.id])}
      </p>
      <div className="absolute right-3 bottom-3 flex items-center gap-1 rounded border border-line bg-raised p-1 shadow-float">
        {chosen === undefined ? null : (
          <Button look="quiet" icon={List} className="h-6" onClick={() => onOpen(chosen.id)}>
            {t('Open {{id}} in the list', { id: chosen.id })}
          </Button>
        )}
        <IconButton small label={t('Zoom out')} keys="-" icon={Minus} onClick={() => void flow.zoomOut()} />
        <IconButton small label={t('Zoom in')} keys="+" icon={Plus} onClick={() => void flow.zoomIn()} />
        <IconButton
          small
          label={t('Show all')}
          keys="0"
          icon={Maximize}
          onClick={() => void flow.fitView(FIT)}
        />
      </div>
      {isCut ? (
        <p className="absolute top-3 left-3 rounded bg-raised px-2 py-1 text-sm text-muted">
          {t(
            'Turns are counted of the {{number}} steps that the history keeps of one run, and of all that failed.',
            {
              number: formatCount(LIMITS.shownSteps),
            },
          )}
        </p>
      ) : null}
    </div>
  )
}

const ARROWS: Readonly<Record<string, Direction>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right',
}

type Outcomes = Readonly<Record<string, StepOutcome>>

function nodesOf(layout: CanvasLayout, outcomes: Outcomes, chosen: string | undefined): CanvasNode[] {
  return layout.boxes.map(({ id, kind, step, path, x, y, width, height }) => ({
    id,
    type: kind,
    position: { x, y },
    width,
    height,
    zIndex: kind === 'frame' ? -1 : 1,
    data: {
      step,
      position: toPosition(path),
      outcome: outcomes[step.ref_id],
      chosen: kind === 'step' && id === chosen,
    },
  }))
}

function edgesOf({ lines }: CanvasLayout, outcomes: Outcomes): CanvasEdge[] {
  const hasRun = (id: string) => (outcomes[id]?.state ?? 'skipped') !== 'skipped'
  return lines.map(({ id, from, to, points, label, isBranch }) => {
    // Whether a branch without steps was taken cannot be told from the steps that ran.
    const ran = !isBranch && hasRun(from.replace(/^frame:/, '')) && hasRun(to)
    const color = ran ? 'var(--accent)' : 'var(--line-control)'
    return {
      id,
      source: from,
      target: to,
      type: 'line',
      data: { points, label, ran },
      markerEnd: { type: MarkerType.ArrowClosed, width: 14, height: 14, color },
    }
  })
}

function firstStep({ boxes }: CanvasLayout): CanvasBox | undefined {
  return boxes.find(({ kind }) => kind === 'step')
}

/** All of a flow that can be read then; of a longer one its beginning, as wide as it fits. */
function showBeginning(flow: Flow, { width, height }: CanvasLayout): void {
  const area = document.querySelector('.react-flow')?.getBoundingClientRect()
  if (area === undefined) return
  const whole = Math.min((area.width - 2 * MARGIN) / width, (area.height - 2 * MARGIN) / height)
  if (whole >= READABLE) void flow.fitView(FIT)
  else {
    const zoom = Math.min(1, Math.max(READABLE, (area.width - 2 * MARGIN) / width))
    void flow.setViewport({ x: (area.width - width * zoom) / 2, y: MARGIN, zoom })
  }
}

const READABLE = 0.6
const MARGIN = 32

type Flow = ReturnType<typeof useReactFlow>

function bringIntoView(flow: Flow, box: CanvasBox): void {
  const area = document.querySelector('.react-flow')?.getBoundingClientRect()
  if (area === undefined || !flow.viewportInitialized) return
  const { zoom } = flow.getViewport()
  const corner = flow.flowToScreenPosition({ x: box.x, y: box.y })
  const isInside =
    corner.x >= area.left &&
    corner.y >= area.top &&
    corner.x + box.width * zoom <= area.right &&
    corner.y + box.height * zoom <= area.bottom
  if (isInside) return
  void flow.setCenter(box.x + box.width / 2, box.y + box.height / 2, { zoom, duration: 0 })
}

function wordsOf({ step, path }: CanvasBox, outcome: StepOutcome | undefined): string {
  const name = `${toPosition(path)} ${step.ref_id}, ${step.title || t(faceOf(step.type).label)}`
  if (outcome === undefined) return name
  const time = outcome.durationMs === null ? '' : `, ${formatDuration(outcome.durationMs)}`
  const turns = outcome.turns > 1 ? `, ${turnsOf(outcome)}` : ''
  return `${name}, ${stateWord(outcome.state)}${time}${turns}`
}
