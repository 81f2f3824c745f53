import { say } from '../../data/said.ts'
import { current, spend } from '../base/limits.ts'
import type { Expression, ExpressionOf } from '../base/tree.ts'
import { Dict, List, fromData } from '../values/containers.ts'
import { isTrue } from '../values/truth.ts'
import { undefinedBecause, Undefined } from '../base/undefined.ts'
import { Tuple, type Value } from '../base/value.ts'
import { compileAttribute, compileItem, compileSlice } from './access.ts'
import { type CompileContext, unreachable } from './builder.ts'
import { compileCall } from './calls.ts'
import { compileFilter, compileTest } from './filters.ts'
import type { Evaluate } from './frame.ts'
import { compileNameRead } from './names.ts'
import { compileBinary, compileCompare, compileConcat, compileSign } from './operations.ts'
import { checkJsonPath, JsonPathError, selectJsonPath } from '../../jsonpath/index.ts'
import { Fault } from '../base/faults.ts'
import { SyntaxFault } from '../syntax/token.ts'
import { toData } from '../values/to-data.ts'
import { compileMissing } from './missing.ts'
import { compileName } from './variables.ts'

/**
 * Compiles an expression. `mayBeMissing` means that the template asks whether it is defined, so a missing path is a
 * valid result.
 */
export function compileExpression(
  context: CompileContext,
  expression: Expression,
  mayBeMissing = false,
): Evaluate {
  context.builder.weight++
  switch (expression.type) {
    case 'constant': {
      const { value } = expression
      return () => value
    }
    case 'name':
      return compileNameRead(context, expression, mayBeMissing)
    case 'tuple': {
      const items = expression.items.map((item) => compileExpression(context, item))
      return (frame) => new Tuple(items.map((item) => item(frame)))
    }
    case 'list': {
      const items = expression.items.map((item) => compileExpression(context, item))
      return (frame) => new List(items.map((item) => item(frame)))
    }
    case 'dict':
      return compileDict(context, expression)
    case 'binary':
      return compileBinary(context, expression, compileExpression)
    case 'concat':
      return compileConcat(context, expression, compileExpression)
    case 'and': {
      const left = compileAsked(context, expression.left)
      const right = compileAsked(context, expression.right)
      return (frame) => {
        const value = left(frame)
        return isTrue(value) ? right(frame) : value
      }
    }
    case 'or': {
      const left = compileAsked(context, expression.left)
      const right = compileAsked(context, expression.right)
      return (frame) => {
        const value = left(frame)
        return isTrue(value) ? value : right(frame)
      }
    }
    case 'not': {
      const operand = compileAsked(context, expression.operand)
      return (frame) => !isTrue(operand(frame))
    }
    case 'negate':
    case 'plus':
      return compileSign(context, expression, compileExpression)
    case 'compare':
      return compileCompare(context, expression, compileExpression)
    case 'conditional':
      return compileConditional(context, expression)
    case 'attribute':
      return compileAttribute(context, expression, mayBeMissing, compileExpression)
    case 'item':
      return compileItem(context, expression, mayBeMissing, compileExpression)
    case 'slice':
      return compileSlice(context, expression, compileExpression)
    case 'call':
      return compileCall(context, expression, compileExpression)
    case 'filter':
      return compileFilter(context, expression, compileExpression)
    case 'test':
      return compileTest(context, expression, compileExpression)
    case 'path':
      return compilePath(context, expression)
    default:
      return unreachable(expression)
  }
}

/** Compiles an expression that is tested for truth. A missing value is false. */
export function compileAsked(context: CompileContext, expression: Expression): Evaluate {
  const compiled = compileExpression(context, expression)
  const { members } = context.builder
  const last = members.at(-1)
  if (last !== undefined && last.start === expression.start && last.end === expression.end)
    members[members.length - 1] = { ...last, isAsked: true }
  return compiled
}

function compileDict(context: CompileContext, expression: ExpressionOf<'dict'>): Evaluate {
  const pairs = expression.pairs.map(({ key, value }) => ({
    key: compileExpression(context, key),
    value: compileExpression(context, value),
  }))
  const mark = context.builder.mark(expression)
  return (frame) => {
    const dict = new Dict()
    for (const { key, value } of pairs) {
      const name = key(frame)
      const entry = value(frame)
      current.at = mark
      dict.set(name, entry)
    }
    return dict
  }
}

function compileConditional(outer: CompileContext, expression: ExpressionOf<'conditional'>): Evaluate {
  const context = { ...outer, soft: true }
  const test = compileAsked(context, expression.test)
  const then = compileExpression(context, expression.then)
  const otherwise =
    expression.otherwise === null
      ? () =>
          undefinedBecause(say`the inline if-expression evaluated to false and no else section was defined.`)
      : compileExpression(context, expression.otherwise)
  return (frame) => (isTrue(test(frame)) ? then(frame) : otherwise(frame))
}

/**
 * Compiles a JSONPath in braces, which returns the selected values as a list. A path that can only select one
 * value returns that value or undefined.
 */
function compilePath(context: CompileContext, expression: ExpressionOf<'path'>): Evaluate {
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
      ? resolveMissing(undefinedBecause(say`${path} matches nothing`))
      : fromData(only)
  }
}

/** Matches paths such as `$` and `$.a['b'][0]`, without wildcards, descendants or lists of indexes. */
const SINGLE = /^\$(?:\.[\p{L}\p{N}_]+|\[\s*(?:-?\d+|'[^']*'|"[^"]*")\s*\])*$/u

/** Steps of a JSONPath that count as one step of the template. */
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
