import type { Data } from '../data/value.ts'
import { Budget, type JsonPathLimits } from './budget.ts'
import { JsonPathError, type JsonPathProblem } from './error.ts'
import { Evaluation, type OnMatch } from './evaluate.ts'
import { normalizedPath } from './normalized-path.ts'
import { parsePath } from './parse.ts'
import type { Path } from './syntax.ts'

export { JsonPathError } from './error.ts'
export type { JsonPathProblem } from './error.ts'
export type { JsonPathLimits } from './budget.ts'
export type { PathNode } from './evaluate.ts'
export type { Path, Segment } from './syntax.ts'

/** Enough for a filter over 500,000 records; the worst path there is takes a fifth of a second to use it up. */
const DEFAULT_JSONPATH_LIMITS: JsonPathLimits = { maxSteps: 2_000_000, maxDepth: 64 }

/**
 * The values a JSONPath selects, in document order; the values themselves, not copies.
 *
 * @throws JsonPathError a path that cannot be read, or more work than the limits allow
 */
export function selectJsonPath(path: string, data: Data, limits: Partial<JsonPathLimits> = {}): Data[] {
  const values: Data[] = []
  evaluate(path, data, limits, false, (value) => {
    values.push(value)
    return false
  })
  return values
}

export interface JsonPathNode {
  /** The normalized path of RFC 9535: `$['items'][0]`. */
  readonly path: string
  readonly value: Data
}

/** The same with the place of each value, to show it in its document. */
export function selectJsonPathNodes(
  path: string,
  data: Data,
  limits: Partial<JsonPathLimits> = {},
): JsonPathNode[] {
  const nodes: JsonPathNode[] = []
  evaluate(path, data, limits, true, (value, place) => {
    nodes.push({ path: normalizedPath(place), value })
    return false
  })
  return nodes
}

/** What is wrong with a path, found without any data; null for one that can be used. */
export function checkJsonPath(path: string): JsonPathProblem | null {
  try {
    parsePath(path)
    return null
  } catch (error) {
    if (error instanceof JsonPathError) return { position: error.position ?? 0, message: error.message }
    throw error
  }
}

/**
 * Follows a path that has been read, for callers that look at its parts or change them first.
 *
 * @param keepsPlaces whether `onMatch` is told where each value stands, which takes longer
 * @throws JsonPathError more work than the limits allow
 */
export function followPath(path: Path, data: Data, keepsPlaces: boolean, onMatch: OnMatch): void {
  new Evaluation(data, new Budget(DEFAULT_JSONPATH_LIMITS), keepsPlaces).run(path, onMatch)
}

function evaluate(
  path: string,
  data: Data,
  limits: Partial<JsonPathLimits>,
  keepsPlaces: boolean,
  onMatch: OnMatch,
): void {
  const budget = new Budget({ ...DEFAULT_JSONPATH_LIMITS, ...limits })
  new Evaluation(data, budget, keepsPlaces).run(readPath(path), onMatch)
}

/**
 * The parts of a path. A paginated run reads the same few for thousands of pages, so the last ones are
 * remembered.
 *
 * @throws JsonPathError a path that cannot be read
 */
export function readPath(text: string): Path {
  const known = parsedPaths.get(text)
  if (known !== undefined) return known
  const path = parsePath(text)
  if (parsedPaths.size >= MAX_PARSED_PATHS) parsedPaths.delete(parsedPaths.keys().next().value ?? '')
  parsedPaths.set(text, path)
  return path
}

const parsedPaths = new Map<string, Path>()
const MAX_PARSED_PATHS = 200
