/**
 * The position of each step on the canvas: top to bottom in the order in which they run, branches side by side below
 * their step, a loop as a frame around its steps. Sizes in pixels.
 */
import { LOOP_TYPES, triggersOf } from '../../../../shared/contract/step-types/index.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import { childLists, walkSteps } from '../model/step-tree.ts'
import type { ListPath, StepPath } from '../model/step-tree.ts'
import { listsOf } from '../step-types/index.ts'

export interface CanvasBox {
  /** The step's `ref_id`; for a frame that of its loop, prefixed with `frame:`. */
  readonly id: string
  readonly kind: 'step' | 'frame'
  readonly step: Step
  readonly path: StepPath
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  /** Steps in its branches that aren't drawn because it is folded; 0 for all others. */
  readonly folded: number
  /** Whether it has branches that could be folded. */
  readonly canFold: boolean
}

/** A place to insert a step: between two steps, before the first or after the last one of a list. */
export interface CanvasSpot {
  readonly list: ListPath
  readonly index: number
  readonly at: Point
}

export interface CanvasLine {
  readonly id: string
  readonly from: string
  /**
   * If branches join or a loop is empty, the line ends at a point without a box; `to` is then the box it starts from.
   */
  readonly to: string
  /** Its corners, from the box it leaves to the one it enters. */
  readonly points: readonly Point[]
  /** The branch that it starts: `then`, a case, `each turn`. Null for lines without one. */
  readonly label: Label | null
  /** Whether it is the whole branch, because the branch has no steps. */
  readonly isBranch: boolean
}

export type Point = readonly [x: number, y: number]

export interface Label {
  readonly text: string
  readonly at: Point
}

export interface CanvasLayout {
  readonly boxes: readonly CanvasBox[]
  readonly lines: readonly CanvasLine[]
  readonly spots: readonly CanvasSpot[]
  readonly width: number
  readonly height: number
}

export const STEP_WIDTH = 272
const STEP_HEIGHT = 54
const GAP_X = 32
const GAP_Y = 40
/** The distance between a step and its branches, whose lines have a label. */
const BRANCH_GAP = 68
/** The distance of a line's bend below the step it leaves, or above the one it enters. */
const TURN = 18
const LABEL_BELOW_TURN = 16
const FRAME_PAD = 18
/** A branch without steps is a line next to the others, as wide as its label. */
const EMPTY_WIDTH = 84
const LABEL_WIDTH = 160
const LABEL_PADDING = 16
const CHARACTER_WIDTH = 7

/** The distance above the first step of a branch, and below the last one of a list. */
const SPOT_GAP = 12
/** The length of the short line to the spot at the end of a flow or a loop. */
const END_GAP = 28
/** Additional room below branches, for the spots at their ends. */
const JOIN_GAP = 12
/** In a branch without steps, the distance that puts the spot as far above the place of a first step as elsewhere. */
const SPOT_BELOW_LABEL = BRANCH_GAP - SPOT_GAP - TURN - LABEL_BELOW_TURN

const NONE_FOLDED: ReadonlySet<string> = new Set()

/** `folded` contains the names of steps whose branches aren't drawn. */
export function layoutFlow(steps: readonly Step[], folded: ReadonlySet<string> = NONE_FOLDED): CanvasLayout {
  const { boxes, lines, spots, width, height } = placeList(steps, [], folded, true)
  return { boxes, lines, spots, width, height }
}

/** A part of the diagram, with its own corner at 0, 0; lines enter and leave it on its `axis`. */
interface Block {
  readonly boxes: readonly CanvasBox[]
  readonly lines: readonly CanvasLine[]
  readonly spots: readonly CanvasSpot[]
  readonly width: number
  readonly height: number
  readonly axis: number
  /** The target of the line that leads into it; null if it contains no step. */
  readonly entry: Entry | null
  /** Lines to the next step, as far as they run inside this block. */
  readonly exits: readonly Exit[]
  /** Whether it ends with branches side by side. */
  readonly isSplit: boolean
}

interface Entry {
  readonly id: string
  /** The position of its top, on the axis. */
  readonly y: number
  /** Lines bend above this: the top of a loop's frame, otherwise the top of the step. */
  readonly top: number
}

