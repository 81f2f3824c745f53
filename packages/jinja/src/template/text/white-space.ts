import { checkListSize } from '../base/limits.ts'

/** Whitespace according to Python's `str`, for use in a character class: JavaScript's, and five control characters. */
export const SPACES = `\\s${unit(0x1c)}-${unit(0x1f)}${unit(0x85)}`

/** Python's line ends, for use in a character class. */
export const LINE_ENDS = `\\n\\r\\v\\f${unit(0x1c)}-${unit(0x1e)}${unit(0x85)}\\u2028\\u2029`

export function isSpace(character: string): boolean {
  return isSpaceCode(character.charCodeAt(0))
}

export function isSpaceCode(code: number): boolean {
  if (code < 0x80) return (code >= 0x09 && code <= 0x0d) || (code >= 0x1c && code <= 0x20)
  if (code < 0x100) return code === 0x85 || code === 0xa0
  return (
    code === 0x1680 ||
    (code >= 0x2000 && code <= 0x200a) ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x3000
  )
}

/** Splits at whitespace; more words than a list can hold are rejected before they are created. */
export function wordsOf(text: string): string[] {
  const words: string[] = []
  for (let at = 0; at < text.length;) {
    while (at < text.length && isSpaceCode(text.charCodeAt(at))) at++
    const start = at
    while (at < text.length && !isSpaceCode(text.charCodeAt(at))) at++
    if (at > start) words.push(text.slice(start, at))
    if ((words.length & 4095) === 4095) checkListSize(words.length)
  }
  return words
}

function unit(code: number): string {
  return String.fromCharCode(code)
}
