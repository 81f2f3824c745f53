/** What a caller asks the search for: `mueller "order 4711" inv*`. */
import { fieldErrors } from '../../../shared/contract/base/errors.ts'
import { wordsOf } from './words.ts'

/** Words that must stand behind each other. */
export interface Phrase {
  readonly words: readonly string[]
  /** The last word may go on. */
  readonly isPrefix: boolean
}

/** All must be there. */
export type SearchQuery = readonly Phrase[]

const MOST_WORDS = 20
/** Shorter beginnings are those of thousands of different words, which all would have to be read. */
const SHORTEST_PREFIX = 3

/**
 * Words between quotes are a phrase, and so are the parts of a word with signs in it (`a@example.com`); `inv*` finds
 * whatever begins so. No other sign has a meaning.
 *
 * @throws AppError `validation`
 */
export function parseSearch(text: string): SearchQuery {
  const phrases = [...text.matchAll(/"([^"]*)"?(\*?)|([^\s"]+)/g)].flatMap(
    ([, quoted, star, plain = '']): Phrase[] => {
      const words = wordsOf(quoted ?? plain).map((word) => word.text)
      const last = words.at(-1)
      if (last === undefined) return []
      const isPrefix = quoted === undefined ? plain.endsWith('*') : star === '*'
      if (isPrefix && last.length < SHORTEST_PREFIX && /^\p{ASCII}*$/u.test(last))
        throw invalid(`"${last}*" is too short: a prefix needs at least ${SHORTEST_PREFIX} letters`)
      return [{ words, isPrefix }]
    },
  )
  const count = phrases.reduce((sum, { words }) => sum + words.length, 0)
  if (count === 0) throw invalid(`"${text.slice(0, 60)}" has no letters or digits to search for`)
  if (count > MOST_WORDS)
    throw invalid(`has ${count} words; at most ${MOST_WORDS} can be searched for at a time`)
  return phrases
}

/** The same for FTS5. Words hold letters and digits alone, so nothing of a caller's text is read as its syntax. */
export function toMatch(query: SearchQuery): string {
  return query.map(({ words, isPrefix }) => `"${words.join(' ')}"${isPrefix ? '*' : ''}`).join(' ')
}

const invalid = (sentence: string) => fieldErrors({ text: [sentence] })
