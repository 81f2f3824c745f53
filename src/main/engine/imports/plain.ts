import { LIMITS } from '../../../shared/contract/base/limits.ts'

/** Imported files can be larger than a request body, because some API descriptions have a size of 30 MB. */
export const IMPORT_LIMITS = { maxValues: 5_000_000, maxBytes: LIMITS.importFileBytes }

/** JSON of unknown structure. */
export type Plain = Readonly<Record<string, unknown>>

export function isRecord(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The object under a key; empty if there is none. */
export function childOf(value: Plain, key: string): Plain {
  const child = Object.hasOwn(value, key) ? value[key] : undefined
  return isRecord(child) ? child : {}
}

/** A well-formed string without NUL; empty if the value isn't one. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '') : ''
}
