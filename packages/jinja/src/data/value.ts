/**
 * A value from outside or on its way there: anything JSON can express, and no code.
 *
 * Three kinds of values have their own representation, so that templates read them as Python would: an integer beyond
 * 2^53 is a bigint, a whole float is a `Float`, and an object whose key order a JavaScript object would change (`{"10":
 * …, "2": …}`), or that has very many keys, is a Map.
 *
 * Millrace's own data shapes are declared with `type`: an `interface` doesn't match the index signature.
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
 * An object whose own keys are data, including `constructor`. It may have a prototype, since removing it would take
 * longer than parsing. So use the functions below, never `dictionary[key]` with a key from outside.
 */
export interface DataMap {
  readonly [key: string]: Data
}

/** Both representations of an object; the functions below read either. */
export type Dictionary = DataMap | Map<string, Data>

/** A whole float: `1.0` remains `1.0` in templates and JSON. Other floats are numbers. */
export class Float {
  readonly value: number

  constructor(value: number) {
    this.value = value
  }

  /** Only for log lines and tests; `writeJson` keeps the decimal point. */
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

/** The value of an own key; undefined if there is none. */
export function getKey(dictionary: Dictionary, key: string): Data | undefined {
  if (dictionary instanceof Map) return dictionary.get(key)
  return Object.hasOwn(dictionary, key) ? dictionary[key] : undefined
}

/**
 * An object with more keys is a Map: creating, iterating and writing a JavaScript object with very many keys takes
 * several times as long, and its first key can't be read by itself.
 */
export const MANY_KEYS = 10_000

export function keysOf(dictionary: Dictionary): string[] {
  return dictionary instanceof Map ? [...dictionary.keys()] : Object.keys(dictionary)
}

export function entriesOf(dictionary: Dictionary): [string, Data][] {
  return dictionary instanceof Map ? [...dictionary] : Object.entries(dictionary)
}

/**
 * Builds an object that keeps the order of its keys. If a key is repeated, its last value wins, in the position of
 * the first; `__proto__` is dropped, because other code may copy keys onto objects.
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

/** Index keys are rare; if there are any, the order of all keys has to be checked. */
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

/** JavaScript objects list index keys first, in ascending order, whatever the original order was. */
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
 * An object that inherits nothing. Its prototype is an empty object: removing the prototype takes several times as long
 * as creating the object, and `Object.create(null)` creates a hash table.
 */
// A function, because the prototype of a class can't be replaced.
const Bare = function Bare() {} as unknown as new () => Record<string, Data>
const NOTHING: unknown = Object.freeze(Object.setPrototypeOf({}, null))
Bare.prototype = NOTHING

/** Whether an object with this prototype is plain data rather than an instance of a class. */
export function isOfDictionary(prototype: unknown): boolean {
  return prototype === null || prototype === Object.prototype || prototype === NOTHING
}
