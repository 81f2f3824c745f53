/** Converts n8n's JavaScript for the code step's sandbox, and finds what it reads and what the sandbox lacks. */
import { say } from '@millrace/jinja/said'
import type { AnyNode, CallExpression } from 'acorn'
import {
  bare,
  isNamed,
  memberName,
  NotReadable,
  parseBody,
  parseJavaScript,
  partsOf,
  stringOf,
} from './javascript.ts'

/** A script's read of a node's items. Without a name, they are the previous node's. */
export interface Read {
  readonly node: string | null
  readonly what: 'item' | 'all' | 'ran' | 'index' | 'env'
  /** The name of the variable. */
  readonly name?: string
}

export interface Script {
  readonly code: string
  readonly reads: readonly Read[]
}

/** @throws NotReadable naming what has no equivalent */
export function readExpression(source: string): Script {
  // Cut at the end of the expression, because a trailing comment would swallow the code after it.
  const inner = source.trimStart().startsWith('{') ? `(${source})` : source
  const root = parseJavaScript(inner)
  const { reads, changes } = examine(root, inner, true)
  return { code: changed(inner, root.start, root.end, changes), reads }
}

/**
 * The source of a code node, which can't use n8n's added methods.
 *
 * @throws NotReadable
 */
export function readCode(source: string): Script & { readonly givesOne: boolean } {
  const root = parseBody(source)
  const { reads } = examine(root, source, false)
  return { code: source, reads, givesOne: givesOne(root) }
}

interface Change {
  readonly start: number
  readonly end: number
  readonly parts: readonly (string | AnyNode)[]
}

function examine(root: AnyNode, source: string, isExpression: boolean) {
  const reads: Read[] = []
  const changes: Change[] = []
  const own = ownNames(root)
  for (const [node, parent] of partsOf(root)) {
    if (node.type === 'Identifier' && own.has(node.name)) continue
    checkPart(node, isExpression)
    if (node.type === 'Identifier') reads.push(...readsOf(node.name, node, parent, root))
    if (node.type !== 'CallExpression') continue
    if (isNamed(node.callee, '$if')) changes.push(choiceOf(node))
    else if (isExpression) changes.push(...extendedCall(node, parent, source))
  }
  return { reads, changes }
}

/** Names that the source declares itself: parameters, variables, functions. */
function ownNames(root: AnyNode): ReadonlySet<string> {
  const names = new Set<string>()
  const declare = (node: AnyNode | null | undefined): void => {
    if (node?.type === 'Identifier') names.add(node.name)
    else if (node?.type === 'AssignmentPattern') declare(node.left)
    else if (node?.type === 'RestElement') declare(node.argument)
    else if (node?.type === 'ArrayPattern') for (const one of node.elements) declare(one)
    else if (node?.type === 'ObjectPattern')
      for (const one of node.properties) declare(one.type === 'Property' ? one.value : one)
  }
  for (const [node] of partsOf(root)) {
    if (node.type === 'VariableDeclarator' || node.type === 'ClassDeclaration') declare(node.id)
    if (node.type === 'CatchClause') declare(node.param)
    if (
      node.type === 'FunctionDeclaration' ||
      node.type === 'FunctionExpression' ||
      node.type === 'ArrowFunctionExpression'
    ) {
      if (node.type !== 'ArrowFunctionExpression') declare(node.id)
      for (const one of node.params) declare(one)
    }
  }
  return names
}

/** Names that the sandbox lacks: files, network, other libraries. */
const LACKING =
  /^(?:luxon|Buffer|process|require|module|fetch|URL|URLSearchParams|btoa|atob|crypto|globalThis|window|global|self|eval|Function|setTimeout|setInterval|setImmediate|TextEncoder|TextDecoder|structuredClone|helpers|import|XMLHttpRequest|AbortController|performance|_|moment|axios)$/
const LACKING_MEMBERS = /^(?:constructor|__proto__|helpers|getWorkflowStaticData|binary)$/
/** n8n's names, which are defined at the start of the code step. */
const DEFINED = new Set(
  '$ $json $input $node $items $itemIndex $now $today $if $ifEmpty $min $max $average $not $workflow $env $vars'.split(
    ' ',
  ),
)

