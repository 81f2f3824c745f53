import { quoteName } from './quote-name.ts'

/**
 * The part of a merge after `DO`, for SQLite and PostgreSQL, which replaces the record with the same key by the new
 * one.
 *
 * @param absent columns that earlier records had and these don't, which become null
 */
export function replaceOnConflict(
  names: readonly string[],
  key: readonly string[],
  absent: readonly string[],
): string {
  const assigned = [
    ...names
      .filter((name) => !key.includes(name))
      .map((name) => `${quoteName(name)} = excluded.${quoteName(name)}`),
    ...absent.map((name) => `${quoteName(name)} = NULL`),
  ]
  return assigned.length === 0 ? 'NOTHING' : `UPDATE SET ${assigned.join(', ')}`
}
