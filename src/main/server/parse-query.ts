import { parse } from 'node:querystring'
import { AppError } from '../../shared/contract/errors.ts'
import { LIMITS } from '../../shared/contract/limits.ts'

/** Names to values, a repeated name to a list; the map has no prototype. */
export type Query = Readonly<Record<string, string | string[] | undefined>>

const NONE: Query = Object.freeze(Object.create(null) as Query)

/**
 * What stands behind the `?` of an address, decoded once.
 *
 * @throws AppError `validation` where it has more than 200 parameters
 */
export function parseQuery(url: string): Query {
  const start = url.indexOf('?')
  if (start === -1 || start === url.length - 1) return NONE
  const text = url.slice(start + 1)
  if (countOf('&', text) >= LIMITS.queryNames) {
    throw new AppError('validation', `The query has more than ${LIMITS.queryNames} parameters`)
  }
  return parse(text, '&', '=', { maxKeys: 0 })
}

function countOf(character: string, text: string): number {
  let count = 0
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) count++
  return count
}
