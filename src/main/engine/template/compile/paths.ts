import { typeFault } from '../errors.ts'
import type { ExpressionOf } from '../syntax/tree.ts'
import type { Place } from './builder.ts'
import type { Evaluate } from './frame.ts'

/** A JSONPath inside braces. */
export function compilePath(_place: Place, expression: ExpressionOf<'path'>): Evaluate {
  return () => {
    throw typeFault(`${expression.path} is no path`)
  }
}
