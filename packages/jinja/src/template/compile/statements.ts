import { say } from '../../data/said.ts'
import { Fault, typeFault } from '../base/faults.ts'
import { chargeOutput, current } from '../base/limits.ts'
import type { Expression, Statement, StatementOf } from '../base/tree.ts'
import { escapeHtml } from '../values/markup.ts'
import { textOf } from '../values/repr.ts'
import { isTrue, typeName } from '../values/truth.ts'
import { Markup, type Value } from '../base/value.ts'
import { compileBlock } from './blocks.ts'
import { type CompileContext, unreachable } from './builder.ts'
import { compileCall } from './calls.ts'
import { compileAsked, compileExpression } from './expressions.ts'
import { BREAK, collect, CONTINUE, type Evaluate, type Execute, NEXT } from './frame.ts'
import { compileFor } from './loops.ts'
import { compileFunction, MacroValue } from './macros.ts'
import { partsOf, scanExpression, scanStatements, scanTarget, Scope } from './scope.ts'
import { compileEntry, compileTarget } from './variables.ts'

/** Compiles the statements of a body to one closure. */
export function compileBody(context: CompileContext, statements: readonly Statement[]): Execute {
  const steps = compileSteps(context, statements)
  const [first, second, third] = steps
  if (first === undefined) return () => NEXT
  if (second === undefined) return first
  if (third === undefined) return (frame) => first(frame) || second(frame)
  if (steps.length === 3) return (frame) => first(frame) || second(frame) || third(frame)
  return (frame) => {
    for (let index = 0; index < steps.length; index++) {
      const flow = (steps[index] as Execute)(frame)
      if (flow !== NEXT) return flow
    }
    return NEXT
  }
}

/** Compiles the statements one by one; literal text is merged into the print statements around it. */
function compileSteps(context: CompileContext, statements: readonly Statement[]): Execute[] {
  const isPrint = (index: number) => statements[index]?.type === 'print'
  const textAt = (index: number) => {
    const statement = statements[index]
    return statement?.type === 'text' ? statement.text : ''
  }
  return statements.flatMap((statement, index) => {
    if (statement.type === 'text' && (isPrint(index + 1) || isPrint(index - 1))) return []
    if (statement.type !== 'print') return [compileStatement(context, statement)]
    // Text between two printed values is merged into the second.
    const after = isPrint(index + 2) ? '' : textAt(index + 1)
    return [compilePrint(context, statement, textAt(index - 1), after)]
  })
}

/** Compiles a body with its own variables. */
export function compileScoped(
  context: CompileContext,
  scope: Scope,
  statements: readonly Statement[],
): Execute {
  scope.settle()
  const inner = innerContext(context, scope)
  const enter = compileEntry(inner, scope)
  const body = compileBody(inner, statements)
  if (enter === null) return body
  return (frame) => {
    enter(frame)
    return body(frame)
  }
}

/** The same context for a nested body. */
export function innerContext(context: CompileContext, scope: Scope): CompileContext {
  return { ...context, scope, shape: scope.owner, soft: false, top: false }
}

function compileStatement(context: CompileContext, statement: Statement): Execute {
  context.builder.weight++
  switch (statement.type) {
    case 'text':
      return compileText(statement.text)
    case 'print':
      return compilePrint(context, statement, '', '')
    case 'if':
      return compileIf(context, statement)
    case 'for':
      return compileFor(context, statement, { compileBody, compileExpression })
    case 'set':
      return compileSet(context, statement)
    case 'set block':
      return compileSetBlock(context, statement)
    case 'with':
      return compileWith(context, statement)
    case 'macro':
      return compileMacro(context, statement)
    case 'call block':
      return compileCallBlock(context, statement)
    case 'filter block':
      return compileFilterBlock(context, statement)
    case 'block':
      return compileBlock(context, statement, compileBody)
    case 'autoescape':
      return compileAutoescape(context, statement)
    case 'do': {
      const value = compileExpression(context, statement.value)
      return (frame) => {
        value(frame)
        return NEXT
      }
    }
    case 'break':
    case 'continue':
      return compileJump(context, statement)
    case 'unsupported':
      return compileUnsupported(context, statement)
    default:
      return unreachable(statement)
  }
}

