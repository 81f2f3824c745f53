/** One iteration of the loops around a step. */
import type { Step } from '../../../shared/contract/steps.ts'

export interface LoopTurn {
  /** Outermost first. */
  readonly loops: readonly Step[]
  /** The iteration of each loop; for loops without an entry, the last iteration counts. */
  readonly iteration: readonly number[]
}

/** Parses `2.0` to `[2, 0]`. */
export function turnsOf(iteration: string | undefined): readonly number[] {
  return iteration === undefined ? [] : iteration.split('.').map(Number)
}

/** The list can have become shorter since an iteration was chosen. */
export function indexInList(turn: number | undefined, count: number): number {
  return Math.min(turn ?? count - 1, count - 1)
}
