import { type Data, entriesOf, isDictionary, isList } from '@millrace/jinja/data'
import {
  partsOf,
  PARTNERS,
  type PagingRole,
  pagingRoleOf,
  plainName,
  wordsOf,
  writtenAs,
} from './paging-names.ts'
import type { SampleRequest } from './sample.ts'

/** The part of a request that contains a parameter. */
export type Where = 'query' | 'body' | 'header'

export interface SentParameter {
  readonly where: Where
  /** The keys that lead to the parameter. Only a body can need more than one. */
  readonly path: readonly string[]
  readonly name: string
  readonly value: Data
  readonly role: PagingRole | null
}

/** Every named value that a request sends, with its role in paging. */
export function sentParameters({ query, body, headers }: SampleRequest): readonly SentParameter[] {
  const sent = (where: Where, path: readonly string[], value: Data): SentParameter => {
    const name = path.at(-1) ?? ''
    return { where, path, name, value, role: roleAt(path, where) }
  }
  return [
    ...entriesOf(query).map(([name, value]) => sent('query', [name], value)),
    ...inBody(body, []).map(({ path, value }) => sent('body', path, value)),
    ...headers.map(([name, value]) => sent('header', [name], value)),
  ].filter(({ value }) => !isList(value))
}

function inBody(body: Data, above: readonly string[]): { path: readonly string[]; value: Data }[] {
  if (!isDictionary(body) || above.length > MAX_DEPTH) return []
  return entriesOf(body).flatMap(([name, value]) => {
    const path = [...above, name]
    return isDictionary(value) ? inBody(value, path) : [{ path, value }]
  })
}

const MAX_DEPTH = 3

/** Headers count only by unambiguous names: `From` and `Range` belong to HTTP itself. */
function roleAt(path: readonly string[], where: Where): PagingRole | null {
  const name = path.at(-1) ?? ''
  if (where !== 'header')
    return pagingRoleOf(name) ?? (path.length > 1 ? pagingRoleOf(`${path.at(-2)}[${name}]`) : null)
  return /^x-(?!request|forwarded|api)/i.test(name) ? pagingRoleOf(name) : null
}

/** The parameter that requests a page size. */
export function sizeAsked(request: SampleRequest): (SentParameter & { readonly size: number }) | null {
  const named = sentParameters(request).filter(({ role, name }) => role === 'size' || RELAY_SIZE.test(name))
  for (const parameter of named) {
    const size = numberOf(parameter.value)
    if (size !== null && size > 0) return { ...parameter, size }
  }
  return null
}

/** `first: 10` of a Relay connection; next to `max` it is an offset. */
const RELAY_SIZE = /^first$/i

/** The partner of a requested page size, written in the same style: `page[offset]` with `page[limit]`. */
export function partnerOf(size: SentParameter | null): { role: 'page' | 'offset'; name: string } | null {
  if (size === null) return null
  const { prefix, inner, suffix } = partsOf(size.name)
  const partner = PARTNERS.get(plainName(inner))
  if (partner === undefined) {
    const [, unit] = /^max(row|record|item)s$/i.exec(inner) ?? []
    if (unit !== undefined)
      return { role: 'offset', name: `${prefix}${writtenAs(['start', unit.toLowerCase()], inner)}${suffix}` }
    return /(?:^|[_-])limit$/i.test(inner)
      ? { role: 'offset', name: inner.replace(/limit$/i, 'offset') }
      : null
  }
  const isNumbered = partner.role === 'page' && plainName(prefix) === 'page'
  return {
    role: partner.role,
    name: `${prefix}${writtenAs(isNumbered ? ['number'] : partner.words, inner)}${suffix}`,
  }
}

/** A name with the prefix and suffix of the request's page size: `pagination[start]` next to `pagination[limit]`. */
export function besideSize(name: string, size: SentParameter | null): string {
  if (size === null || name.includes('[')) return name
  const { prefix, inner, suffix } = partsOf(size.name)
  // `page_number` in `page[…]` is its `number`.
  const above = `${prefix.slice(0, -1).toLowerCase()}_`
  if (/[[.]$/.test(prefix) && name.toLowerCase().startsWith(above))
    return `${prefix}${name.slice(above.length)}${suffix}`
  return /^(?:_|pagination_|paging_)$/.test(prefix) || /[[.$]$/.test(prefix)
    ? `${prefix}${asWritten(name, inner)}${suffix}`
    : asWritten(name, inner)
}

/** Pascal case keys show the words of a parameter, and the page size shows how parameters are written. */
function asWritten(name: string, model: string): string {
  return /^[A-Z][a-z]/.test(name) && /^[a-z]/.test(model) ? writtenAs(wordsOf(name), model) : name
}

/** A whole number from 0, even if written as a string. */
export function numberOf(value: Data): number | null {
  if (typeof value === 'number') return Number.isInteger(value) && value >= 0 ? value : null
  return typeof value === 'string' && /^\s*\d{1,15}\s*$/.test(value) ? Number(value) : null
}
