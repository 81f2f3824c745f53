import { say } from '../../data/said.ts'
import { typeFault } from '../base/faults.ts'
import { spend, spendText } from '../base/limits.ts'
import { Bytes, Float, Markup, Thing, Tuple, type Value } from '../base/value.ts'
import { Undefined } from '../base/undefined.ts'

/** The lookup key of a dictionary, which is the same for equal keys. */
export type HashKey = string | number | bigint | null | Thing

/** The prefix of lookup keys that aren't the key's own string. */
const ESCAPE = '\u0000'

/** The lookup key of a value. Lists and dictionaries have none. */
export function hashKey(value: Value): HashKey {
  if (typeof value === 'string') {
    spendText(value.length)
    return value.startsWith(ESCAPE) ? `${ESCAPE}s${value}` : value
  }
  if (typeof value === 'number') return value === 0 ? 0 : integerKey(value)
  if (value === null || typeof value === 'bigint') return value
  if (typeof value === 'boolean') return value ? 1 : 0
  if (value instanceof Float) return integerKey(value.value === 0 ? 0 : value.value)
  if (value instanceof Markup) return hashKey(value.text)
  if (value instanceof Tuple) return `${ESCAPE}(${tupleKey(value)})`
  if (value instanceof Bytes) return `${ESCAPE}b${value.bytes.join(' ')}`
  if (value instanceof Undefined) return `${ESCAPE}u`
  if (UNHASHABLE.has(value.typeName)) throw typeFault(say`unhashable type: '${value.typeName}'`)
  return value
}

const UNHASHABLE: ReadonlySet<string> = new Set(['list', 'dict', 'dict_keys', 'dict_items'])

/** A whole float beyond 2^53 equals the int of that size. */
function integerKey(value: number): number | bigint {
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? BigInt(value) : value
}

function tupleKey(tuple: Tuple): string {
  spend(tuple.items.length)
  return tuple.items
    .map((item) => {
      const key = hashKey(item)
      if (key instanceof Thing) return identity(key)
      return `${typeof key}:${String(key).length}:${String(key)}`
    })
    .join(',')
}

const identities = new WeakMap<Thing, string>()
let lastIdentity = 0

function identity(thing: Thing): string {
  const known = identities.get(thing) ?? `#${++lastIdentity}`
  identities.set(thing, known)
  return known
}
