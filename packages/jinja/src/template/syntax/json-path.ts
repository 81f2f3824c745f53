/** A JSONPath in braces. */
export interface PathToken {
  /** The path, with `$` for its root. */
  readonly path: string
  /** The name it begins with; null for `$`, which means all names together. */
  readonly root: string | null
  readonly end: number
}

/** Whether a source might contain a JSONPath; hardly any does. */
export function mayHoldPaths(source: string): boolean {
  return /\[\s*[*?]|\.\.|\.\*|\$/.test(source)
}

const NAME = /[\p{L}_][\p{L}\p{N}_]*/uy
// linear: sticky, and a shorter name fails at its next character
const MEMBER = /\.[\p{L}_][\p{L}\p{N}_]*(?![\p{L}\p{N}_]|\s*\()/uy
const QUOTED = /\[\s*(?:'[^'\\]*'|"[^"\\]*")\s*\]/y
const NUMBER = /\[\s*(?:-?\d+|-?\d*:-?\d*(?::-?\d*)?)\s*\]/y
/** Matches syntax without a meaning in Jinja, which is wildcards and descendants. */
// linear: sticky, and the look-ahead reads one character
const SPECIAL = /\[\s*\*\s*\]|\.\*|\.\.(?=[\p{L}_*[])(?:[\p{L}_][\p{L}\p{N}_]*|\*)?/uy

/**
 * Reads a JSONPath that begins at `start`: a name or `$` followed by members and at least one of `[*]`, `.*`, `..` and
 * `[?…]`, which are syntax errors in Jinja. Undefined if there is none.
 */
export function readPath(source: string, start: number): PathToken | undefined {
  const isRoot = source[start] === '$'
  const head = isRoot ? start + 1 : matchEnd(NAME, source, start)
  if (head === -1) return undefined
  let at = head
  let special = isRoot
  for (;;) {
    const plain = firstEnd([MEMBER, QUOTED, NUMBER], source, at)
    const next = plain === -1 ? specialEnd(source, at) : plain
    if (next === -1) break
    special ||= plain === -1
    at = next
  }
  if (!special) return undefined
  return { ...rooted(source.slice(start, head), source.slice(head, at)), end: at }
}

/** `$.name…` is read as a path that begins with that name, so that only its value is converted. */
function rooted(head: string, rest: string): { path: string; root: string | null } {
  if (head !== '$') return { path: `$${rest}`, root: head }
  const name = /^\.([\p{L}_][\p{L}\p{N}_]*)|^\[\s*['"]([^'"]*)['"]\s*\]/u.exec(rest)
  const root = name?.[1] ?? name?.[2]
  if (root === undefined) return { path: `$${rest}`, root: null }
  return { path: `$${rest.slice(name?.[0].length)}`, root }
}

function specialEnd(source: string, at: number): number {
  const end = matchEnd(SPECIAL, source, at)
  if (end !== -1) return end
  return /^\[\s*\?/.test(source.slice(at, at + 40)) ? bracketEnd(source, at) : -1
}

/** The position where the bracket that opens at `at` closes, ignoring quotes and inner brackets; -1 if it doesn't. */
function bracketEnd(source: string, at: number): number {
  let depth = 0
  let quote = ''
  for (let index = at; index < source.length; index++) {
    const unit = source[index] ?? ''
    if (quote !== '') {
      if (unit === '\\') index++
      else if (unit === quote) quote = ''
    } else if (unit === '"' || unit === "'") quote = unit
    else if (unit === '[' || unit === '(') depth++
    else if ((unit === ']' || unit === ')') && --depth === 0) return index + 1
  }
  return -1
}

function firstEnd(patterns: readonly RegExp[], source: string, at: number): number {
  for (const pattern of patterns) {
    const end = matchEnd(pattern, source, at)
    if (end !== -1) return end
  }
  return -1
}

function matchEnd(pattern: RegExp, source: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(source) ? pattern.lastIndex : -1
}