function checkPart(node: AnyNode, isExpression: boolean): void {
  if (node.type === 'Identifier') {
    if (node.name.startsWith('$') && !DEFINED.has(node.name))
      throw new NotReadable(say`there is no equivalent of "${node.name}"`)
    if (LACKING.test(node.name)) throw new NotReadable(say`"${node.name}" doesn't exist in code steps`)
  } else if (node.type === 'MemberExpression') {
    const name = memberName(node)
    if (name !== null && LACKING_MEMBERS.test(name))
      throw new NotReadable(say`there is no equivalent of ".${name}"`)
    if (name === null && isExpression && node.property.type === 'TemplateLiteral')
      throw new NotReadable(say`it calculates a name`)
  } else if (
    node.type === 'ImportExpression' ||
    node.type === 'WithStatement' ||
    node.type === 'ThisExpression'
  )
    throw new NotReadable(
      node.type === 'ThisExpression'
        ? say`there is no equivalent of "this"`
        : say`it loads other code, which isn't possible here`,
    )
  else if (
    isExpression &&
    (node.type === 'WhileStatement' || node.type === 'DoWhileStatement' || node.type === 'AwaitExpression')
  )
    throw new NotReadable(say`it has a statement that n8n doesn't allow there either`)
}

/** Finds what `$json`, `$input…`, `$('Name')…`, `$node…`, `$items(…)`, `items` and `item` read. */
function readsOf(name: string, node: AnyNode, parent: AnyNode | null, root: AnyNode): Read[] {
  switch (name) {
    case '$json':
    case 'item':
      return [{ node: null, what: 'item' }]
    case 'items':
      return [{ node: null, what: 'all' }]
    case '$itemIndex':
      return [{ node: null, what: 'index' }]
    case '$input':
      return [{ node: null, what: whatIsRead(node, root) }]
    case '$':
    case '$items': {
      if (parent?.type !== 'CallExpression' || parent.callee !== node)
        throw new NotReadable(say`it uses "${name}" without calling it`)
      const [first, ...more] = parent.arguments
      if (name === '$items' && first === undefined) return [{ node: null, what: 'all' }]
      const of = stringOf(first)
      if (of === null) throw new NotReadable(say`it calculates the name of a node`)
      if (more.length > 0) throw new NotReadable(say`"${name}" reads another run of a node`)
      return [{ node: of, what: name === '$items' ? 'all' : whatIsRead(parent, root) }]
    }
    case '$node': {
      const of = parent?.type === 'MemberExpression' && parent.object === node ? memberName(parent) : null
      if (parent === null || of === null) throw new NotReadable(say`it calculates the name of a node`)
      const next = parentOf(parent, root)
      if (next?.type !== 'MemberExpression' || next.object !== parent || memberName(next) !== 'json')
        throw new NotReadable(say`it uses "$node" in an unusual way`)
      return [{ node: of, what: 'item' }]
    }
    case '$env':
    case '$vars': {
      const of = parent?.type === 'MemberExpression' && parent.object === node ? memberName(parent) : null
      if (of === null || !/^[A-Za-z_]\w{0,99}$/.test(of))
        throw new NotReadable(say`it calculates the name of a variable`)
      return [{ node: null, what: 'env', name: of }]
    }
    case '$workflow': {
      if (parent?.type !== 'MemberExpression' || memberName(parent) !== 'name')
        throw new NotReadable(say`only the name of the workflow is known here`)
      return []
    }
    default:
      return []
  }
}

function whatIsRead(of: AnyNode, root: AnyNode): Read['what'] {
  const parent = parentOf(of, root)
  const name = parent?.type === 'MemberExpression' && parent.object === of ? memberName(parent) : null
  if (parent === null || name === null)
    throw new NotReadable(say`it uses the items of a node in an unusual way`)
  if (name === 'item' || name === 'json') return 'item'
  if (name === 'isExecuted') return 'ran'
  if (name !== 'all' && name !== 'first' && name !== 'last')
    throw new NotReadable(say`items have no equivalent of ".${name}"`)
  const call = parentOf(parent, root)
  if (call?.type === 'CallExpression' && call.callee === parent) {
    if (call.arguments.some((one) => !(one.type === 'Literal' && one.value === 0)))
      throw new NotReadable(say`".${name}()" reads another run of a node`)
  } else if (name !== 'first' && name !== 'last')
    throw new NotReadable(say`it uses ".${name}" of items without calling it`)
  return 'all'
}

function parentOf(wanted: AnyNode, root: AnyNode): AnyNode | null {
  for (const [node, parent] of partsOf(root)) if (node === wanted) return parent
  return null
}

/** `$if(test, yes, no)` evaluates only one of the two. */
function choiceOf(call: CallExpression): Change {
  const [test, yes, no] = call.arguments
  if (test === undefined || yes === undefined || call.arguments.some(({ type }) => type === 'SpreadElement'))
    throw new NotReadable(say`"$if" needs a test and a value`)
  return { start: call.start, end: call.end, parts: ['((', test, ') ? (', yes, ') : (', no ?? 'false', '))'] }
}

const GLOBALS =
  /^(?:Math|Object|Array|JSON|Number|String|Date|DateTime|Duration|Interval|Intl|Boolean|Map|Set|RegExp|BigInt|\$input|\$workflow)$/

