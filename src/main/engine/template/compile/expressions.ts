import { callMethod, getAttribute, getItem } from '../attributes.ts'
import { callValue } from '../calls/call.ts'
import { argumentFault, Fault, typeFault } from '../errors.ts'
import { checkListSize, current } from '../limits.ts'
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
import { sliceOf } from '../operators/slice.ts'
import type { Arguments, BinarySign, CompareSign, Expression, ExpressionOf } from '../syntax/tree.ts'
import { Dict, List } from '../values/containers.ts'
import { areEqual } from '../values/equality.ts'
import { iterate } from '../values/iterate.ts'
import { isOrdered } from '../values/order.ts'
import { isTrue, typeName } from '../values/truth.ts'
import { Undefined, undefinedBecause } from '../values/undefined.ts'
import { END, type Float, type Keywords, type Thing, Tuple, type Value } from '../values/value.ts'
import { type Place, unreachable } from './builder.ts'
import { compileFilter, compileTest } from './filters.ts'
import type { Evaluate, Frame } from './frame.ts'
import { ReadingFunction } from '../globals/moment.ts'
import { type AdmitMissing, compileAdmission } from './missing.ts'
import { compilePath } from './paths.ts'
import { compileName } from './variables.ts'

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
      return compileBinary(place, expression)
    case 'concat':
      return compileConcat(place, expression)
    case 'and': {
      const left = compileExpression(place, expression.left)
      const right = compileExpression(place, expression.right)
      return (frame) => {
        const value = left(frame)
        return isTrue(value) ? right(frame) : value
      }
    }
    case 'or': {
      const left = compileExpression(place, expression.left)
      const right = compileExpression(place, expression.right)
      return (frame) => {
        const value = left(frame)
        return isTrue(value) ? value : right(frame)
      }
    }
    case 'not': {
      const operand = compileExpression(place, expression.operand)
      return (frame) => !isTrue(operand(frame))
    }
    case 'negate':
    case 'plus':
      return compileSign(place, expression)
    case 'compare':
      return compileCompare(place, expression)
    case 'conditional':
      return compileConditional(place, expression)
    case 'attribute':
      return compileAttribute(place, expression, mayBeMissing)
    case 'item':
      return compileItem(place, expression, mayBeMissing)
    case 'slice':
      return compileSlice(place, expression)
    case 'call':
      return compileCall(place, expression)
    case 'filter':
      return compileFilter(place, expression, compileExpression, compileArguments)
    case 'test':
      return compileTest(place, expression, compileExpression, compileArguments)
    case 'path':
      return compilePath(place, expression)
    default:
      return unreachable(expression)
  }
}

function noteRead(
  { builder, scope }: Place,
  { name, start, end }: ExpressionOf<'name'>,
  mayBeMissing: boolean,
): void {
  const variable = scope.find(name)
  if (variable === undefined || variable.isContextName) builder.reads.push({ name, start, end, mayBeMissing })
}

/** Evaluates the arguments of a call. */
export type EvaluateArguments = (frame: Frame) => { positional: readonly Value[]; keywords: Keywords }

export function compileArguments(place: Place, args: Arguments): EvaluateArguments {
  const positional = args.positional.map((value) => compileExpression(place, value))
  const keywords = args.keywords.map(({ name, value }) => ({ name, value: compileExpression(place, value) }))
  const rest = args.rest === null ? null : compileExpression(place, args.rest)
  const names = args.names === null ? null : compileExpression(place, args.names)
  if (rest === null && names === null && keywords.length === 0) {
    if (positional.length === 0) return () => NO_ARGUMENTS
    return (frame) => ({ positional: positional.map((value) => value(frame)), keywords: null })
  }
  return (frame) => {
    const values = positional.map((value) => value(frame))
    const named = new Map(keywords.map(({ name, value }) => [name, value(frame)]))
    if (rest !== null) addRest(values, rest(frame))
    if (names !== null) addNames(named, names(frame))
    return { positional: values, keywords: named }
  }
}

const NO_ARGUMENTS = { positional: [], keywords: null }

function addRest(values: Value[], rest: Value): void {
  const cursor = iterate(rest)
  for (let item = cursor.next(); item !== END; item = cursor.next()) values.push(item)
  checkListSize(values.length)
}

function addNames(named: Map<string, Value>, names: Value): void {
  if (names instanceof Undefined) throw names.fault()
  if (!(names instanceof Dict))
    throw argumentFault(`argument after ** must be a mapping, not ${typeName(names)}`)
  for (const [key, value] of names.pairs()) {
    if (typeof key !== 'string') throw argumentFault('keywords must be strings')
    if (named.has(key)) throw argumentFault(`got multiple values for keyword argument '${key}'`)
    named.set(key, value)
  }
}

