import { MarkerType } from '@xyflow/react'
import type { Step } from '../../../../shared/contract/steps.ts'
import { outermost, toPosition } from '../model/step-tree.ts'
import type { StepPath } from '../model/step-tree.ts'
import type { Addition } from '../../../components/services/catalogue.ts'
import type { CanvasEdge } from './canvas-line.tsx'
import type { CanvasNode, SpotCanvasNode, StepCanvasNode } from './canvas-nodes.tsx'
import type { CanvasLayout, CanvasSpot, Point } from './layout.ts'
import type { StepOutcome } from './run-overlay.ts'

type Outcomes = Readonly<Record<string, StepOutcome>>

interface Looks {
  readonly chosen: string | undefined
  readonly picked: ReadonlySet<string>
  readonly drag: Drag | null
  readonly onFold: (refId: string) => void
}

export function nodesOf(
  layout: CanvasLayout,
  outcomes: Outcomes,
  { chosen, picked, drag, onFold }: Looks,
): StepCanvasNode[] {
  return layout.boxes.map(({ id, kind, step, path, x, y, width, height, folded, canFold }) => {
    // The branches of a dragged step move with it.
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

export function spotsOf(
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

export function edgesOf({ lines }: CanvasLayout, outcomes: Outcomes): CanvasEdge[] {
  const hasRun = (id: string) => (outcomes[id]?.state ?? 'skipped') !== 'skipped'
  return lines.map(({ id, from, to, points, label, isBranch }) => {
    // The steps that ran don't tell whether an empty branch was taken.
    const ran = !isBranch && hasRun(from.replace(/^frame:/, '')) && hasRun(to)
    const color = ran ? 'var(--running)' : 'var(--line-control)'
    return {
      id,
      source: from,
      target: to,
      type: 'line',
      data: { points, label, ran },
      // The line at the end of a branch points to no step.
      ...(from === to ? {} : { markerEnd: { type: MarkerType.ArrowClosed, width: 14, height: 14, color } }),
    }
  })
}

/** The dragged step, and where it would be dropped. */
export interface Drag {
  readonly moved: ReadonlySet<string>
  readonly paths: readonly StepPath[]
  readonly offset: Point
  readonly target: CanvasSpot | null
}

/** Null if the dragged node isn't a step. */
export function dragOf(
  node: CanvasNode,
  { boxes, spots }: CanvasLayout,
  steps: readonly Step[],
  picked: ReadonlySet<string>,
): Drag | null {
  const box = boxes.find(({ id, kind }) => kind === 'step' && id === node.id)
  if (box === undefined) return null
  const moved = picked.has(box.id) ? picked : new Set([box.id])
  const paths = outermost(steps, moved).map(({ path }) => path)
  const offset: Point = [node.position.x - box.x, node.position.y - box.y]
  const head: Point = [node.position.x + box.width / 2, node.position.y]
  return { moved, paths, offset, target: nearestSpot(spots, head, paths) }
}

/** A step that is dropped this close to a spot, in pixels, moves there. */
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

/** True if the step would be dropped right before or after itself, which moves nothing. */
export function isOwnPlace({ paths, target }: Drag): boolean {
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
