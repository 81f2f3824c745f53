/**
 * Selects the parts of a webhook request that are forwarded to a local program, and the parts of its response that
 * are returned.
 */
import { refusalOfHeader } from './response-headers.ts'

/** Names and values alternately, as in Node's `rawHeaders`. */
export type RawHeaders = readonly string[]

/** The prefix of query parameters and bearer tokens that give access to Millrace, which nobody else may see. */
const OWN_TOKEN = /^mr_(?:whk|pat|ask)_/

/**
 * The headers in their order and spelling, without those of the connection.
 *
 * @param host sent instead of the caller's `Host`; null keeps the caller's
 */
export function forwardedHeaders(headers: RawHeaders, host: string | null): string[] {
  const ofConnection = connectionHeaders(headers)
  const kept = pairsOf(headers).flatMap(([name, value]) => {
    const lower = name.toLowerCase()
    if (lower === 'host') return [name, host ?? value]
    // These frame the body, whatever `Connection` says about them.
    if (lower === 'content-length' || lower === 'transfer-encoding') return [name, value]
    const isLeft = ofConnection.has(lower) || (lower === 'authorization' && isOwn(value))
    return isLeft ? [] : [name, value]
  })
  const hasHost = pairsOf(kept).some(([name]) => name.toLowerCase() === 'host')
  return [...(hasHost ? [] : ['Host', host ?? 'localhost']), ...kept, 'Connection', 'close']
}

/** False if the body's transfer encoding would be lost if it were sent again. */
export function isPlainlyFramed(headers: RawHeaders): boolean {
  const encodings = pairsOf(headers).filter(([name]) => name.toLowerCase() === 'transfer-encoding')
  return encodings.every(([, value]) => value.trim().toLowerCase() === 'chunked') && encodings.length <= 1
}

/** Headers for the caller, in order. Those that would affect Millrace's own page are left out. */
export function returnedHeaders(headers: RawHeaders): string[] {
  const ofConnection = connectionHeaders(headers)
  return pairsOf(headers)
    .filter(([name]) => {
      const lower = name.toLowerCase()
      return RETURNED.has(lower) || (!ofConnection.has(lower) && !isKeptHere(lower))
    })
    .flat()
}

/** The path for the request line. */
export function forwardedTarget(url: URL, query: string | null): string {
  const own = url.pathname + url.search
  const parameters = query === null ? '' : withoutOwnTokens(query).slice(1)
  if (parameters === '') return own
  return `${own}${url.search === '' ? '?' : '&'}${parameters}`
}

/** The same target without parameters that only Millrace may see. Everything else stays unchanged, byte for byte. */
export function withoutOwnTokens(target: string): string {
  const at = target.indexOf('?')
  if (at === -1) return target
  const kept = target
    .slice(at + 1)
    .split('&')
    .filter(isForwarded)
  return `${target.slice(0, at)}?${kept.join('&')}`
}

/** The headers by name in lower case, with repeated ones joined. */
export function headersByName(headers: RawHeaders): Record<string, string> {
  const byName: Record<string, string> = Object.create(null) as Record<string, string>
  for (const [name, value] of pairsOf(headers)) {
    const lower = name.toLowerCase()
    byName[lower] = byName[lower] === undefined ? value : `${byName[lower]}, ${value}`
  }
  return { ...byName }
}

export function pairsOf(headers: RawHeaders): [name: string, value: string][] {
  return Array.from({ length: headers.length >> 1 }, (_, at) => [
    headers[2 * at] ?? '',
    headers[2 * at + 1] ?? '',
  ])
}

function isForwarded(parameter: string): boolean {
  const at = parameter.indexOf('=')
  return !OWN_TOKEN.test(at === -1 ? '' : parameter.slice(at + 1))
}

function isOwn(authorization: string): boolean {
  const [scheme = '', token = ''] = authorization.trim().split(/\s+/)
  return scheme.toLowerCase() === 'bearer' && OWN_TOKEN.test(token)
}

function isKeptHere(name: string): boolean {
  return refusalOfHeader(name) !== undefined && !name.startsWith('access-control-')
}

/** Headers that a flow can't set, but the local program knows. */
const RETURNED: ReadonlySet<string> = new Set(['content-encoding', 'content-length', 'date'])

function connectionHeaders(headers: RawHeaders): ReadonlySet<string> {
  const named = pairsOf(headers)
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(',').map((one) => one.trim().toLowerCase()))
  return new Set([...OF_CONNECTION, ...named])
}

const OF_CONNECTION = [
  'connection',
  'expect',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
] as const
