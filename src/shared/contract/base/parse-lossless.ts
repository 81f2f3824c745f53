/**
 * JSON of the wire is read without losing anything: `1.0` arrives as an object that knows its number, a dictionary whose
 * key order an object would change (`{"2": …, "1": …}`) as a Map. Where a schema takes any JSON they pass as they are;
 * where it names a number or an object they are taken for one.
 */
import type { z } from 'zod'

type Result<S extends z.ZodType> = z.ZodSafeParseResult<z.output<S>>

export function parseLossless<S extends z.ZodType>(
  schema: S,
  value: unknown,
  error: (issue: z.core.$ZodRawIssue) => string,
): Result<S> {
  const originals = new Map<unknown, unknown>()
  const holder = { value: withObjects(value, originals) }
  for (;;) {
    const result = schema.safeParse(holder.value, { error })
    if (result.success) {
      return originals.size === 0
        ? result
        : { ...result, data: withOriginals(result.data, originals) as z.output<S> }
    }
    const mended = typePaths(result.error.issues, ['value']).filter((path) => takeNumber(holder, path))
    if (mended.length === 0) return result
  }
}

/**
 * A dictionary of more keys is not shown to the schema, which would go through it key by key: an object with this one key
 * stands for it. No schema names so many.
 */
const MANY_KEYS = 10_000
const STAND_IN = '(very many keys)'

/** Where there are Maps, a copy with objects in their place, each part that was copied noted with its original. */
function withObjects(value: unknown, originals: Map<unknown, unknown>): unknown {
  if (!holdsMap(value)) return value
  if (value instanceof Map && value.size > MANY_KEYS) {
    const standIn = { [STAND_IN]: value }
    originals.set(standIn, value).set(value, standIn)
    return standIn
  }
  const copy = Array.isArray(value)
    ? value.map((part) => withObjects(part, originals))
    : objectOf(entriesOf(value).map(([key, part]) => [key, withObjects(part, originals)]))
  originals.set(copy, value)
  return copy
}

function holdsMap(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  if (value instanceof Map) return true
  if (Array.isArray(value)) return value.some(holdsMap)
  const parts = value as Record<string, unknown>
  for (const key in parts) if (holdsMap(parts[key])) return true
  return false
}

function entriesOf(value: object): [string, unknown][] {
  return value instanceof Map ? [...(value as Map<string, unknown>)] : Object.entries(value)
}

function objectOf(entries: readonly (readonly [string, unknown])[]): object {
  return Object.setPrototypeOf(Object.fromEntries(entries), null) as object
}

/** A schema that takes any JSON gives back the very copy it was given, and the original goes in its place. */
function withOriginals(value: unknown, originals: Map<unknown, unknown>): unknown {
  if (value instanceof Map) return value
  if (originals.has(value)) return originals.get(value)
  if (typeof value !== 'object' || value === null) return value
  const parts = value as Record<string, unknown>
  const stoodFor = parts[STAND_IN]
  if (stoodFor instanceof Map && originals.has(stoodFor)) return objectOf(entriesOf(stoodFor))
  for (const [key, part] of Object.entries(parts)) parts[key] = withOriginals(part, originals)
  return value
}

/** Where another kind of value was expected, in the branches of unions too. */
function typePaths(issues: readonly z.core.$ZodIssue[], before: readonly PropertyKey[]): PropertyKey[][] {
  return issues.flatMap((issue) => {
    const path = [...before, ...issue.path]
    if (issue.code === 'invalid_type') return [path]
    return issue.code === 'invalid_union' ? typePaths(issue.errors.flat(), path) : []
  })
}

/** Nothing that was read from JSON has a function, the form of a whole float excepted: false where it is none. */
function takeNumber(holder: object, [key = '', ...rest]: readonly PropertyKey[]): boolean {
  if (!Object.hasOwn(holder, key)) return false
  const values = holder as Record<PropertyKey, unknown>
  const value = values[key]
  if (typeof value !== 'object' || value === null) return false
  if (rest.length > 0) return takeNumber(value, rest)
  if (!('toJSON' in value) || typeof value.toJSON !== 'function') return false
  values[key] = value.toJSON()
  return true
}
