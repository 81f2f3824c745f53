import type { PaginationConfigEntry } from '../../../../shared/contract/base/pagination-config.ts'
import { type Data, getKey, isDictionary, isList, keysOf, writeJson } from '@millrace/jinja/data'
import { headerValue } from '../../request/headers.ts'
import { readLinks } from '../request/link-header.ts'
import { endOfRecords } from './by-count.ts'
import { keepMethod } from './carry.ts'
import { CREDENTIAL_PARAMETERS, pagingRoleOf, plainName, wordsOf } from './paging-names.ts'
import { expressionOf, type ResponseValue } from './response-values.ts'
import { type Evidence, type Finding, type SampleRequest, shown } from './sample.ts'

/** Finds the `Link` header of RFC 8288, or a header that holds only the URL. */
export function byLinkHeader({ request, response }: Evidence): Finding[] {
  const header = headerValue(response.headers, 'link')
  const links = readLinks(header, request.url.href)
  const relation = NEXT_RELATIONS.find(
    (name) => typeof getKey(links, name.toLowerCase()) === 'string',
  )?.toLowerCase()
  const next = relation === undefined ? undefined : getKey(links, relation)
  if (typeof next === 'string') {
    const reason = `The header "Link" names the next page: rel="${relation}" is ${shown(next)}${warningOfOrigin(next, request)}`
    const endpoint = relation === 'next' ? '{{ links.next }}' : `{{ links['${relation}'] }}`
    const config = { endpoint, ...whole(next, request) }
    return [{ style: 'link_header', reason, config, confidence: 'high' }]
  }
  if (['prev', 'previous', 'first'].some((relation) => typeof getKey(links, relation) === 'string')) {
    const reason = `The header "Link" names other pages (${shown(header ?? '')}) and no rel="next": this page is the last one`
    const config = { endpoint: '{{ links.next }}', ...whole(null, request) }
    return [{ style: 'link_header', reason, config, confidence: 'medium' }]
  }
  return byAddressHeader(request, response.headers)
}

function byAddressHeader(request: SampleRequest, headers: Evidence['response']['headers']): Finding[] {
  return headers.flatMap(([name, value]): Finding[] => {
    if (!/^[\w-]{1,100}$/.test(name) || !isNextName(name) || !isAddress(value)) return []
    const reason = `The header "${name}" holds the URL of the next page: ${shown(value)}${warningOfOrigin(value, request)}`
    const config = { endpoint: `{{ previous_request_headers['${name}'] }}`, ...whole(value, request) }
    return [{ style: 'link_header', reason, config, confidence: 'high' }]
  })
}

/** Finds a URL in the body: `next`, `links.next`, `@odata.nextLink`, or an item with `rel: next` in a list of links. */
export function byNextAddress(evidence: Evidence): Finding[] {
  const { values } = evidence
  return [
    ...values.flatMap((found) => atKey(found, evidence)),
    ...values.flatMap((found) => inLinkList(found, evidence)),
  ]
}

/** Some APIs have a link with the next number even on their last page, so the total ends such a list. */
function guarded(link: string, evidence: Evidence): Pick<PaginationConfigEntry, 'stop_when'> {
  const end = countsIn(link, evidence.request) ? endOfRecords(evidence, null) : null
  return end === null || evidence.isMadeUp === true ? {} : { stop_when: end.condition }
}

function countsIn(link: string, { url }: SampleRequest): boolean {
  const parameters = URL.parse(link, url.href)?.searchParams ?? new URLSearchParams()
  return [...parameters].some(([name, value]) => {
    const role = pagingRoleOf(name)
    return (role === 'page' || role === 'offset') && /^\d+$/.test(value)
  })
}

function atKey(found: ResponseValue, evidence: Evidence): Finding[] {
  const { keys, value } = found
  const { request } = evidence
  if (!isNextAddressKey(keys)) return []
  const read = expressionOf(keys)
  const isShort = isAddress(value) && leavesOutPath(value, request)
  const endpoint = isShort ? `{{ '?' ~ ${read}.split('?')[1] if ${read} else '' }}` : `{{ ${read} }}`
  const key = keys.join('.')
  if (isAddress(value)) {
    const reason = `The key "${key}" holds the URL of the next page: ${shown(value)}${isShort ? '. It leaves out the beginning of the path, so only its parameters are used' : warningOfOrigin(value, request)}`
    return [
      {
        style: 'next_address',
        reason,
        config: {
          endpoint,
          ...whole(value, request),
          ...guarded(value, evidence),
          ...(isLeftOut(found, evidence) ? { cursor_may_be_absent: true } : {}),
        },
        confidence: 'high',
      },
    ]
  }
  if (value !== null || !USUAL_WHEN_EMPTY.has(plainName(keys.at(-1) ?? ''))) return []
  const reason = `The key "${key}" is null: this page is the last one; on other pages the key holds a URL`
  return [{ style: 'next_address', reason, config: { endpoint, ...whole(null, request) }, confidence: 'low' }]
}

/**
 * Whether the API leaves out links to pages that don't exist. If so, there are other links next to the one to the
 * next page, but none to a page before the first. OData requires it.
 */
