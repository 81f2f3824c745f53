import { formatJson } from '../../../lib/json.ts'
import type { PageLine } from './test-progress.ts'

/** Records that occur more than once. */
export interface Duplicates {
  /** The key that distinguishes records; null compares whole records. */
  readonly key: string | null
  /** Positions in the flat list, grouped by record. */
  readonly groups: readonly (readonly number[])[]
  /** Surplus records. */
  readonly count: number
}

const NONE: Duplicates = { key: null, groups: [], count: 0 }
const ID_KEYS = ['id', '_id', 'uuid', 'uid', 'key', 'Id', 'ID']

/** Finds records with the same ID or, if they have none, equal records. Nothing is removed. */
export function findDuplicates(records: readonly unknown[]): Duplicates {
  if (records.length < 2) return NONE
  const key = ID_KEYS.find((name) => records.every((record) => isPlain(valueOf(record, name)))) ?? null
  const places = new Map<unknown, number[]>()
  for (const [index, record] of records.entries()) {
    const identity = key === null ? formatJson(record, 0) : valueOf(record, key)
    const known = places.get(identity)
    if (known === undefined) places.set(identity, [index])
    else known.push(index)
  }
  const groups = [...places.values()].filter((group) => group.length > 1)
  return { key, groups, count: groups.reduce((sum, group) => sum + group.length - 1, 0) }
}

/** The page that a record of the flat list came from: the last one that begins at it or before it. */
export function pageOfRecord(pages: readonly PageLine[], index: number): number | null {
  let [low, high] = [0, pages.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((pages[middle]?.firstRecord ?? 0) <= index) low = middle
    else high = middle - 1
  }
  return pages[low]?.page ?? null
}

function valueOf(record: unknown, name: string): unknown {
  return typeof record === 'object' && record !== null && Object.hasOwn(record, name)
    ? (record as Record<string, unknown>)[name]
    : undefined
}

function isPlain(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint'
}
