/** Values of configs that may still be incomplete, and the results that they describe. */
import { z } from 'zod'
import { json } from '../../base/common.ts'
import type { Config } from './step-type.ts'

export const isEmpty = (value: unknown) => value === undefined || value === null || value === ''

export function asObject(value: unknown): Config {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Config) : {}
}

/** The objects of a list by their `name`. */
export function namedIn(list: unknown): readonly (readonly [name: string, entry: Config])[] {
  if (!Array.isArray(list)) return []
  return list.map(asObject).flatMap((entry) => (typeof entry.name === 'string' ? [[entry.name, entry]] : []))
}

/** The schema of an object with these keys, whose values are only known in a run. */
export function objectOf<V>(
  entries: readonly (readonly [name: string, value: V])[],
  schemaOf: (value: V) => z.ZodType = () => json,
): z.ZodObject {
  return z.object(Object.fromEntries(entries.map(([name, value]) => [name, schemaOf(value)])))
}
