import type { PaginationConfigEntry } from '../../../../shared/contract/base/pagination-config.ts'
import { type Data, getKey, keysOf } from '../../data/value.ts'
import { headerValue } from '../../request/headers.ts'
import { writeJson } from '../../data/json.ts'
import { readLinks } from '../request/link-header.ts'
import { keepMethod } from './carry.ts'
import { expressionOf, leadsTo } from './response-values.ts'
import { type Evidence, type Finding, type SampleRequest, shown } from './sample.ts'
import { CREDENTIAL_PARAMETERS, NEXT_ADDRESSES, OFFSET_PARAMETERS, PAGE_PARAMETERS } from './tables.ts'

/** The header `Link` of RFC 8288. */
export function byLinkHeader({ request, response }: Evidence): Finding[] {
  const header = headerValue(response.headers, 'link')
  const links = readLinks(header, request.url.href)
  const next = getKey(links, 'next')
  if (typeof next === 'string') {
    const reason = `The header "Link" names the next page: rel="next" is ${shown(next)}${warningOfOrigin(next, request)}`
    const config = { endpoint: '{{ links.next }}', ...whole(next, request) }
    return [{ style: 'link_header', reason, config, confidence: 'high' }]
  }
  if (!['prev', 'previous', 'first'].some((relation) => typeof getKey(links, relation) === 'string'))
    return []
  const reason = `The header "Link" names other pages (${shown(header ?? '')}) and no rel="next": this page is the last one`
  const config = { endpoint: '{{ links.next }}', ...whole(null, request) }
  return [{ style: 'link_header', reason, config, confidence: 'medium' }]
}

/** An address in the body: `next`, `links.next`, `@odata.nextLink`. */
export function byNextAddress({ request, values }: Evidence): Finding[] {
  return NEXT_ADDRESSES.flatMap((wanted) =>
    values
      .filter((found) => leadsTo(found, wanted))
      .flatMap(({ keys, value }): Finding[] => {
        const endpoint = `{{ ${expressionOf(keys)} }}`
        if (isAddress(value)) {
          const reason = `The key "${keys.join('.')}" holds the address of the next page: ${shown(value)}${warningOfOrigin(value, request)}`
          const config = { endpoint, ...whole(value, request) }
          return [{ style: 'next_address', reason, config, confidence: 'high' }]
        }
        if (value !== null) return []
        const reason = `The key "${keys.join('.')}" is null: this page is the last one, and the key holds an address where more follow`
        return [
          { style: 'next_address', reason, config: { endpoint, ...whole(null, request) }, confidence: 'low' },
        ]
      }),
  )
}

/** Absolute, or relative in one of the forms that no token has. */
export function isAddress(value: Data): value is string {
  return typeof value === 'string' && value.length <= 8_000 && ADDRESS.test(value.trim())
}

const ADDRESS =
  /^(?:https?:\/\/\S+|\?[\w.$[\]%-]{1,100}=\S*|\/[\w.~%-]{1,200}(?:[/?]\S*)?|[\w.~%/-]{1,500}\?[\w.$[\]%-]{1,100}=\S*)$/i

/**
 * A link is the whole address of its page, so parameters of the first call that it leaves out are taken away:
 * some APIs refuse a filter beside a cursor. One that only counts has forgotten them, and they stay.
 */
function whole(link: string | null, request: SampleRequest): PaginationConfigEntry {
  const address = link === null ? null : URL.parse(link, request.url.href)
  const carried = new Set(address?.searchParams.keys())
  const counts = [...carried].some(
    (name) =>
      (PAGE_PARAMETERS.has(name.toLowerCase()) || OFFSET_PARAMETERS.has(name.toLowerCase())) &&
      /^\d+$/.test(address?.searchParams.get(name) ?? ''),
  )
  const removed =
    address === null || counts
      ? []
      : keysOf(request.query).filter(
          (name) => !carried.has(name) && !CREDENTIAL_PARAMETERS.has(name.toLowerCase()),
        )
  return {
    query: `{${removed.map((name) => `${writeJson(name)}: null`).join(', ')}}`,
    ...keepMethod(request),
  }
}

function warningOfOrigin(link: string, { url }: SampleRequest): string {
  const origin = URL.parse(link, url.href)?.origin
  return origin === undefined || origin === url.origin
    ? ''
    : `. It is on another origin, which gets no credentials unless "allowed_origins" names ${origin}`
}
