import type { PaginationConfigEntry } from '../../../../shared/contract/base/pagination-config.ts'
import { writeJson } from '../../data/json.ts'
import { type Data, entriesOf, getKey, isDictionary } from '../../data/value.ts'
import { hasTags } from '../../template/index.ts'
import { sizeAsked, type Where } from './request-parameters.ts'
import type { SampleRequest } from './sample.ts'

/** A value of the next call, as a template. */
export interface Carried {
  readonly parameter: string
  readonly expression: string
  /** Written outside quotes, so that a number stays one. */
  readonly raw: boolean
  /** Keys of the body that lead to the dictionary it goes into; absent: beside what pages are asked for with. */
  readonly holder?: readonly string[]
}

/** The keys of a configuration that send one value with every call, by the method of the first. */
export function carry(request: SampleRequest, carried: Carried, where: Where): PaginationConfigEntry {
  const { parameter, expression, raw } = carried
  if (where === 'body') {
    // `page[cursor]` of a query is `{"page": {"cursor": …}}` of a body.
    const [, above, inner = parameter] = /^([^[\]]+)\[([^[\]]+)\]$/.exec(parameter) ?? []
    const holder = carried.holder ?? (above === undefined ? holderIn(request, parameter) : [above])
    const pair = `${writeJson(inner)}: ${raw ? expression : `"${expression}"`}`
    return { body: `{${within(request.body, holder, inner, pair)}}` }
  }
  const key = writeJson(parameter)
  return {
    [where]: `{${key}: ${raw && where !== 'header' ? expression : `"${expression}"`}}`,
    ...keepMethod(request),
  }
}

/** A configuration without a body makes its calls GET; an empty one keeps a first call with POST what it was. */
export function keepMethod({ method }: SampleRequest): PaginationConfigEntry {
  return isPost(method) ? { body: '{}' } : {}
}

export function isPost(method: string): boolean {
  return method.toUpperCase() === 'POST'
}

/** Where a value goes that the request did not have: beside the size of page that it asked for, else in the body of a POST. */
export function usualPlace(request: SampleRequest): Where {
  const size = sizeAsked(request)
  if (size !== null) return size.where
  const { method, body } = request
  return isPost(method) && (body === null || isDictionary(body)) ? 'body' : 'query'
}

/** The dictionary of a body in which paging is: where its size is, else one of the usual names, else the body itself. */
function holderIn(request: SampleRequest, parameter: string): readonly string[] {
  const { body } = request
  if (!isDictionary(body) || getKey(body, parameter) !== undefined) return []
  const size = sizeAsked(request)
  if (size?.where === 'body' && size.path.length > 1) return size.path.slice(0, -1)
  return CURSOR_HOLDERS.filter((name) => isDictionary(getKey(body, name))).slice(0, 1)
}

/** Dictionaries of a request's body in which cursors go, where the body has one. */
const CURSOR_HOLDERS: readonly string[] = ['pagination', 'paging', 'page']

/** The body is merged key by key, so a dictionary in it is written with all that it held. */
function within(body: Data, holder: readonly string[], name: string, pair: string): string {
  const [first, ...rest] = holder
  if (first === undefined) return pair
  const inner = isDictionary(body) ? (getKey(body, first) ?? null) : null
  const written = rest[0] ?? name
  const others = (isDictionary(inner) ? entriesOf(inner) : [])
    .filter(([key]) => key !== written)
    .map(([key, value]) => `${writeJson(key)}: ${writeJson(value)}`)
  if (others.some(hasTags)) return pair // would become a template
  return `${writeJson(first)}: {${[...others, within(inner, rest, name, pair)].join(', ')}}`
}