type Exit = Pick<CanvasLine, 'from' | 'points' | 'label' | 'isBranch'>

/** @param ends whether nothing follows its last step, because the flow ends or a loop repeats */
function placeList(
  steps: readonly Step[],
  list: ListPath,
  folded: ReadonlySet<string>,
  ends: boolean,
): Block {
  const beside = list.length === 0 ? triggersOf(steps).length : 0
  const blocks =
    beside > 1
      ? [
          placeTriggers(steps.slice(0, beside)),
          ...steps.slice(beside).map((step, at) => placeStep(step, [at + beside], folded)),
        ]
      : steps.map((step, index) => placeStep(step, [...list, index], folded))
  /** The index of the first step of a block. */
  const indexOf = (block: number) => (beside > 1 && block > 0 ? block + beside - 1 : block)
  const axis = Math.max(0, ...blocks.map((block) => block.axis))
  const right = Math.max(0, ...blocks.map((block) => block.width - block.axis))
  const boxes: CanvasBox[] = []
  const lines: CanvasLine[] = []
  const spots: CanvasSpot[] = []
  let exits: readonly Exit[] = []
  let y = 0
  for (const [index, block] of blocks.entries()) {
    if (index > 0) y += GAP_Y + (blocks[index - 1]?.isSplit === true ? JOIN_GAP : 0)
    // Above several triggers there is no line for the spot.
    if (index > 0 || beside < 2)
      spots.push({ list, index: indexOf(index), at: [axis, y - (index === 0 ? SPOT_GAP : TURN)] })
    const placed = moved(block, axis - block.axis, y)
    lines.push(...exits.flatMap((exit, at) => lineTo(exit, placed.entry, axis, at)), ...placed.lines)
    boxes.push(...placed.boxes)
    spots.push(...placed.spots)
    exits = placed.exits
    y += block.height
  }
  const [first] = blocks
  const isSplit = blocks.at(-1)?.isSplit === true
  if (isSplit) {
    y += GAP_Y + JOIN_GAP - TURN
    lines.push(...exits.map((exit, at) => lineToSpot(exit, [axis, y], `${list.join('.')}>${at}`)))
    exits = exits.slice(0, 1).map(() => exitOf(steps.at(-1)?.ref_id ?? '', [axis, y]))
  }
  if (first !== undefined) {
    const end: Point = [axis, y + (ends ? END_GAP : isSplit ? 0 : SPOT_GAP)]
    if (ends) {
      lines.push(...exits.map((exit) => lineToSpot(exit, end, `${list.join('.')} end`)))
      y += END_GAP
    }
    spots.push({ list, index: steps.length, at: end })
  }
  // For a list without steps, the caller chooses the place, because it draws the lane.
  const entry = first?.entry ?? null
  return { boxes, lines, spots, width: axis + right, height: y, axis, entry, exits, isSplit: false }
}

function placeStep(step: Step, path: StepPath, folded: ReadonlySet<string>): Block {
  const size = { width: STEP_WIDTH, height: STEP_HEIGHT }
  const lists = childLists(step, path, listsOf(step))
  const isFolded = folded.has(step.ref_id)
  const inside = isFolded ? lists.reduce((sum, child) => sum + walkSteps(child.steps).length, 0) : 0
  const box: CanvasBox = {
    id: step.ref_id,
    kind: 'step',
    step,
    path,
    x: 0,
    y: 0,
    ...size,
    folded: inside,
    canFold: lists.some((child) => child.steps.length > 0),
  }
  const branches = isFolded
    ? []
    : lists.map((child) => ({
        words: child.words,
        list: child.path,
        block: placeList(child.steps, child.path, folded, LOOP_TYPES.includes(step.type)),
      }))
  if (branches.length > 0)
    return LOOP_TYPES.includes(step.type) ? placeLoop(box, branches) : placeBranches(box, branches)
  const axis = STEP_WIDTH / 2
  const entry = { id: box.id, y: 0, top: 0 }
  // Nothing follows the end of the run.
  const exits = step.type === 'stop' ? [] : [exitOf(box.id, [axis, STEP_HEIGHT])]
  return { boxes: [box], lines: [], spots: [], ...size, axis, entry, exits, isSplit: false }
}

