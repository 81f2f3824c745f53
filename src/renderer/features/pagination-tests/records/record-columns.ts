/** The columns of a table of records: the keys of a sample, in order of first occurrence. */
export function columnNames(records: readonly unknown[]): readonly string[] {
  const names = new Set<string>()
  const step = Math.max(1, Math.floor(records.length / SAMPLED))
  for (let at = 0; at < records.length; at += step)
    for (const name of keysOf(records[at])) if (names.size < MAX_COLUMNS) names.add(name)
  return [...names]
}

const SAMPLED = 200
const MAX_COLUMNS = 40

export function cellOf(record: unknown, name: string): unknown {
  return typeof record === 'object' && record !== null && Object.hasOwn(record, name)
    ? (record as Record<string, unknown>)[name]
    : undefined
}

/** Positions of the records in the order of a column; absent values come last in both directions. */
export function sortedPlaces(records: readonly unknown[], name: string, descending: boolean): Uint32Array {
  const values = records.map((record) => sortable(cellOf(record, name)))
  const factor = descending ? -1 : 1
  return Uint32Array.from(records.keys()).sort((a, b) => {
    const [left, right] = [values[a] ?? null, values[b] ?? null]
    if (left === null || right === null) return left === right ? a - b : left === null ? 1 : -1
    return factor * compare(left, right) || a - b
  })
}

function sortable(value: unknown): number | string | null {
  if (value === undefined || value === null) return null
  if (typeof value === 'number' || typeof value === 'string') return value
  return typeof value === 'bigint' ? Number(value) : JSON.stringify(value)
}

function compare(a: number | string, b: number | string): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  const [left, right] = [String(a), String(b)]
  return left < right ? -1 : left > right ? 1 : 0
}

function keysOf(record: unknown): readonly string[] {
  return typeof record === 'object' && record !== null && !Array.isArray(record) ? Object.keys(record) : []
}
