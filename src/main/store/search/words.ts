/** Splits text into searchable words, in the same way for indexes, queries and display. */

export interface Word {
  /** Folded: lowercase, no accents. */
  readonly text: string
  /** Position in the original string, in UTF-16 units. */
  readonly from: number
  readonly to: number
}

/** A longer word is an encoded file or key, which nobody types in full. */
const LONGEST_WORD = 64

/** In scripts without spaces, each character is a word, and several of them are a phrase. */
// linear: one class of characters, repeated
const WORDS =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]|[[\p{L}\p{N}\p{M}]--[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]]+/gv
const ASCII_WORDS = /[A-Za-z0-9]+/g
const BEYOND_ASCII = /\P{ASCII}/u

export function wordsOf(text: string): Word[] {
  const words: Word[] = []
  for (const found of text.matchAll(BEYOND_ASCII.test(text) ? WORDS : ASCII_WORDS)) {
    const folded = foldWord(found[0])
    if (folded !== '') words.push({ text: folded, from: found.index, to: found.index + found[0].length })
  }
  return words
}

/** Only the words, separated by spaces, as input for the index. */
export function foldedWords(text: string): string {
  const words = text.match(BEYOND_ASCII.test(text) ? WORDS : ASCII_WORDS)
  return words === null ? '' : words.map(foldWord).join(' ')
}

/** Lowercase, without accents; nothing else is changed. */
export function fold(text: string): string {
  return BEYOND_ASCII.test(text)
    ? text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
    : text.toLowerCase()
}

function foldWord(word: string): string {
  const small = BEYOND_ASCII.test(word)
    ? word
        .normalize('NFKD')
        .replaceAll(/[^\p{L}\p{N}]/gu, '')
        .toLowerCase()
    : word.toLowerCase()
  return small.length > LONGEST_WORD ? small.slice(0, LONGEST_WORD) : small
}
