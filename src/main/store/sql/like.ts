/**
 * `like` of the contract: ignores case, `%` is any run of characters, everything else, `_` included, is itself.
 * SQLite's own LIKE folds ASCII alone, so patterns with other letters come here.
 */
export function foldedLike(pattern: unknown, value: unknown): 0 | 1 | null {
  if (typeof pattern !== 'string') return null
  if (typeof value !== 'string' && typeof value !== 'number') return null
  return matches(fold(pattern).split('%'), fold(String(value))) ? 1 : 0
}

const fold = (text: string) => text.normalize('NFC').toLowerCase()

/** Each part is taken at its first place behind the one before; no other choice could fit where this does not. */
function matches([first = '', ...rest]: readonly string[], text: string): boolean {
  const last = rest.pop()
  if (last === undefined) return text === first
  if (!text.startsWith(first)) return false
  let place = first.length
  for (const part of rest) {
    const found = text.indexOf(part, place)
    if (found === -1) return false
    place = found + part.length
  }
  return text.length - last.length >= place && text.endsWith(last)
}

/** The same pattern for SQLite's LIKE with `ESCAPE '\'`. */
export const toSqlLike = (pattern: string) => pattern.replaceAll(/[\\_]/g, (character) => `\\${character}`)
