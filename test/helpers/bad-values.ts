/** Invalid input, derived from a schema. Every field at every depth gets a value that the schema rejects. */
import { z } from 'zod'

export interface Schema {
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, Schema>>
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
}

export interface BadValue {
  readonly value: unknown
  /** The invalid field: `steps[0].retry.attempts`. */
  readonly path: string
  /** The field that may be named instead: if several shapes are allowed, only the field around it is known. */
  readonly within: string
  readonly what: string
}

export function schemaOf(type: z.ZodType): Schema {
  return z.toJSONSchema(type, { io: 'input', unrepresentable: 'any' }) as Schema
}

const MAX_DEPTH = 6

export function badValuesOf(root: Schema, example: unknown): BadValue[] {
  const resolve = (schema: Schema): Schema =>
    schema.$ref === undefined ? schema : resolve(lookUp(root, schema.$ref))

  const entered = new Set<string>()

  /** @param valid a value that the schema accepts, to be broken in one place */
  function spoil(given: Schema, valid: unknown, at: BadPlace, depth: number): BadValue[] {
    if (given.$ref === undefined) return spoilAs(given, valid, at, depth)
    // A recursive schema is visited once.
    const isKnown = entered.has(given.$ref)
    entered.add(given.$ref)
    const faults = spoilAs(resolve(given), valid, at, isKnown ? MAX_DEPTH + 1 : depth)
    if (!isKnown) entered.delete(given.$ref)
    return faults
  }

  function spoilAs(schema: Schema, valid: unknown, at: BadPlace, depth: number): BadValue[] {
    const here = wrongKinds(schema, resolve).map(([what, value]) => ({ what, value, ...at }))
    if (depth > MAX_DEPTH) return here
    const branches = schema.anyOf ?? schema.oneOf
    if (branches) {
      // Of several shapes of one kind, only the common place can be named.
      const below = branches.map(resolve).filter(({ type }) => type === 'object' || type === 'array')
      const isSure = below.length === 1
      return [
        ...here,
        ...below.flatMap((branch) =>
          inside(
            branch,
            fitting(branch, valid, resolve),
            isSure ? at : { ...at, within: at.path },
            depth,
            !isSure,
          ),
        ),
      ]
    }
    return [...here, ...inside(schema, fitting(schema, valid, resolve), at, depth, false)]
  }

  function inside(schema: Schema, valid: unknown, at: BadPlace, depth: number, isVague: boolean): BadValue[] {
    const placeOf = (path: string): BadPlace => ({ path, within: isVague ? at.within : path })
    if (schema.type === 'array' && schema.items) {
      const item = fitting(resolve(schema.items), (valid as unknown[])[0], resolve)
      const faults = spoil(schema.items, item, placeOf(`${at.path}[0]`), depth + 1)
      const wrap = ({ value, ...rest }: BadValue) => ({ ...rest, value: [value] })
      const tooMany =
        schema.maxItems !== undefined && schema.maxItems <= 1_000
          ? [{ what: 'too many', value: Array.from({ length: schema.maxItems + 1 }, () => item), ...at }]
          : []
      return [...faults.map(wrap), ...tooMany]
    }
    if (schema.type !== 'object') return []
    const record = (valid ?? {}) as Record<string, unknown>
    const below = (key: string) => (at.path === '' ? key : `${at.path}.${key}`)
    const faults: BadValue[] = []
    if (schema.properties && schema.additionalProperties === false)
      faults.push({ what: 'unknown', value: { ...record, unknown_key: 1 }, ...placeOf(below('unknown_key')) })
    for (const [key, property] of Object.entries(schema.properties ?? {})) {
      if (schema.required?.includes(key)) {
        const { [key]: _missing, ...rest } = record
        faults.push({ what: 'missing', value: rest, ...placeOf(below(key)) })
      }
      for (const { value, ...rest } of spoil(property, record[key], placeOf(below(key)), depth + 1))
        faults.push({ ...rest, value: { ...record, [key]: value } })
    }
    if (typeof schema.additionalProperties === 'object') {
      for (const { value, ...rest } of spoil(
        schema.additionalProperties,
        undefined,
        placeOf(below('key')),
        depth + 1,
      ))
        faults.push({ ...rest, value: { ...record, key: value } })
    }
    return faults
  }

  return inside(root, fitting(root, example, resolve), { path: '', within: '' }, 0, false)
}

