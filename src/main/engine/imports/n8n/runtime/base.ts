/** What all imported JavaScript needs: how n8n evaluates expressions, and reads and writes paths. */
export const BASE = String.raw`class $Failure extends Error {}
const $fail = (message) => { throw new $Failure(message) }
// As n8n evaluates an expression: where it fails there is nothing.
const $value = (read) => {
  try {
    const value = read()
    return typeof value === 'function' ? $fail('an expression gives a function, add ()') : value
  } catch (error) {
    // Without memory, there is none for an error either.
    if (error === null || error instanceof $Failure || error.name === 'InternalError') throw error
  }
}
const $text = (value) => (value || value === 0 || value === false ? value : '')
const $keys = (path) => String(path).replaceAll(/\[(?:"([^"]*)"|'([^']*)'|([^\]]*))\]/g, '.$1$2$3').split('.').filter((key, at) => at > 0 || key !== '')
const $get = (of, path) => of != null && Object.hasOwn(Object(of), path) ? of[path] : $keys(path).reduce((value, key) => value?.[key], of)
const $put = (of, path, value) => {
  const keys = Object.hasOwn(of, path) ? [path] : $keys(path)
  if (keys.some((key) => key === '__proto__' || key === 'constructor' || key === 'prototype')) return of
  let at = of
  keys.slice(0, -1).forEach((key, index) => {
    if (at[key] === null || typeof at[key] !== 'object') at[key] = /^\d+$/.test(keys[index + 1]) ? [] : {}
    at = at[key]
  })
  at[keys.at(-1)] = value
  return of
}
const $remove = (of, path) => {
  const keys = Object.hasOwn(of, path) ? [path] : $keys(path)
  const at = keys.slice(0, -1).reduce((value, key) => value?.[key], of)
  if (at) delete at[keys.at(-1)]
  return of
}
const $copy = (value) => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)))
const $same = (a, b) => {
  if (a === b || (a !== a && b !== b)) return true
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object' || Array.isArray(a) !== Array.isArray(b)) return false
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && $same(a[key], b[key]))
}`

/** The names for items: the input, and the results of other nodes. */
export const ITEMS = String.raw`const $wrap = (list) => list.map((json) => ({ json }))
const $of = (list, item) => ({
  all: () => list,
  first: () => list[0],
  last: () => list.at(-1),
  item: item ?? list?.[0],
  json: (item ?? list?.[0])?.json,
  isExecuted: true,
})
const $never = (name) => ({ isExecuted: false, ...Object.fromEntries(['all', 'first', 'last'].map((key) => [key, () => $fail('the node "' + name + '" has not run')])), get item() { return $fail('the node "' + name + '" has not run') }, get json() { return $fail('the node "' + name + '" has not run') } })`

/** What n8n accepts as the result of a code node. */
export const RETURNED = String.raw`const $json_of = (item) => {
  if (item === null || typeof item !== 'object' || Array.isArray(item)) $fail('the code does not return items: each must be an object')
  if (item.binary && Object.keys(item.binary).length > 0) $fail('the code returns files, which are not kept here')
  if (!('json' in item)) return item
  if (item.json === null || typeof item.json !== 'object' || Array.isArray(item.json)) $fail('"json" of a returned item must be an object')
  return item.json
}
const $returned = (value) => {
  if (value === null || typeof value !== 'object') $fail('the code does not return items: it must return a list of objects, or one')
  return (Array.isArray(value) ? value : [value]).map($json_of)
}`

/** Values of the types in "Edit fields". */
export const FIELDS = String.raw`const $truth = (value) => {
  if (typeof value === 'boolean') return value
  if (typeof value === 'string' && /^(?:true|false)$/i.test(value)) return value.toLowerCase() === 'true'
  const number = typeof value === 'string' && value.trim() === '' ? NaN : Number(value)
  return number === 0 ? false : number === 1 ? true : undefined
}
const $parse = (value) => { try { return JSON.parse(value) } catch { return undefined } }
const $list = (value) => {
  if (Array.isArray(value)) return value
  const read = $parse(String(value)) ?? $parse(String(value).replaceAll("'", '"'))
  return Array.isArray(read) ? read : undefined
}
const $object = (value) => {
  if (value && typeof value === 'object' && !Array.isArray(value)) return value
  const read = $parse(String(value))
  return read === null || (typeof read === 'object' && !Array.isArray(read)) ? read : undefined
}
const $typed = (name, type, value, ignore, isOld) => {
  if (!isOld && (value === undefined || value === null)) return null
  if (type === 'string') return typeof value === 'object' ? JSON.stringify(value) : String(value)
  if (value === undefined || value === null) return null
  const read = type === 'number' ? (Number.isNaN(Number(value)) ? undefined : Number(value))
    : type === 'boolean' ? $truth(value)
    : type === 'array' ? $list(value)
    : type === 'object' ? $object(value)
    : type === 'dateTime' ? $moment(value)
    : value
  if (read !== undefined) return read
  return ignore ? value : $fail("'" + name + "' expects a " + type + ' but we got ' + (typeof value === 'object' ? JSON.stringify(value) : "'" + value + "'"))
}
const $json_object = (value) => {
  const read = typeof value === 'string' ? $parse(value) : value
  if (read === undefined || typeof read !== 'object' || Array.isArray(read)) $fail('the JSON must be a valid object')
  return read
}`