/** If one of n8n's own methods has the name of the call, n8n uses that one, whatever methods the value has. */
function extendedCall(call: CallExpression, parent: AnyNode | null, source: string): Change[] {
  const callee = bare(call.callee)
  if (callee.type !== 'MemberExpression' || callee.computed) return []
  const name = memberName(callee) ?? ''
  const of = bare(callee.object)
  if (LACKING_METHODS.has(name)) throw new NotReadable(say`there is no equivalent of n8n's ".${name}()"`)
  if (!CARRIED_METHODS.has(name) || (of.type === 'Identifier' && GLOBALS.test(of.name)) || isItems(of))
    return []
  const args = call.arguments.flatMap((one, at) => (at === 0 ? [one] : [', ', one]))
  const head = ['$extend(', callee.object, `, '${name}', [`, ...args, '])']
  if (!isOptional(call)) return [{ start: call.start, end: call.end, parts: head }]
  if (!callee.optional || isOptional(callee.object) || parent?.type !== 'ChainExpression')
    throw new NotReadable(
      say`the optional call of "${source.slice(callee.start, callee.end).slice(-30)}" can't be read here`,
    )
  return [
    {
      start: call.start,
      end: call.end,
      parts: ['(((', callee.object, ') ?? null) === null ? undefined : ', ...head, ')'],
    },
  ]
}

function isOptional(node: AnyNode): boolean {
  const inner = node
  if (inner.type === 'CallExpression') return inner.optional || isOptional(inner.callee)
  if (inner.type === 'MemberExpression') return inner.optional || isOptional(inner.object)
  return false
}

/** Whether the node is like `$input` or `$('Name')`, whose methods aren't those that n8n adds to values. */
function isItems(node: AnyNode): boolean {
  return (
    isNamed(node, '$input') ||
    (node.type === 'CallExpression' && (isNamed(node.callee, '$') || isNamed(node.callee, '$items')))
  )
}

/** The source between two positions with the changes applied, which can be nested. */
function changed(source: string, start: number, end: number, changes: readonly Change[]): string {
  const within = changes.filter((one) => one.start >= start && one.end <= end)
  const outer = within
    .filter(
      (one) => !within.some((other) => other !== one && other.start <= one.start && other.end >= one.end),
    )
    .toSorted((a, b) => a.start - b.start)
  let at = start
  let text = ''
  for (const one of outer) {
    const inner = changes.filter((other) => other !== one)
    const written = one.parts.map((part) =>
      typeof part === 'string' ? part : changed(source, part.start, part.end, inner),
    )
    text += source.slice(at, one.start) + written.join('')
    at = one.end
  }
  return text + source.slice(at, end)
}

/** Whether every `return` returns exactly one literal item. */
function givesOne(root: AnyNode): boolean {
  const returns: (AnyNode | null | undefined)[] = []
  const open: AnyNode[] = [root]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.type === 'ReturnStatement') returns.push(node.argument)
    if (/Function/.test(node.type)) continue
    for (const value of Object.values(node))
      for (const part of [value].flat() as unknown[])
        if (typeof part === 'object' && part !== null && 'type' in part && 'start' in part)
          open.push(part as AnyNode)
  }
  return returns.length > 0 && returns.every((one) => one && isOneItem(bare(one)))
}

function isOneItem(node: AnyNode): boolean {
  if (node.type === 'ObjectExpression') return true
  if (node.type !== 'ArrayExpression' || node.elements.length !== 1) return false
  const [only] = node.elements
  return only?.type === 'ObjectExpression'
}

/** Names of the methods that n8n adds to values. A call with such a name is passed to them, whatever the value is. */
export const CARRIED_METHODS: ReadonlySet<string> = new Set(
  (
    'isEmpty isNotEmpty isBlank isNotBlank length toJsonString removeTags urlEncode urlDecode toInt toFloat toNumber ' +
    'isNumeric toBoolean quote parseJson base64Encode base64Decode toDateTime isEven isOdd floor ceil abs isInteger ' +
    'round first last pluck randomItem unique sum min max average compact smartJoin chunk renameKeys merge union ' +
    'difference intersection append keys values hasField removeField removeFieldsContaining keepFieldsContaining ' +
    'beginningOf endOfMonth extract isBetween isDst isInLast isWeekend format plus minus diffTo diffToNow'
  ).split(' '),
)

/** Methods that the runtime of code steps lacks. */
export const LACKING_METHODS: ReadonlySet<string> = new Set(
  (
    'hash removeMarkdown toDate isUrl isDomain isEmail toTitleCase replaceSpecialChars toSentenceCase toSnakeCase ' +
    'extractEmail extractDomain extractUrl extractUrlPath'
  ).split(' '),
)
