/** n8n expressions that a template can express too: paths, dates and literals. */
import type { AnyNode, Expression } from 'acorn'
import { ownOf } from '../source/plain-json.ts'
import { quoted, type Source } from '../source/values.ts'
import { timeOf } from './dates.ts'
import { bare, isNamed, memberName, NotReadable, parseJavaScript, stringOf } from './javascript.ts'
import type { Names } from './names.ts'

export interface Plain {
  readonly text: string
  /** Whether the value is certainly a string or a number, which prints the same as in JavaScript. */
  readonly isText: boolean
}

/** Null if it needs JavaScript. */
export function plainExpression(source: string, names: Names): Plain | null {
  try {
    return plainOf(bare(unwrapped(parseJavaScript(source))), names)
  } catch (error) {
    if (error instanceof NotReadable) return null
    throw error
  }
}

function unwrapped(node: Expression): AnyNode {
  return node.type === 'ChainExpression' ? node.expression : node
}

function plainOf(node: AnyNode, names: Names): Plain | null {
  if (node.type === 'Literal') {
    if (typeof node.value === 'string') return { text: quoted(node.value), isText: true }
    return typeof node.value === 'number' && Number.isSafeInteger(node.value)
      ? { text: String(node.value), isText: true }
      : null
  }
  const time = timeOf(node, names, (one) => plainOf(bare(one), names)?.text ?? null)
  if (time !== null) return { text: time, isText: true }
  const path = pathOf(node)
  if (path === null) return null
  const { root, keys } = path
  switch (root) {
    case '$json':
      return inItem(names.current, keys)
    case '$input': {
      const [item, json, ...rest] = keys
      return item === 'item' && json === 'json' ? inItem(names.current, rest) : null
    }
    case '$itemIndex':
      return keys.length === 0 && names.itemIndex !== null ? { text: names.itemIndex, isText: true } : null
    case '$workflow':
      return keys.length === 1 && keys[0] === 'name' ? { text: quoted(names.workflow), isText: true } : null
    case '$env':
    case '$vars': {
      const [name] = keys
      if (keys.length !== 1 || typeof name !== 'string' || !/^[A-Za-z_]\w{0,99}$/.test(name)) return null
      names.env(name)
      return { text: name, isText: root === '$env' }
    }
    case '$node': {
      const [name, json, ...rest] = keys
      return json === 'json' && typeof name === 'string' ? inItem(names.node(name), rest) : null
    }
    default: {
      const name = /^\$\('(.*)'\)$/s.exec(root)?.[1]
      if (name === undefined) return null
      const [item, json, ...rest] = keys
      const held = names.node(name)
      const isOnly = held !== null && held.items === 'one' && held.all === undefined
      const isItem = item === 'item' || (isOnly && (item === 'first()' || item === 'last()'))
      return isItem && json === 'json' ? inItem(held, rest) : null
    }
  }
}

interface Path {
  readonly root: string
  readonly keys: readonly (string | number)[]
}

/**
 * The path in expressions such as `$json.a['b c'][0]` and `$('Name').first().json.a`, with literal names and
 * indexes.
 */
function pathOf(node: AnyNode): Path | null {
  const inner = bare(node)
  if (inner.type === 'Identifier') return { root: inner.name, keys: [] }
  if (inner.type === 'CallExpression') {
    const { callee } = inner
    const [first, ...more] = inner.arguments
    if (isNamed(callee, '$') && more.length === 0) {
      const name = stringOf(first)
      return name === null ? null : { root: `$('${name}')`, keys: [] }
    }
    if (callee.type !== 'MemberExpression' || first !== undefined) return null
    const of = pathOf(callee.object)
    const method = memberName(callee)
    const isMethod = method === 'first' || method === 'last'
    return of !== null && of.keys.length === 0 && isMethod ? { root: of.root, keys: [`${method}()`] } : null
  }
  if (inner.type !== 'MemberExpression' || inner.object.type === 'Super') return null
  const of = pathOf(inner.object)
  if (of === null) return null
  const { property } = inner
  const place = property.type === 'Literal' && typeof property.value === 'number' ? property.value : null
  const key = place ?? memberName(inner)
  if (
    key === null ||
    key === '__proto__' ||
    (typeof key === 'number' && !(Number.isSafeInteger(key) && key >= 0))
  )
    return null
  return { root: of.root, keys: [...of.keys, key] }
}

function inItem(source: Source | null, keys: readonly (string | number)[]): Plain | null {
  if (source === null || source.items === 'many' || source.mayMiss === true) return null
  // Strings and lists have a length, but it isn't known whether the value is one.
  if (keys.at(-1) === 'length') return null
  const [first, ...rest] = keys
  if (source.fields !== undefined) {
    if (typeof first !== 'string') return null
    const field = ownOf(source.fields, first)
    return field !== undefined && field !== null ? below(field, rest) : null
  }
  return below(source.whole, keys)
}

/** Methods of dictionaries in templates: if the key doesn't exist, the name means the method. */
const METHODS = new Set('clear copy fromkeys get items keys pop popitem setdefault update values'.split(' '))

function below(whole: string, keys: readonly (string | number)[]): Plain | null {
  if (!/^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/.test(whole)) return null
  const [only] = keys
  if (keys.length === 0) return { text: whole, isText: false }
  const isSimple = keys.length === 1 && /^\w+$/.test(whole) && typeof only === 'string'
  if (isSimple && /^[A-Za-z_]\w*$/.test(only) && !METHODS.has(only) && !WORDS.test(only))
    return { text: `${whole}.${only}`, isText: false }
  // In a JSONPath, a missing part yields a missing value instead of an error.
  const path = keys.map((key) =>
    typeof key === 'number'
      ? `[${key}]`
      : /^[A-Za-z_]\w*$/.test(key) && !WORDS.test(key)
        ? `.${key}`
        : `[${JSON.stringify(key)}]`,
  )
  return keys.some((key) => typeof key === 'string' && /["\\\n]/.test(key))
    ? null
    : { text: `$.${whole}${path.join('')}`, isText: false }
}

const WORDS = /^(?:and|or|not|in|is|if|else|true|false|none|True|False|None)$/
