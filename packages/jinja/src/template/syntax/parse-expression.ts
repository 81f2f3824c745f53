import { say } from '../../data/said.ts'
import type { TokenStream } from './stream.ts'
import { describeToken, type Token, type TokenKind } from './token.ts'
import type { Arguments, BinarySign, CompareSign, Expression, Span } from '../base/tree.ts'

/** An expression, with or without `a if b else c`. */
export function parseExpression(stream: TokenStream, withConditional = true): Expression {
  return stream.nested(() => (withConditional ? parseConditional(stream) : parseOr(stream)))
}

export interface TupleOptions {
  /** Whether only names and literals are allowed, as to the left of `=` or `in`. */
  readonly simple?: boolean
  readonly conditional?: boolean
  /** A name that ends the tuple: `in`, `recursive`. */
  readonly endName?: string
  /** Whether this is inside parentheses, where `()` is an empty tuple. */
  readonly parentheses?: boolean
}

/** An expression, or a tuple if there are commas: `1, 2`. */
export function parseTuple(stream: TokenStream, options: TupleOptions = {}): Expression {
  const start = stream.current.start
  const items: Expression[] = []
  let isTuple = false
  for (;;) {
    if (items.length > 0) stream.expect(',')
    if (isTupleEnd(stream, options.endName)) break
    items.push(
      options.simple === true ? parsePrimary(stream) : parseExpression(stream, options.conditional ?? true),
    )
    if (!stream.is(',')) break
    isTuple = true
  }
  const [only] = items
  if (!isTuple && only !== undefined) return only
  if (!isTuple && options.parentheses !== true) {
    throw stream.fail(say`Expected an expression, got '${describeToken(stream.current)}'`)
  }
  return { type: 'tuple', items, start, end: stream.lastEnd }
}

function isTupleEnd(stream: TokenStream, endName: string | undefined): boolean {
  const { kind } = stream.current
  return (
    kind === 'variable_end' ||
    kind === 'block_end' ||
    kind === ')' ||
    (endName !== undefined && stream.isName(endName))
  )
}

function parseConditional(stream: TokenStream): Expression {
  let then = parseOr(stream)
  while (stream.isName('if')) {
    const span = stream.next()
    const test = parseOr(stream)
    const otherwise = stream.skipName('else') ? stream.nested(() => parseConditional(stream)) : null
    then = { type: 'conditional', test, then, otherwise, start: span.start, end: span.end }
  }
  return then
}

function parseOr(stream: TokenStream): Expression {
  let left = parseAnd(stream)
  while (stream.isName('or')) {
    const { start, end } = stream.next()
    left = { type: 'or', left, right: parseAnd(stream), start, end }
  }
  return left
}

function parseAnd(stream: TokenStream): Expression {
  let left = parseNot(stream)
  while (stream.isName('and')) {
    const { start, end } = stream.next()
    left = { type: 'and', left, right: parseNot(stream), start, end }
  }
  return left
}

function parseNot(stream: TokenStream): Expression {
  if (!stream.isName('not')) return parseCompare(stream)
  const { start, end } = stream.next()
  return { type: 'not', operand: stream.nested(() => parseNot(stream)), start, end }
}

const COMPARISONS: ReadonlySet<TokenKind> = new Set<TokenKind>(['==', '!=', '<', '<=', '>', '>='])

function parseCompare(stream: TokenStream): Expression {
  const first = parseSum(stream)
  const rest: { sign: CompareSign; operand: Expression; span: Span }[] = []
  for (;;) {
    const token = stream.current
    if (COMPARISONS.has(token.kind)) {
      stream.next()
      rest.push({ sign: token.kind as CompareSign, operand: parseSum(stream), span: token })
    } else if (stream.skipName('in')) {
      rest.push({ sign: 'in', operand: parseSum(stream), span: token })
    } else if (stream.isName('not') && isNameToken(stream.following, 'in')) {
      stream.next()
      const { end } = stream.next()
      rest.push({ sign: 'not in', operand: parseSum(stream), span: { start: token.start, end } })
    } else break
  }
  const [only] = rest
  if (only === undefined) return first
  return { type: 'compare', first, rest, start: only.span.start, end: only.span.end }
}

const isNameToken = (token: Token, name: string) => token.kind === 'name' && token.text === name

function parseSum(stream: TokenStream): Expression {
  return parseBinary(stream, ['+', '-'], parseConcat)
}

function parseConcat(stream: TokenStream): Expression {
  const first = parseProduct(stream)
  if (!stream.is('~')) return first
  const { start, end } = stream.current
  const items = [first]
  while (stream.skip('~')) items.push(parseProduct(stream))
  return { type: 'concat', items, start, end }
}

function parseProduct(stream: TokenStream): Expression {
  return parseBinary(stream, ['*', '/', '//', '%'], parsePower)
}

