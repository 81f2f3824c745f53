/** JSON of unknown structure. */
export type Plain = Readonly<Record<string, unknown>>

export function isRecord(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The object under a key; empty if there is none. */
export function childOf(value: Plain, key: string): Plain {
  const child = ownOf(value, key)
  return isRecord(child) ? child : {}
}

/** A well-formed string without NUL; empty if the value isn't one. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '') : ''
}

/** Looks up an untrusted name in a table. */
export function ownOf<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}
