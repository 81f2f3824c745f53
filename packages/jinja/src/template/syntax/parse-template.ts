import { say } from '../../data/said.ts'
import { parseExpression, parseFilter, parseTuple } from './parse-expression.ts'
import { TokenStream } from './stream.ts'
import type { Token } from './token.ts'
import type { Expression, MacroParameter, Statement, Target } from '../base/tree.ts'
import { tokenize, tokenizeExpression } from './lexer.ts'
import { closest } from '../text/closest.ts'

/** Parses a template with normalized line ends. */
export function parseTemplate(source: string): Statement[] {
  return new TemplateParser(source, new TokenStream(tokenize(source))).parse()
}

export function parseBareExpression(source: string): Expression {
  const stream = new TokenStream(tokenizeExpression(source))
  const expression = parseTuple(stream)
  if (!stream.is('end')) throw stream.fail(say`unexpected '${stream.current.text}' after the expression`)
  return expression
}

type TagParser = (parser: TemplateParser, tag: Token) => Statement

class TemplateParser {
  readonly stream: TokenStream
  private readonly source: string
  /** Open tags, innermost last. */
  private readonly openTags: Token[] = []
  private readonly expectedEnds: (readonly string[])[] = []

  constructor(source: string, stream: TokenStream) {
    this.source = source
    this.stream = stream
  }

  parse(): Statement[] {
    return this.parseUntil(null)
  }

  /** The body of a block up to one of `ends`, which remains the current token. */
  parseBody(...ends: readonly string[]): Statement[] {
    const { stream } = this
    stream.skip(':')
    stream.expect('block_end')
    const body = stream.nested(() => this.parseUntil(ends))
    if (stream.is('end')) throw this.unexpectedTag(null, [...this.expectedEnds, ends])
    return body
  }

  /** The body of a block with its end tag. */
  parseWholeBody(end: string): Statement[] {
    const body = this.parseBody(end)
    this.stream.next()
    return body
  }

  private parseUntil(ends: readonly string[] | null): Statement[] {
    const { stream } = this
    const body: Statement[] = []
    if (ends !== null) this.expectedEnds.push(ends)
    try {
      while (!stream.is('end')) {
        const token = stream.next()
        const { start, end } = token
        if (token.kind === 'data') body.push({ type: 'text', text: token.text, start, end })
        else if (token.kind === 'variable_begin') body.push(this.parsePrint(token))
        else {
          if (ends !== null && stream.is('name') && ends.includes(stream.current.text)) return body
          body.push(...this.parseStatement())
          stream.expect('block_end')
        }
      }
      return body
    } finally {
      if (ends !== null) this.expectedEnds.pop()
    }
  }

  private parsePrint({ start }: Token): Statement {
    const value = parseTuple(this.stream)
    const { end } = this.stream.expect('variable_end')
    return { type: 'print', value, start, end }
  }

  private parseStatement(): Statement[] {
    const tag = this.stream.current
    if (tag.kind !== 'name') throw this.stream.fail(say`tag name expected`)
    const parse = TAGS.get(tag.text)
    if (parse === undefined) throw this.unexpectedTag(tag, this.expectedEnds)
    this.openTags.push(tag)
    this.stream.next()
    const statement = tag.text === 'print' ? parsePrints(this, tag) : [parse(this, tag)]
    this.openTags.pop()
    return statement
  }

  private unexpectedTag(tag: Token | null, ends: readonly (readonly string[])[]) {
    const looking = ends
      .at(-1)
      ?.map((name) => say`'${name}'`)
      .reduce((before, name) => say`${before} or ${name}`)
    const sentences = [
      tag === null ? say`Unexpected end of template.` : say`Encountered unknown tag '${tag.text}'.`,
    ]
    if (looking !== undefined) {
      const misplaced = tag !== null && ends.some((names) => names.includes(tag.text))
      sentences.push(
        misplaced
          ? say`You probably made a nesting mistake. Jinja is expecting this tag, but currently looking for ${looking}.`
          : say`Jinja was looking for the following tags: ${looking}.`,
      )
    }
    const innermost = this.openTags.at(-1)
    if (innermost !== undefined)
      sentences.push(say`The innermost block that needs to be closed is '${innermost.text}'.`)
    const near = tag === null ? undefined : closest(tag.text, [...TAGS.keys(), ...ends.flat()])
    return this.stream.fail(
      sentences.reduce((before, sentence) => say`${before} ${sentence}`),
      tag ?? this.stream.current,
      near !== undefined
        ? say`Did you mean "${near}"?`
        : tag === null && innermost
          ? this.openedAt(innermost)
          : null,
    )
  }

