/** The position of the cursor within a configuration. The text need not be valid JSON yet. */
import { endOf } from '../../../../shared/trim.ts'
export type CursorPlace =
  /** A key of a configuration belongs here; `from` is its opening quote, or the cursor. */
  | { readonly kind: 'key'; readonly from: number; readonly siblings: readonly string[] }
  /**
   * A value; `key` is the configuration key it belongs to, at any depth. `text` is the string up to the cursor with
   * its escapes; null outside of strings. `from` is where the string or the word begins.
   */
  | { readonly kind: 'value'; readonly key: string; readonly from: number; readonly text: string | null }

interface Level {
  readonly isList: boolean
  readonly keys: string[]
  /** The key whose value is being read; null if a key belongs here. */
  key: string | null
}

export function cursorPlace(text: string, offset: number): CursorPlace | null {
  const levels: Level[] = []
  let at = 0
  let string: { from: number; isKey: boolean } | null = null
  while (at < offset) {
    const char = text[at]
    const level = levels.at(-1)
    if (char === '"') {
      const isKey: boolean = level !== undefined && !level.isList && level.key === null
      const end = endOfString(text, at, offset)
      if (end === null) {
        string = { from: at, isKey }
        break
      }
      if (isKey) {
        const key = text.slice(at + 1, end)
        level?.keys.push(key)
        // The value follows the colon; before that, this is still a key.
        const colon = /^\s*:/.exec(text.slice(end + 1))
        if (level !== undefined && colon !== null) level.key = key
      }
      at = end
    } else if (char === '{' || char === '[') levels.push({ isList: char === '[', keys: [], key: null })
    else if (char === '}' || char === ']') levels.pop()
    else if (char === ',' && level !== undefined) level.key = null
    at += 1
  }
  return describe(text, offset, levels, string)
}

function describe(
  text: string,
  offset: number,
  levels: readonly Level[],
  string: { from: number; isKey: boolean } | null,
): CursorPlace | null {
  const depth = levels[0]?.isList ? 1 : 0
  const entry = levels[depth]
  if (entry === undefined || entry.isList) return null
  const isEntryLevel = levels.length === depth + 1
  if (entry.key === null) {
    if (!isEntryLevel || (string !== null && !string.isKey)) return null
    const word = endOf(text.slice(0, offset), /\w/).length
    return { kind: 'key', from: string?.from ?? offset - word, siblings: entry.keys }
  }
  if (string !== null)
    return { kind: 'value', key: entry.key, from: string.from + 1, text: text.slice(string.from + 1, offset) }
  if (!isEntryLevel) return null
  const word = endOf(text.slice(0, offset), /\w/).length
  return { kind: 'value', key: entry.key, from: offset - word, text: null }
}

/** The closing quote before the offset; null if the offset is inside. */
function endOfString(text: string, from: number, offset: number): number | null {
  for (let at = from + 1; at < offset; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === '"') return at
    else if (text[at] === '\n') return at // An unclosed string ends with its line, so that the rest stays readable.
  }
  return null
}
