import { type Said, say } from '../../data/said.ts'
import { type Args, asArgs, type Extra, type Operation } from '../base/operation.ts'
import { applyOperation } from '../calls/call.ts'
import { Fault } from '../base/faults.ts'
import { findFilter, hostFilters } from '../base/host-filters.ts'
import { current, spend, spendText } from '../base/limits.ts'
import { closest } from '../text/closest.ts'
import type { Arguments, ExpressionOf } from '../base/tree.ts'
import type { Value } from '../base/value.ts'
import type { CompileContext, CompileExpression } from './builder.ts'
import { compileArguments } from './calls.ts'
import type { Evaluate, Frame } from './frame.ts'

/** Compiles `subject | name(…)`. */
export function compileFilter(
  context: CompileContext,
  expression: ExpressionOf<'filter'>,
  compile: CompileExpression,
): Evaluate {
  const { subject, name } = expression
  context.builder.readsUnknown = true
  const filter = findFilter(name)
  if (filter === undefined) {
    const { filters } = current.environment.registry
    return unknown(context, expression, 'filter', [...filters.keys()], hostFilters.hintOf(name))
  }
  const mayBeMissing = filter.name === 'default'
  const value = subject === null ? COLLECTED : compile(context, subject, mayBeMissing)
  return apply(context, expression, filter, value, compile)
}

/** Compiles `subject is name(…)`. */
export function compileTest(
  context: CompileContext,
  expression: ExpressionOf<'test'>,
  compile: CompileExpression,
): Evaluate {
  const { subject, name } = expression
  const { tests } = current.environment.registry
  const test = tests.get(name)
  if (test === undefined) return unknown(context, expression, 'test', [...tests.keys()])
  const value = compile(context, subject, name === 'defined' || name === 'undefined')
  return apply(context, expression, test, value, compile)
}

/** The output of a filter block's body. */
const COLLECTED: Evaluate = (frame) => frame.collected

type Applied = ExpressionOf<'filter' | 'test'>

function apply<Result extends Value>(
  context: CompileContext,
  expression: Applied,
  operation: Operation<Value, Result>,
  subject: Evaluate,
  compile: CompileExpression,
): Evaluate {
  const { args } = expression
  const { run } = operation
  const mark = context.builder.mark(expression)
  const bound = bindEarly(context, operation, args, compile)
  if (bound !== undefined) {
    return (frame) => {
      const value = subject(frame)
      const values = bound(frame)
      current.at = mark
      // Any operation on a string takes time in proportion to its length.
      if (typeof value === 'string') spendText(value.length)
      spend(1)
      return run(value, values, NO_EXTRA)
    }
  }
  const evaluateArguments = compileArguments(context, args, compile)
  return (frame) => {
    const value = subject(frame)
    const { positional, keywords } = evaluateArguments(frame)
    current.at = mark
    spend(1)
    return applyOperation(operation, value, positional, keywords)
  }
}

const NO_EXTRA: Extra = { rest: [], names: new Map() }

/**
 * Binds the arguments at compile time, because their order is known in nearly every call. An invalid call fails when
 * it is reached.
 */
function bindEarly(
  context: CompileContext,
  { signature }: Operation,
  args: Arguments,
  compile: CompileExpression,
): ((frame: Frame) => Args) | undefined {
  const { parameters } = signature
  if (args.rest !== null || args.names !== null || signature.takesRest || signature.takesNames)
    return undefined
  if (args.positional.length > parameters.length) return undefined
  const named = new Map(args.keywords.map(({ name, value }) => [name, value]))
  const sources = parameters.map((parameter, index) => {
    const positional = args.positional[index]
    const keyword = index < signature.positionalOnly ? undefined : named.get(parameter.name)
    if (positional !== undefined && keyword !== undefined) return undefined
    if (keyword !== undefined) named.delete(parameter.name)
    return positional ?? keyword ?? (parameter.required ? undefined : { fallback: parameter.fallback })
  })
  if (named.size > 0 || sources.includes(undefined)) return undefined
  const evaluates = sources.map((source): Evaluate => {
    if (source === undefined) return () => null
    if ('fallback' in source) return () => source.fallback
    return compile(context, source)
  })
  const constant = sources.every(
    (source) => source !== undefined && ('fallback' in source || source.type === 'constant'),
  )
  if (constant) {
    const values = asArgs(
      sources.map((source) =>
        source === undefined
          ? null
          : 'fallback' in source
            ? source.fallback
            : (source as ExpressionOf<'constant'>).value,
      ),
    )
    return () => values
  }
  return (frame) => asArgs(evaluates.map((evaluate) => evaluate(frame)))
}

function unknown(
  context: CompileContext,
  expression: Applied,
  what: 'filter' | 'test',
  known: readonly string[],
  given: Said | null = null,
): Evaluate {
  const { name } = expression
  const said = what === 'filter' ? say`No filter named '${name}'.` : say`No test named '${name}'.`
  const near = closest(name, known)
  const hint = near === undefined ? given : say`Did you mean "${near}"?`
  const kind = hint !== null && hint === given ? 'unavailable' : 'filter'
  const fault = context.builder.fail(said, expression, hint, kind)
  if (!context.soft) throw fault
  context.builder.warnings.push(fault)
  const mark = context.builder.mark(expression)
  return () => {
    current.at = mark
    throw new Fault(kind, said, hint)
  }
}
