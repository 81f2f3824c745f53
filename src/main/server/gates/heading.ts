import { WEBHOOK_PATH } from '../../../shared/contract/webhooks.ts'
import type { SecureRandom } from '../../services/kit/ports.ts'
import { isApiPath } from './paths.ts'

/** Names each request, for the log and the caller. An id that the caller sends is not taken over: it proves nothing. */
export const REQUEST_ID = 'x-request-id'

/** By lower-case names. */
export type Heading = Readonly<Record<string, string>>

/** Headers that are on every response; the page puts its own Content-Security-Policy in place of this one. */
export function headingOf(url: string, random: Pick<SecureRandom, 'uuid'>): Heading {
  return { [REQUEST_ID]: random.uuid(), ...securityHeadersOf(url) }
}

/** What a flow answers must never act as the page that shares its address, and so must nothing at that address. */
function securityHeadersOf(url: string): Heading {
  if (url.startsWith(WEBHOOK_PATH)) return OF_WEBHOOK
  return isApiPath(url) ? OF_API : OF_PAGE
}

const OF_PAGE: Heading = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
}
const OF_API: Heading = { ...OF_PAGE, 'cache-control': 'no-store' }
const OF_WEBHOOK: Heading = { ...OF_API, 'content-security-policy': 'sandbox' }
