import { WEBHOOK_PATH } from '../../../shared/contract/webhooks.ts'
import type { SecureRandom } from '../../services/kit/ports.ts'
import type { Gate } from './gate.ts'
import { isApiPath } from './paths.ts'

export const REQUEST_ID = 'X-Request-Id'

/** Names each request, for the log and the caller. An id that the caller sends is not taken over: it proves nothing. */
export function requestId(random: SecureRandom): Gate {
  return (_request, response) => {
    response.setHeader(REQUEST_ID, random.uuid())
  }
}

type Headers = Readonly<Record<string, string>>

/** Headers of every answer; the page puts its own Content-Security-Policy in place of this one. */
export const securityHeaders: Gate = ({ url = '' }, response) => {
  const headers = headersOf(url)
  for (const name in headers) response.setHeader(name, headers[name] ?? '')
}

/** What a flow answers must never act as the page that shares its address, and so must nothing at that address. */
function headersOf(url: string): Headers {
  if (url.startsWith(WEBHOOK_PATH)) return OF_WEBHOOK
  return isApiPath(url) ? OF_API : OF_PAGE
}

const OF_PAGE: Headers = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
}
const OF_API: Headers = { ...OF_PAGE, 'Cache-Control': 'no-store' }
const OF_WEBHOOK: Headers = { ...OF_API, 'Content-Security-Policy': 'sandbox' }

/** Those of API and webhook by lower-case names, for answers that are written in one go. */
export function securityHeadersFor(url: string): Headers {
  return url.startsWith(WEBHOOK_PATH) ? WEBHOOK_IN_LOWER_CASE : API_IN_LOWER_CASE
}

const API_IN_LOWER_CASE = inLowerCase(OF_API)
const WEBHOOK_IN_LOWER_CASE = inLowerCase(OF_WEBHOOK)

function inLowerCase(headers: Headers): Headers {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
