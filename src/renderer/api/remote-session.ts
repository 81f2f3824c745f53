/** The session of a page that is opened from elsewhere, through a proxy. Its secret is in a cookie no script can read. */
import {
  type PageSession,
  readCurrentPageSessionRoute,
  SIGN_IN_LINK_FRAGMENT,
  signInRoute,
  signOutRoute,
} from '../../shared/contract/page-sessions.ts'
import type { Route } from '../../shared/contract/base/route.ts'
import { fromEnvelope, unreachable } from './failure.ts'
import type { Session } from './session.ts'

/** Millrace itself never serves HTTPS, so a page loaded by HTTPS came through a proxy. */
export function isRemote({ desktop, location }: Window): boolean {
  return desktop === undefined && location.protocol === 'https:'
}

/** Null if nobody is signed in here. */
export async function readRemoteSession(page: Window): Promise<PageSession | null> {
  const response = await send(page, readCurrentPageSessionRoute)
  if (response.status === 401) return null
  return readCurrentPageSessionRoute.result.parse(JSON.parse(await requireOk(response)))
}

/** @throws AppError `unauthorized`, `rate_limit` */
export async function signIn(
  page: Window,
  given: { readonly token: string } | { readonly link: string },
): Promise<void> {
  await requireOk(await send(page, signInRoute, given))
}

export async function signOut(page: Window): Promise<void> {
  await requireOk(await send(page, signOutRoute))
}

/** The code in the link that opened the page; null if it has none. It is removed from the URL at once. */
export function takeLink({ location, history }: Window): string | null {
  if (!location.hash.startsWith(SIGN_IN_LINK_FRAGMENT)) return null
  const code = location.hash.slice(SIGN_IN_LINK_FRAGMENT.length)
  history.replaceState(history.state, '', location.pathname + location.search)
  return code
}

/** The browser sends the cookie, so there is no token to hand over. The page can't act as another user. */
export function asSession(page: Window, remote: PageSession): Session {
  return {
    remote,
    bearer: () => Promise.resolve(null),
    renew: () => Promise.resolve(null),
    actingAs: () => null,
    actAs: () => undefined,
    moveTo: () => page.location.reload(),
  }
}

async function send(page: Window, { method, path }: Route, body?: object): Promise<Response> {
  try {
    return await page.fetch(page.location.origin + path, {
      method,
      ...(body && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
      credentials: 'same-origin',
      cache: 'no-store',
    })
  } catch (error) {
    throw unreachable(page.location.origin, error)
  }
}

async function requireOk(response: Response): Promise<string> {
  const text = await response.text()
  if (response.ok) return text
  throw fromEnvelope(response.status, text, response.headers)
}
