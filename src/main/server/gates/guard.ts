import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { AppError } from '../../../shared/contract/base/errors.ts'
import { say } from '../../../shared/contract/base/message.ts'
import { forwardingHeader, isLoopbackHost } from '../../../shared/forwarding.ts'
import type { SettingsService } from '../../services/serving/host/settings.ts'
import { isApiPath, isOAuthCallbackPath, isSignInPath, isWebhookPath } from './paths.ts'
import type { Gate } from './gate.ts'
import { guardPageProxy, isForPageProxy } from './page-proxy.ts'

/**
 * Keeps other machines and other websites out. A request through a proxy, or with a foreign host name (such as a
 * rebound DNS name), only reaches the webhook and the OAuth callback, unless the setting `expose_api` opens /v1. A
 * request made by another site's page only reaches the webhook. Requests through the proxy that the setting `page_url`
 * names are checked separately.
 */
export function guard(settings: Pick<SettingsService, 'current'>): Gate {
  return (request) => {
    const { url = '', headers } = request
    const current = settings.current()
    if (isWebhookPath(url)) return
    if (isForPageProxy(headers, current)) guardPageProxy(request, current, isOpenToNavigation(request))
    else {
      const outside = comesFromOutside(headers)
      if (outside !== null && !isOAuthCallbackPath(url)) {
        // Sign-in codes only work for browsers on this machine, whatever is exposed.
        if (!isApiPath(url) || isSignInPath(url) || !current.expose_api) throw outside
      }
      const foreign = comesFromForeignPage(headers, outside !== null)
      if (foreign !== null && !isOpenToNavigation(request)) throw foreign
    }
  }
}

function comesFromOutside(headers: IncomingHttpHeaders): AppError | null {
  const { host = '' } = headers
  if (!isLoopbackHost(host)) {
    return new AppError(
      'forbidden',
      say('Host "{{host}}" isn\'t allowed; only webhooks accept other host names', {
        host: host.slice(0, 100),
      }),
    )
  }
  const name = forwardingHeader(headers)
  if (name === null) return null
  return new AppError(
    'forbidden',
    say(
      'Blocked: the request came through a proxy (header {{name}}); only webhooks are reachable unless the setting expose_api is on',
      { name },
    ),
  )
}

function comesFromForeignPage(headers: IncomingHttpHeaders, exposed: boolean): AppError | null {
  const { origin, host } = headers
  if (origin !== undefined && origin !== `http://${host}` && !(exposed && origin === `https://${host}`)) {
    return new AppError(
      'forbidden',
      say('Cross-origin request from "{{origin}}" blocked; only Millrace\'s own page can call this API', {
        origin: origin.slice(0, 100),
      }),
    )
  }
  if (headers['sec-fetch-site'] === 'cross-site') {
    return new AppError(
      'forbidden',
      say("Cross-site request blocked; only Millrace's own page can call this API"),
    )
  }
  return null
}

/** A link on another site can open the page, and an authorization server redirects the browser to the callback. */
function isOpenToNavigation({ method, url = '', headers }: IncomingMessage): boolean {
  return (
    method === 'GET' &&
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document' &&
    (!isApiPath(url) || isOAuthCallbackPath(url))
  )
}
