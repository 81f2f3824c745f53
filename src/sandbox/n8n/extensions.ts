/** The functions of n8n's expressions, and the methods that it adds to values. */
import { fail, type Fields, isFields, isObject, same } from './base.ts'
import { type AnyDate, DATE_METHODS, DateTime, moment } from './dates.ts'

const numeric = (text: string, name: string): string =>
  /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/.test(text.trim())
    ? text
    : fail(`cannot convert "${text}" by ${name}()`)

function numbersOf(list: readonly unknown[], name: string): number[] {
  const isNumber = (one: unknown): one is number => typeof one === 'number'
  return list.every(isNumber) ? [...list] : fail(`${name}(): all array elements must be numbers`)
}

const listOf = (value: unknown, name: string): unknown[] =>
  Array.isArray(value) ? value : fail(`${name}(): expected array arg`)

const unique = (list: readonly unknown[], isSame = same): unknown[] =>
  list.filter((one, index) => list.findIndex((other) => isSame(other, one)) === index)

const hasSome = (list: readonly unknown[], value: unknown): boolean => list.some((one) => same(one, value))

const isBlank = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === 'nil' ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0)

const compact = (value: unknown): unknown =>
  isObject(value)
    ? Object.fromEntries(
        Object.entries(value).flatMap(([key, one]) => (isBlank(one) ? [] : [[key, compact(one)]])),
      )
    : value

const sum = (list: readonly number[]): number => list.reduce((all, one) => all + one, 0)

/** Keeps only the fields that contain the string, or only the others. */
const fieldsWith = (value: Fields, part: string, isKept: boolean): Fields =>
  Object.fromEntries(
    Object.entries(value).filter(([, one]) => (typeof one === 'string' && one.includes(part)) === isKept),
  )

