/** The search syntax: `mueller "order 4711" inv*`. */
import { say, type Said } from '../../../shared/contract/base/message.ts'
import { fieldErrors } from '../../../shared/contract/base/errors.ts'
import { wordsOf } from './words.ts'

/** Words that must follow each other. */
export interface Phrase {
  readonly words: readonly string[]
  /** The last word is only a prefix. */
  readonly isPrefix: boolean
}

/** All phrases must match. */
export type SearchQuery = readonly Phrase[]

const MOST_WORDS = 20
/** A shorter prefix matches thousands of different words, which would all have to be read. */
const SHORTEST_PREFIX = 3

/**
 * Words in quotes are a phrase, and so are the parts of a word with punctuation (`a@example.com`); `inv*` matches words
 * that start with it. No other character is special.
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
        throw invalid(
          say('"{{last}}*" is too short: a prefix needs at least {{least}} letters', {
            last,
            least: SHORTEST_PREFIX,
          }),
        )
      return [{ words, isPrefix }]
    },
  )
  const count = phrases.reduce((sum, { words }) => sum + words.length, 0)
  if (count === 0)
    throw invalid(say('"{{text}}" has no letters or digits to search for', { text: text.slice(0, 60) }))
  if (count > MOST_WORDS)
    throw invalid(
      say('has {{count}} words; at most {{most}} can be searched for at a time', { count, most: MOST_WORDS }),
    )
  return phrases
}

/** The query in FTS5 syntax. Words contain only letters and digits, so no input is read as FTS5 syntax. */
export function toMatch(query: SearchQuery): string {
  return query.map(({ words, isPrefix }) => `"${words.join(' ')}"${isPrefix ? '*' : ''}`).join(' ')
}

const invalid = (sentence: Said) => fieldErrors({ text: [sentence] })
