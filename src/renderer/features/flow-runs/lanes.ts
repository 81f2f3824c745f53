/** Things that ran at the same time: the branches of a parallel step, the iterations of a loop. */
import type { FlowRunStep } from '../../../shared/contract/flow-runs.ts'
import { aroundOf, placeOf } from './step-rows.ts'
import { timesOfStep } from './timeline.ts'

export interface Lanes {
  /** The highest number that ran at the same time. */
  readonly most: number
  /** Number of lanes drawn. */
  readonly count: number
  readonly pieces: readonly LanePiece[]
}

export interface LanePiece {
  readonly lane: number
  readonly start: number
  readonly end: number
  /** The step that stands for the piece: one that failed, otherwise the last one. */
  readonly shown: FlowRunStep
}

interface Member {
  start: number
  end: number
  shown: FlowRunStep
}

/**
 * The lanes of each step in which something ran at the same time, keyed by the step's place. A running step lasts until
 * `now`.
 */
export function findLanes(steps: readonly FlowRunStep[], now: number): ReadonlyMap<string, Lanes> {
  const parallels = new Set(steps.flatMap((step) => (step.type === 'parallel' ? [placeOf(step)] : [])))
  const groups = new Map<string, Map<string, Member>>()
  for (const step of steps) {
    const { start, end } = timesOfStep(step, now)
    for (const { key, member, isBranch } of aroundOf(step)) {
      if (isBranch && !parallels.has(key)) continue
      const members = groups.get(key) ?? new Map<string, Member>()
      groups.set(key, members)
      const known = members.get(member)
      if (known === undefined) {
        members.set(member, { start, end, shown: step })
        continue
      }
      known.start = Math.min(known.start, start)
      known.end = Math.max(known.end, end)
      if (known.shown.status !== 'error') known.shown = step
    }
  }
  const lanes = new Map<string, Lanes>()
  for (const [key, members] of groups) {
    const found = members.size < 2 ? null : assign([...members.values()])
    if (found !== null) lanes.set(key, found)
  }
  return lanes
}

/** Assigns each to the first lane that is free when it starts. Null if one lane is enough. */
function assign(members: readonly Member[]): Lanes | null {
  const ends: number[] = []
  const pieces: LanePiece[] = []
  for (const { start, end, shown } of members.toSorted((a, b) => a.start - b.start)) {
    const free = ends.findIndex((until) => until <= start + ROUNDED_MS)
    const lane = free === -1 ? ends.length : free
    ends[lane] = end
    pieces.push({ lane: Math.min(lane, MOST_LANES - 1), start, end, shown })
  }
  if (ends.length < 2) return null
  return { most: ends.length, count: Math.min(ends.length, MOST_LANES), pieces: joined(pieces) }
}

/** Joins thousands of iterations into the pieces that can be told apart at this size. */
function joined(pieces: readonly LanePiece[]): readonly LanePiece[] {
  if (pieces.length <= MOST_PIECES) return pieces
  const end = Math.max(...pieces.map((piece) => piece.end))
  const gap = (end - (pieces[0]?.start ?? 0)) / PARTS
  const last = new Map<number, number>()
  const result: LanePiece[] = []
  for (const piece of pieces) {
    const at = last.get(piece.lane)
    const before = at === undefined ? undefined : result[at]
    const isSame = (before?.shown.status === 'error') === (piece.shown.status === 'error')
    if (at !== undefined && before !== undefined && isSame && piece.start - before.end < gap)
      result[at] = { ...before, end: Math.max(before.end, piece.end) }
    else {
      last.set(piece.lane, result.length)
      result.push(piece)
    }
  }
  return result
}

/** Times are rounded to milliseconds. */
const ROUNDED_MS = 2
const MOST_LANES = 10
const MOST_PIECES = 300
const PARTS = 250
