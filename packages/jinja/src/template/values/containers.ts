import { say } from '../../data/said.ts'
import { types } from 'node:util'
import { HeaderMap } from '../../data/header-map.ts'
import { storedMarkOf } from '../../data/stored-list.ts'
import { type Data, isOfDictionary } from '../../data/value.ts'
import { Fault } from '../base/faults.ts'
import { current } from '../base/limits.ts'
import { hashKey, type HashKey } from './hash.ts'
import { Float, Thing, type Value } from '../base/value.ts'

/**
 * Converts data of the context to a template value, the opposite of `toData`. Templates read data: plain objects,
 * arrays, maps, numbers, strings, dates. Functions, class instances, getters and proxies are rejected here, so that a
 * template can't reach any code of the host.
 */
export function fromData(raw: unknown): Value {
  if (typeof raw !== 'object') return fromPlainData(raw)
  if (raw === null) return null
  if (raw instanceof Thing || raw instanceof Float) return raw
  return fromObject(raw)
}

/** The value's own data property with that name, as a template value; undefined if there is none. */
export function propertyFromData(source: object, name: string): Value | undefined {
  const property = Object.getOwnPropertyDescriptor(source, name)
  if (property === undefined) return undefined
  if (property.get !== undefined) throw refusal(`"${name}" is a getter`)
  return property.value === undefined ? undefined : fromData(property.value)
}

/** Rejects an object whose properties aren't plain data. */
export function assertPlain(source: object): void {
  if (types.isProxy(source)) throw refusal('a proxy')
  const prototype: unknown = Object.getPrototypeOf(source)
  if (!isOfDictionary(prototype)) throw refusal('an instance of a class')
}

/**
 * A list. A list of the context is read in place, item by item on demand; the first change creates the template's own
 * copy.
 */
export class List extends Thing {
  private entries: unknown[]
  private owned: boolean

  constructor(items: Value[]) {
    super()
    this.entries = items
    this.owned = true
  }

  /** A list over data of the context, which is never changed. */
  static over(items: readonly unknown[]): List {
    const list = new List(items as Value[])
    list.owned = false
    return list
  }

  // A getter, because an instance property would cost as much as the rest of creating a list. The same
  // goes for dictionaries.
  get typeName(): string {
    return 'list'
  }

  get length(): number {
    return this.entries.length
  }

  at(index: number): Value {
    return fromData(this.entries[index])
  }

  /**
   * The original list if it can be returned unchanged: one stored in a file, or one from a context in which the
   * template has changed nothing. Null otherwise.
   */
  given(depth: number): Data | null {
    if (this.owned) return null
    if (storedMarkOf(this.entries) !== null) return this.entries as readonly Data[]
    return sharedData(this.entries as readonly Data[], depth)
  }

  /** All items, in a new array. */
  values(): Value[] {
    return this.entries.map((_, index) => this.at(index))
  }

  replace(items: Value[]): void {
    this.entries = items
    this.owned = true
  }

  /** The items, to be changed in place. */
  own(): Value[] {
    if (!this.owned) {
      current.hasChanged = true
      this.entries = this.entries.map((_, index) => this.at(index))
      this.owned = true
    }
    return this.entries as Value[]
  }
}

/**
 * A dictionary in insertion order, with 1, 1.0 and True as the same key. One from the context is read in place; the
 * first change, or a key that isn't a string, creates the template's own copy.
 */
export class Dict extends Thing {
  private source: object | null = null
  private names: readonly string[] | null = null
  private entries: Map<HashKey, unknown> | null = null
  /** Keys that differ from their lookup key: True for 1, a tuple for its string form. */
  private keyValues: Map<HashKey, Value> | null = null

  static from(pairs: Iterable<readonly [Value, Value]>): Dict {
    const dict = new Dict()
    for (const [key, value] of pairs) dict.set(key, value)
    return dict
  }

  /** A dictionary over a plain object of the context, which is never changed. */
  static over(source: object): Dict {
    const dict = new Dict()
    dict.source = source
    return dict
  }

  static overMap(source: ReadonlyMap<unknown, unknown>): Dict {
    const dict = new Dict()
    for (const [key, value] of source) dict.set(typeof key === 'string' ? key : fromData(key), value)
    return dict
  }

  get typeName(): string {
    return 'dict'
  }

  /** Like `given` of `List`. */
  given(depth: number): Data | null {
    return this.source === null ? null : sharedData(this.source as Data, depth)
  }

  get size(): number {
    return this.source === null ? (this.entries?.size ?? 0) : this.ownNames().length
  }

  /** The value of a key; undefined if there is none. */
  get(key: Value): Value | undefined {
    if (typeof key === 'string') return this.getText(key)
    const found = this.own().get(hashKey(key))
    return found === undefined ? undefined : fromData(found)
  }

  /** `get` for a name that is known to be a string. */
  getText(name: string): Value | undefined {
    if (this.source !== null) return propertyFromData(this.source, name)
    const found = this.entries?.get(hashKey(name))
    return found === undefined ? undefined : fromData(found)
  }

