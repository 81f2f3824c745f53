import { current } from '../base/limits.ts'
import type { Expression } from '../base/tree.ts'
import { Undefined } from '../base/undefined.ts'
import type { Value } from '../base/value.ts'
import type { Place } from './builder.ts'

/** Decides what a missing value means where it is read. */
export type AdmitMissing = (value: Undefined) => Value

/**
 * Where a render names the roots below which paths may be missing (`previous_request`), a missing path below one of
 * them goes on being missing however long it is, and anything else that is missing is an error at once.
 *
 * @param mayBeMissing it is asked whether it is there, so that being missing is an answer
 */
export function compileAdmission(place: Place, expression: Expression, mayBeMissing: boolean): AdmitMissing {
  const mark = place.builder.mark(expression)
  const { origins } = place.builder
  return (value) => {
    const { undefinedBelow } = current.surroundings
    if (undefinedBelow === null || value.chains) return value
    if (isBelow(origins.of(expression), undefinedBelow) && expression.type !== 'name') {
      return new Undefined(() => value.fault().message, null, true)
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
