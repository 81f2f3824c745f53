import type { PaginationConfigEntry } from '../../../../shared/contract/base/pagination-config.ts'
import { type Data, entriesOf, getKey, isDictionary, writeJson } from '@millrace/jinja/data'
import { hasTags } from '@millrace/jinja'
import { sizeAsked, type Where } from './request-parameters.ts'
import type { SampleRequest } from './sample.ts'

/** A value of the next call, as a template. */
export interface Carried {
  readonly parameter: string
  readonly expression: string
  /** Whether it is written without quotes, so that a number stays a number. */
  readonly raw: boolean
  /**
   * Keys of the body that lead to the object it goes into. Defaults to the object with the existing paging
   * parameters.
   */
  readonly holder?: readonly string[]
}

/** The keys of a configuration that send one value with every call, for the method of the first call. */
export function carry(request: SampleRequest, carried: Carried, where: Where): PaginationConfigEntry {
  const { parameter, expression, raw } = carried
  if (where === 'body') {
    // `page[cursor]` in a query is `{"page": {"cursor": …}}` in a body.
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

/** A configuration without a body makes its calls GET; an empty body keeps the method of a first call that is POST. */
export function keepMethod({ method }: SampleRequest): PaginationConfigEntry {
  return isPost(method) ? { body: '{}' } : {}
}

export function isPost(method: string): boolean {
  return method.toUpperCase() === 'POST'
}

/** The place for a value that the request lacked: next to the requested page size, or else in the body of a POST. */
export function usualPlace(request: SampleRequest): Where {
  const size = sizeAsked(request)
  if (size !== null) return size.where
  const { method, body } = request
  return isPost(method) && (body === null || isDictionary(body)) ? 'body' : 'query'
}

/**
 * The object in a body that contains the paging parameters: the one with the page size, or one with a usual name, or
 * the body itself.
 */
function holderIn(request: SampleRequest, parameter: string): readonly string[] {
  const { body } = request
  if (!isDictionary(body) || getKey(body, parameter) !== undefined) return []
  const size = sizeAsked(request)
  if (size?.where === 'body' && size.path.length > 1) return size.path.slice(0, -1)
  return CURSOR_HOLDERS.filter((name) => isDictionary(getKey(body, name))).slice(0, 1)
}

/** Objects in a request's body that cursors go into, if the body has one. */
const CURSOR_HOLDERS: readonly string[] = ['pagination', 'paging', 'page']

/** The body is merged key by key, so a nested object is written with everything it held. */
function within(body: Data, holder: readonly string[], name: string, pair: string): string {
  const [first, ...rest] = holder
  if (first === undefined) return pair
  const inner = isDictionary(body) ? (getKey(body, first) ?? null) : null
  const written = rest[0] ?? name
  const others = (isDictionary(inner) ? entriesOf(inner) : [])
    .filter(([key]) => key !== written)
    .map(([key, value]) => `${writeJson(key)}: ${writeJson(value)}`)
  if (others.some(hasTags)) return pair // braces would become a template
  return `${writeJson(first)}: {${[...others, within(inner, rest, name, pair)].join(', ')}}`
}
