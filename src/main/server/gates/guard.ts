import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { AppError } from '../../../shared/contract/base/errors.ts'
import { forwardingHeader, isLoopbackHost } from '../../../shared/forwarding.ts'
import type { SettingsService } from '../../services/host/settings.ts'
import { isApiPath, isOAuthCallbackPath, isSignInPath, isWebhookPath } from './paths.ts'
import type { Gate } from './gate.ts'

/**
 * Keeps other machines and other web sites out. A request that came through a proxy, or under a name that is not this
 * machine's own (a rebound DNS name, say), reaches the webhook and the OAuth callback alone, unless the setting
 * `expose_api` opens /v1. A request that a foreign web page makes reaches the webhook alone.
 */
export function guard(settings: Pick<SettingsService, 'current'>): Gate {
  return (request) => {
    const { url = '', headers } = request
    if (!isWebhookPath(url)) {
      const outside = comesFromOutside(headers)
      if (outside !== null && !isOAuthCallbackPath(url)) {
        // A code signs browsers of this machine in, whatever is open to others.
        if (!isApiPath(url) || isSignInPath(url) || !settings.current().expose_api) throw outside
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
      `Host "${host.slice(0, 100)}" isn't allowed; only webhooks accept other host names`,
    )
  }
  const name = forwardingHeader(headers)
  if (name === null) return null
  return new AppError(
    'forbidden',
    `Blocked: the request came through a proxy (header ${name}); only webhooks are reachable unless the setting expose_api is on`,
  )
}

function comesFromForeignPage(headers: IncomingHttpHeaders, exposed: boolean): AppError | null {
  const { origin, host } = headers
  if (origin !== undefined && origin !== `http://${host}` && !(exposed && origin === `https://${host}`)) {
    return new AppError(
      'forbidden',
      `Cross-origin request from "${origin.slice(0, 100)}" blocked; only Millrace's own page can call this API`,
    )
  }
  if (headers['sec-fetch-site'] === 'cross-site') {
    return new AppError('forbidden', "Cross-site request blocked; only Millrace's own page can call this API")
  }
  return null
}

/** A link on another site may open the page, and an authorization server sends the browser back to the callback. */
function isOpenToNavigation({ method, url = '', headers }: IncomingMessage): boolean {
  return (
    method === 'GET' &&
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document' &&
    (!isApiPath(url) || isOAuthCallbackPath(url))
  )
}
