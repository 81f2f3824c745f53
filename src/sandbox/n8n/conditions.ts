/** The comparisons of If, Filter and Switch. */
import { fail, isMissing, isObject, toString } from './base.ts'
import { readAs, truth } from './fields.ts'

/** A condition with a typed operator: the value, its type, the operator, the value to compare with and its type. */
export type Condition = readonly [
  left: unknown,
  type: string,
  operation: string,
  right?: unknown,
  rightType?: string,
  single?: boolean,
]

export interface ConditionOptions {
  readonly strict: boolean
  readonly ignoreCase: boolean
  readonly version: number
}

export function meets(
  conditions: readonly (() => Condition)[],
  all: boolean,
  options: ConditionOptions,
): boolean {
  return conditions[all ? 'every' : 'some']((one) => holds(one(), options))
}

function holds(
  [left, type, operation, right, rightType = type, single = false]: Condition,
  options: ConditionOptions,
) {
  const a = operand(left, type, options)
  const b = single ? operand(right, rightType, options, false) : operand(right, rightType, options)
  const exists = !isMissing(a) && !Number.isNaN(a)
  if (operation === 'exists') return exists
  if (operation === 'notExists') return !exists
  if (type === 'string') {
    const read = (value: unknown) => toString(value ?? '')
    const compare = TEXTS[operation]
    if (compare !== undefined)
      return options.ignoreCase && !/regex/i.test(operation)
        ? compare(read(a).toLowerCase(), read(b).toLowerCase(), true)
        : compare(read(a), read(b), options.ignoreCase)
  }
  if (type === 'object') return (!isObject(a) || Object.keys(a).length === 0) === (operation === 'empty')
  if (type === 'array') {
    const compare = LISTS[operation]
    if (compare !== undefined) return compare((a ?? []) as unknown[], b as number, options.ignoreCase)
  }
  if (operation === 'empty') return !exists
  if (operation === 'notEmpty') return exists
  if (type === 'dateTime' && (!a || !b)) return false
  const compare = ORDERS[operation] ?? fail(`it has a comparison that is not known: ${type} ${operation}`)
  return type === 'dateTime' ? compare(Number(a), Number(b)) : compare(a as number, b as number)
}

/** Converts the value to its type. */
function operand(
  value: unknown,
  type: string,
  { strict, version }: ConditionOptions,
  isUsed = true,
): unknown {
  if (type === 'any' || isMissing(value) || (type === 'number' && Number.isNaN(value))) return value
  if (type === 'boolean' && !strict) return (version >= 2 ? truth(value) : undefined) ?? Boolean(value)
  const isBlank =
    (typeof value === 'string' && value.trim() === '') || (Array.isArray(value) && value.length === 0)
  if (type === 'number' && version >= 3 && isBlank) return null
  const own = Array.isArray(value) ? 'array' : typeof value
  const isTyped = ['string', 'number', 'boolean', 'array', 'object'].includes(type)
  const isOfType = own === type || (type === 'object' && own === 'array')
  const read = strict && isTyped && !isOfType ? undefined : readAs(type, value)
  if (read === undefined && isUsed)
    fail(
      `${strict ? 'Wrong type' : 'Conversion error'}: ${JSON.stringify(value)} is a ${typeof value} but was expecting a ${type}`,
    )
  return read
}

const pattern = (text: string, ignoreCase = false): RegExp => {
  const [, source = text, flags = ''] = /^\/(.*?)\/([gimusy]*)$/.exec(text) ?? []
  // linear: not if a flow's pattern isn't, but then the sandbox ends it
  return new RegExp(source, ignoreCase && !flags.includes('i') ? `${flags}i` : flags)
}