const query = (text: unknown): string =>
  encodeURIComponent(String(text))
    .replaceAll('%20', '+')
    .replaceAll(/[!'()~]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

function toBase64(text: string): string {
  const bytes = unescape(encodeURIComponent(text))
  const groups = bytes.replaceAll(/[^]{1,3}/g, (group) => {
    const [a = 0, b = 0, c = 0] = Array.from(group, (byte) => byte.charCodeAt(0))
    const digits = [a >> 2, ((a & 3) << 4) | (b >> 4), ((b & 15) << 2) | (c >> 6), c & 63]
    return digits
      .slice(0, group.length + 1)
      .map((digit) => DIGITS[digit])
      .join('')
      .padEnd(4, '=')
  })
  return groups
}

function fromBase64(text: string): string {
  const digits = Array.from(text.replaceAll('-', '+').replaceAll('_', '/'), (sign) => DIGITS.indexOf(sign))
  const bits = digits
    .filter((digit) => digit >= 0)
    .map((digit) => digit.toString(2).padStart(6, '0'))
    .join('')
  const bytes = (bits.match(/.{8}/g) ?? []).map((byte) => String.fromCharCode(Number.parseInt(byte, 2)))
  try {
    return decodeURIComponent(escape(bytes.join('')))
  } catch {
    return fail('base64Decode() of bytes that are not text')
  }
}

const json = (value: unknown): string => JSON.stringify(value)
const nothing = () => undefined
const NOTHING = { toInt: nothing, toFloat: nothing, toBoolean: nothing, toDateTime: nothing }

const STRING = {
  isEmpty: (v: string) => v === '',
  isNotEmpty: (v: string) => v !== '',
  isBlank: (v: string) => v.trim() === '',
  isNotBlank: (v: string) => v.trim() !== '',
  length: (v: string) => v.length,
  toJsonString: json,
  removeTags: (v: string) => v.replaceAll(/<[^>]*>?/g, ''),
  urlEncode: (v: string, whole?: boolean) => (whole ? encodeURI(v) : encodeURIComponent(v)),
  urlDecode: (v: string, whole?: boolean) => (whole ? decodeURI(v) : decodeURIComponent(v)),
  toInt: (v: string, radix?: number) => Number.parseInt(radix ? v : numeric(v, 'toInt'), radix || 10),
  toFloat: (v: string) => Number.parseFloat(numeric(v, 'toFloat')),
  toNumber: (v: string) => Number(numeric(v, 'toNumber')),
  isNumeric: (v: string) =>
    !v.includes(' ') && !Number.isNaN(Number(v)) && !Number.isNaN(Number.parseFloat(v)),
  toBoolean: (v: string) => v.length > 0 && !['false', 'no', '0'].includes(v.toLowerCase()),
  quote: (v: string, mark = '"') => mark + v.replaceAll('\\', '\\\\').replaceAll(mark, `\\${mark}`) + mark,
  parseJson(v: string): unknown {
    try {
      return JSON.parse(v)
    } catch {
      return fail('Parsing failed')
    }
  },
  base64Encode: toBase64,
  base64Decode: fromBase64,
  toDateTime(v: string, format?: string) {
    if (!format) return moment(v) ?? fail('cannot convert to Luxon DateTime')
    return ['ms', 's', 'us'].includes(format)
      ? NUMBER.toDateTime(Number(v), format)
      : DateTime.fromFormat(v, format)
  },
}

const whole = (v: number, name: string): number =>
  Number.isInteger(v) ? Math.abs(v) : fail(`${name}() is only callable on integers`)

const MILLISECONDS: Readonly<Record<string, (v: number) => number>> = {
  s: (v) => v * 1000,
  us: (v) => v / 1000,
  excel: (v) => (v - 25_569) * 86_400_000,
}

const NUMBER = {
  isEven: (v: number) => whole(v, 'isEven') % 2 === 0,
  isOdd: (v: number) => whole(v, 'isOdd') % 2 === 1,
  floor: Math.floor,
  ceil: Math.ceil,
  abs: Math.abs,
  isInteger: Number.isInteger,
  round: (v: number, places = 0) => Number(v.toFixed(places)),
  toInt: (v: number) => Number(v.toFixed(0)),
  toFloat: (v: number) => v,
  toBoolean: (v: number) => v !== 0,
  toDateTime: (v: number, unit = 'ms') => DateTime.fromMillis(MILLISECONDS[unit]?.(v) ?? v),
}

const BOOLEAN = { toBoolean: (v: boolean) => v, toInt: Number, toFloat: Number, toNumber: Number }

const ARRAY = {
  ...NOTHING,
  first: (v: unknown[]) => v[0],
  last: (v: unknown[]) => v.at(-1),
  isEmpty: (v: unknown[]) => v.length === 0,
  isNotEmpty: (v: unknown[]) => v.length > 0,
  pluck(v: unknown[], ...fields: string[]) {
    if (fields.length === 0) return v
    return v.flatMap((one) => {
      const values = Object.entries(isObject(one) ? one : {}).flatMap(([key, held]) =>
        fields.includes(key) ? [held] : [],
      )
      return values.length === 0 ? [] : [values.length === 1 ? values[0] : values]
    })
  },
  randomItem: (v: unknown[]) => v[Math.floor(Math.random() * v.length)],
  unique: (v: unknown[], ...keys: string[]) =>
    unique(v, (a, b) =>
      keys.length > 0 && isObject(a) && isObject(b) ? keys.every((key) => same(a[key], b[key])) : same(a, b),
    ),
  sum: (v: unknown[]) => sum(numbersOf(v, 'sum')),
  min: (v: unknown[]) => Math.min(...numbersOf(v, 'min')),
  max: (v: unknown[]) => Math.max(...numbersOf(v, 'max')),
  average: (v: unknown[]) => (v.length === 0 ? 0 : sum(numbersOf(v, 'average')) / v.length),
  compact: (v: unknown[]) => v.filter((one) => !isBlank(one)).map(compact),
  smartJoin: (v: unknown[], key: string, value: string) =>
    Object.fromEntries(
      v
        .filter(isObject)
        .filter((one) => key in one && value in one)
        .map((one) => [one[key], one[value]]),
    ),
  chunk(v: unknown[], size: unknown) {
    if (typeof size !== 'number' || !(size > 0)) return fail('chunk(): expected non-zero numeric arg')
    return Array.from({ length: Math.ceil(v.length / size) }, (_, index) =>
      v.slice(index * size, (index + 1) * size),
    )
  },
  renameKeys: (v: unknown[], ...names: string[]) =>
    v.map((one) => {
      if (!isObject(one)) return one
      const copy = { ...one }
      for (let index = 0; index + 1 < names.length; index += 2) {
        const [from = '', to = ''] = names.slice(index)
        if (!(from in copy)) continue
        copy[to] = copy[from]
        delete copy[from]
      }
      return copy
    }),
  merge(v: unknown[], others?: unknown) {
    if (others === undefined) return v.filter(isFields).reduce((all, one) => ({ ...one, ...all }), {})
    const list = listOf(others, 'merge')
    return v.reduce<Fields>((all, one, index) => {
      const other = list[index]
      return isObject(one) && isObject(other) ? { ...all, ...other, ...one } : all
    }, {})
  },
  union: (v: unknown[], others: unknown) => unique([...v, ...listOf(others, 'union')]),
  difference: (v: unknown[], others: unknown) =>
    unique(v.filter((one) => !hasSome(listOf(others, 'difference'), one))),
  intersection: (v: unknown[], others: unknown) =>
    unique(v.filter((one) => hasSome(listOf(others, 'intersection'), one))),
  append: (v: unknown[], ...more: unknown[]) => v.concat(more),
  toJsonString: json,
}

const OBJECT = {
  ...NOTHING,
  isEmpty: (v: Fields) => Object.keys(v).length === 0,
  isNotEmpty: (v: Fields) => Object.keys(v).length > 0,
  keys: Object.keys,
  values: Object.values,
  hasField: (v: Fields, name: string) => name in v,
  removeField: ({ ...v }: Fields, name: string) => {
    delete v[name]
    return v
  },
  removeFieldsContaining: (v: Fields, part: string) => fieldsWith(v, part, false),
  keepFieldsContaining: (v: Fields, part: string) => fieldsWith(v, part, true),
  compact,
  urlEncode: (v: Fields) =>
    Object.entries(v)
      .map((entry) => entry.map(query).join('='))
      .join('&'),
  toJsonString: json,
}

type Methods = Readonly<Record<string, (value: never, ...args: never[]) => unknown>>

/** Keyed by the kind of value. */
export const METHODS: Readonly<Record<string, Methods>> = {
  string: STRING,
  number: NUMBER,
  boolean: BOOLEAN,
  array: ARRAY,
  object: OBJECT,
  date: DATE_METHODS,
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  if (value instanceof Date || DateTime.isDateTime(value)) return 'date'
  return value === null ? 'null' : typeof value
}

/** As in n8n, a string in the format that `Date` writes is a date. */
function dateIn(text: string): AnyDate | null {
  if (!/^[+-]?\d{4,6}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}.\d{3}Z$/.test(text)) return null
  const date = new Date(text)
  return !Number.isNaN(date.getTime()) && date.toISOString() === text ? date : null
}

/** Calls n8n's method if there is one for this kind of value, or else the value's own. */
export function extend(given: unknown, name: string, args: readonly unknown[]): unknown {
  const isConverting = name === 'toDate' || name === 'toDateTime'
  const value = typeof given === 'string' && !isConverting ? (dateIn(given) ?? given) : given
  const kind = kindOf(value)
  const methods = METHODS[kind]
  if (methods !== undefined && Object.hasOwn(methods, name))
    return methods[name]?.(value as never, ...(args as never[]))
  const own = value ? (value as Record<string, unknown>)[name] : undefined
  if (typeof own === 'function') return own.apply(value, args)
  if (name === 'isEmpty') return !value
  if (name === 'isNotEmpty') return Boolean(value)
  return fail(
    `${name}() cannot be called on ${value === undefined || value === null ? String(value) : `a value of the type ${kind}`}`,
  )
}

export const ifEmpty = (value: unknown, other: unknown): unknown =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0)
    ? other
    : value

export const average = (...list: unknown[]): number => ARRAY.average(list)
