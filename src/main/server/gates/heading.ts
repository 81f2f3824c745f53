import { WEBHOOK_PATH } from '../../../shared/contract/webhooks.ts'
import type { SecureRandom } from '../../services/kit/ports.ts'
import { isApiPath } from './paths.ts'

/** Identifies each request, for the log and the caller. The caller's own id isn't used, because it proves nothing. */
export const REQUEST_ID = 'x-request-id'

/** Headers with lower-case names. */
export type Heading = Readonly<Record<string, string>>

/** Headers of every response; the page replaces the Content-Security-Policy. */
export function headingOf(url: string, random: Pick<SecureRandom, 'uuid'>): Heading {
  return { [REQUEST_ID]: random.uuid(), ...securityHeadersOf(url) }
}

/** Responses under a webhook's URL, such as a flow's, must not be able to act as the app, which has the same origin. */
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
