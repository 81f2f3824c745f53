/**
 * Stand-ins for the sign-in and the APIs of Google and Microsoft, as strict as the originals, with real HTTP on
 * loopback.
 */
import { createHash, randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { catalogueFiles } from './store.ts'
import { type ReceivedRequest, startThirdPartyApi } from './third-party-api.ts'

export const GOOGLE_CLIENT = {
  client_id: '123456-stand-in.apps.googleusercontent.com',
  client_secret: 'GOCSPX-planted-secret-of-test',
} as const
export const MICROSOFT_CLIENT = { client_id: '0f1e2d3c-4b5a-4678-9abc-def012345678' } as const

/** The next sign-in or call ends with this error. */
export type ProviderFault = readonly [
  at: 'sign-in' | 'tokens' | 'api',
  error: string,
  description: string,
  status?: number,
]

export interface SignInProvider {
  readonly url: string
  /** A built-in connector and its actions, with all URLs leading here. */
  connector(name: string): { readonly connector: object; readonly actions: readonly object[] }
  /** The forms that the token endpoint got. */
  readonly tokenCalls: Readonly<Record<string, string>>[]
  fail(fault: ProviderFault): void
  /** Ends all access granted so far. */
  revoke(): void
}

const ORIGINS = [
  'https://accounts.google.com',
  'https://oauth2.googleapis.com',
  'https://openidconnect.googleapis.com',
  'https://gmail.googleapis.com',
  'https://sheets.googleapis.com',
  'https://www.googleapis.com',
  'https://login.microsoftonline.com',
  'https://graph.microsoft.com',
]

const URL_ORIGIN = /https:\/\/[\w.]+(?!\/auth\/|\/\.default|[\w.])/g

/** The account that is signed in, as each API reports it. */
const ACCOUNTS: Readonly<Record<string, object>> = {
  '/gmail/v1/users/me/profile': { emailAddress: 'ann@gmail.example' },
  '/v1/userinfo': { sub: '1', email: 'ann@gmail.example', email_verified: true },
  '/drive/v3/about': { user: { displayName: 'Ann', emailAddress: 'ann@gmail.example' } },
  '/calendar/v3/users/me/calendarList/primary': {
    kind: 'calendar#calendarListEntry',
    id: 'ann@gmail.example',
  },
  '/v1.0/me': { displayName: 'Ann', mail: null, userPrincipalName: 'ann@outlook.example' },
  '/v1.0/me/calendar': { name: 'Calendar', owner: { name: 'Ann', address: 'ann@outlook.example' } },
  '/v1.0/me/drive': { driveType: 'personal', owner: { user: { displayName: 'Ann' } } },
}

export async function startSignInProvider(): Promise<SignInProvider> {
  const codes = new Map<string, URLSearchParams>()
  const access = new Set<string>()
  const refresh = new Set<string>()
  const tokenCalls: Readonly<Record<string, string>>[] = []
  let fault: ProviderFault | null = null
  const takeFault = (at: ProviderFault[0]) => {
    const taken = fault?.[0] === at ? fault : null
    if (taken) fault = null
    return taken
  }

  function signIn(isGoogle: boolean, asked: URLSearchParams, response: ServerResponse): void {
    const back = URL.parse(asked.get('redirect_uri') ?? '')
    const refuse = (why: string) => void response.writeHead(400, { 'content-type': 'text/plain' }).end(why)
    if (asked.get('client_id') !== (isGoogle ? GOOGLE_CLIENT : MICROSOFT_CLIENT).client_id)
      return refuse(isGoogle ? 'Error 401: invalid_client' : 'AADSTS700016')
    // Both let desktop apps use any port. Google accepts any path, Microsoft only the registered name and path.
    const isKnown = isGoogle
      ? back?.protocol === 'http:' && ['127.0.0.1', 'localhost'].includes(back.hostname)
      : back?.hostname === 'localhost' && back.pathname === '/v1/oauth2/callback/microsoft'
    if (back === null || !isKnown)
      return refuse(isGoogle ? 'Error 400: redirect_uri_mismatch' : 'AADSTS50011')
    if (asked.get('code_challenge_method') !== 'S256') return refuse('PKCE is missing')
    back.searchParams.set('state', asked.get('state') ?? '')
    const wrong = takeFault('sign-in')
    if (wrong) {
      back.searchParams.set('error', wrong[1])
      back.searchParams.set('error_description', wrong[2])
    } else {
      const code = randomUUID()
      codes.set(code, asked)
      back.searchParams.set('code', code)
    }
    response.writeHead(302, { location: back.href }).end()
  }

  function tokens(isGoogle: boolean, form: Readonly<Record<string, string>>, response: ServerResponse): void {
    tokenCalls.push(form)
    const refuse = (error: string, error_description: string, status = 400) =>
      sendJson(response, status, { error, error_description })
    const wrong = takeFault('tokens')
    if (wrong) return refuse(wrong[1], wrong[2], wrong[3])
    if (isGoogle && form['client_secret'] !== GOOGLE_CLIENT.client_secret)
      return refuse('invalid_client', 'The provided client secret is invalid.', 401)
    if (!isGoogle && form['client_secret'] !== undefined)
      return refuse('invalid_client', 'AADSTS700025: Client is public so no secret should be presented.', 401)
    let withRefresh = !isGoogle
    if (form['grant_type'] === 'refresh_token') {
      if (!refresh.has(form['refresh_token'] ?? ''))
        return refuse(
          'invalid_grant',
          isGoogle ? 'Token has been expired or revoked.' : 'AADSTS700082: expired',
        )
      if (!isGoogle) refresh.delete(form['refresh_token'] ?? '')
    } else {
      const asked = codes.get(form['code'] ?? '')
      codes.delete(form['code'] ?? '')
      const challenge = createHash('sha256')
        .update(form['code_verifier'] ?? '')
        .digest('base64url')
      if (asked?.get('redirect_uri') !== form['redirect_uri'] || asked?.get('code_challenge') !== challenge)
        return refuse('invalid_grant', 'Bad Request')
      withRefresh = isGoogle
        ? asked.get('access_type') === 'offline' && asked.get('prompt') === 'consent'
        : (asked.get('scope') ?? '').split(' ').includes('offline_access')
    }
    const token = `planted-access-${randomUUID()}`
    const next = `planted-refresh-${randomUUID()}`
    access.add(token)
    if (withRefresh) refresh.add(next)
    sendJson(response, 200, {
      access_token: token,
      token_type: 'Bearer',
      expires_in: 3599,
      ...(withRefresh ? { refresh_token: next } : {}),
    })
  }

  function serve({ headers }: ReceivedRequest, path: string, response: ServerResponse): void {
    const wrong = takeFault('api')
    if (wrong)
      return sendJson(response, wrong[3] ?? 403, {
        error: { code: 403, message: wrong[2], status: wrong[1] },
      })
    if (!access.has(headers.authorization?.replace(/^Bearer /, '') ?? ''))
      return sendJson(response, 401, { error: { code: 401, status: 'UNAUTHENTICATED' } })
    sendJson(response, 200, ACCOUNTS[path] ?? {})
  }

  const api = await startThirdPartyApi((request, response) => {
    const { pathname, searchParams } = new URL(request.target, 'http://provider')
    const form = () => Object.fromEntries(new URLSearchParams(request.body.toString()))
    if (pathname === '/o/oauth2/v2/auth') return signIn(true, searchParams, response)
    if (pathname === '/token') return tokens(true, form(), response)
    if (/^\/[^/]+\/oauth2\/v2\.0\/authorize$/.test(pathname)) return signIn(false, searchParams, response)
    if (/^\/[^/]+\/oauth2\/v2\.0\/token$/.test(pathname)) return tokens(false, form(), response)
    serve(request, pathname, response)
  })

  return {
    url: api.url,
    tokenCalls,
    connector(name) {
      const file = catalogueFiles().find(
        (one) => (one as { connector: { name: string } }).connector.name === name,
      )
      // Scopes look like URLs, but only name what is allowed.
      const text = JSON.stringify(file).replaceAll(URL_ORIGIN, (origin) =>
        ORIGINS.includes(origin) ? api.url : origin,
      )
      const { connector, actions } = JSON.parse(text) as {
        connector: { id?: string }
        actions: { id?: string }[]
      }
      delete connector.id
      for (const action of actions) delete action.id
      return { connector, actions }
    },
    fail(next) {
      fault = next
    },
    revoke() {
      access.clear()
      refresh.clear()
    },
  }
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
