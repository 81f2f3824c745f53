/** The name of a table or column, which may contain anything but NUL, for a statement of SQLite or PostgreSQL. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
