/**
 * `like` of the contract: ignores case, `%` matches any run of characters, everything else, including `_`, matches
 * itself. SQLite's own LIKE only folds ASCII, so patterns with other letters are matched here.
 */
export function foldedLike(pattern: unknown, value: unknown): 0 | 1 | null {
  if (typeof pattern !== 'string') return null
  if (typeof value !== 'string' && typeof value !== 'number') return null
  return matches(fold(pattern).split('%'), fold(String(value))) ? 1 : 0
}

const fold = (text: string) => text.normalize('NFC').toLowerCase()

/** Each part is matched at its first position after the previous part; if that fails, no other choice can succeed. */
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
