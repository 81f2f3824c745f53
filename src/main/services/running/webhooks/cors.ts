/** CORS for webhooks: allows only the origins that the flow lists. */

import type { StepConfig } from '../../../../shared/contract/step-types/index.ts'

type Headers = Readonly<Record<string, string>>
interface Head {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/** Headers that let a page of that origin read the response; none for all other origins. */
export function corsHeaders(head: Head, origins: readonly string[]): Headers {
  if (origins.length === 0) return NONE
  const { origin } = head.headers
  if (typeof origin !== 'string' || !isListed(origin, origins)) return { vary: 'Origin' }
  return { 'access-control-allow-origin': origin, vary: 'Origin' }
}

/** Responds to a browser's preflight request; null if the page isn't allowed, or the request isn't a preflight. */
export function preflightHeaders(
  head: Head,
  { cors_origins: origins, methods }: Pick<StepConfig<'webhook'>, 'cors_origins' | 'methods'>,
): Headers | null {
  const { origin, ...headers } = head.headers
  const method = headers['access-control-request-method']
  if (typeof origin !== 'string' || !methods.some((one) => one === method) || !isListed(origin, origins))
    return null
  const wanted = headers['access-control-request-headers']
  const isPrivate = headers['access-control-request-private-network'] === 'true'
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-methods': methods.join(', '),
    'access-control-max-age': '600',
    vary: 'Origin, Access-Control-Request-Headers',
    ...(typeof wanted === 'string' && HEADER_NAMES.test(wanted)
      ? { 'access-control-allow-headers': wanted }
      : {}),
    ...(isPrivate ? { 'access-control-allow-private-network': 'true' } : {}),
  }
}

/** `*` allows every origin. Cookies are never read, so an origin gets nothing but the response. */
function isListed(origin: string, origins: readonly string[]): boolean {
  return origins.some(
    (listed) => listed === '*' || listed.replace(/\/$/, '').toLowerCase() === origin.toLowerCase(),
  )
}

const HEADER_NAMES = /^[A-Za-z0-9-]{1,60}(?:, ?[A-Za-z0-9-]{1,60}){0,30}$/
const NONE: Headers = {}