  private openedAt({ text, start }: Token) {
    const before = this.source.slice(0, start).split('\n')
    return say`"${text}" was opened in line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`
  }
}

const spanOf = ({ start, end }: Token) => ({ start, end })

function parsePrints({ stream }: TemplateParser, tag: Token): Statement[] {
  const prints: Statement[] = []
  while (!stream.is('block_end')) {
    if (prints.length > 0) stream.expect(',')
    const value = parseExpression(stream)
    prints.push({ type: 'print', value, start: tag.start, end: stream.lastEnd })
  }
  return prints
}

function parseIf(parser: TemplateParser, tag: Token): Statement {
  const { stream } = parser
  const branches: { test: Expression; body: Statement[] }[] = []
  let otherwise: Statement[] = []
  for (;;) {
    const test = parseTuple(stream, { conditional: false })
    branches.push({ test, body: parser.parseBody('elif', 'else', 'endif') })
    const next = stream.next().text
    if (next === 'elif') continue
    if (next === 'else') otherwise = parser.parseWholeBody('endif')
    return { type: 'if', branches, otherwise, ...spanOf(tag) }
  }
}

function parseFor(parser: TemplateParser, tag: Token): Statement {
  const { stream } = parser
  const target = parseTarget(stream, { endName: 'in' })
  stream.expectName('in')
  const over = parseTuple(stream, { conditional: false, endName: 'recursive' })
  const test = stream.skipName('if') ? parseExpression(stream) : null
  const recursive = stream.skipName('recursive')
  const body = parser.parseBody('endfor', 'else')
  const otherwise = stream.next().text === 'else' ? parser.parseWholeBody('endfor') : []
  return { type: 'for', target, over, test, recursive, body, otherwise, ...spanOf(tag) }
}

function parseSet(parser: TemplateParser, tag: Token): Statement {
  const { stream } = parser
  const target = parseTarget(stream, { member: true })
  if (stream.skip('=')) return { type: 'set', target, value: parseTuple(stream), ...spanOf(tag) }
  const filter = parseBlockFilters(stream)
  return { type: 'set block', target, filter, body: parser.parseWholeBody('endset'), ...spanOf(tag) }
}

/** Parses `| a | b` after `set name`. */
function parseBlockFilters(stream: TokenStream): Expression | null {
  let filter: Expression | null = null
  while (stream.skip('|')) filter = parseFilter(stream, filter)
  return filter
}

function parseWith(parser: TemplateParser, tag: Token): Statement {
  const { stream } = parser
  const targets: Target[] = []
  const values: Expression[] = []
  while (!stream.is('block_end')) {
    if (targets.length > 0) stream.expect(',')
    targets.push(parseTarget(stream))
    stream.expect('=')
    values.push(parseExpression(stream))
  }
  return { type: 'with', targets, values, body: parser.parseWholeBody('endwith'), ...spanOf(tag) }
}

function parseMacro(parser: TemplateParser, tag: Token): Statement {
  const { text: name } = parser.stream.expect('name')
  assertAssignable(parser.stream, name)
  const parameters = parseParameters(parser.stream)
  return { type: 'macro', name, parameters, body: parser.parseWholeBody('endmacro'), ...spanOf(tag) }
}

function parseCallBlock(parser: TemplateParser, tag: Token): Statement {
  const { stream } = parser
  const parameters = stream.is('(') ? parseParameters(stream) : []
  const call = parseExpression(stream)
  if (call.type !== 'call') throw stream.fail(say`expected call`, tag)
  return { type: 'call block', parameters, call, body: parser.parseWholeBody('endcall'), ...spanOf(tag) }
}

function parseParameters(stream: TokenStream): MacroParameter[] {
  const parameters: MacroParameter[] = []
  stream.expect('(')
  while (!stream.is(')')) {
    if (parameters.length > 0) stream.expect(',')
    const { text: name, start, end } = stream.expect('name')
    assertAssignable(stream, name)
    if (parameters.some((parameter) => parameter.name === name))
      throw stream.fail(say`duplicate argument '${name}'`)
    const fallback = stream.skip('=') ? parseExpression(stream) : null
    if (fallback === null && parameters.some((parameter) => parameter.fallback !== null)) {
      throw stream.fail(say`non-default argument follows default argument`)
    }
    parameters.push({ name, fallback, start, end })
  }
  stream.expect(')')
  return parameters
}

