import { say } from '../../data/said.ts'
import { checkJsonPath, JsonPathError, selectJsonPath } from '../../jsonpath/index.ts'
import { Fault } from '../base/faults.ts'
import { current, spend } from '../base/limits.ts'
import { SyntaxFault } from '../syntax/token.ts'
import type { ExpressionOf } from '../base/tree.ts'
import { fromData, List } from '../values/containers.ts'
import { toData } from '../values/to-data.ts'
import { Undefined, undefinedBecause } from '../base/undefined.ts'
import type { Value } from '../base/value.ts'
import type { CompileContext } from './builder.ts'
import type { Evaluate } from './frame.ts'
import { compileMissing } from './missing.ts'
import { compileName } from './variables.ts'

/**
 * Compiles a JSONPath in braces: the selected values as a list. A path that can only select one value returns that
 * value or undefined.
 */
export function compilePath(context: CompileContext, expression: ExpressionOf<'path'>): Evaluate {
  const { path, root } = expression
  const problem = checkJsonPath(path)
  if (problem !== null) throw new SyntaxFault(problem.said, expression.start, expression.end)
  const mark = context.builder.mark(expression)
  const single = SINGLE.test(path)
  if (root !== null) context.builder.reads.push({ ...expression, name: root, mayBeMissing: false })
  const source: Evaluate = root === null ? (frame) => frame.root.everything() : compileName(context, root)
  const resolveMissing = compileMissing(context, expression, false)
  return (frame) => {
    const value = source(frame)
    current.at = mark
    if (value instanceof Undefined) {
      if (value.chains) return single ? value : new List([])
      throw value.fault()
    }
    const found = selectFrom(value, path)
    if (!single) return new List(found.map(fromData))
    const [only] = found
    return only === undefined
      ? resolveMissing(undefinedBecause(say`${path} leads to nothing`))
      : fromData(only)
  }
}

/** `$`, `$.a['b'][0]`: no wildcard, no descendants, no list of indexes. */
const SINGLE = /^\$(?:\.[\p{L}\p{N}_]+|\[\s*(?:-?\d+|'[^']*'|"[^"]*")\s*\])*$/u

/** Steps of a JSONPath per step of the template. */
const PATH_STEPS = 4

function selectFrom(value: Value, path: string) {
  const { limits } = current
  try {
    const found = selectJsonPath(path, toData(value), {
      maxSteps: limits.steps / PATH_STEPS,
      maxDepth: limits.nesting,
    })
    spend(found.length)
    return found
  } catch (error) {
    if (!(error instanceof JsonPathError)) throw error
    throw new Fault(error.position === null ? 'limit' : 'runtime', error.said)
  }
}
