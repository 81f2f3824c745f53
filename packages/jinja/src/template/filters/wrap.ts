import { say } from '../../data/said.ts'
import { argumentFault } from '../base/faults.ts'
import { spend, spendText } from '../base/limits.ts'
import { splitLines } from '../text/split.ts'
import { pointLength, Points } from '../text/code-points.ts'

export interface WrapOptions {
  readonly width: number
  readonly breakLongWords: boolean
  readonly breakOnHyphens: boolean
  readonly lineEnd: string
}

/** Python's `textwrap.wrap`, with each line as a separate paragraph. */
export function wrapText(text: string, options: WrapOptions): string {
  return splitLines(text)
    .map((line) => {
      spendText(line.length * 8)
      return wrapLine(line, options).join(options.lineEnd)
    })
    .join(options.lineEnd)
}

function wrapLine(line: string, options: WrapOptions): string[] {
  const { width } = options
  if (width <= 0) throw argumentFault(say`invalid width ${width} (must be > 0)`)
  const chunks = chunksOf(line, options.breakOnHyphens).reverse()
  const lines: string[] = []
  while (chunks.length > 0) {
    if (lines.length > 0 && isBlank(chunks.at(-1))) chunks.pop()
    const words: string[] = []
    let length = 0
    for (let chunk = chunks.at(-1); chunk !== undefined; chunk = chunks.at(-1)) {
      spend(2)
      const size = pointLength(chunk)
      if (length + size > width) break
      words.push(chunk)
      length += size
      chunks.pop()
    }
    const next = chunks.at(-1)
    if (next !== undefined && pointLength(next) > width) breakLongWord(chunks, words, length, options)
    if (isBlank(words.at(-1))) words.pop()
    if (words.length > 0) lines.push(words.join(''))
  }
  return lines
}

const isBlank = (chunk: string | undefined) => chunk !== undefined && chunk.trim() === ''

function breakLongWord(chunks: string[], words: string[], length: number, options: WrapOptions): void {
  const chunk = chunks.pop() ?? ''
  if (!options.breakLongWords) {
    if (words.length === 0) words.push(chunk)
    else chunks.push(chunk)
    return
  }
  const points = new Points(chunk)
  const room = options.width - length
  let end = room
  if (options.breakOnHyphens && points.length > room) {
    const hyphen = points.slice(0, room).lastIndexOf('-')
    if (hyphen > 0 && /[^-]/.test(points.slice(0, hyphen)))
      end = pointLength(points.slice(0, room).slice(0, hyphen)) + 1
  }
  words.push(points.slice(0, end))
  if (end < points.length) chunks.push(points.slice(end, points.length))
}

const SPACES = /[\t\n\v\f\r ]+/y
const WORD = /[^\t\n\v\f\r ]+/y

function chunksOf(line: string, onHyphens: boolean): string[] {
  const chunks: string[] = []
  for (let at = 0; at < line.length;) {
    spend(2)
    SPACES.lastIndex = at
    const spaces = SPACES.exec(line)?.[0]
    WORD.lastIndex = at
    const word = spaces ?? WORD.exec(line)?.[0] ?? ''
    if (spaces !== undefined || !onHyphens) chunks.push(word)
    else chunks.push(...splitHyphens(word))
    at += word.length
  }
  return chunks
}

/** Where a word can be broken: after a hyphen between letters, and around a dash of several hyphens. */
function splitHyphens(word: string): string[] {
  const parts: string[] = []
  let from = 0
  for (let at = 0; at < word.length; at++) {
    if (word[at] !== '-') continue
    spend(4)
    let end = at
    while (word[end] === '-') end++
    if (end - at >= 2 && at > from && isWordCharacter(word[at - 1], true) && isWordCharacter(word[end])) {
      parts.push(word.slice(from, at), word.slice(at, end))
      from = end
    } else if (end - at === 1 && breaksAfter(word, at)) {
      parts.push(word.slice(from, end))
      from = end
    }
    at = end - 1
  }
  parts.push(word.slice(from))
  return parts.filter((part) => part !== '')
}

const isWordCharacter = (unit: string | undefined, punctuation = false) =>
  unit !== undefined && (/[\p{L}\p{N}_]/u.test(unit) || (punctuation && /["'&.,?!]/.test(unit)))

/** Requires two letters (or a letter and a hyphen) before it and two after. */
function breaksAfter(word: string, at: number): boolean {
  const before = word.slice(Math.max(0, at - 2), at)
  const after = word.slice(at + 1, at + 4)
  return /^(?:[^\d\W]-|[\p{L}_]{2})$/u.test(before) && /^[\p{L}_]-?[\p{L}_]/u.test(after)
}
