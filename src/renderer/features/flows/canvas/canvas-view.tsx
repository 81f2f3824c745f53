import '@xyflow/react/dist/base.css'
import { t, tn } from '../../../lib/i18n.ts'
import './canvas.css'
import {
  Background,
  BackgroundVariant,
  MarkerType,
  MiniMap,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
} from '@xyflow/react'
import type { NodeChange, ReactFlowInstance } from '@xyflow/react'
import { CopyPlus, EyeOff, Maximize, Minus, PencilLine, Plus, Trash2, ZoomIn } from '../../../lib/icons.tsx'
import { useEffect, useEffectEvent, useId, useMemo, useRef, useState } from 'react'
import type { KeyboardEvent } from 'react'
import { LIMITS } from '../../../../shared/contract/base/limits.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import { Button, IconButton } from '../../../components/controls/button.tsx'
import { TextInput } from '../../../components/controls/field.tsx'
import { printed, useListedKeys } from '../../../components/screen/shortcuts.tsx'
import { stateWord } from '../../../components/values/status-badge.tsx'
import { formatCount, formatDuration } from '../../../lib/format.ts'
import { isMac } from '../../../lib/keys.ts'
import { useSteady } from '../../../lib/use-steady.ts'
import { useEditor } from '../state/editor-context.tsx'
import { outermost, toPosition, walkSteps } from '../model/step-tree.ts'
import type { ListPath, StepPath } from '../model/step-tree.ts'
import { faceOf } from '../step-types/index.ts'
import type { Addition } from '../step-types/find-services.ts'
import { AddStepMenu } from '../steps/add-step-menu.tsx'
import { useStepActions } from '../steps/step-actions.ts'
import { useStepSelection } from '../steps/use-step-selection.ts'
import { CanvasLine } from './canvas-line.tsx'
import type { CanvasEdge } from './canvas-line.tsx'
import { FrameNode, SpotNode, StepNode, turnsOf } from './canvas-nodes.tsx'
import type { CanvasNode, SpotCanvasNode, StepCanvasNode } from './canvas-nodes.tsx'
import { layoutFlow, stepTowards } from './layout.ts'
import type { CanvasBox, CanvasLayout, CanvasSpot, Direction, Point } from './layout.ts'
import type { StepOutcome } from './run-overlay.ts'
import { useRunOverlay } from './use-run-overlay.ts'

interface CanvasViewProps {
  readonly selected: string | undefined
  readonly onSelect: (refId: string | undefined) => void
  /** Enter, or a double click: editing continues in the form next to the canvas. */
  readonly onOpen: () => void
}