type BadPlace = Pick<BadValue, 'path' | 'within'>
type Resolve = (schema: Schema) => Schema

function lookUp(root: Schema, reference: string): Schema {
  if (reference === '#') return root
  return root.$defs?.[reference.split('/').at(-1) ?? ''] ?? {}
}

/** The JSON types that a schema accepts; `any` if it doesn't say. */
function kindsOf(schema: Schema, resolve: Resolve): string[] {
  const { type, anyOf, oneOf, const: fixed, enum: values } = resolve(schema)
  const branches = anyOf ?? oneOf
  if (branches) return branches.flatMap((branch) => kindsOf(branch, resolve))
  if (type !== undefined) return [type]
  if (fixed !== undefined) return [fixed === null ? 'null' : typeof fixed]
  if (values) return values.map((value) => (value === null ? 'null' : typeof value))
  return ['any']
}

/** Far too large for anything with a limit. */
const HUGE = 1e300

function wrongKinds(schema: Schema, resolve: Resolve): [what: string, value: unknown][] {
  const kinds = new Set(kindsOf(schema, resolve))
  if (kinds.has('any')) return []
  const { type, enum: values, maxLength, minimum, maximum } = schema
  const wrong: [string, unknown][] = []
  if (!kinds.has('null')) wrong.push(['null', null])
  if (!kinds.has('boolean')) wrong.push(['true', true])
  if (!kinds.has('string')) wrong.push(['a text', 'text'])
  if (!kinds.has('number') && !kinds.has('integer')) wrong.push(['a number', 5])
  if (!kinds.has('array')) wrong.push(['a list', []])
  if (!kinds.has('object')) wrong.push(['an object', {}])
  if (kinds.has('integer') && !kinds.has('number'))
    wrong.push(['a fraction', 1.5], ['a huge number', HUGE], ['2^64', 2n ** 64n])
  if (type === 'number' && maximum !== undefined) wrong.push(['a huge number', HUGE])
  if (minimum !== undefined && minimum > -(2 ** 53)) wrong.push(['too small', minimum - 1])
  if (type === 'string' && values === undefined && schema.const === undefined) {
    if (maxLength !== undefined && maxLength <= 20_000) wrong.push(['too long', 'x'.repeat(maxLength + 1)])
    wrong.push(['half a character', 'a\ud800b'], ['NUL', 'a\0b'])
    if ((schema.maxLength ?? Infinity) <= 20_000) wrong.push(['a control character', 'a\u0007b'])
  }
  if (values || schema.const !== undefined) wrong.push(['another word', 'no such value'])
  return wrong
}

/** The given value if it has the schema's type, otherwise the smallest accepted value. */
function fitting(given: Schema, value: unknown, resolve: Resolve, depth = 0): unknown {
  const schema = resolve(given)
  const kind = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value
  if (value !== undefined && kindsOf(schema, resolve).some((one) => one === kind || one === 'any'))
    return value
  if (schema.const !== undefined) return schema.const
  if (schema.default !== undefined) return schema.default
  if (schema.enum) return schema.enum[0]
  const [branch] = schema.anyOf ?? schema.oneOf ?? []
  if (branch) return depth > MAX_DEPTH ? null : fitting(branch, undefined, resolve, depth + 1)
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        (schema.required ?? []).map((key) => [
          key,
          fitting(schema.properties?.[key] ?? {}, undefined, resolve, depth + 1),
        ]),
      )
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () =>
        fitting(schema.items ?? {}, undefined, resolve, depth + 1),
      )
    case 'integer':
    case 'number':
      return Math.max(1, schema.minimum ?? 1)
    case 'boolean':
      return true
    case 'string':
      return TEXTS.find((text) => matches(schema, text)) ?? 'text'
    default:
      return null
  }
}

const TEXTS = [
  'orders',
  '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  'https://example.com',
  'ann@example.com',
  '2026-01-01T00:00:00Z',
]

const matches = ({ pattern, minLength = 0 }: Schema, text: string) =>
  text.length >= minLength && (pattern === undefined || new RegExp(pattern, 'u').test(text))

/** The value as JSON on the wire, including integers beyond the range of a number. */
export function writeValue(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'bigint' ? `#big#${part}` : part,
  ).replaceAll(/"#big#(\d+)"/g, '$1')
}