/** `**` is left-associative and binds weaker than a sign: `-2 ** 2` is 4, as in Jinja. */
function parsePower(stream: TokenStream): Expression {
  return parseBinary(stream, ['**'], (inner) => parseUnary(inner, true))
}

function parseBinary(
  stream: TokenStream,
  signs: readonly BinarySign[],
  operand: (stream: TokenStream) => Expression,
): Expression {
  let left = operand(stream)
  while (signs.includes(stream.current.kind as BinarySign)) {
    const { kind, start, end } = stream.next()
    left = { type: 'binary', sign: kind as BinarySign, left, right: operand(stream), start, end }
  }
  return left
}

function parseUnary(stream: TokenStream, withFilter: boolean): Expression {
  const { kind, start, end } = stream.current
  let node: Expression
  if (kind === '-' || kind === '+') {
    stream.next()
    const operand = stream.nested(() => parseUnary(stream, false))
    node = { type: kind === '-' ? 'negate' : 'plus', operand, start, end }
  } else {
    node = parsePrimary(stream)
  }
  const whole = parsePostfix(stream, node)
  return withFilter ? parseFilters(stream, whole) : whole
}

const CONSTANTS: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['none', null],
  ['None', null],
])

/** A name, a literal, or something in brackets. */
export function parsePrimary(stream: TokenStream): Expression {
  const token = stream.current
  const { start, end } = token
  switch (token.kind) {
    case 'name': {
      stream.next()
      const constant = CONSTANTS.get(token.text)
      if (constant !== undefined) return { type: 'constant', value: constant, start, end }
      return { type: 'name', name: token.text, start, end }
    }
    case 'string':
      return parseStrings(stream)
    case 'integer':
    case 'float':
      stream.next()
      return { type: 'constant', value: token.value, start, end }
    case 'path':
      stream.next()
      return {
        type: 'path',
        path: token.text,
        root: typeof token.value === 'string' ? token.value : null,
        start,
        end,
      }
    case '(': {
      stream.next()
      const inner = stream.nested(() => parseTuple(stream, { parentheses: true }))
      stream.expect(')')
      return inner
    }
    case '[':
      return parseList(stream)
    case '{':
      return parseDict(stream)
    default:
      throw stream.fail(
        say`unexpected '${describeToken(token)}'`,
        token,
        ENDS.has(token.kind) ? say`A value is missing before it` : null,
      )
  }
}

const ENDS: ReadonlySet<string> = new Set(['variable_end', 'block_end', 'end'])

/** Adjacent literals are one string. */
function parseStrings(stream: TokenStream): Expression {
  const { start } = stream.current
  let text = ''
  while (stream.is('string')) text += stream.next().text
  return { type: 'constant', value: text, start, end: stream.lastEnd }
}

function parseList(stream: TokenStream): Expression {
  const { start } = stream.expect('[')
  const items: Expression[] = []
  while (!stream.is(']')) {
    if (items.length > 0) stream.expect(',')
    if (stream.is(']')) break
    items.push(parseExpression(stream))
  }
  stream.expect(']')
  return { type: 'list', items, start, end: stream.lastEnd }
}

function parseDict(stream: TokenStream): Expression {
  const { start } = stream.expect('{')
  const pairs: { key: Expression; value: Expression }[] = []
  while (!stream.is('}')) {
    if (pairs.length > 0) stream.expect(',')
    if (stream.is('}')) break
    const key = parseExpression(stream)
    stream.expect(':')
    pairs.push({ key, value: parseExpression(stream) })
  }
  stream.expect('}')
  return { type: 'dict', pairs, start, end: stream.lastEnd }
}

/** A value followed by any number of `.name`, `[key]` and `(…)`. */
export function parsePostfix(stream: TokenStream, first: Expression): Expression {
  let node = first
  for (;;) {
    if (stream.is('.')) node = parseAttribute(stream, node)
    else if (stream.is('[')) node = parseSubscript(stream, node)
    else if (stream.is('(')) node = parseCall(stream, node)
    else return node
  }
}

function parseFilters(stream: TokenStream, first: Expression): Expression {
  let node = first
  for (;;) {
    if (stream.is('|')) {
      stream.next()
      node = parseFilter(stream, node)
    } else if (stream.isName('is')) node = parseTest(stream, node)
    else if (stream.is('(')) node = parseCall(stream, node)
    else return node
  }
}

function parseAttribute(stream: TokenStream, owner: Expression): Expression {
  stream.expect('.')
  const token = stream.next()
  const { start, end } = token
  if (token.kind === 'name') return { type: 'attribute', owner, name: token.text, start, end }
  if (token.kind !== 'integer') {
    throw stream.fail(
      say`expected name or number`,
      token,
      say`Put a key that isn't a name in brackets: value["a-b"]`,
    )
  }
  return { type: 'item', owner, key: { type: 'constant', value: token.value, start, end }, start, end }
}