const NO_STEPS: readonly Step[] = []
const NODE_TYPES = { step: StepNode, frame: FrameNode, spot: SpotNode }
const EDGE_TYPES = { line: CanvasLine }
/** The toolbar is at the bottom. */
const FIT = {
  padding: { x: '32px', top: '32px', bottom: '64px' },
  maxZoom: 1,
  duration: 0,
  minZoom: 0.02,
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

  const steady = useSteady({
    addAt({ list, index }: Pick<CanvasSpot, 'list' | 'index'>, type: Addition) {
      actions.add(list, index, type)
      // Once the menu is closed, which returns the focus to where it was opened.
      requestAnimationFrame(() => area.current?.focus())
    },
    fold(refId: string) {
      const next = new Set(folded)
      if (!next.delete(refId)) next.add(refId)
      setFolded(next)
      onSelect(refId)
    },
  })
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

  // Steps selected by keyboard are scrolled into view, without a jump if they are already visible.
  useEffect(() => {
    if (chosen !== undefined) bringIntoView(flow, chosen)
  }, [flow, chosen])

  const resized = useEffectEvent((byX: number) => {
    const { x, ...others } = flow.getViewport()
    void flow.setViewport({ ...others, x: x + byX / 2 })
    if (chosen !== undefined) bringIntoView(flow, chosen)
  })
  useEffect(() => {
    if (area.current === null) return undefined
    let width = area.current.clientWidth
    const sizes = new ResizeObserver(([entry]) => {
      const present = entry?.contentRect.width ?? width
      resized(present - width)
      width = present
    })
    sizes.observe(area.current)
    return () => sizes.disconnect()
  }, [])

  // A step in a folded branch was selected elsewhere: it is shown.
  useEffect(() => {
    if (selected !== undefined && folded.size > 0 && layout.boxes.every(({ id }) => id !== selected))
      setFolded(new Set())
  }, [selected, folded, layout])

  function onKeyDown(event: KeyboardEvent) {
    if (event.target !== event.currentTarget) return
    const mod = isMac() ? event.metaKey : event.ctrlKey
    const stroke = `${mod ? 'mod+' : ''}${event.altKey ? 'alt+' : ''}${event.shiftKey ? 'shift+' : ''}${event.key.toLowerCase()}`
    const run = keysFor(stroke)
    if (run === undefined) return
    event.preventDefault()
    event.stopPropagation()
    run()
  }

  function keysFor(stroke: string): (() => void) | undefined {
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
      a: () => toolbar.current?.querySelector<HTMLElement>('[data-canvas-add]')?.click(),
      '+': () => void flow.zoomIn(),
      'shift++': () => void flow.zoomIn(),
      '-': () => void flow.zoomOut(),
      '0': () => void flow.fitView(FIT),
      '/': () => toolbar.current?.querySelector<HTMLElement>('input')?.focus(),
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
        if (chosen.canFold) steady.fold(chosen.id)
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

  function dragged(node: CanvasNode): Drag | null {
    const box = layout.boxes.find(({ id, kind }) => kind === 'step' && id === node.id)
    if (box === undefined) return null
    const moved = selection.refIds.has(box.id) ? selection.refIds : new Set([box.id])
    const paths = outermost(steps, moved).map(({ path }) => path)
    const offset: Point = [node.position.x - box.x, node.position.y - box.y]
    const head: Point = [node.position.x + box.width / 2, node.position.y]
    return { moved, paths, offset, target: nearestSpot(layout.spots, head, paths) }
  }

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
            nodeTypes={NODE_TYPES}
            edgeTypes={EDGE_TYPES}
            onInit={(drawn) => {
              showBeginning(drawn, layout)
              if (chosen !== undefined) bringIntoView(drawn, chosen)
            }}
            // Its link could be reached by Tab although it is hidden from screen readers.
            proOptions={{ hideAttribution: true }}
            minZoom={0.02}
            maxZoom={1.6}
            nodesConnectable={false}
            nodesFocusable={false}
            edgesFocusable={false}
            disableKeyboardA11y
            deleteKeyCode={null}
            selectionKeyCode="Shift"
            multiSelectionKeyCode="Shift"
            zoomOnDoubleClick={false}
            panOnScroll
            nodeDragThreshold={4}
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
          'Use the arrow keys to select a step, with Shift to select several. Enter opens its form, A adds a step after it, Alt+arrow moves it, Delete removes it, Space collapses its branches. Plus and minus zoom, 0 fits the flow.',
        )}
        {hasMany
          ? ` ${t('Slash searches the steps: Enter selects the next match, Escape returns to the canvas.')}`
          : ''}
      </p>
      <p role="status" className="sr-only">
        {chosen === undefined ? '' : wordsOf(chosen, outcomes[chosen.id])}
        {selection.refIds.size > 1 ? `, ${t('{{count}} selected', { count: selection.refIds.size })}` : ''}
      </p>
      <div
        ref={toolbar}
        className="absolute right-3 bottom-3 flex flex-wrap items-center gap-1 rounded border border-line bg-raised p-1 shadow-float"
      >
        {hasMany ? (
          <StepSearch steps={steps} onFound={onSelect} onLeave={() => area.current?.focus()} />
        ) : null}
        {selection.refIds.size > 1 ? (
          <span className="px-1 text-sm text-muted">
            {t('{{count}} selected', { count: selection.refIds.size })}
          </span>
        ) : null}
        <AddStepMenu
          leaves
          isFirst={steps.length === 0}
          onAdd={(type) => {
            const [list, index] = placeAfter(chosen, steps)
            steady.addAt({ list, index }, type)
          }}
          trigger={
            <Button look="quiet" icon={Plus} className="h-6" data-canvas-add>
              {chosen === undefined ? t('Add step') : t('Add step after {{id}}', { id: chosen.id })}
            </Button>
          }
        />
        {chosen === undefined ? null : (
          <>
            <IconButton small label={t('Edit')} keys="↵" icon={PencilLine} onClick={onOpen} />
            <IconButton
              small
              label={t('Duplicate')}
              keys={printed('mod+d')}
              icon={CopyPlus}
              onClick={() => keysFor('mod+d')?.()}
            />
            <IconButton
              small
              label={t('Turn on or off')}
              keys={printed('mod+/')}
              icon={EyeOff}
              onClick={() => keysFor('mod+/')?.()}
            />
            <IconButton
              small
              label={t('Delete')}
              keys={printed('del')}
              icon={Trash2}
              onClick={() => keysFor('delete')?.()}
            />
          </>
        )}
        <IconButton small label={t('Zoom out')} keys="-" icon={Minus} onClick={() => void flow.zoomOut()} />
        <IconButton small label={t('Zoom in')} keys="+" icon={ZoomIn} onClick={() => void flow.zoomIn()} />
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
          {t('Counts iterations among the {{number}} steps kept per run, plus all that failed.', {
            number: formatCount(LIMITS.shownSteps),
          })}
        </p>
      ) : null}
    </div>
  )
}

