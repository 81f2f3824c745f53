/** Finds the part of the server to which a URL belongs, based on the URL as sent. */
import { OAUTH_CALLBACK_PATH } from '../../../shared/contract/connector-auths.ts'
import { exchangeSignInCodeRoute } from '../../../shared/contract/page-sessions.ts'
import { WEBHOOK_PATH } from '../../../shared/contract/webhooks.ts'

export const isApiPath = (url: string) => isUnder(url, '/v1')
export const isOAuthCallbackPath = (url: string) => isBelow(url, OAUTH_CALLBACK_PATH)
export const isSignInPath = (url: string) => isUnder(url, exchangeSignInCodeRoute.path)
export const isWebhookPath = (url: string) => isBelow(url, WEBHOOK_PATH)

/** The path itself or anything below it. */
export function isUnder(url: string, path: string): boolean {
  if (!url.startsWith(path)) return false
  const after = url[path.length]
  return after === undefined || after === '/' || after === '?'
}

function isBelow(url: string, path: string): boolean {
  return url.startsWith(path) && url[path.length] === '/'
}

/** The URL without its query. */
export function pathOf(url: string): string {
  const end = url.indexOf('?')
  return end === -1 ? url : url.slice(0, end)
}
