/** Searches the strings of one run for a query, and shows the matches. */
import { type Phrase, parseSearch, type SearchQuery } from './query.ts'
import type { RunText, TextPlace } from './run-text.ts'
import { fold, wordsOf, type Word } from './words.ts'

export interface TextMatch {
  readonly place: TextPlace
  readonly snippet: string
  /** Matched ranges of the snippet, `[from, to)` in UTF-16 units. */
  readonly marks: readonly (readonly [from: number, to: number])[]
}

/** The first match of each phrase; null if a phrase isn't found. */
export function findIn(texts: Iterable<RunText>, query: SearchQuery): readonly TextMatch[] | null {
  const missing = new Set<Phrase>(query)
  const found: TextMatch[] = []
  // A phrase can start in one string and end in the next, because the index has one row of words for the whole run.
  const most = Math.max(...query.map(({ words }) => words.length)) - 1
  let before: readonly Word[] = []
  for (const text of texts) {
    const own = wordsOf(text.text)
    const words = [...before, ...own]
    const spans: Span[] = []
    for (const phrase of missing) {
      const place = findPhrase(words, phrase)
      if (place === null) continue
      missing.delete(phrase)
      spans.push(spanOf(words.slice(Math.max(place, before.length), place + phrase.words.length)))
    }
    if (spans.length > 0) found.push(toMatch(text, spans))
    if (missing.size === 0) return found
    before = most === 0 ? [] : words.slice(-most)
  }
  return null
}

/** The part around the words of a search, from the first text that has all of them; null if none does. */
export function excerptOf(
  texts: readonly string[],
  search: string,
): Pick<TextMatch, 'snippet' | 'marks'> | null {
  const query = parseSearch(search)
  for (const text of texts) {
    const [match] = findIn(piecesOf(text), query) ?? []
    if (match !== undefined) return { snippet: match.snippet, marks: match.marks }
  }
  return null
}

/** Whether these texts together contain all phrases. */
export function isIn(texts: readonly string[], query: SearchQuery): boolean {
  return (
    findIn(
      texts.map((text) => ({ place: WHOLE, text, isRepeated: false })),
      query,
    ) !== null
  )
}

/** Whether the text can contain the words; if not, it doesn't have to be split into words. */
export function mayContain(text: string, query: SearchQuery): boolean {
  const folded = fold(text)
  return query.every(({ words }) => words.every((word) => folded.includes(word)))
}

const PIECE_CHARACTERS = 65_536

/** Yields pieces, so that text after the matches doesn't have to be split into words. */
function* piecesOf(text: string): Generator<RunText> {
  for (let from = 0; from < text.length || from === 0;) {
    // linear: anchored, of limited length
    const rest = /[\p{L}\p{N}\p{M}]{0,1000}/uy
    rest.lastIndex = from + PIECE_CHARACTERS
    const to = from + PIECE_CHARACTERS + (rest.exec(text)?.[0].length ?? 0)
    yield { place: WHOLE, text: text.slice(from, to), isRepeated: false }
    from = to
  }
}

const WHOLE = { step: null, field: 'request', at: [] } as const

type Span = readonly [from: number, to: number]

/** Covers only the words in the string itself. */
function spanOf(words: readonly Word[]): Span {
  return [words[0]?.from ?? 0, words.at(-1)?.to ?? 0]
}

/** The index of the phrase's first word. */
function findPhrase(words: readonly Word[], { words: wanted, isPrefix }: Phrase): number | null {
  const last = wanted.length - 1
  for (let at = 0; at + last < words.length; at++) {
    let index = 0
    while (index < last && words[at + index]?.text === wanted[index]) index++
    const [word, end] = [words[at + index]?.text, wanted[index]]
    if (index === last && end !== undefined && (isPrefix ? word?.startsWith(end) : word === end)) return at
  }
  return null
}

const SNIPPET_CHARACTERS = 160
/** Number of the snippet's characters before the match. */
const LEAD = 40

function toMatch({ place, text }: RunText, spans: readonly Span[]): TextMatch {
  const sorted = spans.toSorted((a, b) => a[0] - b[0])
  const begin = Math.max(0, (sorted[0]?.[0] ?? 0) - LEAD)
  const from = text.length <= SNIPPET_CHARACTERS ? 0 : wholeCharacter(text, begin)
  const to = wholeCharacter(text, Math.min(text.length, from + SNIPPET_CHARACTERS))
  const [head, tail] = [from > 0 ? '…' : '', to < text.length ? '…' : '']
  const shift = head.length - from
  // Line breaks become spaces, one for one, so that the marks stay in place.
  const shown = text.slice(from, to).replaceAll(/\s/g, ' ')
  const marks = sorted
    .filter(([start, end]) => end > start && end <= to)
    .map(([start, end]) => [start + shift, end + shift] as const)
  return { place, snippet: `${head}${shown}${tail}`, marks }
}

/** Avoids splitting a surrogate pair. */
function wholeCharacter(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff ? at + 1 : at
}
