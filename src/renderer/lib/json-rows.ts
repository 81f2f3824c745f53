/** A JSON value as the rows of a tree, only as deep as it is open, so that 20 MB cost what is shown. */
export interface JsonRow {
  /** Keys from the root down; unique in the tree. */
  readonly path: readonly (string | number)[]
  readonly id: string
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
  const visit = (value: unknown, path: readonly (string | number)[], id: string) => {
    const entries = entriesOf(value)
    const open = entries !== null && entries.length > 0 && isOpen(id, path.length)
    rows.push({ path, id, depth: path.length, value, size: entries?.length ?? null, open })
    if (!open) return
    for (const [key, child] of entries) visit(child, [...path, key], idOf(id, key))
  }
  visit(root, [], '$')
  return rows
}

/** `$.contacts[0]['first name']` */
export function toJsonPath(path: readonly (string | number)[]): string {
  return `$${path.map(jsonPathPart).join('')}`
}

/** `{{ web1.contacts[0]['first name'] }}` */
export function toTemplate(root: string, path: readonly (string | number)[]): string {
  return `{{ ${root}${path.map(jsonPathPart).join('')} }}`
}

/** Rows that match a search in key or value, with the rows above them opened. */
export function findInJson(root: unknown, wanted: string, limit: number): readonly string[] {
  const needle = wanted.toLowerCase()
  const found: string[] = []
  const visit = (value: unknown, key: string, id: string) => {
    if (found.length >= limit) return
    const entries = entriesOf(value)
    const text = entries === null ? String(value) : ''
    if (`${key}\n${text}`.toLowerCase().includes(needle)) found.push(id)
    for (const [childKey, child] of entries ?? []) visit(child, String(childKey), idOf(id, childKey))
  }
  visit(root, '', '$')
  return found
}

/** Every id on the way to this one, itself left out: `$.a.b` → `$`, `$.a`. */
export function ancestorsOf(id: string): readonly string[] {
  const parts = id.split(SEPARATOR)
  return parts.slice(1).map((_part, index) => parts.slice(0, index + 1).join(SEPARATOR))
}

const SEPARATOR = '\u0000'

function idOf(parent: string, key: string | number): string {
  return `${parent}${SEPARATOR}${key}`
}

function entriesOf(value: unknown): [string | number, unknown][] | null {
  if (Array.isArray(value)) return value.map((item, index) => [index, item])
  if (typeof value === 'object' && value !== null) return Object.entries(value)
  return null
}

function jsonPathPart(key: string | number): string {
  if (typeof key === 'number') return `[${key}]`
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(key) ? `.${key}` : `['${key.replace(/[\\']/g, '\\$&')}']`
}