function compileText(text: string): Execute {
  return (frame) => {
    chargeOutput(text.length)
    frame.out += text
    return NEXT
  }
}

/** @param before text to write first @param after text to write last */
function compilePrint(
  context: CompileContext,
  statement: StatementOf<'print'>,
  before: string,
  after: string,
): Execute {
  context.builder.weight++
  const { value: expression } = statement
  const evaluate = compileExpression({ ...context, folded: isConstant(expression) }, expression)
  const mark = context.builder.mark(expression)
  const write = writerFor(context, expression)
  const around = before.length + after.length
  return (frame) => {
    const value = evaluate(frame)
    current.at = mark
    const { observer } = current
    if (observer === null) {
      const text = write(value)
      chargeOutput(around + text.length)
      frame.out += before + text + after
      return NEXT
    }
    frame.out += before
    const text = observer.print(value, statement, frame.isOutput ? frame.out : null, write)
    chargeOutput(around + text.length)
    frame.out += text + after
    return NEXT
  }
}

function hasOperation(expression: Expression): boolean {
  return expression.type === 'filter' || expression.type === 'test' || partsOf(expression).some(hasOperation)
}

/** Filters that get the context from Jinja, which therefore never evaluates them at compile time. */
const READ_CONTEXT: ReadonlySet<string> = new Set([
  'map',
  'select',
  'reject',
  'selectattr',
  'rejectattr',
  'random',
])

function isConstant(expression: Expression): boolean {
  if (expression.type === 'name' || expression.type === 'call' || expression.type === 'path') return false
  if (expression.type === 'filter' && READ_CONTEXT.has(expression.name)) return false
  return partsOf(expression).every(isConstant)
}

function writerFor({ escaping }: CompileContext, expression: Expression): (value: Value) => string {
  if (escaping === false) return textOf
  // Jinja writes constants at compile time, when it can't know yet that they should be escaped.
  if (escaping === 'decided at run time' && isConstant(expression) && !hasOperation(expression)) return textOf
  if (escaping === true) return (value) => escapeHtml(value).text
  return (value) => (current.escaping ? escapeHtml(value).text : textOf(value))
}

function compileIf(outer: CompileContext, { branches, otherwise }: StatementOf<'if'>): Execute {
  const context = { ...outer, soft: true }
  const cases = branches.map(({ test, body }) => ({
    test: compileAsked(context, test),
    body: compileBody(context, body),
  }))
  const last = compileBody(context, otherwise)
  const [only] = cases
  if (cases.length === 1 && only !== undefined) {
    return (frame) => (isTrue(only.test(frame)) ? only.body(frame) : last(frame))
  }
  return (frame) => {
    for (const { test, body } of cases) if (isTrue(test(frame))) return body(frame)
    return last(frame)
  }
}

function compileSet(context: CompileContext, { target, value }: StatementOf<'set'>): Execute {
  const evaluate = compileExpression(context, value)
  const assign = compileTarget(context, target)
  return (frame) => {
    assign(frame, evaluate(frame))
    return NEXT
  }
}

function compileSetBlock(
  context: CompileContext,
  { target, filter, body }: StatementOf<'set block'>,
): Execute {
  const scope = new Scope(context.scope, context.shape)
  scanStatements(scope, body)
  scanExpression(scope, filter)
  const run = compileScoped(context, scope, body)
  const apply = filter === null ? null : compileExpression(innerContext(context, scope), filter)
  const assign = compileTarget(context, target)
  return (frame) => {
    const text = collect(frame, run)
    let value: Value = text
    if (apply !== null) {
      frame.collected = asCollected(context, text)
      value = apply(frame)
    }
    assign(frame, current.escaping ? new Markup(textOf(value)) : value)
    return NEXT
  }
}

const asCollected = ({ escaping }: CompileContext, text: string): Value =>
  escaping === true || (escaping !== false && current.escaping) ? new Markup(text) : text

