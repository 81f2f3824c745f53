import { checkTextSize, spend, spendText } from '../base/limits.ts'
import { Points } from './code-points.ts'

/** Puts the first letter in upper case and the rest in lower case. */
export function capitalize(text: string): string {
  const points = new Points(text)
  return upperFirst(points.at(0)) + points.slice(1, points.length).toLowerCase()
}

/** Python's `title()`: each letter after a non-letter is in upper case. */
export function titleCase(text: string): string {
  spendText(text.length * 16)
  return text.replace(/\p{L}+/gu, (word) => {
    spend(2)
    return capitalize(word)
  })
}

export function swapCase(text: string): string {
  spend(text.length * 3)
  return new Points(text)
    .all()
    .map((point) => (point === point.toLowerCase() ? point.toUpperCase() : point.toLowerCase()))
    .join('')
}

/** Whether the string has a letter with a case. */
export function isCased(text: string): boolean {
  spendText(text.length * 16)
  return /[\p{Lu}\p{Ll}\p{Lt}]/u.test(text)
}

/** Whether upper case only follows uncased characters, and lower case only cased ones. */
export function isTitle(text: string): boolean {
  spend(text.length)
  let afterCased = false
  let cased = false
  for (const point of new Points(text).all()) {
    const upper = /[\p{Lu}\p{Lt}]/u.test(point)
    const lower = /\p{Ll}/u.test(point)
    if ((upper && afterCased) || (lower && !afterCased)) return false
    afterCased = upper || lower
    cased ||= afterCased
  }
  return cased
}

export function expandTabs(text: string, size: number): string {
  let column = 0
  let result = ''
  spend(text.length)
  for (const point of new Points(text).all()) {
    if (point === '\t') {
      const width = size > 0 ? size - (column % size) : 0
      checkTextSize(width)
      result += ' '.repeat(width)
      column += width
    } else {
      result += point
      column = point === '\n' || point === '\r' ? 0 : column + 1
    }
  }
  checkTextSize(result.length)
  return result
}

/** Characters that combine two letters: only the first of them is in upper case at the start of a word. */
const DIGRAPHS: Readonly<Record<string, string>> = {
  Ǆ: 'ǅ',
  ǆ: 'ǅ',
  Ǉ: 'ǈ',
  ǉ: 'ǈ',
  Ǌ: 'ǋ',
  ǌ: 'ǋ',
  Ǳ: 'ǲ',
  ǳ: 'ǲ',
}

/** A letter at the start of a word; if it becomes several, like ß, only the first is in upper case. */
function upperFirst(point: string): string {
  const digraph = DIGRAPHS[point]
  if (digraph !== undefined) return digraph
  const upper = point.toUpperCase()
  if (upper.length === 1 || point.length > 1) return upper
  const first = upper.search(/\p{Lu}/u)
  return upper.slice(0, first + 1) + upper.slice(first + 1).toLowerCase()
}
