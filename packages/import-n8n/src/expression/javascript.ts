/** Parses JavaScript with acorn; it is never run. */
import { SaidError, say } from '@millrace/jinja/said'
import {
  type AnyNode,
  type Expression as Parsed,
  type MemberExpression,
  parse,
  parseExpressionAt,
  type Program,
  type Token,
  tokenizer,
  tokTypes,
} from 'acorn'

/** Thrown for JavaScript that can't be translated. */
export class NotReadable extends SaidError {}

/**
 * Parses a single expression; semicolons and comments after it are dropped.
 *
 * @throws NotReadable if it isn't a single expression, or is too long or too deeply nested
 */
export function parseJavaScript(source: string): Parsed {
  return reading(source, MOST_CHARACTERS, () => {
    const tokens = [...tokenizer(source, OPTIONS)]
    checkNesting(tokens)
    const expression = parseExpressionAt(source, 0, OPTIONS)
    const next = tokens.find(({ type, start }) => start >= expression.end && type !== tokTypes.semi)
    if (next !== undefined) throw notRead(source.slice(next.start))
    return expression
  })
}

/** The body of an async function. */
export function parseBody(source: string): Program {
  const options = { ...OPTIONS, allowReturnOutsideFunction: true, allowAwaitOutsideFunction: true } as const
  return reading(source, MOST_CODE, () => {
    checkNesting([...tokenizer(source, options)])
    return parse(source, options)
  })
}

function reading<T>(source: string, most: number, read: () => T): T {
  if (source.length > most) throw new NotReadable(say`it is too long`)
  try {
    return read()
  } catch (error) {
    if (error instanceof RangeError) throw new NotReadable(say`it is nested too deeply`)
    if (!isSyntaxError(error)) throw error
    throw error.pos < source.length
      ? notRead(source.slice(error.pos))
      : new NotReadable(say`it is incomplete`)
  }
}

const MOST_CHARACTERS = 10_000
const MOST_CODE = 60_000
const DEEPEST = 100

/**
 * The version that the sandbox of code steps supports. Parentheses are preserved, so that an expression ends after
 * its last parenthesis.
 */
const OPTIONS = { ecmaVersion: 2023, preserveParens: true } as const

const OPENING = new Set([tokTypes.parenL, tokTypes.bracketL, tokTypes.braceL, tokTypes.dollarBraceL])
const CLOSING = new Set([tokTypes.parenR, tokTypes.bracketR, tokTypes.braceR])

/** acorn parses brackets recursively, so their depth is checked first. */
function checkNesting(tokens: readonly Token[]): void {
  let depth = 0
  for (const { type } of tokens) {
    if (OPENING.has(type)) depth++
    else if (CLOSING.has(type)) depth--
    if (depth > DEEPEST) throw new NotReadable(say`it is nested too deeply`)
  }
}

const isSyntaxError = (error: unknown): error is SyntaxError & { readonly pos: number } =>
  error instanceof SyntaxError && 'pos' in error

export const notRead = (code: string) => new NotReadable(say`"${code.slice(0, 20)}" can't be read here`)

/** Every node of the tree with its parent, except plain names of members and keys. */
export function* partsOf(root: AnyNode): Generator<readonly [node: AnyNode, parent: AnyNode | null]> {
  const open: (readonly [AnyNode, AnyNode | null])[] = [[root, null]]
  for (let found = open.pop(); found !== undefined; found = open.pop()) {
    yield found
    const [node] = found
    for (const [key, value] of Object.entries(node)) {
      const isPlainName = (key === 'property' || key === 'key') && 'computed' in node && !node.computed
      if (isPlainName && !(node.type === 'Property' && node.shorthand)) continue
      for (const part of [value].flat() as unknown[]) if (isNode(part)) open.push([part, node])
    }
  }
}

const isNode = (value: unknown): value is AnyNode =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value

export const isNamed = (node: AnyNode, name: string): boolean =>
  node.type === 'Identifier' && node.name === name

/** Removes the parentheses around an expression. */
export function bare(node: AnyNode): AnyNode {
  return node.type === 'ParenthesizedExpression' ? bare(node.expression) : node
}

/** The name in `x.name` or `x['name']`; null if it is computed. */
export function memberName({ property, computed }: MemberExpression): string | null {
  if (!computed && property.type === 'Identifier') return property.name
  return stringOf(property)
}

export function stringOf(node: AnyNode | undefined): string | null {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value
  if (node?.type !== 'TemplateLiteral' || node.expressions.length > 0) return null
  return node.quasis[0]?.value.cooked ?? null
}
