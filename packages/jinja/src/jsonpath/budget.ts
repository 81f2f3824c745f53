import { say } from '../data/said.ts'
import { JsonPathError } from './error.ts'

export interface JsonPathLimits {
  /** The limit of values visited, comparisons, and characters matched. Each takes about 50 ns. */
  readonly maxSteps: number
  /** The maximum depth of `..`. */
  readonly maxDepth: number
}

/** Counts the work of one evaluation, so that no path can block the process, whatever it combines. */
export class Budget {
  readonly maxDepth: number
  readonly #maxSteps: number
  #spent = 0

  constructor({ maxSteps, maxDepth }: JsonPathLimits) {
    this.#maxSteps = maxSteps
    this.maxDepth = maxDepth
  }

  spend(steps: number): void {
    this.#spent += steps
    if (this.#spent > this.#maxSteps) {
      throw new JsonPathError(
        say`The JSONPath takes more than ${this.#maxSteps} steps; write the path to the records instead of searching with "..", and match shorter strings or patterns`,
        null,
      )
    }
  }

  checkDepth(depth: number): void {
    if (depth > this.maxDepth) {
      throw new JsonPathError(
        say`The JSONPath searches with ".." in a value nested deeper than ${this.maxDepth} levels; write the path to the records instead`,
        null,
      )
    }
  }
}
