/**
 * Parses the query of a list, `filter=name,like,%ft%&filter=status,eq,active&sort=-name&page=2&per_page=20`. Checks
 * only the syntax; the store knows the fields and the values they can be compared with.
 */
import {
  FILTER_OPERATORS,
  type Filter,
  type FilterOperator,
  type FilterValue,
  type ListQuery,
} from '../../../shared/contract/base/common.ts'
import { fieldErrors } from '../../../shared/contract/base/errors.ts'
import { say, type Said } from '../../../shared/contract/base/message.ts'
import { LIMITS } from '../../../shared/contract/base/limits.ts'

export interface ListRequest {
  /** All must match. */
  readonly filters: readonly Filter[]
  /** Null means newest first. */
  readonly sort: { readonly field: string; readonly descending: boolean } | null
  /** Counts from 1. */
  readonly page: number
  /** Undefined means the whole list. */
  readonly perPage: number | undefined
}

/** Lists the newest records first, starting after the record with that id. */
export interface KeyedListRequest {
  readonly filters: readonly Filter[]
  /** Page number, counted from 1 after that record. */
  readonly page: number
  readonly after: string | null
  readonly perPage: number
}

/**
 * @param whole true if the whole list is returned unless the query asks for a page
 * @throws AppError `validation` naming the filter
 */
export function parseListQuery(query: ListQuery, { whole = false } = {}): ListRequest {
  const isPaged = !whole || query.page !== undefined || query.per_page !== undefined
  return {
    filters: (query.filter ?? []).map(parseFilter),
    sort: query.sort === undefined ? null : parseSort(query.sort),
    page: query.page ?? 1,
    perPage: isPaged ? (query.per_page ?? LIMITS.listPageSize) : undefined,
  }
}

/** The same for lists that are paged by key, which are always newest first. */
export function parseKeyedListQuery(
  query: Pick<ListQuery, 'filter' | 'per_page'> & {
    readonly page?: number | undefined
    readonly after?: string | undefined
  },
): KeyedListRequest {
  const { page = 1, after = null, per_page: perPage = LIMITS.listPageSize } = query
  if (after !== null && query.page !== undefined)
    throw fieldErrors({ page: [say("can't be used together with after; leave one of them out")] })
  if (page * perPage > LIMITS.numberedRecords)
    throw fieldErrors({
      page: [
        say(
          'goes beyond the first {{most}} records, got {{page}}; follow the header Link, which uses after',
          { most: LIMITS.numberedRecords.toLocaleString('en'), page },
        ),
      ],
    })
  return { filters: (query.filter ?? []).map(parseFilter), page, after, perPage }
}

/** Splits only at the first two commas, because the value can contain more. */
function parseFilter(text: string): Filter {
  const [, field, operator, value] = /^([^,]*),([^,]*),(.*)$/s.exec(text) ?? []
  if (field === undefined || operator === undefined || value === undefined) {
    throw refusal(say('"{{value}}" must read <field>,<operator>,<value>', { value: shown(text) }))
  }
  if (!isOperator(operator)) {
    throw refusal(
      say('has no operator "{{value}}"; the operators are {{names}}', {
        value: shown(operator),
        names: FILTER_OPERATORS.join(', '),
      }),
    )
  }
  return { field, operator, value: operator === 'in' ? parseList(value) : unquoted(value) }
}

function isOperator(text: string): text is FilterOperator {
  return (FILTER_OPERATORS as readonly string[]).includes(text)
}

/** `"a, \"b\""` is a JSON string; anything else stands for itself. */
function unquoted(text: string): string {
  const value = text.startsWith('"') ? parseJson(text) : undefined
  return typeof value === 'string' ? value : text
}

/** A JSON list, or comma-separated strings. */
function parseList(text: string): readonly FilterValue[] {
  if (!text.startsWith('[')) return text.split(',').map(unquoted)
  const value = parseJson(text)
  if (Array.isArray(value) && value.every(isScalar)) return value
  throw refusal(say('"{{value}}" isn\'t a JSON list of plain values', { value: shown(text) }))
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

function parseSort(text: string): ListRequest['sort'] {
  return text.startsWith('-')
    ? { field: text.slice(1), descending: true }
    : { field: text, descending: false }
}

const refusal = (sentence: Said) => fieldErrors({ filter: [sentence] })
const shown = (text: string) => (text.length > 60 ? `${text.slice(0, 60)}…` : text)
