import type { PaginationConfigEntry } from '../../../../shared/contract/base/pagination-config.ts'
import { writeJson } from '../../data/json.ts'
import { entriesOf, getKey, isDictionary } from '../../data/value.ts'
import { hasTags } from '../../template/index.ts'
import { CURSOR_HOLDERS } from './tables.ts'
import type { SampleRequest } from './sample.ts'

/** Where a request has its parameters. */
export type Where = 'query' | 'body' | 'header'

/** A value of the next call, as a template. */
export interface Carried {
  readonly parameter: string
  readonly expression: string
  /** Written outside quotes, so that a number stays one. */
  readonly raw: boolean
}

/** The keys of a configuration that send one value with every call, by the method of the first. */
export function carry(request: SampleRequest, carried: Carried, where: Where): PaginationConfigEntry {
  const key = writeJson(carried.parameter)
  const pair = `${key}: ${carried.raw && where !== 'header' ? carried.expression : `"${carried.expression}"`}`
  if (where === 'body') return { body: `{${nested(request, carried.parameter, pair)}}` }
  return { [where]: `{${pair}}`, ...keepMethod(request) }
}

/** A configuration without a body makes its calls GET; an empty one keeps a first call with POST what it was. */
export function keepMethod({ method }: SampleRequest): PaginationConfigEntry {
  return isPost(method) ? { body: '{}' } : {}
}

export function isPost(method: string): boolean {
  return method.toUpperCase() === 'POST'
}

/** Where a value goes that the request did not have: beside those it had. */
export function usualPlace({ method, body }: SampleRequest): Where {
  return isPost(method) && (body === null || isDictionary(body)) ? 'body' : 'query'
}

/** The body is merged key by key, so a dictionary in it is written with all that it held. */
function nested({ body }: SampleRequest, parameter: string, pair: string): string {
  if (!isDictionary(body) || getKey(body, parameter) !== undefined) return pair
  for (const name of CURSOR_HOLDERS) {
    const holder = getKey(body, name)
    if (!isDictionary(holder)) continue
    const others = entriesOf(holder)
      .filter(([key]) => key !== parameter)
      .map(([key, value]) => `${writeJson(key)}: ${writeJson(value)}`)
    if (others.some(hasTags)) continue // would become a template
    return `${writeJson(name)}: {${[...others, pair].join(', ')}}`
  }
  return pair
}
