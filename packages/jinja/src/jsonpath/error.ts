import { type Said, SaidError } from '../data/said.ts'

/** Why a path can't be used, and where; `position` counts characters from 0. */
export interface JsonPathProblem {
  readonly position: number
  readonly message: string
  readonly said: Said
}

/** Thrown for a path that can't be parsed (with a `position`), or that needs more work than the limits allow (null). */
export class JsonPathError extends SaidError {
  override readonly name = 'JsonPathError'
  readonly code = 'jsonpath_error'
  readonly position: number | null

  constructor(said: Said, position: number | null) {
    super(said)
    this.position = position
  }
}
