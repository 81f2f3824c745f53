/** The values that a template can read, as a tree whose nodes are created on demand. */
import { formatJson } from './json.ts'
import { plural } from './format.ts'

export type ScopeType = 'text' | 'number' | 'boolean' | 'null' | 'list' | 'dictionary' | 'unknown'

export interface ScopeNode {
  /** `web1`, `order`, `[0]`, `['first name']` */
  readonly name: string
  /** The path as written in a template: `web1.order.lines[0]`. */
  readonly path: string
  readonly type: ScopeType
  /** The value on one line, shortened; empty if unknown. */
  readonly sample: string
  /** Undefined if unknown. */
  readonly value: unknown
  readonly hasChildren: boolean
  readonly children: () => readonly ScopeNode[]
}

/** No list or object shows more than this at once. */
const MOST_CHILDREN = 300
const SAMPLE_LENGTH = 80
const PREVIEW_LENGTH = 2_000

/** A name with a known value, from JSON. */
export function nodeOf(path: string, value: unknown, name = path): ScopeNode {
  const type = typeOf(value)
  return {
    name,
    path,
    type,
    sample: sampleOf(value, type),
    value,
    hasChildren: sizeOf(value) > 0,
    children: () => childrenOf(path, value),
  }
}

/**
 * A name whose value isn't known yet, with the fields that it will have, by name with the Python name of their type.
 */
export function declaredNode(path: string, fields: Readonly<Record<string, string | null>>): ScopeNode {
  const names = Object.entries(fields).map(([name, type]): Described => ({
    path: path + keyPart(name),
    type,
    sample: null,
  }))
  return describedNode(path, names.length === 0 ? [] : [{ path, type: 'dict', sample: null }, ...names])
}

/** A name with the server's description of it: paths with types and samples instead of the value. */
export function describedNode(path: string, names: readonly Described[], name = path): ScopeNode {
  const own = names.find((one) => one.path === path)
  const below = names.filter((one) => parentOf(one.path) === path)
  return {
    name,
    path,
    type: TYPES[own?.type ?? ''] ?? (own?.type === null || own === undefined ? 'unknown' : 'text'),
    sample: own?.sample ?? '',
    value: undefined,
    hasChildren: below.length > 0,
    children: () => below.map((one) => describedNode(one.path, names, lastPart(one.path))),
  }
}

export interface Described {
  readonly path: string
  readonly type: string | null
  readonly sample: string | null
}

const TYPES: Readonly<Record<string, ScopeType>> = {
  str: 'text',
  int: 'number',
  float: 'number',
  bool: 'boolean',
  NoneType: 'null',
  list: 'list',
  tuple: 'list',
  dict: 'dictionary',
}

/**
 * The node that a path names; undefined if the path leads nowhere known. Any index of a list returns an item: the
 * first one if the index doesn't exist.
 */
export function resolvePath(roots: readonly ScopeNode[], path: string): ScopeNode | undefined {
  const [first, ...rest] = splitPath(path)
  let node = roots.find((root) => root.name === first)
  for (const part of rest) {
    const children: readonly ScopeNode[] = node?.children() ?? []
    const isIndex = /^\[-?\d+\]$/.test(part)
    node = children.find((child) => keyOf(child.name) === keyOf(part)) ?? (isIndex ? children[0] : undefined)
    if (node === undefined) return undefined
  }
  return node
}

/** `web1.lines[0]['first name']` → `web1`, `lines`, `[0]`, `['first name']` */
export function splitPath(path: string): readonly string[] {
  return path.match(/[A-Za-z_]\w*|\[-?\d+\]|\['(?:[^'\\]|\\.)*'\]|\["(?:[^"\\]|\\.)*"\]/g) ?? []
}

/** Nodes whose path or sample contains the words, with their paths shortened; at most `limit`. */
export function searchScope(roots: readonly ScopeNode[], words: string, limit: number): readonly ScopeNode[] {
  const needle = words.trim().toLowerCase()
  const found: ScopeNode[] = []
  let level = roots
  for (let depth = 0; depth < SEARCH_DEPTH && level.length > 0 && found.length < limit; depth += 1) {
    for (const node of level) {
      if (found.length >= limit) break
      if (`${node.path}\n${node.sample}`.toLowerCase().includes(needle)) found.push(node)
    }
    level = level.flatMap((node) => node.children()).slice(0, SEARCH_WIDTH)
  }
  return found
}

const SEARCH_DEPTH = 7
const SEARCH_WIDTH = 5_000

/** The value as shown in a tooltip: JSON, cut if it is long. */
export function describeValue({ value, sample }: ScopeNode): string {
  if (value === undefined) return sample
  const text = typeof value === 'string' ? value : formatJson(value)
  return text.length > PREVIEW_LENGTH ? `${text.slice(0, PREVIEW_LENGTH)}…` : text
}

export function typeOf(value: unknown): ScopeType {
  if (value === undefined) return 'unknown'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'list'
  if (typeof value === 'object') return 'dictionary'
  if (typeof value === 'boolean') return 'boolean'
  return typeof value === 'string' ? 'text' : 'number'
}

function childrenOf(path: string, value: unknown): readonly ScopeNode[] {
  if (Array.isArray(value))
    return value.slice(0, MOST_CHILDREN).map((item, index) => nodeOf(`${path}[${index}]`, item, `[${index}]`))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value)
    .slice(0, MOST_CHILDREN)
    .map(([key, item]) => {
      const part = keyPart(key)
      return nodeOf(path + part, item, part.startsWith('.') ? key : part)
    })
}

function keyPart(key: string): string {
  return /^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `['${key.replace(/[\\']/g, '\\$&')}']`
}

/** The key, which is the same for `['a']`, `["a"]` and `a`. */
function keyOf(part: string): string {
  return /^\[['"]/.test(part) ? part.slice(2, -2).replace(/\\(.)/g, '$1') : part
}

function lastPart(path: string): string {
  return splitPath(path).at(-1) ?? path
}

function parentOf(path: string): string {
  return path.slice(0, path.length - lastPart(path).length).replace(/\.$/, '')
}

function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.length
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0
}

function sampleOf(value: unknown, type: ScopeType): string {
  if (type === 'list') return plural(sizeOf(value), 'item', 'items')
  if (type === 'dictionary') return plural(sizeOf(value), 'key')
  if (type === 'unknown') return ''
  const text = type === 'text' ? (value as string) : String(value)
  return text.length > SAMPLE_LENGTH ? `${text.slice(0, SAMPLE_LENGTH)}…` : text
}
