import { say } from '../../data/said.ts'
import { type Matcher, RE2JS, RE2JSException } from 're2js'
import { argumentFault } from '../base/faults.ts'
import { checkTextSize, spend, spendText } from '../base/limits.ts'
import { needInt, needText } from '../methods/arguments.ts'
import { List } from '../values/containers.ts'
import { findText } from '../text/find-text.ts'
import { intOf } from '../values/numbers.ts'
import { textOf } from '../values/repr.ts'
import { isTrue } from '../values/truth.ts'
import { Undefined } from '../base/undefined.ts'
import type { Value } from '../base/value.ts'
import { type Filter, filter } from '../calls/operation.ts'

/** Regular expressions, in an engine whose time is linear in the input. */
export const REGEX_FILTERS: readonly Filter[] = [
  filter(
    'regex_findall',
    'pattern, ignorecase=false, multiline=false',
    "All matches; with groups, the groups' values.",
    (value, [pattern, ignoreCase, multiline]) => {
      const matcher = matcherFor(value, pattern, ignoreCase, multiline)
      const found: Value[] = []
      while (matcher.find()) {
        spend(2 + matcher.groupCount())
        found.push(matcher.groupCount() === 0 ? groupText(matcher, 0) : matchedGroups(matcher))
      }
      return new List(found)
    },
  ),
  filter(
    'regex_replace',
    "pattern, replacement='', ignorecase=false, multiline=false, count=0",
    'Replaces every match; \\1 and \\g<name> insert groups.',
    (value, [pattern, replacement, ignoreCase, multiline, count]) => {
      const text = subjectOf(value)
      const matcher = matcherFor(text, pattern, ignoreCase, multiline)
      return replaceMatches(
        text,
        matcher,
        parseReplacement(needText('replacement', replacement)),
        Number(needInt(count)),
      )
    },
  ),
  filter(
    'regex_search',
    'pattern, group=none, ignorecase=false, multiline=false',
    'The first match, or one of its groups; none if nothing matches.',
    (value, [pattern, group, ignoreCase, multiline]) => {
      const matcher = matcherFor(value, pattern, ignoreCase, multiline)
      return matcher.find() ? groupText(matcher, group === null ? 0 : groupOf(group)) : null
    },
  ),
]

const MAX_PATTERN = 1000
/** A larger program comes from repetition counts, as in `(a{900}){900}`. */
const MAX_PROGRAM = 10_000
const MAX_PATTERNS = 200

const patterns = new Map<string, RE2JS>()

function matcherFor(value: Value, pattern: Value, ignoreCase: Value, multiline: Value): Matcher {
  const text = subjectOf(value)
  const regex = regexOf(needText('pattern', pattern), isTrue(ignoreCase), isTrue(multiline))
  spend(20)
  // An object instead of a string, because strings can't charge; the types only know strings.
  return regex.matcher(new WatchedText(text, regex.programSize()) as unknown as string)
}

/**
 * A string that charges for each character a matcher reads. A match takes time in proportion to the input and the
 * pattern, and finding all matches can repeat that for each. This is the only place to interrupt a search.
 */
class WatchedText extends String {
  private readonly text: string
  private readonly steps: number

  constructor(text: string, programSize: number) {
    super(text)
    this.text = text
    // Each character may be compared with each instruction, which takes about 30 ns.
    this.steps = Math.max(programSize, 8) / 64
  }

  override charCodeAt(at: number): number {
    spend(this.steps)
    return this.text.charCodeAt(at)
  }

  override indexOf(part: string, from = 0): number {
    spendText(this.text.length - from)
    return findText(this.text, part, from)
  }
}

function subjectOf(value: Value): string {
  if (value instanceof Undefined) throw value.fault()
  const text = textOf(value)
  checkTextSize(text.length)
  return text
}

function regexOf(source: string, ignoreCase: boolean, multiline: boolean): RE2JS {
  if (source.length > MAX_PATTERN)
    throw argumentFault(say`The pattern has ${source.length} characters; at most ${MAX_PATTERN} are allowed`)
  const flags = (ignoreCase ? RE2JS.CASE_INSENSITIVE : 0) | (multiline ? RE2JS.MULTILINE : 0)
  const key = `${flags}:${source}`
  const known = patterns.get(key)
  if (known !== undefined) return known
  const regex = compile(source, flags)
  if (patterns.size >= MAX_PATTERNS) patterns.clear()
  patterns.set(key, regex)
  return regex
}

function compile(source: string, flags: number): RE2JS {
  spend(source.length * 4)
  let regex
  try {
    regex = RE2JS.compile(source, flags)
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    throw argumentFault(
      say`The pattern isn't valid: ${error.message}`,
      say`Look-around and back references aren't supported`,
    )
  }
  if (regex.programSize() > MAX_PROGRAM) throw argumentFault(say`The pattern's repetition count is too large`)
  return regex
}

function groupOf(group: Value): number | string {
  const index = intOf(group)
  if (index !== undefined) return Number(index)
  const text = needText('group', group)
  const [, name = text] = /^\\(?:g<(\w+)>|(\d+))$/.exec(text) ?? []
  return /^\d+$/.test(name) ? Number(name) : name
}

function groupText(matcher: Matcher, group: number | string): string {
  try {
    return matcher.group(group) ?? ''
  } catch {
    throw argumentFault(say`The pattern has no group ${JSON.stringify(group)}`)
  }
}

function matchedGroups(matcher: Matcher): Value {
  const groups = Array.from({ length: matcher.groupCount() }, (_, index) => groupText(matcher, index + 1))
  return groups.length === 1 ? (groups[0] ?? '') : new List(groups)
}

type Piece = string | { readonly group: number | string }

/** Python's replacement strings: `\1`, `\g<1>`, `\g<name>`, `\n`, `\\`. */
function parseReplacement(text: string): Piece[] {
  const pieces: Piece[] = []
  let from = 0
  for (const match of text.matchAll(/\\(?:g<(\w+)>|(\d{1,2})|(.))/gs)) {
    const [whole, name, index, character] = match
    pieces.push(text.slice(from, match.index))
    if (character !== undefined) pieces.push(escapeText(character))
    else pieces.push({ group: groupOf(name ?? Number(index)) })
    from = match.index + whole.length
  }
  return [...pieces, text.slice(from)]
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '\\': '\\' }

const escapeText = (character: string) => ESCAPES[character] ?? `\\${character}`

function replaceMatches(text: string, matcher: Matcher, pieces: readonly Piece[], count: number): string {
  let result = ''
  let from = 0
  let left = count <= 0 ? Infinity : count
  while (left-- > 0 && matcher.find()) {
    spend(2 + pieces.length)
    result += text.slice(from, matcher.start())
    for (const piece of pieces) result += typeof piece === 'string' ? piece : groupText(matcher, piece.group)
    from = matcher.end()
    checkTextSize(result.length / 64)
  }
  checkTextSize(result.length + text.length - from)
  return result + text.slice(from)
}