  has(key: Value): boolean {
    return this.get(key) !== undefined
  }

  set(key: Value, value: unknown): void {
    const entries = this.own()
    const hash = hashKey(key)
    if (hash !== key && !entries.has(hash)) {
      this.keyValues ??= new Map()
      this.keyValues.set(hash, key)
    }
    entries.set(hash, value)
  }

  /** Removes a key and returns its value, or undefined. */
  delete(key: Value): Value | undefined {
    const entries = this.own()
    const hash = hashKey(key)
    const found = entries.get(hash)
    if (found === undefined) return undefined
    entries.delete(hash)
    this.keyValues?.delete(hash)
    return fromData(found)
  }

  clear(): void {
    this.own().clear()
    this.keyValues?.clear()
  }

  keys(): Value[] {
    if (this.source !== null) return [...this.ownNames()]
    return [...this.own().keys()].map((hash) => this.keyOf(hash))
  }

  values(): Value[] {
    if (this.source !== null) return this.ownNames().map((name) => this.getText(name) ?? null)
    return [...this.own().values()].map(fromData)
  }

  pairs(): [Value, Value][] {
    if (this.source !== null) return this.ownNames().map((name) => [name, this.getText(name) ?? null])
    return [...this.own()].map(([hash, value]) => [this.keyOf(hash), fromData(value)])
  }

  private keyOf(hash: HashKey): Value {
    return this.keyValues?.get(hash) ?? hash
  }

  /** Names whose value isn't undefined. JSON would keep the same ones. */
  private ownNames(): readonly string[] {
    const source = this.source as Record<string, unknown>
    this.names ??= Object.keys(source).filter((name) => propertyFromData(source, name) !== undefined)
    return this.names
  }

  private own(): Map<HashKey, unknown> {
    if (this.entries !== null) return this.entries
    this.entries = new Map()
    const { source } = this
    if (source === null) return this.entries
    const names = this.ownNames()
    current.hasChanged = true
    this.source = null
    for (const name of names) this.set(name, propertyFromData(source, name) ?? null)
    return this.entries
  }
}

/** The headers of a response, whose names are case-insensitive. */
class CaselessDict extends Dict {
  static overHeaders(headers: HeaderMap): CaselessDict {
    const dict = new CaselessDict()
    for (const [name, value] of headers) dict.set(name, value)
    return dict
  }

  override getText(name: string): Value | undefined {
    return super.getText(name.toLowerCase())
  }
}

/** Copying data that is unchanged and read-only would cost more than everything else a template does. */
function sharedData(value: Data, depth: number): Data | null {
  return current.sharesData && !current.hasChanged && fits(value, depth) ? value : null
}

/** Whether a value is nested no deeper than that. Null and strings have no depth. */
function fits(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null || value instanceof Float) return true
  if (depth < 0) return false
  if (Array.isArray(value)) {
    if (storedMarkOf(value) !== null) return true
    for (const item of value) if (!fits(item, depth - 1)) return false
    return true
  }
  if (value instanceof Map) {
    for (const item of value.values()) if (!fits(item, depth - 1)) return false
    return true
  }
  for (const key in value) if (!fits((value as Record<string, unknown>)[key], depth - 1)) return false
  return true
}

function fromPlainData(raw: unknown): Value {
  switch (typeof raw) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'bigint':
      return raw
    case 'undefined':
      return null
    default:
      throw refusal(`a ${typeof raw}`)
  }
}

function fromObject(raw: object): Value {
  if (!current.keepsIdentity) return wrap(raw)
  const known = current.converted?.get(raw)
  if (known !== undefined) return known
  const value = wrap(raw)
  current.converted ??= new Map()
  current.converted.set(raw, value)
  return value
}

function wrap(raw: object): Value {
  // The only kind of proxy that Millrace creates. Its records are plain data, read on demand.
  if (storedMarkOf(raw) !== null) return List.over(raw as readonly unknown[])
  if (types.isProxy(raw)) throw refusal('a proxy')
  const prototype: unknown = Object.getPrototypeOf(raw)
  if (Array.isArray(raw)) {
    if (prototype !== Array.prototype) throw refusal('an instance of a class')
    return List.over(raw)
  }
  if (isOfDictionary(prototype)) return Dict.over(raw)
  if (prototype === HeaderMap.prototype) return CaselessDict.overHeaders(raw as HeaderMap)
  if (prototype === Map.prototype) return Dict.overMap(raw as ReadonlyMap<unknown, unknown>)
  if (types.isDate(raw) && prototype === Date.prototype) return dateText(raw)
  throw refusal('an instance of a class')
}

function dateText(date: Date): string {
  if (Number.isNaN(date.getTime())) throw refusal('an invalid date')
  return date.toISOString()
}

function refusal(what: string): Fault {
  return new Fault('runtime', say`Templates can only read data, but the context contains ${what} here`)
}
