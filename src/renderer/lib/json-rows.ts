/**
 * A JSON value as the rows of a tree, created only as deep as it is open, so that 20 MB cost no more than the visible
 * rows.
 */
export interface JsonRow {
  /** Unique in the tree. */
  readonly id: string
  /** Null only for the root. */
  readonly key: string | number | null
  readonly parent: JsonRow | null
  readonly depth: number
  readonly value: unknown
  /** Number of items in a list or object; null for a plain value. */
  readonly size: number | null
  readonly open: boolean
}

/**
 * The rows of a tree as far as it is open. They are created when they are viewed, so that a list of a million items
 * costs nothing.
 */
export type JsonRows = ReturnType<typeof visibleRows>

export interface OpenIds {
  /** Whether a value at this depth, among this many siblings, is open by default. */
  readonly isOpenAtFirst: (depth: number, siblings: number) => boolean
  /** Rows that differ from the default. */
  readonly toggled: ReadonlySet<string>
  /** Paths to matches, which are always open. */
  readonly ways: ReadonlySet<string>
}

export function visibleRows(root: unknown, open: OpenIds) {
  const named = keysByParent([open.toggled, open.ways])
  const isOpen = (id: string, depth: number, siblings: number) =>
    open.ways.has(id) || open.toggled.has(id) !== open.isOpenAtFirst(depth, siblings)
  const rootRow = rowOf(root, null, null, '$', isOpen)
  const top = branchOf(rootRow, named, open, isOpen)
  const made = new Map<number, JsonRow | undefined>()
  return {
    length: top.length,
    /** Undefined beyond the last one. */
    at(index: number): JsonRow | undefined {
      const known = made.get(index)
      if (known !== undefined) return known
      if (made.size > MOST_MADE) made.clear()
      const row = rowAt(top, index, isOpen)
      made.set(index, row)
      return row
    },
    /** Position of the row with that ID; -1 if it isn't visible because a row above it is closed. */
    indexOf: (id: string) => indexIn(top, id),
  }
}

/** Visible rows stay the same objects, so that they need not be rendered again. */
const MOST_MADE = 2_000

type IsOpen = (id: string, depth: number, siblings: number) => boolean

/** A row with its open descendants. */
interface Branch {
  readonly row: JsonRow
  /** The row itself and everything below it. */
  readonly length: number
  /** The open items in order, and how many rows of this branch are above each. */
  readonly open: readonly { readonly entry: number; readonly above: number; readonly branch: Branch }[]
}

function rowOf(
  value: unknown,
  key: string | number | null,
  parent: JsonRow | null,
  id: string,
  isOpen: IsOpen,
): JsonRow {
  const depth = parent === null ? 0 : parent.depth + 1
  const size = sizeOf(value)
  const open = size !== null && size > 0 && isOpen(id, depth, parent?.size ?? 1)
  return { id, key, parent, depth, value, size, open }
}

function branchOf(
  row: JsonRow,
  named: ReadonlyMap<string, readonly string[]>,
  open: OpenIds,
  isOpen: IsOpen,
): Branch {
  if (!row.open || row.size === null) return { row, length: 1, open: [] }
  const branches: { entry: number; above: number; branch: Branch }[] = []
  let length = 1
  let seen = 0
  for (const entry of entriesToOpen(row, named, open)) {
    const below = entryOf(row, entry, isOpen)
    if (below === undefined || !below.open) continue
    const branch = branchOf(below, named, open, isOpen)
    length += entry - seen
    branches.push({ entry, above: length, branch })
    length += branch.length
    seen = entry + 1
  }
  return { row, length: length + row.size - seen, open: branches }
}

/** Items that may be open, in order: all of them only if they are open by default. */
function entriesToOpen(
  { value, size, depth, id }: JsonRow,
  named: ReadonlyMap<string, readonly string[]>,
  open: OpenIds,
): Iterable<number> {
  if (open.isOpenAtFirst(depth + 1, size ?? 0)) return Array(size ?? 0).keys()
  const keys = named.get(id) ?? []
  const entries = Array.isArray(value) ? keys.map(Number) : positionsOf(keysOf(value), new Set(keys))
  return [...new Set(entries)].toSorted((a, b) => a - b)
}

function positionsOf(keys: readonly string[], wanted: ReadonlySet<string>): number[] {
  return wanted.size === 0 ? [] : keys.flatMap((key, position) => (wanted.has(key) ? [position] : []))
}

function entryOf(parent: JsonRow, entry: number, isOpen: IsOpen): JsonRow | undefined {
  const { value, id, size } = parent
  if (!(entry >= 0 && entry < (size ?? 0))) return undefined
  const key = Array.isArray(value) ? entry : keysOf(value)[entry]
  if (key === undefined) return undefined
  const below = Array.isArray(value) ? (value[entry] as unknown) : (value as Record<string, unknown>)[key]
  return rowOf(below, key, parent, idOf(id, key), isOpen)
}

function rowAt({ row, length, open }: Branch, index: number, isOpen: IsOpen): JsonRow | undefined {
  if (index === 0) return row
  if (!(index > 0 && index < length)) return undefined
  const next = firstWhere(open, ({ above }) => above > index)
  const last = open[next - 1]
  if (last === undefined) return entryOf(row, index - 1, isOpen)
  const inside = index - last.above
  if (inside < last.branch.length) return rowAt(last.branch, inside, isOpen)
  return entryOf(row, last.entry + 1 + inside - last.branch.length, isOpen)
}

