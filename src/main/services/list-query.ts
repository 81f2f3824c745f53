/** Reads the query of a list: `filter=name,like,%ft%&filter=status,eq,active&sort=-name&page=2&per_page=20`. */
import type { z } from 'zod'
import { timestamp, type ListQuery } from '../../shared/contract/common.ts'
import { fieldErrors } from '../../shared/contract/errors.ts'
import {
  FILTER_OPERATORS,
  type Filter,
  type FilterOperator,
  type FilterValue,
  type KeyedListRequest,
  type ListRequest,
  type Sort,
} from '../../shared/contract/filters.ts'
import { LIMITS } from '../../shared/contract/limits.ts'

export type FieldKind = 'text' | 'number' | 'boolean' | 'time'

export interface ListField {
  readonly kind: FieldKind
  readonly nullable: boolean
}

/** The fields by which a list can be filtered and sorted. */
export type ListFields = ReadonlyMap<string, ListField>

/** Every scalar field of a record; secrets are in no record. */
export function listFieldsOf(record: z.ZodObject): ListFields {
  const fields = new Map<string, ListField>()
  for (const [name, schema] of Object.entries(record.shape)) {
    const field = fieldOf(schema)
    if (field) fields.set(name, field)
  }
  return fields
}

export interface ListQueryOptions {
  readonly fields: ListFields
  /** True where the list comes whole unless the query asks for a page. */
  readonly whole?: boolean
}

/** @throws AppError `validation`, naming the filter or the field and what is known */
export function parseListQuery(query: ListQuery, { fields, whole = false }: ListQueryOptions): ListRequest {
  const isPaged = !whole || query.page !== undefined || query.per_page !== undefined
  return {
    filters: parseFilters(query.filter, fields),
    sort: query.sort === undefined ? null : parseSort(query.sort, fields),
    page: query.page ?? 1,
    perPage: isPaged ? (query.per_page ?? LIMITS.listPageSize) : null,
  }
}

/** The same for lists that page by key, newest first always. */
export function parseKeyedListQuery(
  query: Pick<ListQuery, 'filter' | 'per_page'> & { readonly after?: string | undefined },
  fields: ListFields,
): KeyedListRequest {
  return {
    filters: parseFilters(query.filter, fields),
    after: query.after ?? null,
    perPage: query.per_page ?? LIMITS.listPageSize,
  }
}

const KINDS: Readonly<Record<string, FieldKind>> = {
  string: 'text',
  enum: 'text',
  number: 'number',
  int: 'number',
  boolean: 'boolean',
}

interface Wrapper {
  readonly innerType: z.core.$ZodType
}

function fieldOf(schema: z.core.$ZodType): ListField | null {
  const { type } = schema._zod.def
  if (type === 'nullable' || type === 'optional' || type === 'default') {
    const inner = fieldOf((schema._zod.def as unknown as Wrapper).innerType)
    return inner && { ...inner, nullable: inner.nullable || type === 'nullable' }
  }
  if (schema === timestamp) return { kind: 'time', nullable: false }
  const kind = KINDS[type]
  return kind === undefined ? null : { kind, nullable: false }
}

function parseFilters(texts: readonly string[] | undefined, fields: ListFields): Filter[] {
  return (texts ?? []).map((text) => parseFilter(text, fields))
}

/** Cut at the first two commas: the value may hold any number more. */
function parseFilter(text: string, fields: ListFields): Filter {
  const [, name, operator, value] = /^([^,]*),([^,]*),(.*)$/s.exec(text) ?? []
  if (name === undefined || operator === undefined || value === undefined) {
    throw refusal(`"${shown(text)}" must read <field>,<operator>,<value>`)
  }
  const field = fields.get(name)
  if (!field) throw refusal(`there is no field "${shown(name)}"; known are ${[...fields.keys()].join(', ')}`)
  if (!isOperator(operator)) {
    throw refusal(`there is no operator "${shown(operator)}"; known are ${FILTER_OPERATORS.join(', ')}`)
  }
  if (operator === 'like' && field.kind !== 'text')
    throw refusal(`like compares texts, and "${name}" is none`)
  if (field.kind === 'boolean' && !['eq', 'ne', 'in'].includes(operator)) {
    throw refusal(`"${name}" is true or false, which ${operator} cannot compare`)
  }
  const toValue = (part: string | Quoted) => parseValue(part, name, field)
  return operator === 'in'
    ? { field: name, operator, value: parseList(value).map(toValue) }
    : { field: name, operator, value: toValue(parseQuoted(value)) }
}

function isOperator(text: string): text is FilterOperator {
  return (FILTER_OPERATORS as readonly string[]).includes(text)
}

/** A text that stood in quotes: it means nothing but itself. */
class Quoted {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

function parseQuoted(text: string): string | Quoted {
  if (!(text.length >= 2 && text.startsWith('"') && text.endsWith('"'))) return text
  const value = parseJson(text)
  return typeof value === 'string' ? new Quoted(value) : text
}

/** A list of JSON, else texts between commas. */
function parseList(text: string): (string | Quoted)[] {
  if (!text.startsWith('[')) return text.split(',').map(parseQuoted)
  const value = parseJson(text)
  if (!Array.isArray(value) || !value.every(isScalar))
    throw refusal(`"${shown(text)}" is no JSON list of plain values`)
  return value.map((part) => (typeof part === 'string' ? new Quoted(part) : String(part)))
}

function isScalar(value: unknown): value is FilterValue {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function parseValue(sent: string | Quoted, name: string, { kind, nullable }: ListField): FilterValue {
  if (sent === 'null' && nullable) return null
  return PARSERS[kind](sent instanceof Quoted ? sent.text : sent, name)
}

const PARSERS: { readonly [K in FieldKind]: (text: string, name: string) => FilterValue } = {
  text: (text) => text,
  number(text, name) {
    if (/^-?\d{1,15}(\.\d{1,15})?$/.test(text)) return Number(text)
    throw refusal(`"${name}" is a number, which "${shown(text)}" is not`)
  },
  boolean(text, name) {
    if (text === 'true' || text === 'false') return text === 'true'
    throw refusal(`"${name}" is true or false, which "${shown(text)}" is not`)
  },
  time(text, name) {
    const ms = ISO_TIME.test(text) ? Date.parse(text) : Number.NaN
    if (!Number.isNaN(ms)) return ms
    throw refusal(`"${name}" is a time like 2030-01-31T12:00:00Z, which "${shown(text)}" is not`)
  },
}

const ISO_TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/

function parseSort(text: string, fields: ListFields): Sort {
  const descending = text.startsWith('-')
  const field = descending ? text.slice(1) : text
  if (fields.has(field)) return { field, descending }
  throw fieldErrors({
    sort: [`there is no field "${shown(field)}"; known are ${[...fields.keys()].join(', ')}`],
  })
}

const refusal = (sentence: string) => fieldErrors({ filter: [sentence] })
const shown = (text: string) => (text.length > 60 ? `${text.slice(0, 60)}…` : text)
