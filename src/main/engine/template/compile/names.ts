/** Names where a value is read or called. */
import { ReadingFunction } from '../globals/moment.ts'
import type { Expression, ExpressionOf } from '../base/tree.ts'
import { Undefined } from '../base/undefined.ts'
import type { Float, Thing, Value } from '../base/value.ts'
import type { Place } from './builder.ts'
import type { Evaluate } from './frame.ts'
import { type AdmitMissing, compileAdmission } from './missing.ts'
import { compileName } from './variables.ts'

/** A name that is read; `now` and `uuid` mean their result. */
export function compileNameRead(
  place: Place,
  expression: ExpressionOf<'name'>,
  mayBeMissing: boolean,
): Evaluate {
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

/** A name that is called, which is the function itself even where reading it would already call it. */
export function compileCallee(place: Place, callee: ExpressionOf<'name'>): Evaluate {
  noteRead(place, callee, false)
  return compileName(place, callee.name)
}

/** Whether it is a name that the context or a global gives a meaning. */
export function isGlobalName({ scope }: Place, callee: Expression): boolean {
  if (callee.type !== 'name') return false
  const variable = scope.find(callee.name)
  return variable === undefined || variable.isContextName
}

/** A member that is read of a name of the context. */
export function noteMember(
  { builder, scope }: Place,
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
  { builder, scope }: Place,
  { name, start, end }: ExpressionOf<'name'>,
  mayBeMissing: boolean,
): void {
  const variable = scope.find(name)
  if (variable === undefined || variable.isContextName) builder.reads.push({ name, start, end, mayBeMissing })
}