function parseSubscript(stream: TokenStream, owner: Expression): Expression {
  const { start } = stream.expect('[')
  const parts: (Expression | SliceBounds)[] = []
  while (!stream.is(']')) {
    if (parts.length > 0) stream.expect(',')
    parts.push(stream.nested(() => parseSubscribed(stream)))
  }
  stream.expect(']')
  const span = { start, end: stream.lastEnd }
  const [only] = parts
  if (parts.length === 1 && only !== undefined) {
    return 'from' in only && !('type' in only)
      ? { type: 'slice', owner, ...only, ...span }
      : { type: 'item', owner, key: only, ...span }
  }
  // A slice inside a tuple can't be a key of anything, so it needs no value.
  const items = parts.map((part): Expression =>
    'type' in part ? part : { type: 'tuple', items: [], ...span },
  )
  return { type: 'item', owner, key: { type: 'tuple', items, ...span }, ...span }
}

interface SliceBounds {
  readonly from: Expression | null
  readonly to: Expression | null
  readonly step: Expression | null
}

function parseSubscribed(stream: TokenStream): Expression | SliceBounds {
  let from: Expression | null = null
  if (!stream.is(':')) {
    from = parseExpression(stream)
    if (!stream.is(':')) return from
  }
  stream.expect(':')
  const to = isSliceEnd(stream) || stream.is(':') ? null : parseExpression(stream)
  const step = stream.skip(':') && !isSliceEnd(stream) ? parseExpression(stream) : null
  return { from, to, step }
}

const isSliceEnd = (stream: TokenStream) => stream.is(']') || stream.is(',')

function parseCall(stream: TokenStream, callee: Expression): Expression {
  const { start } = stream.current
  const args = stream.nested(() => parseArguments(stream))
  return {
    type: 'call',
    callee,
    args,
    start: callee.type === 'name' ? callee.start : start,
    end: stream.lastEnd,
  }
}

/** A filter after its `|`; without a subject it applies to the body of a block. */
export function parseFilter(stream: TokenStream, subject: Expression | null): Expression {
  const { start } = stream.current
  const name = parseDottedName(stream)
  const { lastEnd: end } = stream
  const args = stream.is('(') ? stream.nested(() => parseArguments(stream)) : NO_ARGUMENTS
  return { type: 'filter', subject, name, args, start, end }
}

const TEST_ARGUMENTS: ReadonlySet<TokenKind> = new Set<TokenKind>([
  'name',
  'string',
  'integer',
  'float',
  '[',
  '{',
])

function parseTest(stream: TokenStream, subject: Expression): Expression {
  stream.expectName('is')
  const negated = stream.skipName('not')
  const { start } = stream.current
  const name = parseDottedName(stream)
  const span = { start, end: stream.lastEnd }
  const test: Expression = { type: 'test', subject, name, args: parseTestArguments(stream), ...span }
  return negated ? { type: 'not', operand: test, ...span } : test
}

function parseTestArguments(stream: TokenStream): Arguments {
  if (stream.is('(')) return stream.nested(() => parseArguments(stream))
  const ends = stream.isName('else') || stream.isName('or') || stream.isName('and')
  if (ends || !TEST_ARGUMENTS.has(stream.current.kind)) return NO_ARGUMENTS
  if (stream.isName('is')) throw stream.fail(say`You cannot chain multiple tests with is`)
  return { ...NO_ARGUMENTS, positional: [parsePostfix(stream, parsePrimary(stream))] }
}

function parseDottedName(stream: TokenStream): string {
  let name = stream.expect('name').text
  while (stream.skip('.')) name += `.${stream.expect('name').text}`
  return name
}

const NO_ARGUMENTS: Arguments = { positional: [], keywords: [], rest: null, names: null }

function parseArguments(stream: TokenStream): Arguments {
  const opening = stream.expect('(')
  const positional: Expression[] = []
  const keywords: { name: string; value: Expression }[] = []
  let rest: Expression | null = null
  let names: Expression | null = null
  const ensure = (holds: boolean) => {
    if (!holds) throw stream.fail(say`invalid syntax for function call expression`, opening)
  }
  let first = true
  while (!stream.is(')')) {
    if (!first) {
      stream.expect(',')
      if (stream.is(')')) break
    }
    first = false
    if (stream.skip('*')) {
      ensure(rest === null && names === null)
      rest = parseExpression(stream)
    } else if (stream.skip('**')) {
      ensure(names === null)
      names = parseExpression(stream)
    } else if (stream.is('name') && stream.following.kind === '=') {
      ensure(names === null)
      const { text: name } = stream.next()
      if (keywords.some((keyword) => keyword.name === name))
        throw stream.fail(say`keyword argument repeated: ${name}`)
      stream.next()
      keywords.push({ name, value: parseExpression(stream) })
    } else {
      ensure(rest === null && names === null && keywords.length === 0)
      positional.push(parseExpression(stream))
    }
  }
  stream.expect(')')
  return { positional, keywords, rest, names }
}
