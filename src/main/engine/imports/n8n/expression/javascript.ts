/** The part of JavaScript that stands in n8n's expressions, read into a tree. Nothing of it is ever run. */

export type Expression =
  | { readonly kind: 'value'; readonly value: string | number | boolean | null }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'member'; readonly of: Expression; readonly key: Expression; readonly optional: boolean }
  | { readonly kind: 'call'; readonly of: Expression; readonly args: readonly Expression[] }
  | { readonly kind: 'not' | 'minus'; readonly of: Expression }
  | { readonly kind: 'two'; readonly operator: string; readonly left: Expression; readonly right: Expression }
  | {
      readonly kind: 'choice'
      readonly test: Expression
      readonly yes: Expression
      readonly no: Expression
    }
  | { readonly kind: 'object'; readonly entries: readonly (readonly [string, Expression])[] }
  | { readonly kind: 'list'; readonly items: readonly Expression[] }
  /** A text in backquotes: texts and expressions in turn. */
  | { readonly kind: 'text'; readonly parts: readonly (string | Expression)[] }

/** Something of JavaScript that is not read here. */
export class NotReadable extends Error {}

/** @throws NotReadable saying what stands in the way */
export function parseJavaScript(source: string): Expression {
  if (source.length > MOST_CHARACTERS) throw new NotReadable('it is too long')
  const reader = new Reader(tokensOf(source))
  const expression = reader.expression()
  reader.end()
  return expression
}

const MOST_CHARACTERS = 10_000
const DEEPEST = 60

interface Token {
  readonly kind: 'name' | 'number' | 'string' | 'sign' | 'text' | 'end'
  readonly text: string
  readonly parts?: readonly (string | Expression)[]
}

const SIGNS =
  /\?\.(?!\d)|\?\?|===|!==|==|!=|<=|>=|&&|\|\||=>|\.\.\.|\+\+|--|\*\*|[-+*/%<>!?:.,()[\]{}=&|^~;]/y
const NAME = /[A-Za-z_$][\w$]*/y
const NUMBER = /(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y
const SPACE = /\s+/y

function tokensOf(source: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at
    const found = pattern.exec(source)?.[0] ?? null
    if (found !== null) at += found.length
    return found
  }
  while (at < source.length) {
    if (take(SPACE) !== null) continue
    const quote = source[at]
    if (quote === '"' || quote === "'") {
      const { text, end } = readString(source, at)
      tokens.push({ kind: 'string', text })
      at = end
      continue
    }
    if (quote === '`') {
      const { parts, end } = readText(source, at)
      tokens.push({ kind: 'text', text: '`', parts })
      at = end
      continue
    }
    const number = take(NUMBER)
    if (number !== null) {
      tokens.push({ kind: 'number', text: number })
      continue
    }
    const name = take(NAME)
    if (name !== null) {
      tokens.push({ kind: 'name', text: name })
      continue
    }
    if (quote === '/' && !endsValue(tokens.at(-1))) throw new NotReadable('it has a regular expression')
    const sign = take(SIGNS)
    if (sign === null) throw new NotReadable(`"${source.slice(at, at + 10)}" is not read here`)
    tokens.push({ kind: 'sign', text: sign })
  }
  tokens.push({ kind: 'end', text: '' })
  return tokens
}

/** Behind a value a slash divides; elsewhere it begins a regular expression. */
function endsValue(token: Token | undefined): boolean {
  if (token === undefined) return false
  return token.kind !== 'sign' || token.text === ')' || token.text === ']' || token.text === '}'
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  0: '\0',
}

function readEscape(source: string, at: number): { readonly text: string; readonly end: number } {
  const letter = source[at + 1] ?? ''
  const hex = /^(?:u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}|x([0-9a-fA-F]{2}))/.exec(
    source.slice(at + 1, at + 11),
  )
  if (hex !== null) {
    const code = Number.parseInt(hex[1] ?? hex[2] ?? hex[3] ?? '0', 16)
    if (code > 0x10ffff) throw new NotReadable('it has a character that does not exist')
    return { text: String.fromCodePoint(code), end: at + 1 + hex[0].length }
  }
  return { text: ESCAPES[letter] ?? letter, end: at + 2 }
}

function readString(source: string, from: number): { readonly text: string; readonly end: number } {
  const quote = source[from]
  let text = ''
  for (let at = from + 1; at < source.length;) {
    if (source[at] === quote) return { text, end: at + 1 }
    if (source[at] === '\\') {
      const escape = readEscape(source, at)
      text += escape.text
      at = escape.end
    } else text += source[at++]
  }
  throw new NotReadable('a text in it has no end')
}

function readText(source: string, from: number) {
  const parts: (string | Expression)[] = []
  let text = ''
  for (let at = from + 1; at < source.length;) {
    if (source[at] === '`') return { parts: [...parts, text], end: at + 1 }
    if (source[at] === '\\') {
      const escape = readEscape(source, at)
      text += escape.text
      at = escape.end
    } else if (source.startsWith('${', at)) {
      const end = closingBrace(source, at + 2)
      parts.push(text, parseJavaScript(source.slice(at + 2, end)))
      text = ''
      at = end + 1
    } else text += source[at++]
  }
  throw new NotReadable('a text in it has no end')
}

function closingBrace(source: string, from: number): number {
  let depth = 0
  for (let at = from; at < source.length; at++) {
    const sign = source[at]
    if (sign === '"' || sign === "'") at = readString(source, at).end - 1
    else if (sign === '`') throw new NotReadable('it has a text within a text')
    else if (sign === '{') depth++
    else if (sign === '}' && depth-- === 0) return at
  }
  throw new NotReadable('a brace in it is not closed')
}

