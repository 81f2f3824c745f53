/** JSON as the text it is typed as: where each value stands, and what keeps it from being JSON. */
import { t } from './i18n.ts'
export interface JsonNode {
  readonly kind: 'object' | 'array' | 'string' | 'other'
  /** Offsets in the text; `to` is behind the last character. */
  readonly from: number
  readonly to: number
  readonly members: readonly JsonMember[]
}

export interface JsonMember {
  readonly key: string | number
  /** Of the key with its quotes; of the element in a list. */
  readonly from: number
  readonly to: number
  readonly node: JsonNode
}

export interface JsonFault {
  readonly at: number
  readonly message: string
}

/** @returns the value, or the first fault; a text without anything has neither */
export function scanJson(text: string): { root: JsonNode | null; fault: JsonFault | null } {
  const scanner = new Scanner(text)
  try {
    return { root: scanner.document(), fault: null }
  } catch (error) {
    if (error instanceof ScanFault) return { root: null, fault: { at: error.at, message: error.message } }
    throw error
  }
}

class ScanFault extends Error {
  readonly at: number

  constructor(at: number, message: string) {
    super(message)
    this.at = at
  }
}

const MAX_DEPTH = 200

class Scanner {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  document(): JsonNode | null {
    this.#skip()
    if (this.#at === this.#text.length) return null
    const root = this.#value(0)
    this.#skip()
    if (this.#at < this.#text.length) throw this.#fault(t('Nothing may follow the end of the value'))
    return root
  }

  #value(depth: number): JsonNode {
    if (depth > MAX_DEPTH) throw this.#fault(t('This is nested too deeply'))
    const char = this.#text[this.#at]
    if (char === '{') return this.#object(depth)
    if (char === '[') return this.#array(depth)
    if (char === '"') return this.#string()
    const word = /[^\s,:{}[\]"]*/y
    word.lastIndex = this.#at
    const found = word.exec(this.#text)?.[0] ?? ''
    if (!PLAIN.test(found)) throw this.#fault(complaint(char, found))
    const from = this.#at
    this.#at += found.length
    return { kind: 'other', from, to: this.#at, members: [] }
  }

  #object(depth: number): JsonNode {
    const from = this.#at
    const members: JsonMember[] = []
    this.#at += 1
    this.#skip()
    while (this.#text[this.#at] !== '}') {
      if (this.#text[this.#at] !== '"')
        throw this.#fault(this.#ended() ?? t('A key in double quotes belongs here'))
      const key = this.#string()
      this.#skip()
      this.#expect(':', t('A colon belongs behind the key'))
      this.#skip()
      const node = this.#value(depth + 1)
      members.push({ key: read(this.#text.slice(key.from, key.to)), from: key.from, to: key.to, node })
      this.#separate('}')
    }
    this.#at += 1
    return { kind: 'object', from, to: this.#at, members }
  }

  #array(depth: number): JsonNode {
    const from = this.#at
    const members: JsonMember[] = []
    this.#at += 1
    this.#skip()
    while (this.#text[this.#at] !== ']') {
      const node = this.#value(depth + 1)
      members.push({ key: members.length, from: node.from, to: node.to, node })
      this.#separate(']')
    }
    this.#at += 1
    return { kind: 'array', from, to: this.#at, members }
  }

  #separate(end: string): void {
    this.#skip()
    if (this.#text[this.#at] === end) return
    const comma = this.#at
    this.#expect(',', end === '}' ? 'A comma or } belongs here' : t('A comma or ] belongs here'))
    this.#skip()
    if (this.#text[this.#at] === end)
      throw new ScanFault(comma, t('There must be no comma behind the last one'))
  }

  #string(): JsonNode {
    const from = this.#at
    for (this.#at += 1; this.#text[this.#at] !== '"'; this.#at += 1) {
      const char = this.#text[this.#at]
      if (char === undefined) throw new ScanFault(from, t('This text has no closing quote'))
      if (char < ' ') throw this.#fault(t('A line break in a text is written \\n'))
      if (char !== '\\') continue
      this.#at += 1
      if (!/["\\/bfnrtu]/.test(this.#text[this.#at] ?? ''))
        throw this.#fault(t('A backslash is written \\\\'))
    }
    this.#at += 1
    return { kind: 'string', from, to: this.#at, members: [] }
  }

  #expect(char: string, message: string): void {
    if (this.#text[this.#at] !== char) throw this.#fault(this.#ended() ?? message)
    this.#at += 1
  }

  #skip(): void {
    while (' \t\n\r'.includes(this.#text[this.#at] ?? '-')) this.#at += 1
  }

  #ended(): string | null {
    return this.#at >= this.#text.length ? t('The text ends before its closing bracket') : null
  }

  #fault(message: string): ScanFault {
    return new ScanFault(Math.min(this.#at, Math.max(0, this.#text.length - 1)), message)
  }
}

const PLAIN = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/

function complaint(char: string | undefined, word: string): string {
  if (char === undefined) return t('A value is missing at the end')
  if (char === "'") return t('Texts stand in double quotes')
  return word === ''
    ? t('A value belongs here')
    : `"${word.slice(0, 30)}" is no value; texts stand in double quotes`
}

function read(quoted: string): string {
  try {
    return JSON.parse(quoted) as string
  } catch {
    return quoted.slice(1, -1)
  }
}

/** Where in a text a field such as `[1].query.cursor` stands: its key and its value; the deepest that is there. */
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

/** Keys may hold dots and brackets themselves, so the longest that fits is taken. */
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
 * @param line from 1, in the string as it reads without its escapes
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
