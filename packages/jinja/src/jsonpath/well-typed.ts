import { type Said, say } from '../data/said.ts'
import { writeJson } from '../data/json.ts'
import type { Expression, Operator } from './syntax.ts'

/**
 * Checks where an expression can be used, according to RFC 9535 (2.4.3) and the older forms. Each function returns a
 * problem or null.
 */

/** A filter, or an operand of `!`, `&&` and `||`. */
export function testProblem(expression: Expression): Said | null {
  switch (expression.type) {
    case 'literal':
      return say`${show(expression.value)} is not a test; compare it with something`
    case 'length':
    case 'count':
    case 'value':
      return say`${expression.type}() is not a test; compare it with something`
    default:
      return null
  }
}

export function operandProblem(operator: Operator, expression: Expression): Said | null {
  if (operator === '&&' || operator === '||') return testProblem(expression)
  return singleProblem(`"${operator}"`, expression)
}

/** For places that require a single value, which are function arguments and `[(…)]`. */
export function valueProblem(user: string, expression: Expression): Said | null {
  const isTest = expression.type === 'not' || (expression.type === 'binary' && TESTS.has(expression.operator))
  return isTest ? say`${user} needs a value, not a test` : singleProblem(user, expression)
}

function singleProblem(user: string, expression: Expression): Said | null {
  switch (expression.type) {
    case 'path':
      return expression.singular ? null : say`${user} needs one value, but this path can select several`
    case 'match':
    case 'search':
      return say`${user} needs a value, but ${expression.type}() is a test`
    default:
      return null
  }
}

const TESTS: ReadonlySet<Operator> = new Set(['||', '&&', '===', '!==', '==', '!=', '<=', '>=', '<', '>'])

function show(value: (Expression & { type: 'literal' })['value']): string {
  return value === undefined ? 'undefined' : writeJson(value)
}
