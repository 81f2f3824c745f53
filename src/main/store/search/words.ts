/** Cuts text into the words that the search knows: one way for what is indexed, asked for and shown. */

export interface Word {
  /** Folded: small letters, no accents. */
  readonly text: string
  /** Where it stands in the text it was cut from, in UTF-16 units. */
  readonly from: number
  readonly to: number
}

/** A longer one is an encoded file or key, which nobody types to its end. */
const LONGEST_WORD = 64

/** Scripts without spaces: each sign is a word, and several of them are a phrase. */
const WORDS =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]|[[\p{L}\p{N}\p{M}]--[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]]+/gv
const ASCII_WORDS = /[A-Za-z0-9]+/g
const BEYOND_ASCII = /\P{ASCII}/u

export function wordsOf(text: string): Word[] {
  const words: Word[] = []
  for (const found of text.matchAll(BEYOND_ASCII.test(text) ? WORDS : ASCII_WORDS)) {
    const folded = fold(found[0])
    if (folded !== '') words.push({ text: folded, from: found.index, to: found.index + found[0].length })
  }
  return words
}

/** The words alone, behind each other with a space: what the index is given. */
export function foldedWords(text: string): string {
  const words = text.match(BEYOND_ASCII.test(text) ? WORDS : ASCII_WORDS)
  return words === null ? '' : words.map(fold).join(' ')
}

function fold(word: string): string {
  const small = BEYOND_ASCII.test(word)
    ? word
        .normalize('NFKD')
        .replaceAll(/[^\p{L}\p{N}]/gu, '')
        .toLowerCase()
    : word.toLowerCase()
  return small.length > LONGEST_WORD ? small.slice(0, LONGEST_WORD) : small
}