/** Places the triggers side by side, since any of them starts the flow; their lines meet above the first other step. */
function placeTriggers(triggers: readonly Step[]): Block {
  const width = triggers.length * (STEP_WIDTH + GAP_X) - GAP_X
  const placed = triggers.map((step, index) =>
    moved(placeStep(step, [index], NONE_FOLDED), index * (STEP_WIDTH + GAP_X), 0),
  )
  return {
    boxes: placed.flatMap(({ boxes }) => boxes),
    lines: [],
    spots: [],
    width,
    height: STEP_HEIGHT,
    axis: width / 2,
    entry: null,
    exits: placed.flatMap(({ exits }) => exits),
    isSplit: true,
  }
}

interface Branch {
  readonly words: string
  readonly list: ListPath
  readonly block: Block
}

/** Places branches side by side, with the step above their middle; a branch without steps leads past the others. */
function placeBranches(box: CanvasBox, branches: readonly Branch[]): Block {
  const widths = branches.map(({ words, block }) => (block.entry === null ? laneWidth(words) : block.width))
  const inner = widths.reduce((sum, width) => sum + width, 0) + GAP_X * (branches.length - 1)
  const width = Math.max(inner, STEP_WIDTH)
  const axis = width / 2
  const turn = STEP_HEIGHT + TURN
  const top = STEP_HEIGHT + BRANCH_GAP
  const height = top + Math.max(0, ...branches.map(({ block }) => block.height))
  const boxes: CanvasBox[] = [{ ...box, x: axis - STEP_WIDTH / 2 }]
  const lines: CanvasLine[] = []
  const spots: CanvasSpot[] = []
  const exits: Exit[] = []
  let x = (width - inner) / 2
  for (const [index, { words, list, block }] of branches.entries()) {
    const own = widths[index] ?? 0
    const placed = moved(block, x, top)
    const lane = block.entry === null ? x + own / 2 : placed.axis
    const points: Point[] = [
      [axis, STEP_HEIGHT],
      [axis, turn],
      [lane, turn],
    ]
    const label = { text: words, at: [lane, turn + LABEL_BELOW_TURN] as const }
    if (placed.entry === null) {
      exits.push({ from: box.id, points: [...points, [lane, height]], label, isBranch: true })
      spots.push({ list, index: 0, at: [lane, top - SPOT_GAP] })
    } else {
      boxes.push(...placed.boxes)
      spots.push(...placed.spots)
      lines.push(
        ...lineTo({ from: box.id, points, label, isBranch: false }, placed.entry, lane),
        ...placed.lines,
      )
      exits.push(...placed.exits)
    }
    x += own + GAP_X
  }
  return {
    boxes,
    lines,
    spots,
    width,
    height,
    axis,
    entry: { id: box.id, y: 0, top: 0 },
    exits,
    isSplit: true,
  }
}

/** The step after a loop follows its frame. */
function placeLoop(box: CanvasBox, [branch]: readonly Branch[]): Block {
  const inside = branch?.block
  const reach = (side: number) => FRAME_PAD + Math.max(STEP_WIDTH / 2, side)
  const axis = reach(inside?.axis ?? 0)
  const width = axis + reach((inside?.width ?? 0) - (inside?.axis ?? 0))
  const foot = FRAME_PAD + STEP_HEIGHT
  const body =
    inside === undefined || inside.entry === null
      ? null
      : moved(inside, axis - inside.axis, foot + BRANCH_GAP)
  const height = foot + BRANCH_GAP + (body?.height ?? 0) + (body === null ? 0 : FRAME_PAD)
  const frame: CanvasBox = { ...box, id: `frame:${box.id}`, kind: 'frame', width, height }
  const head: CanvasBox = { ...box, x: axis - STEP_WIDTH / 2, y: FRAME_PAD }
  const label = { text: branch?.words ?? '', at: [axis, foot + TURN + LABEL_BELOW_TURN] as const }
  const emptySpot: Point = [axis, label.at[1] + SPOT_BELOW_LABEL]
  return {
    boxes: [frame, head, ...(body?.boxes ?? [])],
    lines:
      body === null
        ? [lineToSpot({ from: box.id, points: [[axis, foot]], label, isBranch: true }, emptySpot, '')]
        : [
            ...lineTo({ from: box.id, points: [[axis, foot]], label, isBranch: false }, body.entry, axis),
            ...body.lines,
          ],
    spots: body === null ? [{ list: branch?.list ?? [], index: 0, at: emptySpot }] : body.spots,
    width,
    height,
    axis,
    entry: { id: box.id, y: FRAME_PAD, top: 0 },
    exits: [exitOf(frame.id, [axis, height])],
    isSplit: false,
  }
}

