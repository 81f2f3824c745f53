import { hostFilters } from '../base/host-filters.ts'
import { FILTERS } from '../filters/filters.ts'
import { GLOBALS } from '../globals/globals.ts'
import { TEST_LIST } from '../predicates/predicates.ts'
import { nearest } from '../text/closest.ts'
import { checkTemplate, type TemplateProblem } from './check.ts'

export interface RepairedTemplate {
  readonly source: string
  /** False if something else could have been intended. */
  readonly isCertain: boolean
}

export interface RepairOptions {
  /** Whether the source is a bare expression, as in a `when` without tags. */
  readonly expression?: boolean
  /** Names that will be in the context. */
  readonly names: Iterable<string>
}

/** Longer templates aren't repaired, because trying each repair would take too long. */
const LONGEST = 2_000
const MOST_REPAIRS = 10

/**
 * A template without the problems that `checkTemplate` finds in this one: misspelled names are corrected, and tags
 * and brackets closed. Null if it has no problem, or one without a known repair.
 */
export function repairTemplate(source: string, options: RepairOptions): RepairedTemplate | null {
  if (source.length > LONGEST) return null
  const names = [...options.names]
  const firstOf = (text: string) =>
    checkTemplate(text, { ...options, names }).find(({ kind }) => kind !== 'unavailable')
  let text = source
  let isCertain = true
  let problem: TemplateProblem | undefined = firstOf(text)
  if (problem === undefined) return null
  for (let count = 0; problem !== undefined && count < MOST_REPAIRS; count++) {
    const at = offsetOf(text, problem)
    const tried: Tried[] = candidatesFor(text, at, problem, names)
      .filter((candidate) => candidate.source !== text && candidate.source.length <= LONGEST)
      .map((candidate) => ({ ...candidate, next: firstOf(candidate.source) }))
    const accepted: Tried | undefined =
      tried.find(({ next }) => next === undefined) ??
      tried.find((one) => one.next !== undefined && offsetOf(one.source, one.next) > at) ??
      // Names are checked once everything else is right, so a problem at an earlier place can appear later.
      tried.find((one) => one.isCertain && one.next?.message !== problem?.message)
    if (accepted === undefined) return null
    text = accepted.source
    isCertain &&= accepted.isCertain
    problem = accepted.next
  }
  return problem === undefined ? { source: text, isCertain } : null
}

interface Tried extends RepairedTemplate {
  /** The next problem with the template. */
  readonly next: TemplateProblem | undefined
}

