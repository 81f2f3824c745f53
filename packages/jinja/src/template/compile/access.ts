/** Compiles access to parts of a value: `.name`, `[key]`, `[from:to]`. */
import { getAttribute, getItem } from '../methods/attributes.ts'
import { Fault } from '../base/faults.ts'
import { current } from '../base/limits.ts'
import { sliceOf } from '../operators/slice.ts'
import type { Expression, ExpressionOf } from '../base/tree.ts'
import { List } from '../values/containers.ts'
import { Undefined, undefinedBecause } from '../base/undefined.ts'
import { Tuple, type Value } from '../base/value.ts'
import type { CompileContext, CompileExpression } from './builder.ts'
import type { Evaluate } from './frame.ts'
import { compileMissing } from './missing.ts'
import { noteMember } from './names.ts'

export function compileAttribute(
  context: CompileContext,
  expression: ExpressionOf<'attribute'>,
  mayBeMissing: boolean,
  compile: CompileExpression,
): Evaluate {
  const owner = compile(context, expression.owner)
  const { name } = expression
  noteMember(context, expression, name, mayBeMissing)
  const mark = context.builder.mark(expression)
  const resolveMissing = compileMissing(context, expression, mayBeMissing)
  return (frame) => {
    const from = owner(frame)
    current.at = mark
    const value = getAttribute(from, name)
    return value instanceof Undefined ? resolveMissing(value) : value
  }
}

export function compileItem(
  context: CompileContext,
  expression: ExpressionOf<'item'>,
  mayBeMissing: boolean,
  compile: CompileExpression,
): Evaluate {
  const owner = compile(context, expression.owner)
  const key = compile(context, expression.key)
  const mark = context.builder.mark(expression)
  const isUnion = isPlaceList(expression.key)
  if (expression.key.type === 'constant') noteMember(context, expression, expression.key.value, mayBeMissing)
  else context.builder.readsUnknown = true
  const resolveMissing = compileMissing(context, expression, mayBeMissing)
  return (frame) => {
    const from = owner(frame)
    const name = key(frame)
    current.at = mark
    const value = isUnion && from instanceof List ? itemsAt(from, name) : getItem(from, name)
    return value instanceof Undefined ? resolveMissing(value) : value
  }
}

/** `[0, 1]` after a list is always undefined in Jinja; here it selects items, as in JSONPath. */
function isPlaceList(key: Expression): boolean {
  return key.type === 'tuple' && key.items.length > 1 && key.items.every(isPlace)
}

function isPlace(key: Expression): boolean {
  return key.type === 'negate'
    ? isPlace(key.operand)
    : key.type === 'constant' && typeof key.value === 'number'
}

function itemsAt(list: List, places: Value): Value {
  const found = places instanceof Tuple ? places.items.map((context) => getItem(list, context)) : []
  return new List(found.filter((item) => !(item instanceof Undefined)))
}

export function compileSlice(
  context: CompileContext,
  expression: ExpressionOf<'slice'>,
  compile: CompileExpression,
): Evaluate {
  const owner = compile(context, expression.owner)
  const [from, to, step] = [expression.from, expression.to, expression.step].map((bound) =>
    bound === null ? NONE : compile(context, bound),
  ) as [Evaluate, Evaluate, Evaluate]
  const mark = context.builder.mark(expression)
  const slice: Evaluate = (frame) => {
    const value = owner(frame)
    const bounds = [from(frame), to(frame), step(frame)] as const
    current.at = mark
    return sliceOf(value, ...bounds)
  }
  return context.folded ? undefinedWhereWrong(slice) : slice
}

const NONE: Evaluate = () => null

/** Jinja evaluates constants when compiling, where an invalid slice is undefined rather than an error. */
function undefinedWhereWrong(slice: Evaluate): Evaluate {
  return (frame) => {
    try {
      return slice(frame)
    } catch (error) {
      const makesNoSense =
        error instanceof Fault && /^(unhashable|slice indices|'\w+' object is not subscr)/.test(error.message)
      if (!makesNoSense || error.kind === 'undefined') throw error
      return undefinedBecause(error.said)
    }
  }
}