const laneWidth = (label: string) =>
  Math.max(EMPTY_WIDTH, Math.min(LABEL_WIDTH, LABEL_PADDING + CHARACTER_WIDTH * label.length))

function exitOf(from: string, at: Point): Exit {
  return { from, points: [at], label: null, isBranch: false }
}

/** Completes a line: down, then across to the axis of the target step, above that step. */
function lineTo(
  { from, points, label, isBranch }: Exit,
  entry: Entry | null,
  axis: number,
  index = 0,
): CanvasLine[] {
  const last = points.at(-1)
  if (entry === null || last === undefined) return []
  const across: Point[] =
    last[0] === axis
      ? []
      : [
          [last[0], entry.top - TURN],
          [axis, entry.top - TURN],
        ]
  return [
    {
      id: `${from}>${entry.id}>${index}`,
      from,
      to: entry.id,
      points: [...points, ...across, [axis, entry.y]],
      label,
      isBranch,
    },
  ]
}

/** A line to where a step can be added: down, then across. */
function lineToSpot({ from, points, label, isBranch }: Exit, spot: Point, name: string): CanvasLine {
  const [x] = points.at(-1) ?? spot
  const corner: Point[] = x === spot[0] ? [] : [[x, spot[1]]]
  return { id: `${from}>>${name}`, from, to: from, points: [...points, ...corner, spot], label, isBranch }
}

function moved(block: Block, dx: number, dy: number): Block {
  const point = ([x, y]: Point): Point => [x + dx, y + dy]
  const leads = <T extends Pick<CanvasLine, 'points' | 'label'>>(line: T): T => ({
    ...line,
    points: line.points.map(point),
    label: line.label && { ...line.label, at: point(line.label.at) },
  })
  return {
    ...block,
    axis: block.axis + dx,
    entry: block.entry && { ...block.entry, y: block.entry.y + dy, top: block.entry.top + dy },
    boxes: block.boxes.map((box) => ({ ...box, x: box.x + dx, y: box.y + dy })),
    lines: block.lines.map(leads),
    spots: block.spots.map((spot) => ({ ...spot, at: point(spot.at) })),
    exits: block.exits.map(leads),
  }
}

export type Direction = 'up' | 'down' | 'left' | 'right'

/** The step reached from another by an arrow key: the nearest one in that direction; null if there is none. */
export function stepTowards(boxes: readonly CanvasBox[], from: string, direction: Direction): string | null {
  const start = boxes.find(({ id }) => id === from)
  if (start === undefined) return null
  const upright = direction === 'up' || direction === 'down'
  const sign = direction === 'down' || direction === 'right' ? 1 : -1
  const distances = boxes
    .filter(({ kind, id }) => kind === 'step' && id !== from)
    .map((box) => {
      const [dx, dy] = [box.x - start.x, box.y - start.y]
      const [along, across] = upright ? [dy * sign, Math.abs(dx)] : [dx * sign, Math.abs(dy)]
      // Down leads to the next row, not only to a step exactly below; sideways prefers the same row.
      return { id: box.id, along, across, distance: along + across * (upright ? 0.4 : 2) }
    })
    .filter(({ along, across }) => along > 1 && (upright || across <= along))
  return distances.toSorted((a, b) => a.distance - b.distance)[0]?.id ?? null
}

export function firstStep({ boxes }: CanvasLayout): CanvasBox | undefined {
  return boxes.find(({ kind }) => kind === 'step')
}
