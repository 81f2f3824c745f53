/**
 * How well a text matches what was typed; null if it doesn't. The typed words can be in any order, and each is found
 * at the beginning of a word, inside one, or as the initials of several (`nf` finds `New flow`), ranked in this
 * order.
 */
export function scoreMatch(typed: string, text: string): number | null {
  const haystack = text.toLowerCase()
  let score = 0
  for (const word of typed.toLowerCase().split(/\s+/)) {
    if (word === '') continue
    const worth = scoreWord(word, haystack)
    if (worth === null) return null
    score += worth
  }
  return score - Math.min(haystack.length, 100) / 1_000
}

function scoreWord(word: string, text: string): number | null {
  if (text.startsWith(word)) return 4
  const at = text.indexOf(word)
  if (at > 0 && /[^\p{L}\p{N}]/u.test(text[at - 1] ?? '')) return 3
  if (at > 0) return 2
  return hasInitials(word, text) ? 1 : null
}

/** Whether the letters are the initials of words in the text, in order. */
function hasInitials(letters: string, text: string): boolean {
  const initials = text
    .split(/[^\p{L}\p{N}]+/u)
    .map((word) => word[0] ?? '')
    .join('')
  return letters.length > 1 && initials.includes(letters)
}
