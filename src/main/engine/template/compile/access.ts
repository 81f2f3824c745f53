/** What stands below a value as closures: `.name`, `[key]`, `[from:to]`. */
import { getAttribute, getItem } from '../methods/attributes.ts'
import { Fault } from '../base/faults.ts'
import { current } from '../base/limits.ts'
import { sliceOf } from '../operators/slice.ts'
import type { Expression, ExpressionOf } from '../base/tree.ts'
import { List } from '../values/containers.ts'
import { Undefined, undefinedBecause } from '../base/undefined.ts'
import { Tuple, type Value } from '../base/value.ts'
import type { CompileExpression, Place } from './builder.ts'
import type { Evaluate } from './frame.ts'
import { compileAdmission } from './missing.ts'
import { noteMember } from './names.ts'

export function compileAttribute(
  place: Place,
  expression: ExpressionOf<'attribute'>,
  mayBeMissing: boolean,
  compile: CompileExpression,
): Evaluate {
  const owner = compile(place, expression.owner)
  const { name } = expression
  noteMember(place, expression, name, mayBeMissing)
  const mark = place.builder.mark(expression)
  const admit = compileAdmission(place, expression, mayBeMissing)
  return (frame) => {
    const from = owner(frame)
    current.at = mark
    const value = getAttribute(from, name)
    return value instanceof Undefined ? admit(value) : value
  }
}

export function compileItem(
  place: Place,
  expression: ExpressionOf<'item'>,
  mayBeMissing: boolean,
  compile: CompileExpression,
): Evaluate {
  const owner = compile(place, expression.owner)
  const key = compile(place, expression.key)
  const mark = place.builder.mark(expression)
  const isUnion = isPlaceList(expression.key)
  if (expression.key.type === 'constant') noteMember(place, expression, expression.key.value, mayBeMissing)
  else place.builder.readsUnknown = true
  const admit = compileAdmission(place, expression, mayBeMissing)
  return (frame) => {
    const from = owner(frame)
    const name = key(frame)
    current.at = mark
    const value = isUnion && from instanceof List ? itemsAt(from, name) : getItem(from, name)
    return value instanceof Undefined ? admit(value) : value
  }
}

/** `[0, 1]` behind a list, which to Jinja is always undefined, is JSONPath's choice of places. */
function isPlaceList(key: Expression): boolean {
  return key.type === 'tuple' && key.items.length > 1 && key.items.every(isPlace)
}

function isPlace(key: Expression): boolean {
  return key.type === 'negate'
    ? isPlace(key.operand)
    : key.type === 'constant' && typeof key.value === 'number'
}

function itemsAt(list: List, places: Value): Value {
  const found = places instanceof Tuple ? places.items.map((place) => getItem(list, place)) : []
  return new List(found.filter((item) => !(item instanceof Undefined)))
}

export function compileSlice(
  place: Place,
  expression: ExpressionOf<'slice'>,
  compile: CompileExpression,
): Evaluate {
  const owner = compile(place, expression.owner)
  const [from, to, step] = [expression.from, expression.to, expression.step].map((bound) =>
    bound === null ? NONE : compile(place, bound),
  ) as [Evaluate, Evaluate, Evaluate]
  const mark = place.builder.mark(expression)
  const slice: Evaluate = (frame) => {
    const value = owner(frame)
    const bounds = [from(frame), to(frame), step(frame)] as const
    current.at = mark
    return sliceOf(value, ...bounds)
  }
  return place.folded ? undefinedWhereWrong(slice) : slice
}

const NONE: Evaluate = () => null

/** Jinja prints constants beforehand, where a slice that makes no sense is undefined instead of an error. */
function undefinedWhereWrong(slice: Evaluate): Evaluate {
  return (frame) => {
    try {
      return slice(frame)
    } catch (error) {
      const makesNoSense =
        error instanceof Fault && /^(unhashable|slice indices|'\w+' object is not subscr)/.test(error.message)
      if (!makesNoSense || error.kind === 'undefined') throw error
      return undefinedBecause(error.message)
    }
  }
}
