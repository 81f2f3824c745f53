import type { Data } from '../data/value.ts'
import { Budget, type JsonPathLimits } from './budget.ts'
import { JsonPathError, type JsonPathProblem } from './error.ts'
import { Evaluation, type OnMatch, type PathNode } from './evaluate.ts'
import { parsePath } from './parse.ts'
import { type PlusEvaluator, usePlusEvaluator } from './plus.ts'
import type { Path } from './syntax.ts'

export { JsonPathError } from './error.ts'
export type { JsonPathProblem } from './error.ts'
export type { JsonPathLimits } from './budget.ts'
export type { PathNode } from './evaluate.ts'
export type { PlusMatch } from './plus.ts'
export type { Path, Segment } from './syntax.ts'

/** Enough for a filter over 500,000 records. The slowest path takes a fifth of a second to use it up. */
const DEFAULT_JSONPATH_LIMITS: JsonPathLimits = { maxSteps: 2_000_000, maxDepth: 64 }

/**
 * The values that a JSONPath selects, in document order; not copies.
 *
 * @throws JsonPathError for an invalid path, or more work than the limits allow
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

/** Like `selectJsonPath`, but with the location of each value in its document. */
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

/** Checks a path without data; null if it is valid. */
export function checkJsonPath(path: string): JsonPathProblem | null {
  try {
    parsePath(path)
    return null
  } catch (error) {
    if (!(error instanceof JsonPathError)) throw error
    const { position, message, said } = error
    return { position: position ?? 0, message, said }
  }
}

/**
 * The construct in a valid path that RFC 9535 doesn't define, so that jsonpath-plus evaluates the path; null
 * if there is none.
 */
export function plusConstruct(path: string): string | null {
  const [only] = readPath(path)[0]?.selectors ?? []
  return only?.type === 'plus' ? only.construct : null
}

/**
 * Follows a parsed path, for callers that inspect or change its parts first.
 *
 * @param keepsPlaces whether `onMatch` receives the location of each value, which takes longer
 * @throws JsonPathError for more work than the limits allow
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
 * The segments of a path. A paginated run uses the same few for thousands of pages, so recent ones are cached.
 *
 * @throws JsonPathError for an invalid path
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

/**
 * Evaluates paths with the constructs that only jsonpath-plus has. Until then they are rejected, because it needs a
 * thread, which only the host can start. Null rejects them again.
 */
export function setPlusEvaluator(evaluate: PlusEvaluator | null): void {
  usePlusEvaluator(evaluate)
  parsedPaths.clear()
}

/** Writes a location as a normalized path of RFC 9535 (2.7): `$['items'][0]['name']`. */
function normalizedPath(place: PathNode): string {
  const parts: string[] = []
  for (let at = place; at !== null; at = at.parent) {
    parts.push(typeof at.key === 'number' ? `[${at.key}]` : `['${escapeName(at.key)}']`)
  }
  return `$${parts.reverse().join('')}`
}

function escapeName(name: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters must be escaped
  return name.replaceAll(/['\\\u0000-\u001f]/g, (char) => {
    return SHORT.get(char) ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

const SHORT: ReadonlyMap<string, string> = new Map([
  ["'", "\\'"],
  ['\\', '\\\\'],
  ['\b', '\\b'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\f', '\\f'],
  ['\r', '\\r'],
])
