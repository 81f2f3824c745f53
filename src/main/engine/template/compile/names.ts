/** Names where a value is read or called. */
import { AutoCalledFunction } from '../globals/moment.ts'
import type { Expression, ExpressionOf } from '../base/tree.ts'
import { Undefined } from '../base/undefined.ts'
import type { Float, Thing, Value } from '../base/value.ts'
import type { CompileContext } from './builder.ts'
import type { Evaluate } from './frame.ts'
import { compileMissing, type ResolveMissing } from './missing.ts'
import { compileName } from './variables.ts'

/** A name that is read; `now` and `uuid` mean their result. */
export function compileNameRead(
  context: CompileContext,
  expression: ExpressionOf<'name'>,
  mayBeMissing: boolean,
): Evaluate {
  noteRead(context, expression, mayBeMissing)
  const { name } = expression
  const resolveMissing = compileMissing(context, expression, mayBeMissing)
  const variable = context.scope.find(name)
  if (variable !== undefined && !variable.isContextName && context.shape.hopsTo(variable.owner) === 0) {
    // The commonest read of all, a variable of the loop or block itself, is one closure and not three.
    const { slot } = variable
    return (frame) => {
      const value = frame.slots[slot]
      if (typeof value !== 'object')
        return value === undefined ? resolveMissing(frame.root.missing(name)) : value
      return value === null ? value : readThing(value, resolveMissing)
    }
  }
  const read = compileName(context, name)
  return (frame) => {
    const value = read(frame)
    return typeof value !== 'object' || value === null ? value : readThing(value, resolveMissing)
  }
}

function readThing(value: Thing | Float, resolveMissing: ResolveMissing): Value {
  if (value instanceof Undefined) return resolveMissing(value)
  return value instanceof AutoCalledFunction ? value.call([], null) : value
}

/** A name that is called, which is the function itself even where reading it would already call it. */
export function compileCallee(context: CompileContext, callee: ExpressionOf<'name'>): Evaluate {
  noteRead(context, callee, false)
  return compileName(context, callee.name)
}

/** Whether it is a name that the context or a global gives a meaning. */
export function isGlobalName({ scope }: CompileContext, callee: Expression): boolean {
  if (callee.type !== 'name') return false
  const variable = scope.find(callee.name)
  return variable === undefined || variable.isContextName
}

/** A member that is read of a name of the context. */
export function noteMember(
  { builder, scope }: CompileContext,
  { owner, start, end }: ExpressionOf<'attribute' | 'item'>,
  key: unknown,
  isAsked: boolean,
): void {
  if (owner.type !== 'name' || typeof key !== 'string') return
  const variable = scope.find(owner.name)
  if (variable === undefined || variable.isContextName)
    builder.members.push({ owner: owner.name, key, start, end, isAsked })
}

function noteRead(
  { builder, scope }: CompileContext,
  { name, start, end }: ExpressionOf<'name'>,
  mayBeMissing: boolean,
): void {
  const variable = scope.find(name)
  if (variable === undefined || variable.isContextName) builder.reads.push({ name, start, end, mayBeMissing })
}
