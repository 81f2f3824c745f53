import { say } from '../../data/said.ts'
import { typeFault } from '../base/faults.ts'
import { current } from '../base/limits.ts'
import { iterate } from '../values/iterate.ts'
import { END, type Value } from '../base/value.ts'
import { Namespace } from '../globals/namespace.ts'
import type { Target } from '../base/tree.ts'
import type { CompileContext } from './builder.ts'
import type { Evaluate, Frame } from './frame.ts'
import type { Scope, Start, Variable } from './scope.ts'

export function compileName(context: CompileContext, name: string): Evaluate {
  const variable = context.scope.find(name)
  if (variable === undefined || variable.isContextName) return compileContextName(context, name)
  const read = compileSlot(context, variable)
  return (frame) => {
    const value = read(frame)
    return value === undefined ? frame.root.missing(name) : value
  }
}

/** Sets the variables of a scope to their initial values. */
export function compileEntry(context: CompileContext, scope: Scope): ((frame: Frame) => void) | null {
  const steps: ((frame: Frame) => void)[] = []
  for (const [{ slot, isContextName }, start] of scope.entries()) {
    if (start.from === 'parameter' || isContextName) continue
    const read = compileStart(context, start)
    steps.push((frame) => (frame.slots[slot] = read(frame)))
  }
  if (steps.length === 0) return null
  return (frame) => {
    for (const step of steps) step(frame)
  }
}

export type Assign = (frame: Frame, value: Value) => void

/** Assigns to a name, a tuple of names or a member of a namespace. */
export function compileTarget(context: CompileContext, target: Target): Assign {
  if (target.type === 'tuple') return compileTupleTarget(context, target)
  if (target.type === 'member') return compileMemberTarget(context, target)
  const { name } = target
  const variable = context.scope.find(name)
  if (variable === undefined) throw context.builder.fail(say`can't assign to '${name}'`, target)
  const { slot } = variable
  if (!(context.top && context.builder.hasBlocks)) {
    return (frame, value) => {
      frame.slots[slot] = value
    }
  }
  return (frame, value) => {
    frame.slots[slot] = value
    frame.root.assigned?.set(name, value)
  }
}

/** The value in a variable's slot, undefined if it was never assigned. */
export function compileSlot(
  context: CompileContext,
  { owner, slot }: Variable,
): (frame: Frame) => Value | undefined {
  const hops = context.shape.hopsTo(owner)
  if (hops === 0) return (frame) => frame.slots[slot]
  if (hops === 1) return (frame) => frame.outer?.slots[slot]
  return (frame) => {
    let at: Frame | null = frame
    for (let hop = 0; hop < hops; hop++) at = at?.outer ?? null
    return at?.slots[slot]
  }
}

function compileStart(context: CompileContext, start: Start): (frame: Frame) => Value | undefined {
  if (start.from === 'context') return (frame) => frame.root.lookUp(start.name)
  if (start.from !== 'variable') return () => undefined
  const { variable } = start
  return variable.isContextName ? (frame) => frame.root.lookUp(variable.name) : compileSlot(context, variable)
}

function compileContextName({ builder }: CompileContext, name: string): Evaluate {
  const index = builder.nameIndex(name)
  return (frame) => frame.root.read(index, name)
}

function compileTupleTarget(context: CompileContext, target: Extract<Target, { type: 'tuple' }>): Assign {
  const assigns = target.items.map((item) => compileTarget(context, item))
  const mark = context.builder.mark(target)
  return (frame, value) => {
    current.at = mark
    const values = unpack(value, assigns.length)
    for (let index = 0; index < assigns.length; index++) assigns[index]?.(frame, values[index] ?? null)
  }
}

function unpack(value: Value, count: number): Value[] {
  const cursor = iterate(value)
  const values: Value[] = []
  for (let item = cursor.next(); item !== END; item = cursor.next()) {
    if (values.length === count) throw typeFault(say`too many values to unpack (expected ${count})`)
    values.push(item)
  }
  if (values.length < count) {
    throw typeFault(say`not enough values to unpack (expected ${count}, got ${values.length})`)
  }
  return values
}

function compileMemberTarget(context: CompileContext, target: Extract<Target, { type: 'member' }>): Assign {
  const owner = compileName(context, target.owner)
  const mark = context.builder.mark(target)
  return (frame, value) => {
    current.at = mark
    const namespace = owner(frame)
    if (!(namespace instanceof Namespace)) {
      throw typeFault(
        say`cannot assign attribute on non-namespace object`,
        say`Make one first: {% set ${target.owner} = namespace() %}`,
      )
    }
    namespace.set(target.name, value)
  }
}
