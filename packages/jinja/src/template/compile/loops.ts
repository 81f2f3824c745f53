import { say } from '../../data/said.ts'
import { current, enterRecursion, leaveRecursion, spend } from '../base/limits.ts'
import type { Expression, Statement, StatementOf } from '../base/tree.ts'
import { iterate } from '../values/iterate.ts'
import { textOf } from '../values/repr.ts'
import { isTrue } from '../values/truth.ts'
import { type Cursor, END, Markup, type Value } from '../base/value.ts'
import type { CompileContext } from './builder.ts'
import { BREAK, type Evaluate, type Execute, Frame, NEXT } from './frame.ts'
import { LoopState, type Recurse } from './loop-state.ts'
import { FunctionShape, scanExpression, scanStatements, scanTarget, Scope } from './scope.ts'
import { assignsLoop, specialNamesIn } from './special-names.ts'
import { type Assign, compileEntry, compileTarget } from './variables.ts'

export interface Compilers {
  readonly compileBody: (context: CompileContext, statements: readonly Statement[]) => Execute
  readonly compileExpression: (context: CompileContext, expression: Expression) => Evaluate
}

/** Compiles `for target in over if test recursive`. */
export function compileFor(
  context: CompileContext,
  statement: StatementOf<'for'>,
  compilers: Compilers,
): Execute {
  if (assignsLoop(statement)) {
    throw context.builder.fail(
      say`Can't assign to special loop variable in for-loop target`,
      statement.target,
    )
  }
  const over = compilers.compileExpression(context, statement.over)
  const mark = context.builder.mark(statement.over)
  if (statement.recursive) return compileRecursive(context, statement, compilers, over, mark)
  const run = compileLoop(context, context.shape, statement, compilers)
  return (frame) => {
    const value = over(frame)
    current.at = mark
    return run(frame, value, null, 0)
  }
}

type RunLoop = (frame: Frame, over: Value, recurse: Recurse | null, depth: number) => typeof NEXT

/** Compiles a recursive loop as a function, so that each level has its own variables. */
function compileRecursive(
  context: CompileContext,
  statement: StatementOf<'for'>,
  compilers: Compilers,
  over: Evaluate,
  mark: number,
): Execute {
  const shape = new FunctionShape(context.shape)
  const run = compileLoop(context, shape, statement, compilers)
  return (outer) => {
    const recurse: Recurse = (value, depth) => {
      enterRecursion()
      try {
        const frame = new Frame(shape.slots, outer, outer.root)
        run(frame, value, recurse, depth)
        return isEscaping(context) ? new Markup(frame.out) : frame.out
      } finally {
        leaveRecursion()
      }
    }
    const value = over(outer)
    current.at = mark
    outer.out += textOf(recurse(value, 0))
    return NEXT
  }
}

const isEscaping = ({ escaping }: CompileContext) =>
  escaping === 'decided at run time' ? current.escaping : escaping

function compileLoop(
  context: CompileContext,
  shape: FunctionShape,
  statement: StatementOf<'for'>,
  compilers: Compilers,
): RunLoop {
  const weightBefore = context.builder.weight
  const turn = compileTurn(context, shape, statement, compilers)
  const test = compileLoopTest(context, shape, statement, compilers)
  const otherwise = compileOtherwise(context, shape, statement, compilers)
  const cost = (context.builder.weight - weightBefore) >> 2
  return (frame, over, recurse, depth) => {
    const source = iterate(over)
    const cursor = test === null ? source : test(frame, source)
    const state = turn.needsState ? new LoopState(over, cursor, recurse, depth, test !== null) : null
    const from = state ?? cursor
    let turns = 0
    for (let item = from.next(); item !== END; item = from.next()) {
      turns++
      spend(cost)
      if (turn.run(frame, item, state) === BREAK) break
    }
    if (turns === 0) otherwise?.(frame)
    return NEXT
  }
}

interface Turn {
  readonly needsState: boolean
  readonly run: (frame: Frame, item: Value, state: LoopState | null) => number
}

function compileTurn(
  context: CompileContext,
  shape: FunctionShape,
  statement: StatementOf<'for'>,
  compilers: Compilers,
): Turn {
  const scope = new Scope(context.scope, shape)
  const { target, body } = statement
  const needsState = statement.recursive || specialNamesIn(body, ['loop']).has('loop') || hasScopedBlock(body)
  const loopVariable = needsState ? scope.declareParameter('loop') : null
  scanTarget(scope, target, true)
  scanStatements(scope, body)
  scope.settle()
  const inner: CompileContext = { ...context, scope, shape, soft: false, top: false, inLoop: true }
  const enter = compileEntry(inner, scope)
  const assign: Assign = compileTarget(inner, target)
  const run = compilers.compileBody(inner, body)
  const variable = target.type === 'name' ? scope.find(target.name) : undefined
  if (variable !== undefined && loopVariable === null && enter === null) {
    return {
      needsState,
      run: (frame, item) => {
        frame.slots[variable.slot] = item
        return run(frame)
      },
    }
  }
  return {
    needsState,
    run: (frame, item, state) => {
      if (loopVariable !== null) frame.slots[loopVariable.slot] = state ?? undefined
      assign(frame, item)
      enter?.(frame)
      return run(frame)
    },
  }
}

function hasScopedBlock(statements: readonly Statement[]): boolean {
  return statements.some((statement) => {
    if (statement.type === 'block') return statement.scoped || hasScopedBlock(statement.body)
    if (statement.type === 'if') {
      return (
        statement.branches.some(({ body }) => hasScopedBlock(body)) || hasScopedBlock(statement.otherwise)
      )
    }
    return 'body' in statement && hasScopedBlock(statement.body)
  })
}

/** The condition of a loop sees the loop's target, and otherwise only the scope around the loop. */
function compileLoopTest(
  context: CompileContext,
  shape: FunctionShape,
  { target, test }: StatementOf<'for'>,
  compilers: Compilers,
): ((frame: Frame, source: Cursor) => Cursor) | null {
  if (test === null) return null
  const scope = new Scope(context.scope, shape)
  scanTarget(scope, target, true)
  scanExpression(scope, test)
  scope.settle()
  const inner: CompileContext = { ...context, scope, shape, soft: false, top: false }
  const enter = compileEntry(inner, scope)
  const assign = compileTarget(inner, target)
  const evaluate = compilers.compileExpression(inner, test)
  return (frame, source) => {
    enter?.(frame)
    return {
      next() {
        for (;;) {
          const item = source.next()
          if (item === END) return END
          assign(frame, item)
          if (isTrue(evaluate(frame))) return item
        }
      },
    }
  }
}

function compileOtherwise(
  context: CompileContext,
  shape: FunctionShape,
  { otherwise }: StatementOf<'for'>,
  compilers: Compilers,
): Execute | null {
  if (otherwise.length === 0) return null
  const scope = new Scope(context.scope, shape)
  scanStatements(scope, otherwise)
  scope.settle()
  const inner: CompileContext = { ...context, scope, shape, soft: false, top: false }
  const enter = compileEntry(inner, scope)
  const run = compilers.compileBody(inner, otherwise)
  return (frame) => {
    enter?.(frame)
    return run(frame)
  }
}
