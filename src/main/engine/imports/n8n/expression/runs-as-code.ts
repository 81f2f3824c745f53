/** Which of n8n's expressions the sandbox of a code step evaluates as n8n does. */
import type { AnyNode, CallExpression, MemberExpression } from 'acorn'
import { NotReadable, parseJavaScript } from './javascript.ts'

export interface ScriptExpression {
  /** The expression alone, without semicolons and comments after it. */
  readonly code: string
  /** The nodes whose results it reads. */
  readonly nodes: readonly string[]
}

/** @returns null if the sandbox lacks what the expression needs, or the name of a node is computed */
export function readScript(source: string): ScriptExpression | null {
  const root = parsed(source)
  if (root === null) return null
  const parts = [...partsOf(root)]
  const nodes = nodesIn(parts)
  return nodes !== null && parts.every(isKnown) ? { code: source.slice(root.start, root.end), nodes } : null
}

function parsed(source: string): AnyNode | null {
  try {
    return parseJavaScript(source)
  } catch (error) {
    if (error instanceof NotReadable) return null
    throw error
  }
}

/** Every node of the tree, except plain names of members and keys: those are part of their node. */
function* partsOf(root: AnyNode): Generator<AnyNode> {
  const open = [root]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    yield node
    for (const [key, value] of Object.entries(node)) {
      const isPlainName = (key === 'property' || key === 'key') && 'computed' in node && !node.computed
      if (!isPlainName) open.push(...[value].flat().filter(isNode))
    }
  }
}

const isNode = (value: unknown): value is AnyNode =>
  typeof value === 'object' && value !== null && 'type' in value

/** JavaScript's own methods: the sandbox doesn't have those that n8n adds. */
const OWNERS: readonly object[] = [String, Array, Number, Object, Date, RegExp, Map, Set, Boolean]
  .flatMap((one): object[] => [one, one.prototype as object])
  .concat(Math, JSON)
const METHODS: ReadonlySet<string> = new Set(OWNERS.flatMap((one) => Object.getOwnPropertyNames(one)))

/** Names that the sandbox lacks: n8n's times, files, the network, the world's languages. */
const LACKING =
  /^(?:DateTime|Duration|Interval|luxon|Intl|Buffer|process|require|fetch|URL|URLSearchParams|btoa|atob|crypto|globalThis|window|eval|Function|await)$/
const LACKING_MEMBERS = /^(?:constructor|__proto__|toLocale\w*|localeCompare)$/
/** `$json` and the names next to it that the first lines of the code step define. */
const DEFINED = new Set(['$', '$json', '$input', '$node', '$itemIndex'])

/** Whether the sandbox has what this part of an expression needs. */
function isKnown(part: AnyNode): boolean {
  switch (part.type) {
    case 'Identifier':
      return part.name.startsWith('$') ? DEFINED.has(part.name) : !LACKING.test(part.name)
    case 'MemberExpression':
      return !LACKING_MEMBERS.test(memberName(part) ?? '')
    case 'CallExpression':
      return isKnownMethod(part)
    // No loops but those of lists: they may have no end.
    case 'WhileStatement':
    case 'DoWhileStatement':
    case 'ForStatement':
    case 'ForInStatement':
    case 'ForOfStatement':
    case 'AwaitExpression':
    case 'ImportExpression':
      return false
    default:
      return true
  }
}

function isKnownMethod({ callee }: CallExpression): boolean {
  const name = callee.type === 'MemberExpression' ? memberName(callee) : null
  if (name === null || METHODS.has(name)) return true
  return callee.type === 'MemberExpression' && isItems(callee.object) && /^(?:first|last|all)$/.test(name)
}

/** `$input` and `$('Name')`. */
const isItems = (node: AnyNode): boolean =>
  isNamed(node, '$input') || (node.type === 'CallExpression' && isNamed(node.callee, '$'))

/** The nodes named in `$('Name')`, `$node['Name']` and `$node.Name`; null if a name is computed. */
function nodesIn(parts: readonly AnyNode[]): readonly string[] | null {
  const named = parts.flatMap((part) => {
    if (part.type === 'CallExpression' && isNamed(part.callee, '$')) return [stringOf(part.arguments[0])]
    return part.type === 'MemberExpression' && isNamed(part.object, '$node') ? [memberName(part)] : []
  })
  const names = named.filter((name) => name !== null)
  const uses = parts.filter((part) => isNamed(part, '$') || isNamed(part, '$node'))
  return names.length === uses.length ? names : null
}

const isNamed = (node: AnyNode, name: string): boolean => node.type === 'Identifier' && node.name === name

/** `x.name` and `x['name']`; null if the name is computed. */
function memberName({ property, computed }: MemberExpression): string | null {
  if (!computed && property.type === 'Identifier') return property.name
  return stringOf(property)
}

function stringOf(node: AnyNode | undefined): string | null {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value
  if (node?.type !== 'TemplateLiteral' || node.expressions.length > 0) return null
  return node.quasis[0]?.value.cooked ?? null
}
