import { type Data, dictionaryOf, entriesOf, isDictionary, isList } from './value.ts'

/**
 * The location of a list that is too long for memory: the file of its run, and the part of it that belongs to the
 * list.
 */
export type StoredMark = {
  readonly key: string
  readonly count: number
  /** Counted from the beginning of the file. Anything after that isn't part of the list. */
  readonly bytes: number
}

/** A stored list inside a value, with the keys and indexes that lead to it. */
export type StoredPlace = {
  readonly path: readonly (string | number)[]
  readonly mark: StoredMark
}

/**
 * A list whose records are read on demand. It behaves like any other, but can't be changed.
 *
 * @param recordAt called with indexes from 0 to the count, exclusive
 */
export function storedList(mark: StoredMark, recordAt: (index: number) => Data): readonly Data[] {
  const target: Data[] = []
  target.length = mark.count
  const list = new Proxy(target, {
    get: (own, name, receiver) => {
      const index = indexOf(name, mark.count)
      return index === null ? (Reflect.get(own, name, receiver) as unknown) : recordAt(index)
    },
    has: (own, name) => indexOf(name, mark.count) !== null || Reflect.has(own, name),
    getOwnPropertyDescriptor: (own, name) => {
      const index = indexOf(name, mark.count)
      if (index === null) return Reflect.getOwnPropertyDescriptor(own, name)
      return { value: recordAt(index), enumerable: true, configurable: true, writable: true }
    },
    set: refuse,
    defineProperty: refuse,
    deleteProperty: refuse,
    setPrototypeOf: refuse,
  })
  MARKS.set(list, mark)
  isAnyStored = true
  return list
}

/** Null for a list in memory, and for anything else. */
export function storedMarkOf(value: unknown): StoredMark | null {
  return isAnyStored && typeof value === 'object' && value !== null ? (MARKS.get(value) ?? null) : null
}

/**
 * A value with null instead of its stored lists, and their positions, so that it can be written without
 * reading them.
 */
export function detachLists(value: Data): { readonly value: Data; readonly stored: readonly StoredPlace[] } {
  const stored: StoredPlace[] = []
  return isAnyStored ? { value: detach(value, [], stored), stored } : { value, stored }
}

/** The inverse of `detachLists`: puts stored lists back in their positions. */
export function attachLists(
  value: Data,
  stored: readonly StoredPlace[],
  open: (mark: StoredMark) => readonly Data[],
): Data {
  return stored.reduce((whole, { path, mark }) => placed(whole, path, open(mark)), value)
}

const MARKS = new WeakMap<object, StoredMark>()
/** Without this, processes that never have a stored list would search everything they write. */
let isAnyStored = false

function indexOf(name: string | symbol, count: number): number | null {
  if (typeof name !== 'string') return null
  const index = Number(name)
  return Number.isInteger(index) && index >= 0 && index < count && String(index) === name ? index : null
}

function refuse(): never {
  throw new TypeError('A stored list cannot be changed')
}

/** Returns the same value if it contains none, so that nothing is created for the records of a long list. */
function detach(value: Data, path: readonly (string | number)[], stored: StoredPlace[]): Data {
  if (!holdsStored(value)) return value
  const mark = storedMarkOf(value)
  if (mark !== null) {
    stored.push({ path, mark })
    return null
  }
  if (isList(value)) return value.map((item, index) => detach(item, [...path, index], stored))
  if (!isDictionary(value)) return value
  return dictionaryOf(
    entriesOf(value).map(([key, item]) => [key, detach(item, [...path, key], stored)] as const),
  )
}

function holdsStored(value: Data): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (MARKS.has(value)) return true
  if (isList(value)) return value.some(holdsStored)
  if (value instanceof Map) return value.values().some(holdsStored)
  if (!isDictionary(value)) return false
  for (const key in value) if (holdsStored(value[key] ?? null)) return true
  return false
}

function placed(value: Data, [first, ...rest]: readonly (string | number)[], list: readonly Data[]): Data {
  if (first === undefined) return list
  if (isList(value)) return value.map((item, index) => (index === first ? placed(item, rest, list) : item))
  if (!isDictionary(value)) return value
  return dictionaryOf(
    entriesOf(value).map(([key, item]) => [key, key === first ? placed(item, rest, list) : item]),
  )
}
