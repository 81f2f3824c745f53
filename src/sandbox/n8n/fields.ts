/** Converts values to the types in "Edit fields" and in conditions. */
import { asText, fail, type Fields, isFields, isMissing, toString } from './base.ts'
import { moment } from './dates.ts'

/** Convert a value to the type. Each returns undefined if that isn't possible. */
const READERS: Readonly<Record<string, (value: unknown) => unknown>> = {
  string: asText,
  number: (value) => (Number.isNaN(Number(value)) ? undefined : Number(value)),
  boolean: truth,
  array: (value) => {
    if (Array.isArray(value)) return value
    const read = parse(String(value)) ?? parse(String(value).replaceAll("'", '"'))
    return Array.isArray(read) ? read : undefined
  },
  object: (value) => {
    const read = isFields(value) ? value : parse(String(value))
    return read === null || isFields(read) ? read : undefined
  },
  dateTime: moment,
}

export function truth(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  if (typeof value === 'string' && /^(?:true|false)$/i.test(value)) return value.toLowerCase() === 'true'
  const number = typeof value === 'string' && value.trim() === '' ? Number.NaN : Number(value)
  return number === 0 ? false : number === 1 ? true : undefined
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function readAs(type: string, value: unknown): unknown {
  const reader = READERS[type]
  return reader === undefined ? value : reader(value)
}

/** The value of a field. With `isOld`, it is converted as in versions 1 and 2 of the node. */
export function typed(name: string, type: string, value: unknown, ignore: boolean, isOld: boolean): unknown {
  if (isMissing(value) && !(isOld && type === 'string')) return null
  const read = readAs(type, value)
  if (read !== undefined) return read
  const shown = typeof value === 'object' ? asText(value) : `'${toString(value)}'`
  return ignore ? value : fail(`'${name}' expects a ${type} but we got ${shown}`)
}

export function jsonObject(value: unknown): Fields | null {
  const read = typeof value === 'string' ? parse(value) : value
  return read === null || isFields(read) ? read : fail('the JSON must be a valid object')
}