/** The opposite of `positionOf`. */
function offsetOf(source: string, { line, column }: Pick<TemplateProblem, 'line' | 'column'>): number {
  let start = 0
  for (let at = 1; at < line; at++) {
    const end = source.indexOf('\n', start)
    if (end === -1) return source.length
    start = end + 1
  }
  let offset = start
  for (let at = 1; at < column && offset < source.length; at++)
    offset += (source.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1
  return offset
}

/** The candidates, most likely first. */
function candidatesFor(
  source: string,
  at: number,
  problem: TemplateProblem,
  names: readonly string[],
): RepairedTemplate[] {
  const { kind, token } = problem
  if (kind === 'undefined') return respelt(source, at, token, [...names, ...GLOBALS.keys()])
  if (kind === 'filter') {
    const isTest = problem.message.startsWith('No test')
    const known = isTest
      ? TEST_LIST.flatMap(({ name, aliases }) => [name, ...aliases])
      : [...FILTERS.keys(), ...[...hostFilters.all()].map(({ name }) => name)]
    return respelt(source, source.startsWith(token, at) ? at : source.indexOf(token, at), token, known)
  }
  return kind === 'syntax' ? syntaxRepairs(source, at, problem) : []
}

function respelt(source: string, at: number, wrong: string, known: readonly string[]): RepairedTemplate[] {
  if (wrong === '' || !source.startsWith(wrong, at)) return []
  const near = nearest(wrong, known)
  return near.map((name) => certain(replaced(source, at, wrong.length, name), near.length === 1))
}

const certain = (source: string, isCertain = true): RepairedTemplate => ({ source, isCertain })
const guessed = (source: string): RepairedTemplate => ({ source, isCertain: false })

const replaced = (source: string, at: number, length: number, text: string) =>
  source.slice(0, at) + text + source.slice(at + length)

/** The source with text inserted before the space that ends at an offset. */
function insertedBefore(source: string, at: number, text: string): string {
  const before = source.slice(0, at).trimEnd()
  return before + text + source.slice(before.length)
}

function syntaxRepairs(source: string, at: number, problem: TemplateProblem): RepairedTemplate[] {
  const { hint } = problem
  return [
    ...wordRepairs(source, at, problem),
    ...tagEnds(source, at, hint),
    ...brackets(source, at, problem),
    ...(hint === "The string isn't closed" ? quotes(source, at) : []),
    ...strayOperators(source, at),
    ...missingEnds(source, at, problem),
  ]
}

/** Repairs for tags, and for operators of other languages. */
function wordRepairs(source: string, at: number, { hint, token }: TemplateProblem): RepairedTemplate[] {
  const near = /^Did you mean "(\w+)"/.exec(hint ?? '')?.[1]
  if (near !== undefined && source.startsWith(token, at))
    return [certain(replaced(source, at, token.length, near))]
  for (const [sign, word] of SIGNS) {
    const start = source.startsWith(sign, at) ? at : source.startsWith(sign, at - 1) ? at - 1 : -1
    if (start !== -1) {
      const space = /\s/.test(source[start + sign.length] ?? ' ') ? '' : ' '
      const isSpaced = sign === '!' || /\s/.test(source[start - 1] ?? ' ')
      return [certain(replaced(source, start, sign.length, `${isSpaced ? '' : ' '}${word}${space}`))]
    }
  }
  if (hint === 'Compare with ==') return [certain(replaced(source, at, 1, '=='))]
  const before = source.slice(0, at)
  if (/\{%[-+]?\s{0,9}else\s{1,9}$/.test(before) && source.startsWith('if', at)) {
    const start = before.lastIndexOf('else')
    return [certain(replaced(source, start, at + 2 - start, 'elif'))]
  }
  if (source.startsWith('end', at) && /\{%[-+]?\s{0,9}$/.test(before)) {
    const parted = /^end[\s_]{1,9}(\w{1,20})/.exec(source.slice(at, at + 40))
    if (parted !== null) return [certain(replaced(source, at, parted[0].length, `end${parted[1]}`))]
  }
  return []
}

const SIGNS: readonly (readonly [sign: string, word: string])[] = [
  ['&&', 'and'],
  ['||', 'or'],
  ['!', 'not'],
]

/** The start of the tag around an offset, and its closing characters. */
function tagAround(source: string, at: number): { readonly start: number; readonly end: string } | null {
  const [print, block] = [source.lastIndexOf('{{', at), source.lastIndexOf('{%', at)]
  if (print === -1 && block === -1) return null
  return print > block ? { start: print, end: '}}' } : { start: block, end: '%}' }
}

/** Repairs for a tag that ends with the other tag's end, or with half of its own. */
function tagEnds(source: string, at: number, hint: string | null): RepairedTemplate[] {
  const tag = tagAround(source, at)
  if (tag === null || source[at] !== '}' || hint !== 'Write }} to end the expression') return []
  const start = source[at - 1] === '%' ? at - 1 : at
  const length = start < at ? 2 : source[at + 1] === '}' ? 2 : 1
  const here = certain(replaced(source, start, length, source[start - 1] === ' ' ? tag.end : ` ${tag.end}`))
  const ends = [...source.slice(tag.start + 2, at).matchAll(/[,"\n}]/g)].slice(0, MOST_ENDS)
  const earlier = ends.map(({ index }) =>
    guessed(insertedBefore(source, tag.start + 2 + index, ` ${tag.end}`)),
  )
  return [here, ...earlier]
}

/** The most ends that are tried for a tag that isn't closed and followed by text, as in JSON. */
const MOST_ENDS = 6

/** Repairs for blocks and tags that are still open at the end. */
function missingEnds(source: string, at: number, { message, hint }: TemplateProblem): RepairedTemplate[] {
  const opened = /^"(\w+)" was opened/.exec(hint ?? '')?.[1]
  if (opened !== undefined) return [guessed(`${source}{% end${opened} %}`)]
  if (hint === 'End the comment with #}') return [guessed(`${source.trimEnd()} #}`)]
  if (hint?.startsWith('End it with ') === true) return [guessed(`${source}{% endraw %}`)]
  // linear: at most 40 characters after each place to start at
  const looking = /looking for[^']{0,40}'(end\w+)'/.exec(message)?.[1]
  if (looking !== undefined && source.startsWith('end', at)) {
    const word = /^\w+/.exec(source.slice(at, at + 40))?.[0] ?? ''
    return [guessed(replaced(source, at, word.length, looking))]
  }
  const tag = tagAround(source, at)
  if (tag === null || source.slice(tag.start, at).includes(tag.end)) return []
  if (source.slice(at).trim() === '') return [certain(`${source.trimEnd()} ${tag.end}`)]
  return [guessed(insertedBefore(source, at, ` ${tag.end}`))]
}

function brackets(source: string, at: number, { message }: TemplateProblem): RepairedTemplate[] {
  const [, expected] = /^unexpected '[)\]}]', expected '([)\]}])'/.exec(message) ?? []
  if (expected !== undefined)
    return [guessed(insertedBefore(source, at, expected)), guessed(replaced(source, at, 1, expected))]
  if (!/^unexpected '[)\]]'/.test(message)) return []
  const opening = source[at] === ')' ? '(' : '['
  return [...unopenedCalls(source, at, opening), guessed(replaced(source, at, 1, ''))]
}

const MOST_PLACES = 6

/**
 * Repairs for calls without an opening bracket: names before a string, as in `join', ')`, and other words
 * that begin an argument.
 */
function unopenedCalls(source: string, at: number, opening: string): RepairedTemplate[] {
  const start = tagAround(source, at)?.start ?? 0
  const tag = source.slice(start, at)
  // linear: a word begins after a sign that only occurs there, and nothing in it can begin another
  const afterNames = [...tag.matchAll(/\w(?=['"])|[|&] ?\w+(?= )|\b(?:and|or|not|if|is)(?= )/g)]
  const ends = afterNames.map(({ index, 0: name }) => start + index + name.length)
  const places = [...ends.toReversed().slice(0, MOST_PLACES), start + 2]
  return places.map((place) => {
    const begin = /^\s/.test(source.slice(place)) ? place + 1 : place
    return guessed(replaced(source, begin, 0, opening))
  })
}

const MOST_QUOTES = 6

/** Repairs for quotes: the string begins after one of the preceding signs, or ends before one of the following ones. */
function quotes(source: string, at: number): RepairedTemplate[] {
  const quote = source[at] ?? ''
  const tag = tagAround(source, at)?.start ?? 0
  const begins = [...source.slice(tag, at).matchAll(/[([,=] ?/g)].slice(-MOST_QUOTES)
  const ends = [...source.slice(at + 1).matchAll(/\}\}|%\}|[)\],|]/g)].slice(0, MOST_QUOTES)
  return [
    ...ends.map(({ index }) => guessed(insertedBefore(source, at + 1 + index, quote))),
    ...begins.toReversed().map(({ index }) => guessed(replaced(source, tag + index + 1, 0, quote))),
    ...begins
      .toReversed()
      .map(({ index, 0: sign }) => guessed(replaced(source, tag + index + sign.length, 0, quote))),
  ]
}

/** Repairs for an operator without anything after it. */
function strayOperators(source: string, at: number): RepairedTemplate[] {
  const before = source.slice(0, at).trimEnd()
  if (!/[|.,+~]$/.test(before)) return []
  return [guessed(before.slice(0, -1).trimEnd() + source.slice(before.length))]
}
