/** Compiles calls and their arguments. */
import { say } from '../../data/said.ts'
import { callMethod, getAttribute } from '../methods/attributes.ts'
import { callValue } from '../calls/call.ts'
import { argumentFault, typeFault } from '../base/faults.ts'
import { checkListSize, current } from '../base/limits.ts'
import type { Arguments, ExpressionOf } from '../base/tree.ts'
import { Dict } from '../values/containers.ts'
import { iterate } from '../values/iterate.ts'
import { typeName } from '../values/truth.ts'
import { Undefined } from '../base/undefined.ts'
import { END, type Keywords, type Value } from '../base/value.ts'
import type { CompileContext, CompileExpression } from './builder.ts'
import type { Evaluate, Frame } from './frame.ts'
import { compileCallee, isGlobalName } from './names.ts'

export function compileCall(
  context: CompileContext,
  expression: ExpressionOf<'call'>,
  compile: CompileExpression,
  extra?: ExtraKeyword,
): Evaluate {
  const evaluateArguments = withExtra(compileArguments(context, expression.args, compile), extra)
  const mark = context.builder.mark(expression)
  const { callee } = expression
  if (callee.type !== 'attribute') {
    if (!isGlobalName(context, callee)) context.builder.callsUnknown = true
    const target = callee.type === 'name' ? compileCallee(context, callee) : compile(context, callee)
    return (frame) => {
      const value = target(frame)
      const { positional, keywords } = evaluateArguments(frame)
      current.at = mark
      return callValue(value, positional, keywords)
    }
  }
  const owner = compile(context, callee.owner)
  const { name } = callee
  const nameMark = context.builder.mark(callee)
  return (frame) => {
    const value = owner(frame)
    const { positional, keywords } = evaluateArguments(frame)
    current.at = nameMark
    const result = callMethod(value, name, positional, keywords)
    return result === undefined ? callAttribute(value, name, positional, keywords) : result
  }
}

/** An argument that isn't written in the call, such as the body of a `call` block. */
export interface ExtraKeyword {
  readonly name: string
  readonly value: Evaluate
}

function withExtra(evaluate: EvaluateArguments, extra: ExtraKeyword | undefined): EvaluateArguments {
  if (extra === undefined) return evaluate
  return (frame) => {
    const { positional, keywords } = evaluate(frame)
    if (keywords?.has(extra.name) === true) throw typeFault(say`got multiple values for '${extra.name}'`)
    return { positional, keywords: new Map([...(keywords ?? []), [extra.name, extra.value(frame)]]) }
  }
}

function callAttribute(value: Value, name: string, positional: readonly Value[], keywords: Keywords): Value {
  return callValue(getAttribute(value, name), positional, keywords)
}

export type EvaluateArguments = (frame: Frame) => { positional: readonly Value[]; keywords: Keywords }

export function compileArguments(
  context: CompileContext,
  args: Arguments,
  compile: CompileExpression,
): EvaluateArguments {
  const positional = args.positional.map((value) => compile(context, value))
  const keywords = args.keywords.map(({ name, value }) => ({ name, value: compile(context, value) }))
  const rest = args.rest === null ? null : compile(context, args.rest)
  const names = args.names === null ? null : compile(context, args.names)
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
    throw argumentFault(say`argument after ** must be a mapping, not ${typeName(names)}`)
  for (const [key, value] of names.pairs()) {
    if (typeof key !== 'string') throw argumentFault(say`keywords must be strings`)
    if (named.has(key)) throw argumentFault(say`got multiple values for keyword argument '${key}'`)
    named.set(key, value)
  }
}
