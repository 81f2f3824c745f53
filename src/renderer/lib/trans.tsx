import { cloneElement, Fragment, isValidElement, type ReactNode } from 'react'
import type { Values } from './catalogue.ts'
import { type English, t } from './i18n.ts'

interface TransProps {
  readonly text: string | English
  readonly values?: Values
  /** Elements by their names in the sentence. */
  readonly parts: Readonly<Record<string, ReactNode>>
}

/**
 * A sentence that contains elements, either as they are, `<keys/>`, or around words of the sentence, `<b>…</b>`:
 * `<Trans text="Press <keys/> to <b>go on</b>" parts={{ keys: <Keys keys="g o" />, b: <b /> }} />`.
 */
export function Trans({ text, values, parts }: TransProps) {
  return splitSentence(t(text, values)).map(({ at, part, words }) => {
    const shown = part === null ? words : parts[part]
    return (
      <Fragment key={at}>
        {isValidElement(shown) && words !== '' ? cloneElement(shown, {}, words) : shown}
      </Fragment>
    )
  })
}

interface Piece {
  readonly at: number
  /** Null for words between the parts. */
  readonly part: string | null
  readonly words: string
}

function splitSentence(sentence: string): readonly Piece[] {
  const pieces: Piece[] = []
  let at = 0
  // linear: the text of a part ends at the next tag
  for (const found of sentence.matchAll(/<([a-z]\w*)(?:\/>|>([^<]*)<\/\1>)/g)) {
    if (found.index > at) pieces.push({ at, part: null, words: sentence.slice(at, found.index) })
    pieces.push({ at: found.index, part: found[1] ?? null, words: found[2] ?? '' })
    at = found.index + found[0].length
  }
  return at < sentence.length ? [...pieces, { at, part: null, words: sentence.slice(at) }] : pieces
}
