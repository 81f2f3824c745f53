import { say, type Said } from '../../../shared/contract/base/message.ts'
/** Headers by lower-case name. */
export type ResponseHeaders = Readonly<Record<string, string>>

/** Sent with every webhook response, because a flow's HTML must never act as the app, which has the same origin. */
export const SANDBOX_HEADERS: ResponseHeaders = {
  'content-security-policy': 'sandbox',
  'x-content-type-options': 'nosniff',
}

/** Why a configured header is not sent; undefined if it is sent. */
export function refusalOfHeader(name: string): Said | undefined {
  const lower = name.toLowerCase()
  if (SANDBOXING.has(lower)) return say('"{{name}}" is always set by Millrace', { name })
  if (STATE_OF_THE_PAGE.has(lower)) return say('"{{name}}" would affect Millrace\'s own page', { name })
  if (FRAMING.has(lower) || lower.startsWith('proxy-'))
    return say('"{{name}}" is set by the server', { name })
  if (lower.startsWith('access-control-')) return say('"{{name}}" is controlled by cors_origins', { name })
  return undefined
}

/** The chosen headers that may be sent, with those that isolate the response from Millrace's own page. */
export function sentHeaders(chosen: ResponseHeaders): ResponseHeaders {
  const sent = Object.entries(chosen).filter(
    ([name, value]) => isHeaderName(name) && isHeaderValue(value) && refusalOfHeader(name) === undefined,
  )
  return {
    ...Object.fromEntries(sent.map(([name, value]) => [name.toLowerCase(), toWireValue(value)])),
    ...SANDBOX_HEADERS,
  }
}

export function isHeaderName(name: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/.test(name)
}

/**
 * Whether a header line can contain the value, which excludes line breaks, NUL, and all other control characters
 * except tab.
 */
export function isHeaderValue(value: string): boolean {
  // oxlint-disable-next-line no-control-regex -- these must not get through
  return !/[\u0000-\u0008\u000a-\u001f\u007f]/.test(value)
}

/** Node sends each character of a header value as one byte; non-ASCII characters are sent as UTF-8. */
export function toWireValue(value: string): string {
  return Buffer.from(value).toString('latin1')
}

const SANDBOXING: ReadonlySet<string> = new Set([
  'content-security-policy',
  'content-security-policy-report-only',
  'x-content-type-options',
  'x-request-id',
])

const STATE_OF_THE_PAGE: ReadonlySet<string> = new Set([
  'set-cookie',
  'set-cookie2',
  'clear-site-data',
  'service-worker-allowed',
  'strict-transport-security',
  'alt-svc',
  'nel',
  'report-to',
  'reporting-endpoints',
])

const FRAMING: ReadonlySet<string> = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'date',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
