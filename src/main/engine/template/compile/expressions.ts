import { current } from '../base/limits.ts'
import type { Expression, ExpressionOf } from '../base/tree.ts'
import { Dict, List } from '../values/containers.ts'
import { isTrue } from '../values/truth.ts'
import { undefinedBecause } from '../base/undefined.ts'
import { Tuple } from '../base/value.ts'
import { compileAttribute, compileItem, compileSlice } from './access.ts'
import { type Place, unreachable } from './builder.ts'
import { compileCall } from './calls.ts'
import { compileFilter, compileTest } from './filters.ts'
import type { Evaluate } from './frame.ts'
import { compileNameRead } from './names.ts'
import { compileBinary, compileCompare, compileConcat, compileSign } from './operations.ts'
import { compilePath } from './paths.ts'

/** Turns an expression into a closure. `mayBeMissing`: it is asked whether it is defined, so a missing path is an answer. */
export function compileExpression(place: Place, expression: Expression, mayBeMissing = false): Evaluate {
  place.builder.weight++
  switch (expression.type) {
    case 'constant': {
      const { value } = expression
      return () => value
    }
    case 'name':
      return compileNameRead(place, expression, mayBeMissing)
    case 'tuple': {
      const items = expression.items.map((item) => compileExpression(place, item))
      return (frame) => new Tuple(items.map((item) => item(frame)))
    }
    case 'list': {
      const items = expression.items.map((item) => compileExpression(place, item))
      return (frame) => new List(items.map((item) => item(frame)))
    }
    case 'dict':
      return compileDict(place, expression)
    case 'binary':
      return compileBinary(place, expression, compileExpression)
    case 'concat':
      return compileConcat(place, expression, compileExpression)
    case 'and': {
      const left = compileAsked(place, expression.left)
      const right = compileAsked(place, expression.right)
      return (frame) => {
        const value = left(frame)
        return isTrue(value) ? right(frame) : value
      }
    }
    case 'or': {
      const left = compileAsked(place, expression.left)
      const right = compileAsked(place, expression.right)
      return (frame) => {
        const value = left(frame)
        return isTrue(value) ? value : right(frame)
      }
    }
    case 'not': {
      const operand = compileAsked(place, expression.operand)
      return (frame) => !isTrue(operand(frame))
    }
    case 'negate':
    case 'plus':
      return compileSign(place, expression, compileExpression)
    case 'compare':
      return compileCompare(place, expression, compileExpression)
    case 'conditional':
      return compileConditional(place, expression)
    case 'attribute':
      return compileAttribute(place, expression, mayBeMissing, compileExpression)
    case 'item':
      return compileItem(place, expression, mayBeMissing, compileExpression)
    case 'slice':
      return compileSlice(place, expression, compileExpression)
    case 'call':
      return compileCall(place, expression, compileExpression)
    case 'filter':
      return compileFilter(place, expression, compileExpression)
    case 'test':
      return compileTest(place, expression, compileExpression)
    case 'path':
      return compilePath(place, expression)
    default:
      return unreachable(expression)
  }
}

/** An expression of which it is asked whether it is true, which what is missing is not. */
export function compileAsked(place: Place, expression: Expression): Evaluate {
  const compiled = compileExpression(place, expression)
  const { members } = place.builder
  const last = members.at(-1)
  if (last !== undefined && last.start === expression.start && last.end === expression.end)
    members[members.length - 1] = { ...last, isAsked: true }
  return compiled
}

function compileDict(place: Place, expression: ExpressionOf<'dict'>): Evaluate {
  const pairs = expression.pairs.map(({ key, value }) => ({
    key: compileExpression(place, key),
    value: compileExpression(place, value),
  }))
  const mark = place.builder.mark(expression)
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

function compileConditional(outer: Place, expression: ExpressionOf<'conditional'>): Evaluate {
  const place = { ...outer, soft: true }
  const test = compileAsked(place, expression.test)
  const then = compileExpression(place, expression.then)
  const otherwise =
    expression.otherwise === null
      ? () => undefinedBecause('the inline if-expression evaluated to false and no else section was defined.')
      : compileExpression(place, expression.otherwise)
  return (frame) => (isTrue(test(frame)) ? then(frame) : otherwise(frame))
}
