/**
 * Removes repeated characters from the ends of a string. A regular expression like `/-+$/` would start again
 * at each of them.
 */

/** @param characters the characters to remove, in any order */
export function trimEnd(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--
  return text.slice(0, end)
}

/** Removes the characters at both ends. */
export function trimBoth(text: string, characters: string): string {
  let start = 0
  while (start < text.length && characters.includes(text.charAt(start))) start++
  return trimEnd(text.slice(start), characters)
}

/** The longest suffix of the text that consists only of these characters. */
export function endOf(text: string, character: RegExp): string {
  let start = text.length
  while (start > 0 && character.test(text.charAt(start - 1))) start--
  return text.slice(start)
}

/** Replaces line breaks, with the whitespace around them, by a single space. */
export const joinLines = (text: string) =>
  text.replaceAll(/\s+/g, (space) => (/[\r\n]/.test(space) ? ' ' : space))