function compileWith(context: CompileContext, { targets, values, body }: StatementOf<'with'>): Execute {
  const scope = new Scope(context.scope, context.shape)
  for (const target of targets) scanTarget(scope, target, true)
  scanStatements(scope, body)
  const evaluates = values.map((value) => compileExpression(context, value))
  const inner = innerContext(context, scope)
  scope.settle()
  const enter = compileEntry(inner, scope)
  const assigns = targets.map((target) => compileTarget(inner, target))
  const run = compileBody(inner, body)
  return (frame) => {
    enter?.(frame)
    for (let index = 0; index < assigns.length; index++)
      assigns[index]?.(frame, evaluates[index]?.(frame) ?? null)
    return run(frame)
  }
}

function compileMacro(context: CompileContext, statement: StatementOf<'macro'>): Execute {
  const shape = compileFunction(context, statement, { compileBody, compileExpression })
  const assign = compileTarget(context, { ...statement, type: 'name' })
  return (frame) => {
    assign(frame, new MacroValue(shape, frame))
    return NEXT
  }
}

function compileCallBlock(context: CompileContext, statement: StatementOf<'call block'>): Execute {
  const shape = compileFunction(context, { ...statement, name: null }, { compileBody, compileExpression })
  const caller: Evaluate = (frame) => new MacroValue(shape, frame)
  const call = compileCall(context, statement.call, compileExpression, { name: 'caller', value: caller })
  return writeText(context, statement, call)
}

function compileFilterBlock(context: CompileContext, statement: StatementOf<'filter block'>): Execute {
  const scope = new Scope(context.scope, context.shape)
  scanStatements(scope, statement.body)
  scanExpression(scope, statement.filter)
  const run = compileScoped(context, scope, statement.body)
  const filter = compileExpression(innerContext(context, scope), statement.filter)
  return writeText(context, statement, (frame) => {
    frame.collected = asCollected(context, collect(frame, run))
    return filter(frame)
  })
}

/** The result of a `call` or `filter` block is written as it is, so it must be a string. */
function writeText(context: CompileContext, statement: Statement, evaluate: Evaluate): Execute {
  const mark = context.builder.mark(statement)
  return (frame) => {
    const value = evaluate(frame)
    current.at = mark
    if (typeof value !== 'string' && !(value instanceof Markup)) {
      throw typeFault(say`sequence item 0: expected str instance, ${typeName(value)} found`)
    }
    const text = textOf(value)
    chargeOutput(text.length)
    frame.out += text
    return NEXT
  }
}

function compileAutoescape(context: CompileContext, { value, body }: StatementOf<'autoescape'>): Execute {
  const scope = new Scope(context.scope, context.shape)
  scanExpression(scope, value)
  scanStatements(scope, body)
  scope.settle()
  const escaping = value.type === 'constant' ? isTrue(value.value) : 'decided at run time'
  const inner = { ...innerContext(context, scope), escaping } as const
  const enter = compileEntry(inner, scope)
  const evaluate = compileExpression(inner, value)
  const run = compileBody(inner, body)
  return (frame) => {
    enter?.(frame)
    const around = current.escaping
    current.escaping = isTrue(evaluate(frame))
    try {
      return run(frame)
    } finally {
      current.escaping = around
    }
  }
}

function compileJump(context: CompileContext, statement: StatementOf<'break' | 'continue'>): Execute {
  if (!context.inLoop) throw context.builder.fail(say`'${statement.type}' outside loop`, statement)
  const flow = statement.type === 'break' ? BREAK : CONTINUE
  return () => flow
}

function compileUnsupported(context: CompileContext, statement: StatementOf<'unsupported'>): Execute {
  const { builder } = context
  const mark = builder.mark(statement)
  const said = say`"${statement.tag}" can't be used: there are no other templates to load`
  const hint = say`Write a macro in this template instead`
  builder.warnings.push(builder.fail(said, statement, hint))
  return () => {
    current.at = mark
    throw new Fault('runtime', said, hint)
  }
}