interface StepSearchProps {
  readonly steps: readonly Step[]
  readonly onFound: (refId: string) => void
  readonly onLeave: () => void
}

/** Finds a step by its name or title; Enter goes to the next one, Escape back to the canvas. */
function StepSearch({ steps, onFound, onLeave }: StepSearchProps) {
  const [typed, setTyped] = useState('')
  const at = useRef(-1)
  const needle = typed.trim().toLowerCase()
  const found =
    needle === ''
      ? []
      : walkSteps(steps).filter(({ step }) =>
          `${step.ref_id} ${step.title} ${t(faceOf(step.type).label)}`.toLowerCase().includes(needle),
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

/** The dragged step, and where it would be dropped. */
interface Drag {
  readonly moved: ReadonlySet<string>
  readonly paths: readonly StepPath[]
  readonly offset: Point
  readonly target: CanvasSpot | null
}

/** Within this distance of a spot, it is dropped there. */
const NEAR = 120

function nearestSpot(
  spots: readonly CanvasSpot[],
  [x, y]: Point,
  moved: readonly StepPath[],
): CanvasSpot | null {
  const distances = spots
    .filter(({ list }) => !moved.some((path) => isWithin(list, path)))
    .map((spot) => ({ spot, distance: Math.hypot(spot.at[0] - x, spot.at[1] - y) }))
    .filter(({ distance }) => distance < NEAR)
  return distances.toSorted((a, b) => a.distance - b.distance)[0]?.spot ?? null
}

/** Dropped before or after itself, a step stays where it is. */
function isOwnPlace({ paths, target }: Drag): boolean {
  const [path] = paths
  if (paths.length !== 1 || path === undefined || target === null) return false
  const index = path.at(-1) as number
  return (
    target.list.join() === path.slice(0, -1).join() && (target.index === index || target.index === index + 1)
  )
}

function isWithin(path: StepPath, outer: StepPath): boolean {
  return outer.every((part, at) => path[at] === part)
}

function placeAfter(
  chosen: CanvasBox | undefined,
  steps: readonly Step[],
): readonly [list: ListPath, index: number] {
  return chosen === undefined
    ? [[], steps.length]
    : [chosen.path.slice(0, -1), (chosen.path.at(-1) as number) + 1]
}

const ARROWS: Readonly<Record<string, Direction>> = {
  arrowup: 'up',
  arrowdown: 'down',
  arrowleft: 'left',
  arrowright: 'right',
}

type Outcomes = Readonly<Record<string, StepOutcome>>

interface Looks {
  readonly chosen: string | undefined
  readonly picked: ReadonlySet<string>
  readonly drag: Drag | null
  readonly onFold: (refId: string) => void
}

function nodesOf(
  layout: CanvasLayout,
  outcomes: Outcomes,
  { chosen, picked, drag, onFold }: Looks,
): StepCanvasNode[] {
  return layout.boxes.map(({ id, kind, step, path, x, y, width, height, folded, canFold }) => {
    // A dragged step takes its branches along.
    const isMoved = drag?.paths.some((moved) => isWithin(path, moved)) === true
    const [dx, dy] = isMoved ? drag.offset : [0, 0]
    const isStep = kind === 'step'
    return {
      id,
      type: kind,
      position: { x: x + dx, y: y + dy },
      width,
      height,
      draggable: isStep,
      selectable: isStep,
      selected: isStep && picked.has(id),
      zIndex: (isStep ? 1 : -1) + (isMoved ? 10 : 0),
      data: {
        step,
        position: toPosition(path),
        outcome: outcomes[step.ref_id],
        chosen: isStep && id === chosen,
        picked: isStep && picked.size > 1 && picked.has(id),
        folded,
        canFold,
        onFold,
      },
    }
  })
}

const SPOT_PX = 16

function spotsOf(
  { spots }: CanvasLayout,
  drag: Drag | null,
  onAdd: (spot: CanvasSpot, type: Addition) => void,
): SpotCanvasNode[] {
  return spots.map((spot) => ({
    id: `spot:${[...spot.list, spot.index].join('.')}`,
    type: 'spot',
    position: { x: spot.at[0] - SPOT_PX / 2, y: spot.at[1] - SPOT_PX / 2 },
    width: SPOT_PX,
    height: SPOT_PX,
    draggable: false,
    selectable: false,
    zIndex: 2,
    data: { spot, isTarget: drag?.target === spot, onAdd },
  }))
}

function edgesOf({ lines }: CanvasLayout, outcomes: Outcomes): CanvasEdge[] {
  const hasRun = (id: string) => (outcomes[id]?.state ?? 'skipped') !== 'skipped'
  return lines.map(({ id, from, to, points, label, isBranch }) => {
    // The steps that ran don't show whether an empty branch was taken.
    const ran = !isBranch && hasRun(from.replace(/^frame:/, '')) && hasRun(to)
    const color = ran ? 'var(--accent)' : 'var(--line-control)'
    return {
      id,
      source: from,
      target: to,
      type: 'line',
      data: { points, label, ran },
      // A branch that ends open has no step to point at.
      ...(from === to ? {} : { markerEnd: { type: MarkerType.ArrowClosed, width: 14, height: 14, color } }),
    }
  })
}

function firstStep({ boxes }: CanvasLayout): CanvasBox | undefined {
  return boxes.find(({ kind }) => kind === 'step')
}

/** The whole flow if it stays readable; otherwise its beginning, as wide as it fits. */
function showBeginning(flow: Flow, { width, height }: CanvasLayout): void {
  const area = document.querySelector('.react-flow')?.getBoundingClientRect()
  if (area === undefined) return
  const whole = Math.min((area.width - 2 * MARGIN) / width, (area.height - 3 * MARGIN) / height)
  if (whole >= READABLE) void flow.fitView(FIT)
  else {
    const zoom = Math.min(1, Math.max(READABLE, (area.width - 2 * MARGIN) / width))
    void flow.setViewport({ x: (area.width - width * zoom) / 2, y: MARGIN, zoom })
  }
}

const READABLE = 0.6
const MARGIN = 32

type Flow = ReactFlowInstance<CanvasNode, CanvasEdge>

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

function wordsOf({ step, path, folded }: CanvasBox, outcome: StepOutcome | undefined): string {
  const hidden =
    folded === 0 ? '' : `, ${tn(folded, '{{count}} nested step hidden', '{{count}} nested steps hidden')}`
  const name = `${toPosition(path)} ${step.ref_id}, ${step.title || t(faceOf(step.type).label)}${hidden}`
  if (outcome === undefined) return name
  const time = outcome.durationMs === null ? '' : `, ${formatDuration(outcome.durationMs)}`
  const turns = outcome.turns > 1 ? `, ${turnsOf(outcome)}` : ''
  return `${name}, ${stateWord(outcome.state)}${time}${turns}`
}
