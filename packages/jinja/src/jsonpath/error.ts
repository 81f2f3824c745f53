/** Why a path can't be used, and where; `position` counts characters from 0. */
export interface JsonPathProblem {
  readonly position: number
  readonly message: string
}

/** A path that can't be parsed (with a `position`), or that needs more work than the limits allow (null). */
export class JsonPathError extends Error {
  override readonly name = 'JsonPathError'
  readonly code = 'jsonpath_error'
  readonly position: number | null

  constructor(message: string, position: number | null) {
    super(message)
    this.position = position
  }
}