const TEXTS: Readonly<Record<string, (a: string, b: string, ignoreCase: boolean) => boolean>> = {
  empty: (a) => a === '',
  notEmpty: (a) => a !== '',
  equals: (a, b) => a === b,
  notEquals: (a, b) => a !== b,
  contains: (a, b) => a.includes(b),
  notContains: (a, b) => !a.includes(b),
  startsWith: (a, b) => a.startsWith(b),
  notStartsWith: (a, b) => !a.startsWith(b),
  endsWith: (a, b) => a.endsWith(b),
  notEndsWith: (a, b) => !a.endsWith(b),
  regex: (a, b, ignoreCase) => pattern(b, ignoreCase).test(a),
  notRegex: (a, b, ignoreCase) => !pattern(b, ignoreCase).test(a),
}

const lower = (value: unknown): unknown => (typeof value === 'string' ? value.toLowerCase() : value)
const includes = (list: readonly unknown[], one: unknown, ignoreCase: boolean): boolean =>
  ignoreCase && typeof one === 'string' ? list.map(lower).includes(lower(one)) : list.includes(one)

const LISTS: Readonly<
  Record<string, (list: readonly unknown[], other: number, ignoreCase: boolean) => boolean>
> = {
  contains: includes,
  notContains: (list, other, ignoreCase) => !includes(list, other, ignoreCase),
  lengthEquals: (list, other) => list.length === other,
  lengthNotEquals: (list, other) => list.length !== other,
  lengthGt: (list, other) => list.length > other,
  lengthLt: (list, other) => list.length < other,
  lengthGte: (list, other) => list.length >= other,
  lengthLte: (list, other) => list.length <= other,
  empty: (list) => list.length === 0,
  notEmpty: (list) => list.length !== 0,
}

/** Comparisons of numbers. Other values are compared as in JavaScript. */
const ORDERS: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  equals: (a, b) => a === b,
  notEquals: (a, b) => a !== b,
  gt: (a, b) => a > b,
  after: (a, b) => a > b,
  lt: (a, b) => a < b,
  before: (a, b) => a < b,
  gte: (a, b) => a >= b,
  afterOrEquals: (a, b) => a >= b,
  lte: (a, b) => a <= b,
  beforeOrEquals: (a, b) => a <= b,
  true: Boolean,
  false: (a) => !a,
}

/** Current operators by the names that older versions of these nodes use. */
const OLD: Readonly<Record<string, string>> = {
  equal: 'equals',
  notEqual: 'notEquals',
  larger: 'gt',
  smaller: 'lt',
  largerEqual: 'gte',
  smallerEqual: 'lte',
}

/** Compares as JavaScript does, like older versions of these nodes. */
export function compare([left, type, operation, right]: readonly [
  unknown,
  string,
  string,
  unknown,
]): boolean {
  const [a, b] = type === 'dateTime' ? [time(left), time(right)] : [left, right]
  if (operation === 'isEmpty' || operation === 'isNotEmpty') return isEmpty(a) === (operation === 'isEmpty')
  const order = ORDERS[OLD[operation] ?? operation]
  if (order !== undefined) {
    const isExact = operation === 'equal' || operation === 'notEqual'
    return isExact ? order(a as number, b as number) : order((a as number) || 0, (b as number) || 0)
  }
  const test = TEXTS[operation] ?? fail(`it has a comparison that is not known: ${operation}`)
  if (operation.endsWith('sWith') && typeof a !== 'string')
    fail(`${operation} needs a string, got ${toString(a)}`)
  return test(toString(a || ''), toString(b || ''), false)
}

function time(value: unknown): number {
  const isTime = typeof value === 'string' || typeof value === 'number' || value instanceof Date
  const ms = isTime ? new Date(value).getTime() : Number.NaN
  return Number.isNaN(ms) ? fail(`The value "${String(value)}" is not a valid DateTime.`) : ms
}

function isEmpty(value: unknown): boolean {
  if (value instanceof Date) return Number.isNaN(value.getTime())
  return (
    isMissing(value) ||
    value === '' ||
    Number.isNaN(value) ||
    (isObject(value) && Object.keys(value).length === 0)
  )
}
