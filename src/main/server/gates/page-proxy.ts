/** Requests for the app through the proxy that the setting `page_url` names. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { AppError } from '../../../shared/contract/base/errors.ts'
import { say } from '../../../shared/contract/base/message.ts'
import type { Settings } from '../../../shared/contract/settings.ts'
import { isApiPath, isSignInPath } from './paths.ts'

type PageSettings = Pick<Settings, 'page_url'>

/** Whether the request is for the host of that URL. Such a request never acts as the local session. */
export function isForPageProxy({ host = '' }: IncomingHttpHeaders, { page_url: url }: PageSettings): boolean {
  if (url === null) return false
  const own = new URL(url)
  const asked = host.toLowerCase()
  return asked === own.host || (own.port === '' && asked === `${own.host}:443`)
}

/** @throws AppError `forbidden` if it came without TLS, or from another site */
export function guardPageProxy(
  { method = '', url = '', headers }: IncomingMessage,
  { page_url: pageUrl }: PageSettings,
  mayNavigate: boolean,
): void {
  const proto = headers['x-forwarded-proto']
  if (typeof proto !== 'string' || proto.toLowerCase() !== 'https') {
    throw new AppError(
      'forbidden',
      say('The app is served over https only: the proxy must send the header X-Forwarded-Proto: https'),
    )
  }
  if (isSignInPath(url)) {
    throw new AppError(
      'forbidden',
      say('Sign-in codes only work on the computer that runs Millrace; use a sign-in link'),
    )
  }
  const { origin } = headers
  const own = new URL(pageUrl ?? '').origin
  const writes = method !== 'GET' && method !== 'HEAD'
  // The browser sends the cookie with every request, so a write must name the origin of its page.
  if (writes && isApiPath(url) && origin === undefined && headers.authorization === undefined) {
    throw new AppError(
      'forbidden',
      say('A write without an Origin header is blocked; only the app can send it'),
    )
  }
  const isForeign = (origin !== undefined && origin !== own) || headers['sec-fetch-site'] === 'cross-site'
  if (isForeign && !mayNavigate) {
    throw new AppError(
      'forbidden',
      say("Cross-site request blocked; only Millrace's own page can call this API"),
    )
  }
}

/** Because of the prefix `__Host-`, browsers only accept it from this host, with TLS and for the path `/`. */
export const PAGE_COOKIE = '__Host-millrace'

/** The value of the session's cookie; null if there is none, or more than one. */
export function pageCookieOf({ cookie = '' }: IncomingHttpHeaders): string | null {
  const values = cookie.split(';').flatMap((pair) => {
    const [name, value = ''] = pair.trim().split('=')
    return name === PAGE_COOKIE ? [value] : []
  })
  const [value = ''] = values
  return values.length === 1 && /^[A-Za-z0-9_-]{43}$/.test(value) ? value : null
}

/** @param secret an empty one deletes the cookie */
export function setPageCookie(secret: string, maxAgeSeconds: number): Readonly<Record<string, string>> {
  return {
    'Set-Cookie': `${PAGE_COOKIE}=${secret}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; Secure; SameSite=Strict`,
  }
}
