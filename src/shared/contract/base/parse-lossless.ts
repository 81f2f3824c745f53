/**
 * JSON from the API is read without loss: `1.0` arrives as an object that contains its number, and an object whose
 * key order JavaScript would change (`{"2": …, "1": …}`) arrives as a Map. A schema that accepts any JSON gets them
 * unchanged; for one that requires a number or an object, they count as one.
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
 * The most keys of an object that the schema traverses. A larger one is represented by an object with only the key
 * below. No schema has that many keys.
 */
const MANY_KEYS = 10_000
const STAND_IN = '(very many keys)'

/** Replaces Maps by objects in a copy and records the original of each copied part. */
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

/** Restores the originals: a schema that accepts any JSON returns the copy unchanged, which is replaced here. */
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

/** The paths where another type was expected, including those in the branches of unions. */
function typePaths(issues: readonly z.core.$ZodIssue[], before: readonly PropertyKey[]): PropertyKey[][] {
  return issues.flatMap((issue) => {
    const path = [...before, ...issue.path]
    if (issue.code === 'invalid_type') return [path]
    return issue.code === 'invalid_union' ? typePaths(issue.errors.flat(), path) : []
  })
}

/**
 * Replaces the whole float at this path by its number. Its representation is the only JSON value with functions.
 * Returns false if there is none.
 */
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
