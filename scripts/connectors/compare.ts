/** Compares a built-in connector with the public description of its API. */
import { hash } from 'node:crypto'
import { type Description, type Keys, type Operation, segmentsOf } from './description.ts'

export interface ConnectorFile {
  readonly connector: {
    readonly id: string
    readonly name: string
    readonly base_domain?: string
    readonly auth_config?: Readonly<Record<string, unknown>>
    readonly header?: {
      readonly token_in_header: boolean
      readonly header_key: string
      readonly custom_headers: object
    } | null
    readonly url_token_extension?: { readonly key: string } | null
    readonly pagination_config?: unknown
    readonly external_docs?: string
  }
  readonly actions: readonly CheckedAction[]
}

interface CheckedAction {
  readonly name: string
  readonly method: string
  readonly endpoint: string
  readonly query?: object
  readonly headers?: object
  readonly body?: unknown
  readonly supports_automatic_pagination?: boolean
}

/**
 * Hashes what a comparison looks at: a connector's calls, but not its labels, forms, kinds of credentials or
 * pagination.
 */
export function hashOfCalls({ connector, actions }: ConnectorFile): string {
  const { base_domain, auth_config = {}, header, url_token_extension } = connector
  const { authorization_url, access_url } = auth_config
  const calls = actions.map(({ name, method, endpoint, query, headers, body }) => [
    name,
    method,
    endpoint,
    query,
    headers,
    body,
  ])
  const sent = [base_domain, authorization_url, access_url, header, url_token_extension, calls]
  return hash('sha256', JSON.stringify(sent)).slice(0, 16)
}

/** The differences, one sentence each, by action; `''` is the connector itself. */
export function compare(
  { connector, actions }: ConnectorFile,
  { operations, schemes, oauthUrls }: Description,
): ReadonlyMap<string, readonly string[]> {
  const { base_domain: base = '', auth_config: { authorization_url, access_url } = {} } = connector
  const paging = pagingKeys(connector.pagination_config)
  const found = new Map(
    actions.map((action) => {
      const sent = action.supports_automatic_pagination === true ? paging : []
      return [action.name, differences(action, sent, base, operations)]
    }),
  )
  const places = credentialsOf(connector)
  const urls = [authorization_url, access_url].filter((url) => typeof url === 'string')
  found.set('', [
    ...(schemes.size > 0 && places.length > 0 && !places.some((one) => schemes.has(one))
      ? [`credentials are sent in ${places.join(' or ')}, described are ${[...schemes].join(', ')}`]
      : []),
    ...urls
      .filter((url) => oauthUrls.size > 0 && !url.includes('{{') && !oauthUrls.has(url))
      .map((url) => `${url} isn't one of the described OAuth URLs`),
  ])
  return found
}

function differences(
  action: CheckedAction,
  paging: readonly string[],
  base: string,
  operations: readonly Operation[],
): readonly string[] {
  const path = pathOf(action.endpoint, base)
  const known = operations.filter((one) => isSamePath(one.path, path))
  const operation = known
    .filter(({ method }) => method === action.method)
    .toSorted((a, b) => agreement(b.path, path) - agreement(a.path, path))[0]
  if (operation === undefined)
    return known.length === 0
      ? [`no path ${shown(path)}`]
      : [`no method ${action.method}, only ${known.map(({ method }) => method).join(', ')}`]
  const query = Object.fromEntries(paging.map((key) => [key, null]))
  return [
    ...(operation.isDeprecated ? ['is deprecated'] : []),
    ...keyFaults('query parameter', { ...action.query, ...query }, operation.query),
    ...(action.method === 'GET' ? [] : keyFaults('body field', action.body ?? {}, operation.body)),
  ]
}

/** Query keys that request further pages; none if the response determines which query is sent. */
function pagingKeys(config: unknown): readonly string[] {
  const all = (Array.isArray(config) ? config : [config]) as readonly ({
    readonly when?: string
    readonly query?: string
  } | null)[]
  if (all.some((one) => one?.when !== undefined)) return []
  return all.flatMap((one) =>
    [...(one?.query ?? '').matchAll(/[{,]\s*"([^"]+)"\s*:/g)].map(([, key = '']) => key),
  )
}

/** A varying segment matches any other, so the best match is the path with the most segments of the same kind. */
const agreement = (described: readonly (string | null)[], sent: readonly (string | null)[]) =>
  described.filter((segment, at) => segment === sent[at]).length

function keyFaults(kind: string, sent: unknown, described: Keys | null, inside = ''): readonly string[] {
  if (described === null || typeof sent !== 'object' || sent === null || Array.isArray(sent)) return []
  // `created[gte]` and `page[size]` are keys of an object parameter.
  const nameOf = (key: string) => (described.has(key) ? key : key.replace(/\[.*$/, ''))
  const names = new Set(Object.keys(sent).map(nameOf))
  return [
    ...Object.entries(sent).flatMap(([key, value]) => {
      const known = described.get(nameOf(key))
      return known === undefined
        ? [`no ${kind} ${inside}${key}`]
        : keyFaults(kind, value, known.keys, `${inside}${key}.`)
    }),
    ...[...described]
      .filter(([key, { isRequired }]) => isRequired && !names.has(key))
      .map(([key]) => `the ${kind} ${inside}${key} is required`),
  ]
}

/** The path segments after the host; one with a template is null. */
function pathOf(endpoint: string, base: string): readonly (string | null)[] {
  const plain = (text: string) => text.replaceAll(/\{\{.*?\}\}/g, '{}')
  const url = /^https?:/.test(endpoint)
    ? plain(endpoint)
    : `${plain(base).replace(/\/$/, '')}/${plain(endpoint)}`
  return segmentsOf(url.replace(/^https?:\/\/[^/]*|^\{\}/, '').replace(/\?.*$/, ''))
}

function isSamePath(described: readonly (string | null)[], sent: readonly (string | null)[]): boolean {
  return (
    described.length === sent.length &&
    described.every((segment, at) => segment === null || segment === sent[at])
  )
}

const shown = (path: readonly (string | null)[]) => `/${path.map((segment) => segment ?? '{}').join('/')}`

function credentialsOf({ header, url_token_extension: inQuery }: ConnectorFile['connector']): string[] {
  return [
    ...(header?.token_in_header === true && !header.header_key.includes('{{')
      ? [`header ${header.header_key.toLowerCase()}`]
      : []),
    ...(inQuery && !inQuery.key.includes('{{') ? [`query ${inQuery.key.toLowerCase()}`] : []),
  ]
}
