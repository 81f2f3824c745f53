import { say } from '../../data/said.ts'
import { typeFault } from '../base/faults.ts'
import { chargeOutput, current, enterRecursion, leaveRecursion } from '../base/limits.ts'
import type { Statement, StatementOf } from '../base/tree.ts'
import { Markup, type Value } from '../base/value.ts'
import type { CompileContext } from './builder.ts'
import { type Execute, Frame, NEXT } from './frame.ts'
import type { Root } from './root.ts'
import { FunctionShape, scanStatements, Scope } from './scope.ts'
import { compileEntry, compileSlot } from './variables.ts'

type CompileBody = (context: CompileContext, statements: readonly Statement[]) => Execute

/**
 * Compiles a `block`, which is rendered in place and can be called as `self.name()`. It sees the context and top-level
 * assignments.
 */
export function compileBlock(
  context: CompileContext,
  statement: StatementOf<'block'>,
  compileBody: CompileBody,
): Execute {
  const { builder } = context
  const { name } = statement
  if (builder.blocks.has(name)) throw builder.fail(say`block '${name}' defined twice`, statement)
  builder.blocks.set(name, () => '')
  const shape = new FunctionShape(null)
  const scope = new Scope(null, shape)
  scanStatements(scope, statement.body)
  scope.settle()
  const inner: CompileContext = {
    builder,
    scope,
    shape,
    soft: false,
    top: false,
    escaping: false,
    inLoop: false,
    folded: false,
  }
  const enter = compileEntry(inner, scope)
  const run = compileBody(inner, statement.body)
  const mark = builder.mark(statement)

  const render = (root: Root, isOutput: boolean, before: string): string => {
    enterRecursion()
    try {
      const frame = new Frame(shape.slots, null, root, isOutput)
      frame.out = before
      enter?.(frame)
      run(frame)
      return frame.out
    } finally {
      leaveRecursion()
    }
  }
  builder.blocks.set(name, (root): Value => {
    const text = render(root.derive(root.assigned ?? new Map<string, Value>()), false, '')
    return current.escaping ? new Markup(text) : text
  })
  const visible = statement.scoped ? [...context.scope.visibleVariables()] : []
  const locals = visible.map(([local, variable]) => ({ local, read: compileSlot(context, variable) }))
  return (frame) => {
    current.at = mark
    if (statement.required) throw typeFault(say`Required block '${name}' not found`)
    const assigned = new Map(frame.root.assigned)
    for (const { local, read } of locals) {
      const value = read(frame)
      if (value !== undefined) assigned.set(local, value)
    }
    const root = frame.root.derive(statement.scoped ? assigned : (frame.root.assigned ?? assigned))
    frame.out = render(root, frame.isOutput, frame.out)
    chargeOutput(0)
    return NEXT
  }
}
