/**
 * Expands `{a,b}` and `[1-3]` in a URL. Millrace templates and open parts aren't expanded.
 *
 * @returns a sentence if curl would reject the URL, or there are too many
 */
export function expandUrl(url: string): readonly string[] | string {
  if (url.length > LONGEST_ADDRESS) return `it has an address of more than ${LONGEST_ADDRESS} characters`
  let expanded: readonly string[] = ['']
  let from = 0
  for (const found of url.matchAll(PATTERN)) {
    const plain = url.slice(from, found.index)
    if (/[{}]/.test(withoutEscapes(plain)))
      return `curl finds a brace without its pair in ${url.slice(0, 100)}`
    const choices = choicesOf(found)
    if (typeof choices === 'string') return choices
    if (expanded.length * choices.length > MOST) return `stands for more than ${MOST} requests`
    expanded = expanded.flatMap((start) => choices.map((choice) => start + unescape(plain) + choice))
    from = found.index + found[0].length
  }
  const rest = url.slice(from)
  if (/[{}]/.test(withoutEscapes(rest))) return `curl finds a brace without its pair in ${url.slice(0, 100)}`
  return expanded.map((start) => start + unescape(rest))
}

const MOST = 50
const LONGEST_ADDRESS = 20_000

/** A template, an open part, an IPv6 host, a set, a range. Brackets with other content are rejected or literal. */
// linear: of at most `LONGEST_ADDRESS` characters
const PATTERN =
  /\{\{[\s\S]*?\}\}|\uFDD0[^\uFDD1]*\uFDD1|(?<=\/\/(?:[^/?#]*@)?)\[[\w.%]*:[^\]]*\]|\\[{}[\]]|\{([^{}\n]*)\}|\[([^\]\n]*)\]/g

function choicesOf([whole, set, range]: RegExpMatchArray): readonly string[] | string {
  if (set !== undefined) return splitSet(set)
  if (range === undefined) return [whole.startsWith('\\') ? whole.slice(1) : whole]
  if (range === '') return [whole]
  const letters = /^([a-z])-([a-z])(?::(\d+))?$/i.exec(range)
  const numbers = /^(\d{1,9})-(\d{1,9})(?::(\d{1,9}))?$/.exec(range)
  const step = Number((letters ?? numbers)?.[3] ?? 1)
  if (letters !== null) return lettersOf(letters[1] ?? '', letters[2] ?? '', step) ?? badRange(whole)
  if (numbers !== null) return numbersOf(numbers[1] ?? '', numbers[2] ?? '', step) ?? badRange(whole)
  return badRange(whole)
}

const badRange = (whole: string) =>
  `curl reads ${whole.slice(0, 60)} in an address as a range, and it is none; write %5B and %5D, or add -g`

function lettersOf(first: string, last: string, step: number): string[] | null {
  const [from, to] = [first.charCodeAt(0), last.charCodeAt(0)]
  if (step < 1 || to < from || to - from > 25) return null
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, at) =>
    String.fromCharCode(from + at * step),
  )
}

/** A first number with leading zeros keeps its width. */
function numbersOf(first: string, last: string, step: number): string[] | null {
  const [from, to] = [Number(first), Number(last)]
  if (step < 1 || to < from) return null
  const width = first.startsWith('0') ? first.length : 0
  const count = Math.min(Math.floor((to - from) / step) + 1, MOST + 1)
  return Array.from({ length: count }, (_, at) => String(from + at * step).padStart(width, '0'))
}

/** Separated by commas; `\,` is a literal comma. */
const splitSet = (set: string) => set.split(/(?<!\\),/).map(unescape)

const unescape = (text: string) => text.replaceAll(/\\([{}[\],])/g, '$1')
const withoutEscapes = (text: string) => text.replaceAll(/\\[{}[\]]/g, '')
