import { LIMITS } from '../../../shared/contract/base/limits.ts'

/** A file that is imported may have more in it than a body of the API: some descriptions of APIs are 30 MB long. */
export const IMPORT_LIMITS = { maxValues: 5_000_000, maxBytes: LIMITS.importFileBytes }

/** JSON of which nothing is known but that it is JSON. */
export type Plain = Readonly<Record<string, unknown>>

export function isRecord(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The object under a key; an empty one where there is none. */
export function childOf(value: Plain, key: string): Plain {
  const child = Object.hasOwn(value, key) ? value[key] : undefined
  return isRecord(child) ? child : {}
}

/** A text, well formed and without NUL; empty where it is none. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '') : ''
}

/** An entry of a table, looked up by a name from outside. */
export function ownOf<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}
