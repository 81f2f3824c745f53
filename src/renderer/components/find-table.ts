import { toJsonPath } from '../lib/json-rows.ts'

export interface FoundTable {
  readonly rows: readonly Readonly<Record<string, unknown>>[]
  /** Where it stands in the value, as a JSONPath. */
  readonly path: string
}

/** Answers often wrap their list: `{ body: { contacts: […] } }`. */
const DEEPEST = 2
const ROWS_LOOKED_AT = 200

/** The list of dictionaries that a value is or holds; null where there is none. */
export function findTable(value: unknown): FoundTable | null {
  let level: { readonly value: unknown; readonly path: readonly string[] }[] = [{ value, path: [] }]
  for (let depth = 0; depth <= DEEPEST; depth++) {
    for (const { value: each, path } of level)
      if (isTable(each)) return { rows: each, path: toJsonPath(path) }
    level = level.flatMap(({ value: each, path }) =>
      isDictionary(each)
        ? Object.entries(each).map(([key, item]) => ({ value: item, path: [...path, key] }))
        : [],
    )
  }
  return null
}

function isTable(value: unknown): value is FoundTable['rows'] {
  return Array.isArray(value) && value.length > 0 && value.slice(0, ROWS_LOOKED_AT).every(isDictionary)
}

function isDictionary(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
