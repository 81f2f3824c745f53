/** Converts non-standard responses of token endpoints to the standard form. */
import type { HeaderLine, OutgoingResponse } from '../../../engine/ports.ts'
import { headerValue } from '../../../engine/request/headers.ts'

/**
 * Accepts a form instead of JSON, an error with status 200 and a missing `token_type`. Unused fields are dropped, above
 * all an ID token, which would have to be verified with keys of a server that connectors don't name.
 */
export function toStandardAnswer({
  status,
  headers,
  body,
}: Pick<OutgoingResponse, 'status' | 'headers' | 'body'>): Response {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8')
  const fields = readFields(text, headers)
  if (fields === null)
    return new Response(text, { status: usable(status), headers: { 'content-type': 'text/plain' } })
  const { error, access_token: token } = fields
  if (typeof error === 'string' && token === undefined)
    return jsonAnswer(status < 400 ? 400 : status, { error, error_description: fields['error_description'] })
  const numberOf = (key: string) => (isPresent(fields[key]) ? Number(fields[key]) : undefined)
  if (fields['device_code'] !== undefined)
    return jsonAnswer(usable(status), {
      device_code: fields['device_code'],
      user_code: fields['user_code'],
      // Google's name for this field.
      verification_uri: fields['verification_uri'] ?? fields['verification_url'],
      verification_uri_complete: fields['verification_uri_complete'],
      expires_in: numberOf('expires_in'),
      interval: numberOf('interval'),
    })
  return jsonAnswer(usable(status), {
    access_token: token,
    token_type: 'bearer',
    expires_in: numberOf('expires_in'),
    refresh_token: isPresent(fields['refresh_token']) ? fields['refresh_token'] : undefined,
  })
}

/**
 * Reads `{ "token": …, "expires_at": … }`, with which some APIs answer a call with a signed token, or else their error.
 */
export function readIssued({
  status,
  body,
}: Pick<OutgoingResponse, 'status' | 'body'>):
  | { readonly token: string; readonly expiresAt: number | null }
  | { readonly reason: string } {
  const fields =
    parseObject(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8')) ?? {}
  const token = fields['token'] ?? fields['access_token']
  if (status >= 300 || typeof token !== 'string' || token === '') {
    const reason = fields['message'] ?? fields['error_description'] ?? fields['error']
    return { reason: typeof reason === 'string' ? reason : '' }
  }
  const expiresAt = Date.parse(String(fields['expires_at']))
  return { token, expiresAt: Number.isNaN(expiresAt) ? null : expiresAt }
}

/** Any success status will do, but a Response can't be constructed with a status that forbids a body. */
const usable = (status: number) => (status < 300 || status === 304 ? 200 : status)

type Fields = Readonly<Record<string, unknown>>

const isPresent = (value: unknown) => value !== undefined && value !== null && value !== ''

/** Null if it is neither JSON nor a form. */
function readFields(text: string, headers: readonly HeaderLine[]): Fields | null {
  const type = headerValue(headers, 'content-type') ?? ''
  const json = parseObject(text)
  if (json !== null) return json
  const isForm = /^(?:application\/x-www-form-urlencoded|text\/plain)\b/i.test(type)
  return isForm && /(?:^|&)(?:access_token|device_code|error)=/.test(text)
    ? Object.fromEntries(new URLSearchParams(text))
    : null
}

function parseObject(text: string): Fields | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null
  } catch {
    return null
  }
}

function jsonAnswer(status: number, body: object): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } })
}