function indexIn({ row, open }: Branch, id: string): number {
  if (id === row.id) return 0
  if (!row.open || !id.startsWith(row.id + SEPARATOR)) return -1
  const end = id.indexOf(SEPARATOR, row.id.length + 1)
  const own = id.slice(row.id.length + 1, end === -1 ? undefined : end)
  const entry = Array.isArray(row.value) ? Number(own) : keysOf(row.value).indexOf(own)
  if (!(entry >= 0 && entry < (row.size ?? 0))) return -1
  const next = firstWhere(open, (one) => one.entry >= entry)
  const found = open[next]
  if (found?.entry === entry) {
    const inside = indexIn(found.branch, id)
    return inside === -1 ? -1 : found.above + inside
  }
  if (end !== -1) return -1
  const last = open[next - 1]
  return last === undefined ? 1 + entry : last.above + last.branch.length + entry - last.entry - 1
}

/** Binary search in items ordered by a predicate: the index of the first item for which it is true. */
function firstWhere<T>(items: readonly T[], isTrue: (item: T) => boolean): number {
  let [from, to] = [0, items.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (isTrue(items[middle] as T)) to = middle
    else from = middle + 1
  }
  return from
}

function keysByParent(sets: readonly ReadonlySet<string>[]): ReadonlyMap<string, readonly string[]> {
  const keys = new Map<string, string[]>()
  for (const id of sets.flatMap((set) => [...set])) {
    const end = id.lastIndexOf(SEPARATOR)
    if (end === -1) continue
    const parent = id.slice(0, end)
    keys.set(parent, [...(keys.get(parent) ?? []), id.slice(end + 1)])
  }
  return keys
}

/** Keys from the root down. */
export function pathOf(row: JsonRow): readonly (string | number)[] {
  return row.parent === null || row.key === null ? [] : [...pathOf(row.parent), row.key]
}

/** `$.contacts[0]['first name']` */
export function toJsonPath(path: readonly (string | number)[]): string {
  return `$${path.map(jsonPathPart).join('')}`
}

/** `{{ web1.contacts[0]['first name'] }}`; with an empty root, the first key is itself a name. */
export function toTemplate(root: string, path: readonly (string | number)[]): string {
  return `{{ ${`${root}${path.map(jsonPathPart).join('')}`.replace(/^\./, '')} }}`
}

/**
 * IDs of the rows that match a search in key or value. Yields null in between, at least every few hundred rows, so that
 * the caller can pause there.
 */
export function* searchJson(root: unknown, wanted: string): Generator<string | null, void> {
  const needle = wanted.toLowerCase()
  const way: Place[] = [placeOf('$', root)]
  if (sizeOf(root) === null && saysText(root, needle)) yield '$'
  for (let place = way.at(-1), looked = 1; place !== undefined; place = way.at(-1), looked += 1) {
    if (looked % ROWS_IN_A_ROW === 0) yield null
    if (place.next === place.size) {
      way.pop()
      continue
    }
    const { keys, value } = place
    const key = keys === null ? place.next : (keys[place.next] ?? '')
    const below = (value as Record<string | number, unknown>)[key]
    place.next += 1
    place.at = key
    const size = sizeOf(below)
    if (says(key, needle) || (size === null && saysText(below, needle)))
      yield `$${way.map(({ at }) => SEPARATOR + at).join('')}`
    if (size !== null && size > 0) way.push(placeOf(key, below))
  }
}

/** The position of a search in a list or object. */
interface Place {
  readonly value: unknown
  /** Null for a list. */
  readonly keys: readonly string[] | null
  readonly size: number
  next: number
  /** The last searched key. */
  at: string | number
}

function placeOf(at: string | number, value: unknown): Place {
  const keys = Array.isArray(value) || typeof value !== 'object' || value === null ? null : Object.keys(value)
  return { value, keys, size: sizeOf(value) ?? 0, next: 0, at }
}

const ROWS_IN_A_ROW = 400

function says(text: string | number, needle: string): boolean {
  return typeof text === 'number' ? String(text).includes(needle) : text.toLowerCase().includes(needle)
}

function saysText(value: unknown, needle: string): boolean {
  return typeof value === 'string' || typeof value === 'number'
    ? says(value, needle)
    : String(value).toLowerCase().includes(needle)
}

/** Every ID on the way to this one, except itself: `$.a.b` → `$`, `$.a`. */
export function ancestorsOf(id: string): readonly string[] {
  const parts = id.split(SEPARATOR)
  return parts.slice(1).map((_part, index) => parts.slice(0, index + 1).join(SEPARATOR))
}

/** The ID of the row that these keys lead to from the root. */
export function idOfPath(path: readonly (string | number)[]): string {
  return path.reduce<string>((id, key) => idOf(id, key), '$')
}

const SEPARATOR = '\u0000'

function idOf(parent: string, key: string | number): string {
  return `${parent}${SEPARATOR}${key}`
}

function sizeOf(value: unknown): number | null {
  if (Array.isArray(value)) return value.length
  return typeof value === 'object' && value !== null ? keysOf(value).length : null
}

/** Caches the keys of long objects, which are needed again and again. */
const KEYS = new WeakMap<object, readonly string[]>()
const MANY_KEYS = 100

function keysOf(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  const known = KEYS.get(value)
  if (known !== undefined) return known
  const keys = Object.keys(value)
  if (keys.length > MANY_KEYS) KEYS.set(value, keys)
  return keys
}

/** `.contacts`, `[0]`, `['first name']`; the same in a JSONPath and in a template. */
export function jsonPathPart(key: string | number): string {
  if (typeof key === 'number') return `[${key}]`
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(key) ? `.${key}` : `['${escapeKey(key)}']`
}

function escapeKey(key: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what must be escaped
  return key.replaceAll(/[\\'\u0000-\u001f]/g, (char) =>
    char === "'" ? "\\'" : JSON.stringify(char).slice(1, -1),
  )
}
