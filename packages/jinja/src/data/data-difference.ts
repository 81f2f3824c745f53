import { equalData } from './deep.ts'
import { type Data, getKey, isDictionary, isList, keysOf } from './value.ts'

/** One place where two values differ. If something exists on only one side, the other side is missing. */
export interface DataChange {
  /** Keys and indexes, outermost first; an index counts in the newer list, or in the older one for a removed item. */
  readonly at: readonly (string | number)[]
  readonly before?: Data
  readonly after?: Data
}

/**
 * The places where two values differ, compared recursively as long as both are objects or lists. Equal items at both
 * ends of lists are skipped first, so that one item added at the front is one change. Returns at most `most` changes.
 */
export function dataDifference(before: Data, after: Data, most: number): readonly DataChange[] {
  const changes: DataChange[] = []
  collect(before, after, [], (change) => changes.push(change) < most)
  return changes
}

/** Writes a path such as `body.items[0]["a b"]`. */
export function writePath(at: DataChange['at']): string {
  return at
    .map((key, index) => {
      if (typeof key === 'number') return `[${key}]`
      if (!/^[\w-]+$/.test(key)) return `[${JSON.stringify(key)}]`
      return index === 0 ? key : `.${key}`
    })
    .join('')
}

/** Returns false if no more changes are wanted. */
type Add = (change: DataChange) => boolean

function collect(before: Data, after: Data, at: DataChange['at'], add: Add): boolean {
  if (isList(before) && isList(after)) return collectItems(before, after, at, add)
  if (!isDictionary(before) || !isDictionary(after))
    return equalData(before, after) || add({ at, before, after })
  for (const key of new Set([...keysOf(before), ...keysOf(after)])) {
    const [left, right] = [getKey(before, key), getKey(after, key)]
    if (!collectOne(left, right, [...at, key], add)) return false
  }
  return true
}

function collectItems(
  before: readonly Data[],
  after: readonly Data[],
  at: DataChange['at'],
  add: Add,
): boolean {
  const shorter = Math.min(before.length, after.length)
  let from = 0
  while (from < shorter && equalData(before[from] ?? null, after[from] ?? null)) from++
  let behind = 0
  while (
    behind < shorter - from &&
    equalData(before[before.length - 1 - behind] ?? null, after[after.length - 1 - behind] ?? null)
  )
    behind++
  const ends = [before.length - behind, after.length - behind] as const
  for (let index = from; index < Math.max(...ends); index++) {
    const left = index < ends[0] ? before[index] : undefined
    const right = index < ends[1] ? after[index] : undefined
    if (!collectOne(left, right, [...at, index], add)) return false
  }
  return true
}

function collectOne(
  left: Data | undefined,
  right: Data | undefined,
  at: DataChange['at'],
  add: Add,
): boolean {
  if (left !== undefined && right !== undefined) return collect(left, right, at, add)
  return add({
    at,
    ...(left === undefined ? {} : { before: left }),
    ...(right === undefined ? {} : { after: right }),
  })
}
