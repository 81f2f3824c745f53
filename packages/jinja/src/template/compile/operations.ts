/** Compiles arithmetic, concatenation and comparison. */
import { current } from '../base/limits.ts'
import {
  add,
  divide,
  floorDivide,
  modulo,
  multiply,
  negate,
  plus,
  power,
  subtract,
} from '../operators/arithmetic.ts'
import { concat, concatHtml } from '../operators/concat.ts'
import { contains } from '../operators/membership.ts'
import type { BinarySign, CompareSign, ExpressionOf } from '../base/tree.ts'
import { areEqual } from '../values/equality.ts'
import { isOrdered } from '../values/order.ts'
import type { Value } from '../base/value.ts'
import type { CompileContext, CompileExpression } from './builder.ts'
import type { Evaluate } from './frame.ts'

export function compileBinary(
  context: CompileContext,
  expression: ExpressionOf<'binary'>,
  compile: CompileExpression,
): Evaluate {
  const left = compile(context, expression.left)
  const right = compile(context, expression.right)
  const mark = context.builder.mark(expression)
  // Creates one closure per operator, because a shared one that receives its operation as an argument is
  // several times slower.
  switch (expression.sign) {
    case '+':
      return (frame) => {
        const a = left(frame)
        const b = right(frame)
        current.at = mark
        return add(a, b)
      }
    case '-':
      return (frame) => {
        const a = left(frame)
        const b = right(frame)
        current.at = mark
        return subtract(a, b)
      }
    case '*':
      return (frame) => {
        const a = left(frame)
        const b = right(frame)
        current.at = mark
        return multiply(a, b)
      }
    default: {
      const operate = OTHER_SIGNS[expression.sign]
      return (frame) => {
        const a = left(frame)
        const b = right(frame)
        current.at = mark
        return operate(a, b)
      }
    }
  }
}

const OTHER_SIGNS: Readonly<Record<Exclude<BinarySign, '+' | '-' | '*'>, (a: Value, b: Value) => Value>> = {
  '/': divide,
  '//': floorDivide,
  '%': modulo,
  '**': power,
}

export function compileSign(
  context: CompileContext,
  expression: ExpressionOf<'negate' | 'plus'>,
  compile: CompileExpression,
): Evaluate {
  const operand = compile(context, expression.operand)
  const operate = expression.type === 'negate' ? negate : plus
  const mark = context.builder.mark(expression)
  return (frame) => {
    const value = operand(frame)
    current.at = mark
    return operate(value)
  }
}

export function compileConcat(
  context: CompileContext,
  expression: ExpressionOf<'concat'>,
  compile: CompileExpression,
): Evaluate {
  const items = expression.items.map((item) => compile(context, item))
  const join = context.escaping === false ? concat : concatHtml
  const mark = context.builder.mark(expression)
  return (frame) => {
    const values = items.map((item) => item(frame))
    current.at = mark
    return join(values)
  }
}

export function compileCompare(
  context: CompileContext,
  expression: ExpressionOf<'compare'>,
  compile: CompileExpression,
): Evaluate {
  const first = compile(context, expression.first)
  const steps = expression.rest.map(({ sign, operand, span }) => ({
    holds: comparison(sign),
    operand: compile(context, operand),
    mark: context.builder.mark(span),
  }))
  return (frame) => {
    let left = first(frame)
    for (const { holds, operand, mark } of steps) {
      const right = operand(frame)
      current.at = mark
      if (!holds(left, right)) return false
      left = right
    }
    return true
  }
}

function comparison(sign: CompareSign): (a: Value, b: Value) => boolean {
  switch (sign) {
    case '==':
      return (a, b) => areEqual(a, b)
    case '!=':
      return (a, b) => !areEqual(a, b)
    case 'in':
      return (a, b) => contains(b, a)
    case 'not in':
      return (a, b) => !contains(b, a)
    default:
      return (a, b) => isOrdered(sign, a, b)
  }
}
