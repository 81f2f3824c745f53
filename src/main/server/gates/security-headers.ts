import { WEBHOOK_PATH } from '../../../shared/contract/webhooks.ts'
import { isApiPath } from '../paths.ts'
import type { Gate } from './gate.ts'

/** Headers of every answer; the page puts its own Content-Security-Policy in place of this one. */
export const securityHeaders: Gate = ({ url = '' }, response) => {
  response.setHeader('X-Content-Type-Options', 'nosniff')
  response.setHeader('Referrer-Policy', 'no-referrer')
  response.setHeader('Content-Security-Policy', policyFor(url))
  response.setHeader('Cross-Origin-Resource-Policy', 'same-origin')
  if (isApiPath(url)) response.setHeader('Cache-Control', 'no-store')
}

/** What a flow answers must never act as the page that shares its address, and so must nothing at that address. */
function policyFor(url: string): string {
  return url.startsWith(WEBHOOK_PATH) ? 'sandbox' : "default-src 'none'; frame-ancestors 'none'"
}