function isLeftOut({ keys, holder }: ResponseValue, { values, isMadeUp }: Evidence): boolean {
  // An API description doesn't show the link itself.
  if (isMadeUp === true) return false
  const leaf = keys.at(-1) ?? ''
  if (/^@?odata\.nextLink$/i.test(leaf)) return true
  const above = keys.slice(0, -1).join('\n')
  const links = isNextName(leaf) ? holder : values.find((one) => one.keys.join('\n') === above)?.holder
  const names = links === undefined ? [] : keysOf(links).map((key) => plainName(key))
  return (
    names.some((name) => /^(?:self|first|last|current)/.test(name)) &&
    !names.some((name) => /prev|back/.test(name))
  )
}

/**
 * True for `/contacts?page=2` if `/v3/contacts` was called, or for `/?page=2`, because there is nothing at
 * that URL.
 */
function leavesOutPath(link: string, { url }: SampleRequest): boolean {
  const [path = '', query] = link.trim().split('?')
  if (query === undefined || !/^\/(?!\/)/.test(path) || path === url.pathname) return false
  return path === '/' || url.pathname.endsWith(path)
}

const USUAL_WHEN_EMPTY: ReadonlySet<string> = new Set([
  'next',
  'nextlink',
  'nextpage',
  'nextpagelink',
  'nextpageuri',
  'nextpageurl',
  'nexturi',
  'nexturl',
])

/** Whether the URL at these keys is the next page's, judging by its own key or its parent's. */
function isNextAddressKey(keys: readonly string[]): boolean {
  const [leaf = '', above = ''] = keys.toReversed()
  if (isNextName(leaf)) return true
  return isNextName(above) && ADDRESS_KEYS.has(plainName(leaf))
}

function isNextName(name: string): boolean {
  const words = wordsOf(name)
  if (BACKWARD.some((word) => words.includes(word))) return false
  return (
    words.includes('next') ||
    (FORWARD.some((word) => words.includes(word)) && words.some((word) => IS_ADDRESS.has(word)))
  )
}

const BACKWARD: readonly string[] = ['prev', 'previous', 'before', 'sync']
const FORWARD: readonly string[] = ['after', 'more', 'older', 'continuation']
const IS_ADDRESS: ReadonlySet<string> = new Set(['url', 'uri', 'link', 'href', 'path'])
const ADDRESS_KEYS: ReadonlySet<string> = new Set(['href', 'url', 'uri', 'link', 'path'])

/** Whether the value is in a list such as `[{"relation": "next", "url": …}]`, as in FHIR and other APIs. */
function inLinkList({ keys, value }: ResponseValue, evidence: Evidence): Finding[] {
  if (!isList(value)) return []
  const { request } = evidence
  for (const relation of ['rel', 'relation', '@rel', '@ref', 'ref']) {
    const next = value.find((link) => isDictionary(link) && isNextRelation(getKey(link, relation)))
    if (!isDictionary(next)) continue
    const said = getKey(next, relation) as string
    const target = ['href', 'url', 'uri', '@href'].find((name) => isAddress(getKey(next, name) ?? null))
    const link = target === undefined ? null : (getKey(next, target) ?? null)
    if (target === undefined || !isAddress(link)) continue
    const list = expressionOf(keys)
    const endpoint = `{{ ${list} | selectattr('${relation}', 'equalto', '${said}') | map(attribute='${target}') | first }}`
    const reason = `The list "${keys.join('.')}" names the next page: "${relation}" is "${said}" and "${target}" ${shown(link)}${warningOfOrigin(link, request)}`
    return [
      {
        style: 'next_address',
        reason,
        config: { endpoint, ...whole(link, request), ...guarded(link, evidence) },
        confidence: 'high',
      },
    ]
  }
  return []
}

const isNextRelation = (relation: Data | undefined) =>
  typeof relation === 'string' && NEXT_RELATIONS.includes(relation)

const NEXT_RELATIONS: readonly string[] = ['next', 'next-page', 'next_page', 'nextPage']

/** Whether the value is a URL, either absolute or relative in a form that no token has. */
export function isAddress(value: Data): value is string {
  return typeof value === 'string' && value.length <= 8_000 && ADDRESS.test(value.trim())
}

// linear: anchored, and every part but the last is bounded
const ADDRESS =
  /^(?:https?:\/\/\S+|\?[\w.$[\]%-]{1,100}=\S*|\/[\w.~%-]{1,200}(?:[/?]\S*)?|[\w.~%/-]{1,500}\?[\w.$[\]%-]{1,100}=\S*)$/i

/**
 * A link is the complete URL of its page, so parameters of the first call that it omits are removed, because some APIs
 * reject a filter next to a cursor. A link that only counts pages has merely forgotten them, so they are kept.
 */
function whole(link: string | null, request: SampleRequest): PaginationConfigEntry {
  const address = link === null ? null : URL.parse(link, request.url.href)
  const carried = new Set(address?.searchParams.keys())
  const counts = link !== null && countsIn(link, request)
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
    : `. It is on another origin, which doesn't receive credentials unless "allowed_origins" contains ${origin}`
}
