import type { IncomingMessage } from 'node:http'
import { AppError } from '../../../shared/contract/base/errors.ts'
import { say } from '../../../shared/contract/base/message.ts'
import { pageSessionRoutes, signInCodeRoutes } from '../../../shared/contract/page-sessions.ts'
import type { Services } from '../../services/index.ts'
import { addressBehind, createAddressList, isLoopbackAddress } from '../gates/client-address.ts'
import { isForPageProxy, setPageCookie } from '../gates/page-proxy.ts'
import { reply } from '../answer/reply.ts'
import type { App } from '../mount/app.ts'
import { mount } from '../mount/mount-route.ts'

type Used = Pick<Services, 'pageSessions' | 'settings' | 'signInCodes'>

export function mountPageSessions(app: App, { pageSessions, settings, signInCodes }: Used): void {
  // A request for that host comes from the proxy, because this listener only accepts requests from this computer.
  const clientOf = addressBehind(() => {
    const { proxy_header: header, trusted_proxies: proxies } = settings.current()
    const isTrusted = createAddressList(proxies)
    return { header, isProxy: (address) => isLoopbackAddress(address) || isTrusted(address) }
  })
  const requireProxy = ({ headers }: IncomingMessage) => {
    if (isForPageProxy(headers, settings.current())) return
    throw new AppError(
      'forbidden',
      say(
        'Browsers can sign in like this only behind a proxy, at the URL of the setting page_url; here, use "millrace open"',
      ),
    )
  }

  mount(app, pageSessionRoutes, {
    listPageSessionsRoute: ({ caller }) => [...pageSessions.list(caller)],
    readCurrentPageSessionRoute: ({ caller }) => pageSessions.current(caller),
    signInRoute: async ({ body, request }) => {
      requireProxy(request)
      const { secret, maxAgeSeconds, session } = await pageSessions.signIn(body, {
        client: clientOf(request),
        userAgent: request.headers['user-agent'] ?? '',
      })
      return reply(200, session, setPageCookie(secret, maxAgeSeconds))
    },
    signOutRoute: async ({ caller }) => {
      const own = pageSessions.current(caller)
      if (own !== null) await pageSessions.end(caller, own.id)
      return reply(204, undefined, setPageCookie('', 0))
    },
    createSignInLinkRoute: () => pageSessions.createLink(),
    endPageSessionRoute: ({ caller, params }) => pageSessions.end(caller, params.id),
  })
  mount(app, signInCodeRoutes, {
    createSignInCodeRoute: () => signInCodes.create(),
    exchangeSignInCodeRoute: ({ body }) => signInCodes.exchange(body.code),
  })
}
