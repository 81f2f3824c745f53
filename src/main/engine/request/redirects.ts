import { say } from '../../../shared/contract/base/message.ts'
import type { HeaderLine, OutgoingRequest } from '../ports.ts'
import type { RawResponse } from './exchange.ts'
import { headerValue, withoutHeaders } from './headers.ts'
import { placeOf, RequestError } from './request-error.ts'

export interface Hop {
  readonly request: OutgoingRequest
  /** False once the chain has left the trusted origins. Then the body isn't sent again, even if the chain returns. */
  readonly keepsBody: boolean
}

/**
 * The next request of a redirect; null if the response isn't a redirect.
 *
 * The caller's headers are only sent to trusted origins, and the body never again once the chain has left them. A
 * 303, and a 301 or 302 after a POST, become a GET, as in every browser.
 *
 * @param original the first request of the chain; a hop can only carry its headers and body
 * @throws RequestError `cross_origin_link` for another scheme, or from https to http
 */
export function nextHop(
  current: Hop,
  answer: RawResponse,
  original: OutgoingRequest,
  trustedOrigins: ReadonlySet<string>,
): Hop | null {
  const location = REDIRECTS.has(answer.status) ? headerValue(answer.headers, 'location') : null
  if (location === null) return null
  const from = new URL(current.request.url)
  const to = targetOf(location, from)
  const trusted = trustedOrigins.has(to.origin)
  const method = methodAfter(answer.status, current.request.method)
  const keepsBody = current.keepsBody && trusted && method === current.request.method
  const body = keepsBody ? original.body : null
  const bodyLost = body === null && original.body !== null
  const headers = trusted ? original.headers : NO_HEADERS
  return {
    request: {
      method,
      url: to.href,
      headers: bodyLost ? withoutHeaders(headers, OF_BODY) : headers,
      body,
    },
    keepsBody,
  }
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const NO_HEADERS: readonly HeaderLine[] = []
const OF_BODY: ReadonlySet<string> = new Set([
  'content-type',
  'content-length',
  'content-encoding',
  'content-language',
  'content-location',
])

function targetOf(location: string, from: URL): URL {
  const to = URL.parse(location, from.href)
  if (!to) {
    throw new RequestError('http_error', say('{{from}} redirects to an invalid URL', { from: placeOf(from) }))
  }
  if (to.protocol !== 'http:' && to.protocol !== 'https:') {
    throw new RequestError(
      'cross_origin_link',
      say('{{from}} redirects to a {{protocol}} URL; only http and https are followed', {
        from: placeOf(from),
        protocol: to.protocol,
      }),
    )
  }
  if (from.protocol === 'https:' && to.protocol === 'http:') {
    throw new RequestError(
      'cross_origin_link',
      say("{{from}} redirects from https to http, {{to}}; the redirect wasn't followed", {
        from: placeOf(from),
        to: placeOf(to),
      }),
    )
  }
  to.username = ''
  to.password = ''
  to.hash = ''
  return to
}

function methodAfter(status: number, method: string): string {
  if (status === 303) return method === 'HEAD' ? 'HEAD' : 'GET'
  return (status === 301 || status === 302) && method === 'POST' ? 'GET' : method
}
