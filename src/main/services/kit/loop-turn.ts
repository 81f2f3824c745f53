/** One turn of the loops around a step. */
import type { Step } from '../../../shared/contract/steps.ts'

export interface LoopTurn {
  /** Outermost first. */
  readonly loops: readonly Step[]
  /** The turn of each loop; of those that it does not name, the last one. */
  readonly iteration: readonly number[]
}

/** `2.0` as `[2, 0]`. */
export function turnsOf(iteration: string | undefined): readonly number[] {
  return iteration === undefined ? [] : iteration.split('.').map(Number)
}

/** The list may have become shorter since a turn was chosen. */
export function indexInList(turn: number | undefined, count: number): number {
  return Math.min(turn ?? count - 1, count - 1)
}
