import type { OpenAuth } from '../../../engine/connector/open-auth.ts'
import type { OutgoingRequest, SendRequest } from '../../../engine/ports.ts'
import type { LiveTokens } from './live-tokens.ts'

/**
 * Sends with the currently valid token, whatever the request was built with: reading a long list can outlive its token.
 * If a token is rejected (401), it is refreshed and the call is repeated once.
 */
export function withLiveToken(sendRequest: SendRequest, auth: OpenAuth, tokens: LiveTokens): SendRequest {
  const made = auth.auth_token
  return async (request, options) => {
    if (made === '' || !carries(request, made)) return sendRequest(request, options)
    const token = await tokens.current(auth)
    const response = await sendRequest(replaceToken(request, made, token), options)
    if (response.status !== 401) return response
    const other = await tokens.afterRefusal(auth, token)
    if (other === null || other === token) return response
    return sendRequest(replaceToken(request, made, other), options)
  }
}

function carries({ url, headers, body }: OutgoingRequest, token: string): boolean {
  return (
    headers.some(([, value]) => value.includes(token)) ||
    url.includes(encodeURIComponent(token)) ||
    (typeof body === 'string' && body.includes(token))
  )
}

function replaceToken(request: OutgoingRequest, from: string, to: string): OutgoingRequest {
  if (from === to) return request
  const { url, headers, body } = request
  return {
    ...request,
    url: url.replaceAll(encodeURIComponent(from), () => encodeURIComponent(to)),
    headers: headers.map(([name, value]) => [name, value.replaceAll(from, () => to)] as const),
    body: typeof body === 'string' ? body.replaceAll(from, () => to) : body,
  }
}