/** From weak to strong; each reads from left to right. */
const LEVELS: readonly (readonly string[])[] = [
  ['??'],
  ['||'],
  ['&&'],
  ['===', '!==', '==', '!='],
  ['<', '>', '<=', '>='],
  ['+', '-'],
  ['*', '/', '%'],
]

class Reader {
  readonly #tokens: readonly Token[]
  #at = 0
  #depth = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  expression(): Expression {
    if (++this.#depth > DEEPEST) throw new NotReadable('it is nested too deep')
    const test = this.#level(0)
    const isChoice = this.#skip('?')
    const whole: Expression = isChoice ? this.#choice(test) : test
    this.#depth--
    return whole
  }

  end(): void {
    this.#skip(';')
    if (this.#token.kind !== 'end') throw this.#unexpected()
  }

  get #token(): Token {
    return this.#tokens[this.#at] ?? { kind: 'end', text: '' }
  }

  #skip(sign: string): boolean {
    const is = this.#token.kind === 'sign' && this.#token.text === sign
    if (is) this.#at++
    return is
  }

  #need(sign: string): void {
    if (!this.#skip(sign)) throw this.#unexpected()
  }

  #unexpected(): NotReadable {
    const { kind, text } = this.#token
    if (text === '=>') return new NotReadable('it has a function')
    return new NotReadable(
      kind === 'end' ? 'it ends in the middle' : `"${text.slice(0, 20)}" is not read here`,
    )
  }

  #choice(test: Expression): Expression {
    const yes = this.expression()
    this.#need(':')
    return { kind: 'choice', test, yes, no: this.expression() }
  }

  #level(level: number): Expression {
    const operators = LEVELS[level]
    if (operators === undefined) return this.#prefixed()
    let left = this.#level(level + 1)
    while (this.#token.kind === 'sign' && operators.includes(this.#token.text)) {
      const operator = this.#token.text
      this.#at++
      left = { kind: 'two', operator, left, right: this.#level(level + 1) }
    }
    return left
  }

  #prefixed(): Expression {
    if (++this.#depth > DEEPEST) throw new NotReadable('it is nested too deep')
    try {
      if (this.#skip('!')) return { kind: 'not', of: this.#prefixed() }
      if (this.#skip('-')) return { kind: 'minus', of: this.#prefixed() }
      return this.#suffixed(this.#first())
    } finally {
      this.#depth--
    }
  }

  #suffixed(first: Expression): Expression {
    let of = first
    for (;;) {
      if (this.#skip('.')) of = { kind: 'member', of, key: this.#key(), optional: false }
      else if (this.#skip('?.')) of = this.#optional(of)
      else if (this.#skip('[')) of = { kind: 'member', of, key: this.#inBrackets(), optional: false }
      else if (this.#skip('(')) of = { kind: 'call', of, args: this.#list(')') }
      else return of
    }
  }

  #optional(of: Expression): Expression {
    if (this.#skip('[')) return { kind: 'member', of, key: this.#inBrackets(), optional: true }
    return { kind: 'member', of, key: this.#key(), optional: true }
  }

  #inBrackets(): Expression {
    const key = this.expression()
    this.#need(']')
    return key
  }

  #key(): Expression {
    const { kind, text } = this.#token
    if (kind !== 'name') throw this.#unexpected()
    this.#at++
    return { kind: 'value', value: text }
  }

  #list(end: string): Expression[] {
    const items: Expression[] = []
    while (!this.#skip(end)) {
      items.push(this.expression())
      if (!this.#skip(',')) {
        this.#need(end)
        break
      }
    }
    return items
  }

  #first(): Expression {
    const { kind, text, parts } = this.#token
    this.#at++
    switch (kind) {
      case 'string':
        return { kind: 'value', value: text }
      case 'number':
        return { kind: 'value', value: Number(text) }
      case 'text':
        return { kind: 'text', parts: parts ?? [] }
      case 'name':
        return named(text)
      case 'sign':
        if (text === '(') return this.#group()
        if (text === '[') return { kind: 'list', items: this.#list(']') }
        if (text === '{') return this.#object()
    }
    this.#at--
    throw this.#unexpected()
  }

  #group(): Expression {
    const inner = this.expression()
    this.#need(')')
    if (this.#token.text === '=>') throw this.#unexpected()
    return inner
  }

  #object(): Expression {
    const entries: (readonly [string, Expression])[] = []
    while (!this.#skip('}')) {
      const { kind, text } = this.#token
      if (kind !== 'name' && kind !== 'string' && kind !== 'number') throw this.#unexpected()
      this.#at++
      if (this.#skip(':')) entries.push([text, this.expression()])
      else throw this.#unexpected()
      if (!this.#skip(',')) {
        this.#need('}')
        break
      }
    }
    return { kind: 'object', entries }
  }
}

const WORDS: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
])
const REFUSED = new Set([
  'new',
  'typeof',
  'await',
  'function',
  'delete',
  'void',
  'in',
  'instanceof',
  'async',
  'class',
])

function named(name: string): Expression {
  const word = WORDS.get(name)
  if (word !== undefined) return { kind: 'value', value: word }
  if (REFUSED.has(name)) throw new NotReadable(`"${name}" is not read here`)
  return { kind: 'name', name }
}
