import { type Data, entriesOf, Float, getKey, isDictionary, isList, keysOf } from './value.ts'

/**
 * Whether two values are equal: numbers by value (`1`, `1.0` and `1n` are equal, as in Python), lists in order, objects
 * regardless of form and key order.
 */
export function equalData(a: Data, b: Data): boolean {
  if (Object.is(a, b)) return true
  if (isNumeric(a) || isNumeric(b)) return isNumeric(a) && isNumeric(b) && equalNumbers(a, b)
  if (isList(a)) {
    return isList(b) && a.length === b.length && a.every((item, index) => equalData(item, b[index] ?? null))
  }
  if (!isDictionary(a) || !isDictionary(b)) return false
  const keys = keysOf(a)
  return keys.length === keysOf(b).length && keys.every((key) => equalUnder(key, a, b))
}

/** A copy that shares no list or object with the original. */
export function cloneData(value: Data): Data {
  if (isList(value)) return value.map(cloneData)
  if (value instanceof Map) return new Map([...value].map(([key, item]) => [key, cloneData(item)]))
  if (!isDictionary(value)) return value
  const copy: Record<string, Data> = {}
  for (const [key, item] of entriesOf(value)) copy[key] = cloneData(item)
  return Object.setPrototypeOf(copy, null) as Data
}

/** The approximate size of a value in memory; stops counting once it exceeds `enough`. */
export function estimateBytes(value: Data, enough = Infinity): number {
  if (typeof value === 'string') return 16 + value.length * 2
  if (typeof value === 'bigint') return 16 + value.toString(16).length / 2
  if (typeof value !== 'object' || value === null) return 8
  if (value instanceof Float) return 24
  let bytes = 32
  if (isList(value)) {
    for (const item of value) {
      if (bytes > enough) break
      bytes += 8 + estimateBytes(item, enough - bytes)
    }
    return bytes
  }
  if (value instanceof Map) {
    for (const [key, item] of value) {
      if (bytes > enough) break
      bytes += 16 + key.length + estimateBytes(item, enough - bytes)
    }
    return bytes
  }
  for (const key in value) {
    if (bytes > enough) break
    bytes += 16 + key.length + estimateBytes(value[key] ?? null, enough - bytes)
  }
  return bytes
}

function equalUnder(key: string, a: Data, b: Data): boolean {
  if (!isDictionary(a) || !isDictionary(b)) return false
  const left = getKey(a, key)
  const right = getKey(b, key)
  return left !== undefined && right !== undefined && equalData(left, right)
}

function isNumeric(value: Data): value is number | bigint | Float {
  return typeof value === 'number' || typeof value === 'bigint' || value instanceof Float
}

/** `==` between number and bigint compares the exact values. */
function equalNumbers(a: number | bigint | Float, b: number | bigint | Float): boolean {
  const left = a instanceof Float ? a.value : a
  const right = b instanceof Float ? b.value : b
  // oxlint-disable-next-line eqeqeq -- only this comparison is exact between the two types
  return left == right
}
