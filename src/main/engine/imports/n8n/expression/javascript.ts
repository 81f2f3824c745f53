/** The part of JavaScript that n8n's expressions use, as a tree. acorn parses it; nothing is ever run. */
import {
  type AnyNode,
  type Expression as Parsed,
  parseExpressionAt,
  type Property,
  type SpreadElement,
  type Token,
  tokenizer,
  tokTypes,
} from 'acorn'

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
  /** A template literal: strings and expressions in turn. */
  | { readonly kind: 'text'; readonly parts: readonly (string | Expression)[] }

/** JavaScript that cannot be translated. */
export class NotReadable extends Error {}

/** @throws NotReadable saying which part cannot be translated */
export function readJavaScript(source: string): Expression {
  return read(parseJavaScript(source), 0, source)
}

/**
 * A single expression as acorn parses it; semicolons and comments after it are no part of it.
 *
 * @throws NotReadable not one expression, too long, or nested too deep
 */
export function parseJavaScript(source: string): Parsed {
  if (source.length > MOST_CHARACTERS) throw new NotReadable('it is too long')
  try {
    const tokens = [...tokenizer(source, OPTIONS)]
    checkNesting(tokens)
    const expression = parseExpressionAt(source, 0, OPTIONS)
    const next = tokens.find(({ type, start }) => start >= expression.end && type !== tokTypes.semi)
    if (next !== undefined) throw notRead(source.slice(next.start))
    return expression
  } catch (error) {
    if (error instanceof RangeError) throw new NotReadable('it is nested too deep', { cause: error })
    if (!isSyntaxError(error)) throw error
    throw error.pos < source.length
      ? notRead(source.slice(error.pos))
      : new NotReadable('it ends in the middle')
  }
}

const MOST_CHARACTERS = 10_000
const DEEPEST = 100

/** What the sandbox of code steps runs. With parentheses kept, an expression ends after the last of them. */
const OPTIONS = { ecmaVersion: 2023, preserveParens: true } as const

const OPENING = new Set([tokTypes.parenL, tokTypes.bracketL, tokTypes.braceL, tokTypes.dollarBraceL])
const CLOSING = new Set([tokTypes.parenR, tokTypes.bracketR, tokTypes.braceR])

/** acorn parses brackets recursively, so their depth is checked first. */
function checkNesting(tokens: readonly Token[]): void {
  let depth = 0
  for (const { type } of tokens) {
    if (OPENING.has(type)) depth++
    else if (CLOSING.has(type)) depth--
    if (depth > DEEPEST) throw new NotReadable('it is nested too deep')
  }
}

const isSyntaxError = (error: unknown): error is SyntaxError & { readonly pos: number } =>
  error instanceof SyntaxError && 'pos' in error

const notRead = (code: string) => new NotReadable(`"${code.slice(0, 20)}" is not read here`)

const OPERATORS = new Set([
  '??',
  '||',
  '&&',
  '===',
  '!==',
  '==',
  '!=',
  '<',
  '>',
  '<=',
  '>=',
  '+',
  '-',
  '*',
  '/',
  '%',
])

function read(node: AnyNode, depth: number, source: string): Expression {
  if (depth > DEEPEST) throw new NotReadable('it is nested too deep')
  const refused = () => notRead(source.slice(node.start, node.end))
  const inner = (one: AnyNode | null) => {
    if (one === null) throw refused()
    return read(one, depth + 1, source)
  }
  switch (node.type) {
    case 'ParenthesizedExpression':
    case 'ChainExpression':
      return read(node.expression, depth, source)
    case 'Literal':
      if (node.regex !== undefined) throw new NotReadable('it has a regular expression')
      if (typeof node.value === 'bigint' || node.value === undefined || node.value instanceof RegExp)
        throw refused()
      return { kind: 'value', value: node.value }
    case 'Identifier':
      return { kind: 'name', name: node.name }
    case 'NewExpression':
      if (source.slice(node.start, node.end) !== NEW_DATE) throw refused()
      return { kind: 'name', name: NEW_DATE }
    case 'MemberExpression':
      return {
        kind: 'member',
        of: inner(node.object),
        key: node.computed ? inner(node.property) : { kind: 'value', value: nameOf(node.property, refused) },
        optional: node.optional,
      }
    case 'CallExpression':
      if (node.optional) throw refused()
      return { kind: 'call', of: inner(node.callee), args: node.arguments.map(inner) }
    case 'UnaryExpression':
      if (node.operator !== '!' && node.operator !== '-') throw refused()
      return { kind: node.operator === '!' ? 'not' : 'minus', of: inner(node.argument) }
    case 'BinaryExpression':
    case 'LogicalExpression':
      if (!OPERATORS.has(node.operator)) throw refused()
      return { kind: 'two', operator: node.operator, left: inner(node.left), right: inner(node.right) }
    case 'ConditionalExpression':
      return {
        kind: 'choice',
        test: inner(node.test),
        yes: inner(node.consequent),
        no: inner(node.alternate),
      }
    case 'ArrayExpression':
      return { kind: 'list', items: node.elements.map(inner) }
    case 'ObjectExpression':
      return { kind: 'object', entries: node.properties.map((one) => entryOf(one, inner, refused)) }
    case 'TemplateLiteral':
      return {
        kind: 'text',
        parts: node.quasis.flatMap(({ value }, at) => {
          const expression = node.expressions[at]
          return [value.cooked ?? '', ...(expression === undefined ? [] : [inner(expression)])]
        }),
      }
    case 'ArrowFunctionExpression':
    case 'FunctionExpression':
      throw new NotReadable('it has a function, which is not read here')
    default:
      throw refused()
  }
}

/** The only `new`: templates have the time as well. */
export const NEW_DATE = 'new Date()'

function entryOf(
  one: Property | SpreadElement,
  inner: (value: AnyNode) => Expression,
  refused: () => NotReadable,
): readonly [string, Expression] {
  if (one.type !== 'Property' || one.kind !== 'init' || one.computed || one.shorthand || one.method)
    throw refused()
  return [nameOf(one.key, refused), inner(one.value)]
}

function nameOf(key: AnyNode, refused: () => NotReadable): string {
  if (key.type === 'Identifier') return key.name
  if (key.type === 'Literal' && key.bigint === undefined) return String(key.value)
  throw refused()
}
