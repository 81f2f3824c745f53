import { checkListSize, maxItems, spend, spendText } from '../base/limits.ts'
import { splitAtText } from './find-text.ts'
import { isSpace, LINE_ENDS, wordsOf } from './white-space.ts'

/** The parts between separators; a negative `limit` splits everywhere. */
export function splitText(text: string, separator: string, limit: number, from: 'left' | 'right'): string[] {
  const parts = splitAtText(text, separator, maxItems() + 1)
  checkListSize(parts.length)
  if (limit < 0 || parts.length <= limit + 1) return parts
  if (from === 'left') return [...parts.slice(0, limit), parts.slice(limit).join(separator)]
  const cut = parts.length - limit
  return [parts.slice(0, cut).join(separator), ...parts.slice(cut)]
}

export function splitWhitespace(text: string, limit: number, from: 'left' | 'right'): string[] {
  if (limit < 0) return wordsOf(text)
  return from === 'left' ? splitWordsLeft(text, limit) : splitWordsRight(text, limit)
}

function splitWordsLeft(text: string, limit: number): string[] {
  const words: string[] = []
  let at = skipRight(text, 0)
  while (at < text.length && words.length < limit) {
    let end = at
    while (end < text.length && !isSpace(text[end] ?? '')) end++
    words.push(text.slice(at, end))
    at = skipRight(text, end)
  }
  return at < text.length ? [...words, text.slice(at)] : words
}

function splitWordsRight(text: string, limit: number): string[] {
  const words: string[] = []
  let end = skipLeft(text, text.length)
  while (end > 0 && words.length < limit) {
    let at = end
    while (at > 0 && !isSpace(text[at - 1] ?? '')) at--
    words.push(text.slice(at, end))
    end = skipLeft(text, at)
  }
  if (end > 0) words.push(text.slice(0, end))
  return words.reverse()
}

function skipRight(text: string, from: number): number {
  let at = from
  while (at < text.length && isSpace(text[at] ?? '')) at++
  return at
}

function skipLeft(text: string, from: number): number {
  let at = from
  while (at > 0 && isSpace(text[at - 1] ?? '')) at--
  return at
}

/** Splits at any of the line ends that Python recognizes. */
export function splitLines(text: string, keepEnds = false): string[] {
  spendText(text.length)
  const lines: string[] = []
  let start = 0
  LINE_END.lastIndex = 0
  for (let end = LINE_END.exec(text); end !== null; end = LINE_END.exec(text)) {
    lines.push(text.slice(start, keepEnds ? LINE_END.lastIndex : end.index))
    start = LINE_END.lastIndex
    if ((lines.length & 4095) === 4095) checkListSize(lines.length)
  }
  if (start < text.length) lines.push(text.slice(start))
  return lines
}

// linear: reads two characters at most
const LINE_END = new RegExp(`\\r\\n|[${LINE_ENDS}]`, 'g')

/** Removes whitespace, or any of `chars`, at one end or both. */
export function stripText(text: string, chars: string | undefined, side: 'start' | 'end' | 'both'): string {
  spendText(text.length)
  if (chars !== undefined) spendText(chars.length * 16)
  const units = chars === undefined ? null : new Set(chars)
  const drops = (unit: string) => (units === null ? isSpace(unit) : units.has(unit))
  let from = 0
  let to = text.length
  if (side !== 'end') {
    while (from < to) {
      spend(0.25)
      const unit = pointAt(text, from)
      if (!drops(unit)) break
      from += unit.length
    }
  }
  if (side !== 'start') {
    while (to > from) {
      spend(0.25)
      const unit = pointBefore(text, to)
      if (!drops(unit)) break
      to -= unit.length
    }
  }
  return text.slice(from, to)
}

const pointAt = (text: string, at: number) => String.fromCodePoint(text.codePointAt(at) ?? 0)

function pointBefore(text: string, at: number): string {
  const pair = text.slice(at - 2, at)
  return pair.length === 2 && (pair.codePointAt(0) ?? 0) > 0xffff ? pair : text.slice(at - 1, at)
}
