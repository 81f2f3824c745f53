import { SaidError, say } from '@millrace/jinja/said'
import { shownText } from './open-text.ts'

/**
 * Expands `{a,b}` and `[1-3]` in a URL. Millrace templates and open parts aren't expanded.
 *
 * @throws SaidError if curl would reject the URL, or there are too many
 */
export function expandUrl(url: string): readonly string[] {
  if (url.length > LONGEST_ADDRESS)
    throw new SaidError(say`it has a URL of more than ${LONGEST_ADDRESS} characters`)
  let expanded: readonly string[] = ['']
  let from = 0
  for (const found of url.matchAll(PATTERN)) {
    const plain = url.slice(from, found.index)
    if (/[{}]/.test(withoutEscapes(plain))) throw unpaired(url)
    const choices = choicesOf(found)
    if (expanded.length * choices.length > MOST)
      throw new SaidError(say`stands for more than ${MOST} requests`)
    expanded = expanded.flatMap((start) => choices.map((choice) => start + unescape(plain) + choice))
    from = found.index + found[0].length
  }
  const rest = url.slice(from)
  if (/[{}]/.test(withoutEscapes(rest))) throw unpaired(url)
  return expanded.map((start) => start + unescape(rest))
}

const unpaired = (url: string) =>
  new SaidError(say`curl finds an unpaired brace in ${shownText(url).slice(0, 100)}`)

const MOST = 50
const LONGEST_ADDRESS = 20_000

/**
 * Matches a template, an open part, an IPv6 host, a set or a range. Brackets with other content are rejected
 * or literal.
 */
// linear: at most `LONGEST_ADDRESS` characters
const PATTERN =
  /\{\{[\s\S]*?\}\}|\uFDD0[^\uFDD1]*\uFDD1|(?<=\/\/(?:[^/?#]*@)?)\[[\w.%]*:[^\]]*\]|\\[{}[\]]|\{([^{}\n]*)\}|\[([^\]\n]*)\]/g

function choicesOf([whole, set, range]: RegExpMatchArray): readonly string[] {
  if (set !== undefined) return splitSet(set)
  if (range === undefined) return [whole.startsWith('\\') ? whole.slice(1) : whole]
  if (range === '') return [whole]
  const letters = /^([a-z])-([a-z])(?::(\d+))?$/i.exec(range)
  const numbers = /^(\d{1,9})-(\d{1,9})(?::(\d{1,9}))?$/.exec(range)
  const step = Number((letters ?? numbers)?.[3] ?? 1)
  const values =
    letters !== null
      ? lettersOf(letters[1] ?? '', letters[2] ?? '', step)
      : numbers !== null
        ? numbersOf(numbers[1] ?? '', numbers[2] ?? '', step)
        : null
  if (values !== null) return values
  const shown = shownText(whole).slice(0, 60)
  throw new SaidError(
    say`curl reads ${shown} in a URL as a range, but it isn't one; write %5B and %5D, or add -g`,
  )
}

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

/** Splits a set at commas. `\,` is a literal comma. */
const splitSet = (set: string) => set.split(/(?<!\\),/).map(unescape)

const unescape = (text: string) => text.replaceAll(/\\([{}[\],])/g, '$1')
const withoutEscapes = (text: string) => text.replaceAll(/\\[{}[\]]/g, '')
