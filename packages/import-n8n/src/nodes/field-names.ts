/** Reads field names in a node's parameters. */
import { type Said, say } from '@millrace/jinja/said'
import { childOf, textOf } from '../source/plain-json.ts'
import { isExpression } from '../expression/template.ts'
import { refuse } from '../source/untranslatable.ts'
import type { NodeContext } from './node-context.ts'

/** The way a node reads fields: names with dots are paths, unless that is turned off. */
export function accessOf({ node }: NodeContext) {
  const options = childOf(node.parameters, 'options')
  return options['disableDotNotation'] === true
    ? { get: '$at', put: '$set', drop: '$drop' }
    : { get: '$get', put: '$put', drop: '$remove' }
}

/** A string that isn't an expression. */
export function fixed(value: unknown, what: Said): string {
  return isExpression(value) ? refuse(say`uses an expression for ${what}`) : textOf(value)
}

export const namesIn = (value: unknown, what: Said): string[] =>
  fixed(value, what)
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
