/** Evaluates expressions, reads and writes paths, and passes items between nodes, as n8n does. */

export type Fields = Record<string, unknown>

class Failure extends Error {}

export function fail(message: string): never {
  throw new Failure(message)
}

/** As in n8n, an expression that fails is undefined. */
export function value(read: () => unknown): unknown {
  try {
    const result = read()
    return typeof result === 'function' ? fail('an expression gives a function, add ()') : result
  } catch (error) {
    // The engine throws null when it runs out of memory.
    if (
      error === null ||
      error instanceof Failure ||
      (error instanceof Error && error.name === 'InternalError')
    )
      throw error
    return undefined
  }
}

export const text = (of: unknown): unknown => (of || of === 0 || of === false ? of : '')

export const isObject = (of: unknown): of is Fields => typeof of === 'object' && of !== null
export const isFields = (of: unknown): of is Fields => isObject(of) && !Array.isArray(of)
export const isMissing = (of: unknown): of is null | undefined => of === null || of === undefined
/** Converts like JavaScript, even to `[object Object]`. */
export const toString: (of: unknown) => string = String
export const asText = (of: unknown): string => (typeof of === 'object' ? JSON.stringify(of) : toString(of))

const at = (of: unknown, key: string): unknown => (isMissing(of) ? undefined : (of as Fields)[key])

/** The key itself if the object has it; if not, the keys of the path. */
function keysOf(of: unknown, path: string): string[] {
  if (!isMissing(of) && Object.hasOwn(of, path)) return [path]
  // linear: not for hostile paths, but then the sandbox ends it
  const dotted = path.replaceAll(/\[(?:"([^"]*)"|'([^']*)'|([^\]]*))\]/g, '.$1$2$3')
  return dotted.split('.').filter((key, index) => index > 0 || key !== '')
}

function put(of: Fields, path: string, held: unknown): Fields {
  const keys = keysOf(of, path)
  if (keys.some((key) => key === '__proto__' || key === 'constructor' || key === 'prototype')) return of
  let owner = of
  for (const [index, key] of keys.slice(0, -1).entries()) {
    if (!isObject(owner[key])) owner[key] = /^\d+$/.test(keys[index + 1] ?? '') ? [] : {}
    owner = owner[key] as Fields
  }
  owner[keys.at(-1) ?? ''] = held
  return of
}

function drop(of: Fields, keys: readonly string[]): Fields {
  const owner = keys.slice(0, -1).reduce(at, of) as Fields | null | undefined
  if (owner) delete owner[keys.at(-1) ?? '']
  return of
}

/** Reads and writes fields by paths. */
export const paths = {
  get: (of: unknown, path: string): unknown => keysOf(of, path).reduce(at, of),
  put,
  drop: (of: Fields, path: string): Fields => drop(of, keysOf(of, path)),
}

/** Reads and writes fields by plain names. */
export const names = {
  get: at,
  put: (of: Fields, name: string, held: unknown): Fields => Object.assign(of, { [name]: held }),
  drop: (of: Fields, name: string): Fields => drop(of, [name]),
}

export const copy = <T>(of: T): T => (of === undefined ? of : JSON.parse(JSON.stringify(of)))

export function same(a: unknown, b: unknown): boolean {
  if (Object.is(a, b) || a === b) return true
  if (!isObject(a) || !isObject(b) || Array.isArray(a) !== Array.isArray(b)) return false
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && same(a[key], b[key]))
  )
}

interface Item {
  readonly json?: unknown
  readonly binary?: object
}

export const wrap = (list: readonly unknown[]): Item[] => list.map((json) => ({ json }))

/** The items of a node. */
export const of = (list: readonly Item[] | null, item: Item | undefined = list?.[0]) => ({
  all: () => list,
  first: () => list?.[0],
  last: () => list?.at(-1),
  item,
  json: item?.json,
  isExecuted: true,
})

/** Stands for a node that hasn't run. */
export function never(name: string) {
  const refuse = () => fail(`the node "${name}" has not run`)
  const node = { isExecuted: false, all: refuse, first: refuse, last: refuse }
  return Object.defineProperties(node, { item: { get: refuse }, json: { get: refuse } })
}

/** Converts a value that a code node returned to an item's JSON, if n8n accepts it as one. */
export function jsonOf(item: unknown): unknown {
  if (!isFields(item)) fail('the code does not return items: each must be an object')
  if (Object.keys(item['binary'] ?? {}).length > 0) fail('the code returns files, which are not kept here')
  if (!('json' in item)) return item
  return isFields(item['json']) ? item['json'] : fail('"json" of a returned item must be an object')
}

export function returned(result: unknown): unknown[] {
  if (!isObject(result)) fail('the code does not return items: it must return a list of objects, or one')
  return [result].flat().map(jsonOf)
}
