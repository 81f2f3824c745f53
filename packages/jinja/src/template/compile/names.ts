/** Compiles names that are read or called. */
import { AutoCalledFunction } from '../globals/moment.ts'
import type { Expression, ExpressionOf } from '../base/tree.ts'
import { Undefined } from '../base/undefined.ts'
import type { Float, Thing, Value } from '../base/value.ts'
import type { CompileContext } from './builder.ts'
import type { Evaluate } from './frame.ts'
import { compileMissing, type ResolveMissing } from './missing.ts'
import { compileName } from './variables.ts'

/** Reads a name; `now` and `uuid` mean their result. */
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
    // Reading a variable of the loop or block itself is the most common case, so it is one closure rather than three.
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

/** Compiles a name that is called to the function itself, even if reading the name would already call it. */
export function compileCallee(context: CompileContext, callee: ExpressionOf<'name'>): Evaluate {
  noteRead(context, callee, false)
  return compileName(context, callee.name)
}

/** Whether the name is defined by the context or a global. */
export function isGlobalName({ scope }: CompileContext, callee: Expression): boolean {
  if (callee.type !== 'name') return false
  const variable = scope.find(callee.name)
  return variable === undefined || variable.isContextName
}

/** Records a key that the template reads from a variable in the context. */
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