function compileBinary(place: Place, expression: ExpressionOf<'binary'>): Evaluate {
  const left = compileExpression(place, expression.left)
  const right = compileExpression(place, expression.right)
  const mark = place.builder.mark(expression)
  // A closure for each sign: one that is handed its operation calls it several times more slowly.
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

function compileSign(place: Place, expression: ExpressionOf<'negate' | 'plus'>): Evaluate {
  const operand = compileExpression(place, expression.operand)
  const operate = expression.type === 'negate' ? negate : plus
  const mark = place.builder.mark(expression)
  return (frame) => {
    const value = operand(frame)
    current.at = mark
    return operate(value)
  }
}

function compileConcat(place: Place, expression: ExpressionOf<'concat'>): Evaluate {
  const items = expression.items.map((item) => compileExpression(place, item))
  const join = place.escaping === false ? concat : concatHtml
  const mark = place.builder.mark(expression)
  return (frame) => {
    const values = items.map((item) => item(frame))
    current.at = mark
    return join(values)
  }
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

function compileCompare(place: Place, expression: ExpressionOf<'compare'>): Evaluate {
  const first = compileExpression(place, expression.first)
  const steps = expression.rest.map(({ sign, operand, span }) => ({
    holds: comparison(sign),
    operand: compileExpression(place, operand),
    mark: place.builder.mark(span),
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

function compileConditional(outer: Place, expression: ExpressionOf<'conditional'>): Evaluate {
  const place = { ...outer, soft: true }
  const test = compileExpression(place, expression.test)
  const then = compileExpression(place, expression.then)
  const otherwise =
    expression.otherwise === null
      ? () => undefinedBecause('the inline if-expression evaluated to false and no else section was defined.')
      : compileExpression(place, expression.otherwise)
  return (frame) => (isTrue(test(frame)) ? then(frame) : otherwise(frame))
}

function compileAttribute(
  place: Place,
  expression: ExpressionOf<'attribute'>,
  mayBeMissing: boolean,
): Evaluate {
  const owner = compileExpression(place, expression.owner)
  const { name } = expression
  const mark = place.builder.mark(expression)
  const admit = compileAdmission(place, expression, mayBeMissing)
  return (frame) => {
    const from = owner(frame)
    current.at = mark
    const value = getAttribute(from, name)
    return value instanceof Undefined ? admit(value) : value
  }
}

function compileItem(place: Place, expression: ExpressionOf<'item'>, mayBeMissing: boolean): Evaluate {
  const owner = compileExpression(place, expression.owner)
  const key = compileExpression(place, expression.key)
  const mark = place.builder.mark(expression)
  const isUnion = isPlaceList(expression.key)
  if (expression.key.type !== 'constant') place.builder.readsUnknown = true
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

function compileSlice(place: Place, expression: ExpressionOf<'slice'>): Evaluate {
  const owner = compileExpression(place, expression.owner)
  const [from, to, step] = [expression.from, expression.to, expression.step].map((bound) =>
    bound === null ? NONE : compileExpression(place, bound),
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

export function compileCall(place: Place, expression: ExpressionOf<'call'>, extra?: ExtraKeyword): Evaluate {
  const evaluateArguments = withExtra(compileArguments(place, expression.args), extra)
  const mark = place.builder.mark(expression)
  const { callee } = expression
  if (callee.type !== 'attribute') {
    if (!isGlobalName(place, callee)) place.builder.callsUnknown = true
    const target = callee.type === 'name' ? compileCallee(place, callee) : compileExpression(place, callee)
    return (frame) => {
      const value = target(frame)
      const { positional, keywords } = evaluateArguments(frame)
      current.at = mark
      return callValue(value, positional, keywords)
    }
  }
  const owner = compileExpression(place, callee.owner)
  const { name } = callee
  const nameMark = place.builder.mark(callee)
  return (frame) => {
    const value = owner(frame)
    const { positional, keywords } = evaluateArguments(frame)
    current.at = nameMark
    const result = callMethod(value, name, positional, keywords)
    return result === undefined ? callAttribute(value, name, positional, keywords) : result
  }
}

function isGlobalName({ scope }: Place, callee: Expression): boolean {
  if (callee.type !== 'name') return false
  const variable = scope.find(callee.name)
  return variable === undefined || variable.isContextName
}

/** A name that is called, which is the function itself even where reading it would already call it. */
function compileCallee(place: Place, callee: ExpressionOf<'name'>): Evaluate {
  noteRead(place, callee, false)
  return compileName(place, callee.name)
}

/** A name that is read; `now` and `uuid` mean their result. */
function compileNameRead(place: Place, expression: ExpressionOf<'name'>, mayBeMissing: boolean): Evaluate {
  noteRead(place, expression, mayBeMissing)
  const { name } = expression
  const admit = compileAdmission(place, expression, mayBeMissing)
  const variable = place.scope.find(name)
  if (variable !== undefined && !variable.isContextName && place.shape.hopsTo(variable.owner) === 0) {
    // The commonest read of all, a variable of the loop or block itself, is one closure and not three.
    const { slot } = variable
    return (frame) => {
      const value = frame.slots[slot]
      if (typeof value !== 'object') return value === undefined ? admit(frame.root.missing(name)) : value
      return value === null ? value : readThing(value, admit)
    }
  }
  const read = compileName(place, name)
  return (frame) => {
    const value = read(frame)
    return typeof value !== 'object' || value === null ? value : readThing(value, admit)
  }
}

function readThing(value: Thing | Float, admit: AdmitMissing): Value {
  if (value instanceof Undefined) return admit(value)
  return value instanceof ReadingFunction ? value.call([], null) : value
}

/** An argument that is not written in the call: the body of a `call` block. */
export interface ExtraKeyword {
  readonly name: string
  readonly value: Evaluate
}

function withExtra(evaluate: EvaluateArguments, extra: ExtraKeyword | undefined): EvaluateArguments {
  if (extra === undefined) return evaluate
  return (frame) => {
    const { positional, keywords } = evaluate(frame)
    if (keywords?.has(extra.name) === true) throw typeFault(`got multiple values for '${extra.name}'`)
    return { positional, keywords: new Map([...(keywords ?? []), [extra.name, extra.value(frame)]]) }
  }
}

function callAttribute(value: Value, name: string, positional: readonly Value[], keywords: Keywords): Value {
  return callValue(getAttribute(value, name), positional, keywords)
}
