/** A JSON value as the rows of a tree, only as deep as it is open, so that 20 MB cost what is shown. */
export interface JsonRow {
  /** Unique in the tree. */
  readonly id: string
  /** Null for the root alone. */
  readonly key: string | number | null
  readonly parent: JsonRow | null
  readonly depth: number
  readonly value: unknown
  /** How many entries a list or dictionary holds; null for a plain value. */
  readonly size: number | null
  readonly open: boolean
}

export function visibleRows(
  root: unknown,
  isOpen: (id: string, depth: number, siblings: number) => boolean,
): readonly JsonRow[] {
  const rows: JsonRow[] = []
  const visit = (value: unknown, key: string | number | null, parent: JsonRow | null, id: string) => {
    const depth = parent === null ? 0 : parent.depth + 1
    const size = sizeOf(value)
    const open = size !== null && size > 0 && isOpen(id, depth, parent?.size ?? 1)
    const row = { id, key, parent, depth, value, size, open }
    rows.push(row)
    if (open) forEachEntry(value, (below, child) => visit(child, below, row, idOf(id, below)))
  }
  visit(root, null, null, '$')
  return rows
}

/** Keys from the root down. */
export function pathOf(row: JsonRow): readonly (string | number)[] {
  return row.parent === null || row.key === null ? [] : [...pathOf(row.parent), row.key]
}

/** `$.contacts[0]['first name']` */
export function toJsonPath(path: readonly (string | number)[]): string {
  return `$${path.map(jsonPathPart).join('')}`
}

/** `{{ web1.contacts[0]['first name'] }}`; with an empty root, the first key is a name itself. */
export function toTemplate(root: string, path: readonly (string | number)[]): string {
  return `{{ ${`${root}${path.map(jsonPathPart).join('')}`.replace(/^\./, '')} }}`
}

/** Ids of the rows that match a search in key or value, null for each that does not: so it can be left at any row. */
export function* searchJson(root: unknown, wanted: string): Generator<string | null, void> {
  const needle = wanted.toLowerCase()
  const above: Iterator<readonly [key: string | number, value: unknown, id: string]>[] = [
    [['', root, '$'] as const].values(),
  ]
  for (;;) {
    const next = above.at(-1)?.next()
    if (next === undefined) return
    if (next.done) {
      above.pop()
      continue
    }
    const [key, value, id] = next.value
    const text = sizeOf(value) === null ? String(value) : ''
    yield `${key}\n${text}`.toLowerCase().includes(needle) ? id : null
    if (sizeOf(value) !== null) above.push(entriesWithIds(value, id))
  }
}

function* entriesWithIds(value: unknown, id: string): Generator<readonly [string | number, unknown, string]> {
  if (Array.isArray(value))
    for (let index = 0; index < value.length; index += 1) yield [index, value[index], idOf(id, index)]
  else
    for (const key of Object.keys(value as object))
      yield [key, (value as Record<string, unknown>)[key], idOf(id, key)]
}

/** Every id on the way to this one, itself left out: `$.a.b` → `$`, `$.a`. */
export function ancestorsOf(id: string): readonly string[] {
  const parts = id.split(SEPARATOR)
  return parts.slice(1).map((_part, index) => parts.slice(0, index + 1).join(SEPARATOR))
}

/** The id of the row that these keys lead to from the root. */
export function idOfPath(path: readonly (string | number)[]): string {
  return path.reduce<string>((id, key) => idOf(id, key), '$')
}

const SEPARATOR = '\u0000'

function idOf(parent: string, key: string | number): string {
  return `${parent}${SEPARATOR}${key}`
}

function sizeOf(value: unknown): number | null {
  if (Array.isArray(value)) return value.length
  return typeof value === 'object' && value !== null ? Object.keys(value).length : null
}

function forEachEntry(value: unknown, each: (key: string | number, value: unknown) => void): void {
  if (Array.isArray(value)) for (let index = 0; index < value.length; index += 1) each(index, value[index])
  else if (typeof value === 'object' && value !== null)
    for (const key of Object.keys(value)) each(key, (value as Record<string, unknown>)[key])
}

function jsonPathPart(key: string | number): string {
  if (typeof key === 'number') return `[${key}]`
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(key) ? `.${key}` : `['${key.replace(/[\\']/g, '\\$&')}']`
}
