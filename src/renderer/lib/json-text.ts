/** JSON as typed text: the place of each value, and the first syntax error. jsonc-parser parses it. */
import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { t } from './i18n.ts'

export interface JsonNode {
  readonly kind: 'object' | 'array' | 'string' | 'other'
  /** Offsets in the text; `to` is after the last character. */
  readonly from: number
  readonly to: number
  readonly members: readonly JsonMember[]
}

export interface JsonMember {
  readonly key: string | number
  /** The range of the key with its quotes, or of the item in a list. */
  readonly from: number
  readonly to: number
  readonly node: JsonNode
}

export interface JsonFault {
  readonly at: number
  readonly message: string
}

/** @returns the value, or the first problem; an empty text has neither */
export function scanJson(text: string): { root: JsonNode | null; fault: JsonFault | null } {
  const errors: ParseError[] = []
  try {
    const root = parseTree(text, errors, { allowEmptyContent: true, disallowComments: true })
    const fault = faultOf(text, errors)
    return { root: root === undefined || fault !== null ? null : toNode(root), fault }
  } catch (error) {
    // jsonc-parser parses brackets recursively.
    if (!(error instanceof RangeError)) throw error
    return { root: null, fault: { at: 0, message: t('This is nested too deeply') } }
  }
}

function toNode({ type, offset, length, children = [] }: Node): JsonNode {
  const kind = type === 'object' || type === 'array' || type === 'string' ? type : 'other'
  return { kind, from: offset, to: offset + length, members: children.flatMap(toMember) }
}

function toMember(child: Node, index: number): JsonMember[] {
  const [key, value] = child.type === 'property' ? (child.children ?? []) : [null, child]
  if (key === undefined || value === undefined) return []
  const { offset, length } = key ?? value
  const name = key === null ? index : String(key.value)
  return [{ key: name, from: offset, to: offset + length, node: toNode(value) }]
}

function faultOf(text: string, [first, second]: readonly ParseError[]): JsonFault | null {
  if (first === undefined) return null
  const { offset, length } = first
  const found = text.slice(offset, offset + length)
  const end = text.trimEnd().length
  const at = (place: number, message: string) => ({
    at: Math.max(0, Math.min(place, text.length - 1)),
    message,
  })
  const before = text.slice(0, offset).trimEnd()
  if (before.endsWith(',') && /^[}\]]/.test(found))
    return at(before.length - 1, t('Remove the comma after the last item'))
  // A word that isn't a value is skipped; the next error says what is missing there.
  const code = printParseErrorCode(first.error)
  const isSkipped = code === 'InvalidSymbol' && second !== undefined && isNext(text, first, second)
  switch (isSkipped ? printParseErrorCode(second.error) : code) {
    case 'UnexpectedEndOfString':
      if (offset + length === text.length) return at(offset, t('This string has no closing quote'))
      return at(offset + length, t('Write a line break in a string as \\n and a tab as \\t'))
    case 'InvalidCharacter':
      return at(
        offset + found.search(/[^ -\uFFFF]/),
        t('Write a line break in a string as \\n and a tab as \\t'),
      )
    case 'InvalidEscapeCharacter':
    case 'InvalidUnicode':
      return at(offset + (VALID_START.exec(found)?.[0].length ?? 0), t('Write a backslash as \\\\'))
    case 'InvalidCommentToken':
      return at(offset, t('JSON can’t contain comments'))
    case 'EndOfFileExpected':
      return at(offset, t('Nothing can follow the end of the value'))
    case 'PropertyNameExpected':
      return at(offset, offset < end ? t('A key in double quotes is expected here') : unfinished())
    case 'ColonExpected':
      return at(offset, offset < end ? t('A colon is expected after the key') : unfinished())
    case 'CommaExpected':
    case 'CloseBraceExpected':
    case 'CloseBracketExpected':
      return at(offset, offset < end ? t('A comma or a closing bracket is expected here') : unfinished())
    default:
      return at(offset, offset < end ? complaint(found) : t('A value is missing at the end'))
  }
}

const isNext = (text: string, { offset, length }: ParseError, next: ParseError): boolean =>
  text.slice(offset + length, next.offset).trim() === ''

/** A string up to its first invalid escape. */
const VALID_START = /^(?:[^\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/

const unfinished = () => t('The text ends before its closing bracket')

function complaint(found: string): string {
  if (found.startsWith("'")) return t('Write strings in double quotes')
  if (/^[,:{}[\]]/.test(found)) return t('A value is expected here')
  return t('“{{word}}” is not a value. Write strings in double quotes', { word: found.slice(0, 30) })
}

/**
 * Finds a field such as `[1].query.cursor` in the text: the position of its key and value, or of the deepest part that
 * exists.
 */
export function findField(root: JsonNode, field: string): { member: JsonMember | null; node: JsonNode } {
  let member: JsonMember | null = null
  let node = root
  let rest = field
  while (rest !== '') {
    const found = longestMember(node, rest)
    if (found === null) break
    member = found.member
    node = found.member.node
    rest = found.rest
  }
  return { member, node }
}

/** Keys may contain dots and brackets themselves, so the longest match is used. */
function longestMember({ members }: JsonNode, rest: string): { member: JsonMember; rest: string } | null {
  const fits = members.flatMap((member) => {
    const written = typeof member.key === 'number' ? `[${member.key}]` : member.key
    const text = rest.startsWith('.') ? rest.slice(1) : rest
    const after = text.slice(written.length)
    return text.startsWith(written) && /^(?:$|[.[])/.test(after)
      ? [{ member, rest: after, length: written.length }]
      : []
  })
  return fits.toSorted((a, b) => b.length - a.length)[0] ?? null
}

/**
 * The offset of a place inside a string value.
 *
 * @param line from 1, in the string without its escapes
 * @param column from 1, in code points
 */
export function offsetInString(text: string, node: JsonNode, line: number, column: number): number {
  let [atLine, atColumn] = [1, 1]
  let at = node.from + 1
  while (at < node.to - 1 && (atLine < line || (atLine === line && atColumn < column))) {
    const piece = /\\u[0-9a-fA-F]{4}|\\.|[\uD800-\uDBFF][\uDC00-\uDFFF]|[^]/y
    piece.lastIndex = at
    const found = piece.exec(text)?.[0] ?? ' '
    at += found.length
    if (found === '\\n') [atLine, atColumn] = [atLine + 1, 1]
    else atColumn += 1
  }
  return at
}