function parseFilterBlock(parser: TemplateParser, tag: Token): Statement {
  const { stream } = parser
  let filter = parseFilter(stream, null)
  while (stream.skip('|')) filter = parseFilter(stream, filter)
  return { type: 'filter block', filter, body: parser.parseWholeBody('endfilter'), ...spanOf(tag) }
}

function parseBlock(parser: TemplateParser, tag: Token): Statement {
  const { stream } = parser
  const { text: name } = stream.expect('name')
  const scoped = stream.skipName('scoped')
  const required = stream.skipName('required')
  if (stream.is('-'))
    throw stream.fail(
      say`Block names may not contain hyphens`,
      stream.current,
      say`Use an underscore instead`,
    )
  const body = parser.parseWholeBody('endblock')
  if (required && !body.every((part) => part.type === 'text' && part.text.trim() === '')) {
    throw stream.fail(say`Required blocks can only contain comments or whitespace`, tag)
  }
  stream.skipName(name)
  return { type: 'block', name, scoped, required, body, ...spanOf(tag) }
}

function parseAutoescape(parser: TemplateParser, tag: Token): Statement {
  const value = parseExpression(parser.stream)
  return { type: 'autoescape', value, body: parser.parseWholeBody('endautoescape'), ...spanOf(tag) }
}

/** Parses `include`, `import`, `from` and `extends` completely, so that errors inside them are found. */
function parseUnsupported(parser: TemplateParser, tag: Token): Statement {
  const { stream } = parser
  const inputs = [parseExpression(stream)]
  const names: string[] = []
  if (tag.text === 'import') {
    stream.expectName('as')
    names.push(stream.expect('name').text)
  } else if (tag.text === 'from') {
    stream.expectName('import')
    do {
      const { text } = stream.expect('name')
      names.push(stream.skipName('as') ? stream.expect('name').text : text)
    } while (stream.skip(','))
  } else if (stream.skipName('ignore')) stream.expectName('missing')
  if (stream.skipName('with') || stream.skipName('without')) stream.expectName('context')
  return { type: 'unsupported', tag: tag.text, names, inputs, ...spanOf(tag) }
}

const TAGS: ReadonlyMap<string, TagParser> = new Map<string, TagParser>([
  ['if', parseIf],
  ['for', parseFor],
  ['set', parseSet],
  ['with', parseWith],
  ['macro', parseMacro],
  ['call', parseCallBlock],
  ['filter', parseFilterBlock],
  ['block', parseBlock],
  ['autoescape', parseAutoescape],
  ['do', (parser, tag) => ({ type: 'do', value: parseTuple(parser.stream), ...spanOf(tag) })],
  ['break', (_parser, tag) => ({ type: 'break', ...spanOf(tag) })],
  ['continue', (_parser, tag) => ({ type: 'continue', ...spanOf(tag) })],
  ['print', (_parser, tag) => ({ type: 'text', text: '', ...spanOf(tag) })],
  ['include', parseUnsupported],
  ['import', parseUnsupported],
  ['from', parseUnsupported],
  ['extends', parseUnsupported],
])

interface TargetOptions {
  readonly endName?: string
  /** Whether `namespace.name` can be assigned to. */
  readonly member?: boolean
}

function parseTarget(stream: TokenStream, { endName, member }: TargetOptions = {}): Target {
  if (member === true && stream.following.kind === '.') {
    const { text: owner, start } = stream.expect('name')
    stream.expect('.')
    const { text: name, end } = stream.expect('name')
    return { type: 'member', owner, name, start, end }
  }
  const tuple = parseTuple(stream, { simple: true, ...(endName === undefined ? {} : { endName }) })
  return toTarget(stream, tuple)
}

const TARGET_NAMES: Readonly<Partial<Record<Expression['type'], string>>> = { constant: 'const' }

function toTarget(stream: TokenStream, expression: Expression): Target {
  const { start, end } = expression
  if (expression.type === 'name') return { type: 'name', name: expression.name, start, end }
  if (expression.type === 'tuple') {
    return { type: 'tuple', items: expression.items.map((item) => toTarget(stream, item)), start, end }
  }
  const name = TARGET_NAMES[expression.type] ?? expression.type
  throw stream.fail(say`can't assign to '${name}'`, { ...stream.current, start, end })
}

function assertAssignable(stream: TokenStream, name: string): void {
  if (['true', 'false', 'none', 'True', 'False', 'None'].includes(name))
    throw stream.fail(say`can't assign to '${name}'`)
}
