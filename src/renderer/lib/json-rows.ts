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
  isOpen: (id: string, depth: number) => boolean,
): readonly JsonRow[] {
  const rows: JsonRow[] = []
  const visit = (value: unknown, key: string | number | null, parent: JsonRow | null, id: string) => {
    const depth = parent === null ? 0 : parent.depth + 1
    const size = sizeOf(value)
    const open = size !== null && size > 0 && isOpen(id, depth)
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

/** Rows that match a search in key or value, with the rows above them opened. */
export function findInJson(root: unknown, wanted: string, limit: number): readonly string[] {
  const needle = wanted.toLowerCase()
  const found: string[] = []
  const visit = (value: unknown, key: string, id: string) => {
    if (found.length >= limit) return
    const text = sizeOf(value) === null ? String(value) : ''
    if (`${key}\n${text}`.toLowerCase().includes(needle)) found.push(id)
    forEachEntry(value, (below, child) => visit(child, String(below), idOf(id, below)))
  }
  visit(root, '', '$')
  return found
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
