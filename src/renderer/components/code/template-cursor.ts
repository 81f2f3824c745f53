/** Determines what can follow from the text before the cursor: the basis of completion, hover and inserting. */
import { endOf } from '../../../shared/trim.ts'

/** The word being written at the cursor; `from` is the start of the word that a choice replaces. */
export type TemplateCursor =
  | { readonly kind: 'text' }
  /** A name in the context, or a global. */
  | { readonly kind: 'name'; readonly from: number }
  /** A key or method of what `path` names; `dot` is the position of the dot, for keys that need brackets. */
  | { readonly kind: 'key'; readonly from: number; readonly path: string; readonly dot: number }
  | { readonly kind: 'filter'; readonly from: number }
  | { readonly kind: 'test'; readonly from: number }
  | { readonly kind: 'tag'; readonly from: number }

const TEXT: TemplateCursor = { kind: 'text' }
// linear: read in the last `LONGEST_PATH` characters
const PATH = /[A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\[(?:-?\d+|'[^']*'|"[^"]*")\])*$/

const LONGEST_PATH = 500

/** @param bare the whole text is one expression, without braces */
export function templateCursor(text: string, position: number, bare: boolean): TemplateCursor {
  const opened = bare ? { from: 0, isTag: false } : openTag(text.slice(0, position))
  if (opened === null) return TEXT
  const inside = text.slice(opened.from, position)
  const word = endOf(inside, /\w/).replace(/^\d+/, '')
  const before = inside.slice(0, inside.length - word.length)
  const from = position - word.length
  if (isInString(before)) return TEXT
  if (opened.isTag && /^-?\s*$/.test(before)) return { kind: 'tag', from }
  if (/\.\s*$/.test(before)) {
    const dot = from - (before.length - before.lastIndexOf('.'))
    const path = PATH.exec(before.slice(0, before.lastIndexOf('.')).slice(-LONGEST_PATH))?.[0]
    return path === undefined ? TEXT : { kind: 'key', from, path, dot }
  }
  if (/\|\s*$/.test(before)) return { kind: 'filter', from }
  if (/\bis\s+(?:not\s+)?$/.test(before)) return { kind: 'test', from }
  if (/[\d)\]'"]\s*$/.test(before) || endsWithName(before)) return TEXT
  return { kind: 'name', from }
}

/** After a complete name only an operator can follow, not another name. */
function endsWithName(before: string): boolean {
  const [, dot, name] = /(^|.)\b([A-Za-z_]\w*)\s+$/s.exec(before) ?? []
  return name !== undefined && (dot === '.' || !NAME_FOLLOWS.has(name))
}

const NAME_FOLLOWS = new Set(
  'and or not in is if else elif for set with do call filter macro block include import from as'.split(' '),
)

/** The path at a position and its range, such as `web1.order.id`; or the filter there. */
export function wordAt(
  text: string,
  position: number,
  bare: boolean,
): {
  readonly kind: 'path' | 'filter'
  readonly text: string
  readonly from: number
  readonly to: number
} | null {
  let to = position
  while (to < text.length && /\w/.test(text[to] as string)) to += 1
  if (!bare && openTag(text.slice(0, to)) === null) return null
  const path = PATH.exec(text.slice(0, to))?.[0]
  if (path === undefined) return null
  const from = to - path.length
  if (position < from) return null
  const isFilter = /\|\s*$/.test(text.slice(0, from))
  return { kind: isFilter ? 'filter' : 'path', text: path, from, to }
}

/** Whether the cursor is inside braces, where a path needs none. */
export function isInsideTag(text: string, position: number): boolean {
  return openTag(text.slice(0, position)) !== null
}

function openTag(before: string): { from: number; isTag: boolean } | null {
  const output = before.lastIndexOf('{{')
  const statement = before.lastIndexOf('{%')
  const from = Math.max(output, statement)
  if (from === -1) return null
  const closed = Math.max(closeAfter(before, from, '}}'), closeAfter(before, from, '%}'))
  return closed === -1 ? { from: from + 2, isTag: statement > output } : null
}

/** Closing braces that aren't in a string. */
function closeAfter(text: string, from: number, close: string): number {
  for (let at = text.indexOf(close, from + 2); at !== -1; at = text.indexOf(close, at + 1))
    if (!isInString(text.slice(from + 2, at))) return at
  return -1
}

function isInString(text: string): boolean {
  let quote = ''
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] as string
    if (quote === '') quote = sign === '"' || sign === "'" ? sign : ''
    else if (sign === '\\') at += 1
    else if (sign === quote) quote = ''
  }
  return quote !== ''
}
