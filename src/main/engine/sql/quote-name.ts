import type { DatabaseKind } from './database-kind.ts'

/** The name of a table or column, which may contain anything but NUL, for a statement of SQLite or PostgreSQL. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** Like `quoteName`, but for any kind of database. */
export function quoteIn(kind: DatabaseKind, name: string): string {
  return kind === 'mysql' ? `\`${name.replaceAll('`', '``')}\`` : quoteName(name)
}
