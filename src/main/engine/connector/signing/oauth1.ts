import { createHmac } from 'node:crypto'
import type { OutgoingRequest } from '../../ports.ts'
import { headerValue } from '../../request/headers.ts'
import { inputOf, type SigningContext, withHeaders } from './parts.ts'

/**
 * OAuth 1.0a (RFC 5849). The consumer key and secret are the user name and password, the token is `auth_token`, and
 * its secret `user_input.token_secret`. `user_input.signature_method` can be HMAC-SHA1 (the default), HMAC-SHA256 or
 * PLAINTEXT.
 *
 * @param context its `nonce` defaults to a random one
 */
export async function signWithOAuth1(
  request: OutgoingRequest,
  { auth, clock, nonce }: Pick<SigningContext, 'auth' | 'clock'> & { readonly nonce?: string },
): Promise<OutgoingRequest> {
  const { default: OAuth } = await import('oauth-1.0a')
  const method =
    METHODS.find((name) => name === inputOf(auth, 'signature_method').toUpperCase()) ?? METHODS[0]
  const realm = inputOf(auth, 'realm')
  const oauth = new OAuth({
    consumer: { key: auth.username, secret: auth.password },
    signature_method: method,
    hash_function: (base, key) =>
      method === 'PLAINTEXT'
        ? key
        : createHmac(method === 'HMAC-SHA256' ? 'sha256' : 'sha1', key)
            .update(base)
            .digest('base64'),
    ...(realm === '' ? {} : { realm }),
  })
  oauth.getTimeStamp = () => Math.floor(clock.now() / 1000)
  if (nonce !== undefined) oauth.getNonce = () => nonce
  const signed = oauth.authorize(
    { url: request.url, method: request.method, data: formOf(request) },
    ...(auth.auth_token === '' ? [] : [{ key: auth.auth_token, secret: inputOf(auth, 'token_secret') }]),
  )
  return withHeaders(request, [['Authorization', oauth.toHeader(signed).Authorization]])
}

const METHODS = ['HMAC-SHA1', 'HMAC-SHA256', 'PLAINTEXT'] as const

/** The fields of the body to be signed. Only forms are signed. */
function formOf({ headers, body }: OutgoingRequest): Record<string, string | string[]> {
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(headerValue(headers, 'content-type') ?? '')
  if (!isForm || typeof body !== 'string') return {}
  const fields = new URLSearchParams(body)
  return Object.fromEntries(
    [...new Set(fields.keys())].map((name) => {
      const values = fields.getAll(name)
      return [name, values.length === 1 ? (values[0] ?? '') : values]
    }),
  )
}
