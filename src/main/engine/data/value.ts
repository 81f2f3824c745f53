/**
 * A value that came from outside or is on its way there: what JSON can say, and nothing that runs.
 *
 * Three things plain JavaScript values cannot hold have a form of their own, so that templates read
 * them as Python would: an integer beyond 2^53 is a bigint, a float that is whole is a `Float`, and a
 * dictionary whose key order a plain object would change (`{"10": …, "2": …}`), or that has very many keys, is a Map.
 *
 * Shapes of our own that are data are declared as types: an interface does not fit the index signature.
 */
export type Data =
  | null
  | boolean
  | number
  | bigint
  | string
  | Float
  | readonly Data[]
  | DataMap
  | Map<string, Data>

/**
 * A dictionary as an object, whose own keys are data, `constructor` too. Whether it has a prototype says nothing (to take
 * that away takes longer than to parse the text): read it by the functions below, never by `dictionary[key]` with a key
 * from outside.
 */
export interface DataMap {
  readonly [key: string]: Data
}

/** Both forms of a dictionary; the functions below read either. */
export type Dictionary = DataMap | Map<string, Data>

/** A float that is whole: `1.0` stays `1.0` in a template and in JSON. Other floats are numbers. */
export class Float {
  readonly value: number

  constructor(value: number) {
    this.value = value
  }

  /** For log lines and tests alone; `writeJson` keeps the point. */
  toJSON(): number {
    return this.value
  }
}

export function isDictionary(value: Data | undefined): value is Dictionary {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Float)
}

export function isList(value: Data | undefined): value is readonly Data[] {
  return Array.isArray(value)
}

/** The value under an own key; undefined where there is none. */
export function getKey(dictionary: Dictionary, key: string): Data | undefined {
  if (dictionary instanceof Map) return dictionary.get(key)
  return Object.hasOwn(dictionary, key) ? dictionary[key] : undefined
}

/**
 * A dictionary of more keys is a Map: an object of very many takes several times as long to make, to go through and to
 * write, and nobody can read its first key alone.
 */
export const MANY_KEYS = 10_000

export function keysOf(dictionary: Dictionary): string[] {
  return dictionary instanceof Map ? [...dictionary.keys()] : Object.keys(dictionary)
}

export function entriesOf(dictionary: Dictionary): [string, Data][] {
  return dictionary instanceof Map ? [...dictionary] : Object.entries(dictionary)
}

/**
 * Builds a dictionary that keeps the order of its entries. The last of two equal keys wins, in the
 * place of the first; `__proto__` is dropped, because code downstream may copy keys onto objects.
 */
export function dictionaryOf(given: Iterable<readonly [string, Data]>): Dictionary {
  const entries = Array.isArray(given) ? (given as readonly (readonly [string, Data])[]) : [...given]
  if (entries.length > MANY_KEYS) return orderedOf(entries)
  const object = new Bare()
  for (const [key, value] of entries) {
    if (isIndexKey(key)) return orderedOf(entries)
    if (key !== '__proto__') object[key] = value
  }
  return object
}

/** Keys that read as indexes are rare, and need a look at all of them. */
function orderedOf(entries: readonly (readonly [string, Data])[]): Dictionary {
  const map = mapOf(entries)
  return map.size <= MANY_KEYS && keepsOrderAsObject(map.keys()) ? objectOf(map) : map
}

export function mapOf(entries: readonly (readonly [string, Data])[]): Map<string, Data> {
  const map = new Map<string, Data>()
  for (const [key, value] of entries) {
    if (key !== '__proto__') map.set(key, value)
  }
  return map
}

/** Objects list keys that read as array indexes first, in ascending order, whatever was written first. */
export function isIndexKey(key: string): boolean {
  const first = key.charCodeAt(0)
  if (!(first >= 0x30 && first <= 0x39) || key.length > 10) return false
  const index = Number(key)
  return index < 4_294_967_295 && String(index) === key
}

function keepsOrderAsObject(keys: Iterable<string>): boolean {
  let last = -1
  let named = false
  for (const key of keys) {
    if (!isIndexKey(key)) {
      named = true
      continue
    }
    const index = Number(key)
    if (named || index < last) return false
    last = index
  }
  return true
}

function objectOf(map: Map<string, Data>): DataMap {
  const object = new Bare()
  for (const [key, value] of map) object[key] = value
  return object
}

/**
 * An object that inherits nothing. Its prototype is an empty one of its own: taking an object's prototype away takes
 * several times as long as making it, and one made by `Object.create(null)` is a hash table.
 */
// The prototype of a class could not be replaced.
const Bare = function Bare() {} as unknown as new () => Record<string, Data>
const NOTHING: unknown = Object.freeze(Object.setPrototypeOf({}, null))
Bare.prototype = NOTHING

/** Whether an object with this prototype is a dictionary, and no instance of a class. */
export function isOfDictionary(prototype: unknown): boolean {
  return prototype === null || prototype === Object.prototype || prototype === NOTHING
}
