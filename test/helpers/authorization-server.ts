/** An OAuth 2.0 authorization server with an API, for tests: real HTTP on a free port of loopback. */
import { createHash, randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { type ReceivedRequest, startThirdPartyApi } from './third-party-api.ts'

export interface AuthorizationServerOptions {
  /** Lifetime of an access token in seconds; null leaves it out. */
  readonly expiresIn?: number | null
  /** Whether a refresh token can be used only once; using it again then revokes them all. */
  readonly rotates?: boolean
  /** Shows a page with a link to continue, instead of agreeing at once. */
  readonly asks?: boolean
  /** Time between two polls for a code. */
  readonly pollSeconds?: number
}

export interface AuthorizationServer {
  readonly url: string
  /** The `auth_config` of a connector that signs in with a code (RFC 8628). */
  readonly deviceConfig: Readonly<Record<string, unknown>>
  /**
   * The responses to polls for a code, in order, before the code counts as entered: `authorization_pending` and so on.
   */
  readonly polls: string[]
  /** Every call of the token endpoint: its form, and how the client identified itself. */
  readonly tokenCalls: TokenCall[]
  /** Bearer tokens that the API was called with. */
  readonly apiCalls: string[]
  /** The `auth_config` of a connector. */
  readonly config: Readonly<Record<string, unknown>>
  /** Makes the user decline the next time. */
  deny(): void
  /** Makes the token endpoint respond like this, once or from now on. */
  answerTokensWith(answer: ((response: ServerResponse) => void) | null): void
  /** Revokes the access tokens issued so far. */
  revokeAccess(): void
  /** Revokes the refresh tokens, too. */
  revokeAll(): void
  /** Holds calls of the token endpoint until they are released. */
  holdTokens(): { readonly waiting: () => number; readonly release: () => void }
}

export interface TokenCall {
  readonly form: Readonly<Record<string, string>>
  readonly authorization: string | undefined
}

export const CLIENT = {
  client_id: 'millrace-client',
  client_secret: 'planted-client-secret-of-test',
} as const

export async function startAuthorizationServer({
  expiresIn = 3600,
  rotates = true,
  asks = false,
  pollSeconds = 5,
}: AuthorizationServerOptions = {}): Promise<AuthorizationServer> {
  const codes = new Map<string, { challenge: string | null; redirectUri: string }>()
  const access = new Set<string>()
  const refresh = new Set<string>()
  const used = new Set<string>()
  const tokenCalls: TokenCall[] = []
  const apiCalls: string[] = []
  const polls: string[] = []
  const deviceCodes = new Set<string>()
  let denies = false
  let override: ((response: ServerResponse) => void) | null = null
  let held: (() => void)[] | null = null

  function authorize(query: URLSearchParams, response: ServerResponse): void {
    const redirectUri = query.get('redirect_uri') ?? ''
    const back = new URL(redirectUri)
    back.searchParams.set('state', query.get('state') ?? '')
    if (denies) {
      denies = false
      back.searchParams.set('error', 'access_denied')
      back.searchParams.set('error_description', 'The user said <no>')
    } else {
      const code = `code-${randomUUID()}`
      codes.set(code, { challenge: query.get('code_challenge'), redirectUri })
      back.searchParams.set('code', code)
    }
    if (!asks) return void response.writeHead(302, { location: back.href }).end()
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end(
      `<!doctype html><title>Sign in</title><a href="${back.href.replaceAll('&', '&amp;')}">Allow</a>`,
    )
  }

  function giveTokens(response: ServerResponse, withRefresh: boolean): void {
    const token = `planted-access-${randomUUID()}`
    access.add(token)
    const body: Record<string, unknown> = { access_token: token, token_type: 'Bearer' }
    if (expiresIn !== null) body['expires_in'] = expiresIn
    if (withRefresh) {
      const next = `planted-refresh-${randomUUID()}`
      refresh.add(next)
      body['refresh_token'] = next
    }
    sendJson(response, 200, body)
  }

  function tokens(request: ReceivedRequest, response: ServerResponse): void {
    const form = Object.fromEntries(new URLSearchParams(request.body.toString()))
    tokenCalls.push({ form, authorization: request.headers.authorization })
    if (override) return override(response)
    switch (form['grant_type']) {
      case 'authorization_code': {
        const code = form['code'] ?? form['auth_code'] ?? ''
        const known = codes.get(code)
        codes.delete(code)
        if (!known || known.redirectUri !== form['redirect_uri'] || !provesChallenge(known.challenge, form))
          return sendJson(response, 400, { error: 'invalid_grant' })
        return giveTokens(response, true)
      }
      case 'urn:ietf:params:oauth:grant-type:device_code': {
        const answer = polls.shift()
        const code = form['device_code'] ?? ''
        if (answer === undefined && deviceCodes.delete(code)) return giveTokens(response, true)
        return sendJson(response, 400, { error: answer ?? 'invalid_grant' })
      }
      case 'client_credentials':
        return giveTokens(response, false)
      case 'refresh_token': {
        const token = form['refresh_token'] ?? ''
        if (rotates && used.has(token)) refresh.clear()
        if (!refresh.has(token))
          return sendJson(response, 400, {
            error: 'invalid_grant',
            error_description: 'Token has been revoked',
          })
        if (rotates) {
          refresh.delete(token)
          used.add(token)
        }
        return giveTokens(response, rotates)
      }
      default:
        return sendJson(response, 400, { error: 'unsupported_grant_type' })
    }
  }

  function giveCode(request: ReceivedRequest, response: ServerResponse): void {
    const form = new URLSearchParams(request.body.toString())
    if (form.get('client_id') !== CLIENT.client_id)
      return sendJson(response, 401, { error: 'invalid_client' })
    const code = `planted-device-${randomUUID()}`
    deviceCodes.add(code)
    sendJson(response, 200, {
      device_code: code,
      user_code: 'WDJB-MJHT',
      verification_uri: `${api.url}/device`,
      verification_uri_complete: `${api.url}/device?user_code=WDJB-MJHT`,
      expires_in: 60,
      interval: pollSeconds,
    })
  }

  const api = await startThirdPartyApi((request, response) => {
    const { pathname, searchParams } = new URL(request.target, 'http://server')
    if (pathname === '/code') return giveCode(request, response)
    if (pathname === '/authorize') return authorize(searchParams, response)
    if (pathname === '/token' || pathname === '/refresh') {
      if (held) return void held.push(() => tokens(request, response))
      return tokens(request, response)
    }
    const bearer = request.headers.authorization?.replace(/^Bearer /, '') ?? ''
    apiCalls.push(bearer)
    if (!access.has(bearer)) return sendJson(response, 401, { error: 'the token is not good' })
    sendJson(response, 200, { ok: true, echo: bearer })
  })

  return {
    url: api.url,
    tokenCalls,
    apiCalls,
    config: {
      auth_types: ['oauth2'],
      authorization_url: `${api.url}/authorize`,
      access_url: `${api.url}/token`,
      ...CLIENT,
    },
    deviceConfig: {
      auth_types: ['oauth2'],
      grant_type: 'device_code',
      device_authorization_url: `${api.url}/code`,
      access_url: `${api.url}/token`,
      client_id: CLIENT.client_id,
    },
    polls,
    deny() {
      denies = true
    },
    answerTokensWith(answer) {
      override = answer
    },
    revokeAccess: () => access.clear(),
    revokeAll() {
      access.clear()
      refresh.clear()
    },
    holdTokens() {
      const queue: (() => void)[] = []
      held = queue
      return {
        waiting: () => queue.length,
        release() {
          held = null
          for (const go of queue) go()
        },
      }
    },
  }
}

function provesChallenge(challenge: string | null, form: Readonly<Record<string, string>>): boolean {
  if (challenge === null) return true
  return (
    createHash('sha256')
      .update(form['code_verifier'] ?? '')
      .digest('base64url') === challenge
  )
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
