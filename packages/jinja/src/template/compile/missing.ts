import { current } from '../base/limits.ts'
import type { Expression } from '../base/tree.ts'
import { Undefined } from '../base/undefined.ts'
import type { Value } from '../base/value.ts'
import type { CompileContext } from './builder.ts'

/** Decides what a missing value means at the place where it is read. */
export type ResolveMissing = (value: Undefined) => Value

/**
 * If the render names roots below which paths can be missing (`previous_request`), a missing path below one of them is
 * undefined, however long it is, and any other missing value is an error immediately.
 *
 * @param mayBeMissing whether the template asks if the value exists, so that a missing value is a valid result
 */
export function compileMissing(
  context: CompileContext,
  expression: Expression,
  mayBeMissing: boolean,
): ResolveMissing {
  const mark = context.builder.mark(expression)
  const { origins } = context.builder
  return (value) => {
    const { undefinedBelow } = current.environment
    if (undefinedBelow === null || value.chains) return value
    if (isBelow(origins.of(expression), undefinedBelow) && expression.type !== 'name') {
      return new Undefined(() => value.fault().said, null, true)
    }
    if (mayBeMissing) return value
    current.at = mark
    throw value.fault()
  }
}

function isBelow(names: ReadonlySet<string>, roots: ReadonlySet<string>): boolean {
  for (const root of roots) if (names.has(root)) return true
  return false
}
