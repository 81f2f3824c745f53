/**
 * The built-in connectors of Google and Microsoft sign in at stand-ins for both, which follow each provider's rules.
 */
import { expect, test } from 'vitest'
import type { ConnectorAuth, ConnectorAuthTest } from '../../../src/shared/contract/connector-auths.ts'
import type { Connector } from '../../../src/shared/contract/connectors.ts'
import type { FlowRun } from '../../../src/shared/contract/flow-runs.ts'
import { type FlowApp, startFlowApp } from '../../helpers/flow-app.ts'
import { callHttp } from '../../helpers/http.ts'
import {
  GOOGLE_CLIENT,
  MICROSOFT_CLIENT,
  type ProviderFault,
  type SignInProvider,
  startSignInProvider,
} from '../../helpers/sign-in-provider.ts'

interface Place {
  readonly app: FlowApp
  readonly provider: SignInProvider
  /** Advances the clock. */
  readonly later: (seconds: number) => void
}

async function aPlace(): Promise<Place> {
  let offset = 0
  const clock = { now: () => Date.now() + offset, monotonic: () => performance.now() + offset }
  const [app, provider] = await Promise.all([startFlowApp({ clock }), startSignInProvider()])
  return { app, provider, later: (seconds) => void (offset += seconds * 1000) }
}

async function created<T>(app: FlowApp, path: string, body: object): Promise<T> {
  const { status, text, json } = await app.call('POST', path, body)
  expect({ status, text }).toEqual({ status: 201, text: expect.any(String) })
  return json as T
}

/** A built-in connector whose URLs lead to the stand-in, and an auth for it with the user's own client. */
async function anAuth({ app, provider }: Place, name: string, user_input: object): Promise<ConnectorAuth> {
  const { connector, actions } = provider.connector(name)
  const { id } = await created<Connector>(app, '/v1/connectors', { ...connector, name: `My ${name}` })
  await Promise.all(
    actions.map((action) => created(app, '/v1/connector-actions', { ...action, connector_id: id })),
  )
  return created(app, '/v1/connector-auths', {
    connector_id: id,
    name: 'Mine',
    auth_type: 'oauth2',
    user_input,
  })
}

/** Goes to the provider and wherever that leads, as a browser does. */
async function signIn({ app }: Place, { id }: ConnectorAuth) {
  const { json } = await app.call('POST', `/v1/connector-auths/${id}/authorize`)
  const url = new URL((json as { url: string }).url)
  const answer = await fetch(url, { redirect: 'manual' })
  const back = URL.parse(answer.headers.get('location') ?? '')
  if (back === null) return { url, back: null, shown: await answer.text() }
  const page = await callHttp(app.port, {
    path: `${back.pathname}${back.search}`,
    headers: {
      host: back.host.replace('4747', String(app.port)),
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    },
  })
  return { url, back, shown: page.text }
}

const testOf = async ({ app }: Place, { id }: ConnectorAuth) =>
  (await app.call('POST', `/v1/connector-auths/${id}/test`, {})).json as ConnectorAuthTest

test('Google: any loopback port, offline access, client secret and PKCE, a refresh, and who is signed in', async () => {
  const place = await aPlace()
  const scope = 'https://www.googleapis.com/auth/gmail.readonly'
  const auth = await anAuth(place, 'Gmail', { ...GOOGLE_CLIENT, scope })
  const { url, back, shown } = await signIn(place, auth)
  expect({ shown, query: Object.fromEntries(url.searchParams) }).toEqual({
    shown: expect.stringContaining('Signed in'),
    query: {
      scope,
      access_type: 'offline',
      prompt: 'consent',
      response_type: 'code',
      client_id: GOOGLE_CLIENT.client_id,
      redirect_uri: 'http://127.0.0.1:4747/v1/oauth2/callback/my%20gmail',
      state: back?.searchParams.get('state'),
      code_challenge: expect.any(String),
      code_challenge_method: 'S256',
    },
  })
  place.later(3600)
  const { ok, account, advice } = await testOf(place, auth)
  expect({
    ok,
    account,
    advice,
    grants: place.provider.tokenCalls.map((form) => form['grant_type']),
  }).toEqual({
    ok: true,
    account: 'ann@gmail.example',
    advice: null,
    grants: ['authorization_code', 'refresh_token'],
  })
})

test('Microsoft: localhost and one path for all its connectors, the tenant, no secret, a new refresh token each time', async () => {
  const place = await aPlace()
  const user_input = { ...MICROSOFT_CLIENT, tenant: 'consumers' }
  const auth = await anAuth(place, 'OneDrive', user_input)
  const { url, shown } = await signIn(place, auth)
  expect({
    shown,
    path: url.pathname,
    scope: url.searchParams.get('scope'),
    redirect: url.searchParams.get('redirect_uri'),
  }).toEqual({
    shown: expect.stringContaining('Signed in'),
    path: '/consumers/oauth2/v2.0/authorize',
    scope: 'offline_access Files.ReadWrite',
    redirect: 'http://localhost:4747/v1/oauth2/callback/microsoft',
  })
  place.later(3600)
  const first = await testOf(place, auth)
  place.later(3600)
  const second = await testOf(place, auth)
  const refreshed = place.provider.tokenCalls.map((form) => form['refresh_token'])
  expect({
    accounts: [first.account, second.account],
    calls: refreshed.length,
    distinct: new Set(refreshed).size,
  }).toEqual({ accounts: ['Ann', 'Ann'], calls: 3, distinct: 3 })
})

test('each of their connectors says who is signed in', async () => {
  const place = await aPlace()
  const accounts = []
  for (const [name, client] of [
    ['Google Sheets', GOOGLE_CLIENT],
    ['Google Drive', GOOGLE_CLIENT],
    ['Google Calendar', GOOGLE_CLIENT],
    ['Outlook', MICROSOFT_CLIENT],
    ['Outlook Calendar', MICROSOFT_CLIENT],
    ['Microsoft Graph', MICROSOFT_CLIENT],
  ] as const) {
    const auth = await anAuth(place, name, client)
    await signIn(place, auth)
    accounts.push([name, (await testOf(place, auth)).account])
  }
  expect(accounts).toEqual([
    ['Google Sheets', 'ann@gmail.example'],
    ['Google Drive', 'ann@gmail.example'],
    ['Google Calendar', 'ann@gmail.example'],
    ['Outlook', 'ann@outlook.example'],
    ['Outlook Calendar', 'ann@outlook.example'],
    ['Microsoft Graph', 'ann@outlook.example'],
  ])
})

test('an error of the provider comes with a sentence of what to do', async () => {
  const place = await aPlace()
  const google = await anAuth(place, 'Gmail', GOOGLE_CLIENT)
  const microsoft = await anAuth(place, 'Outlook', MICROSOFT_CLIENT)
  const faults: [ConnectorAuth, ProviderFault, string][] = [
    [google, ['sign-in', 'access_denied', ''], 'Add it in step 4'],
    [google, ['sign-in', 'admin_policy_enforced', ''], 'trusted in the Google Admin console'],
    [google, ['tokens', 'redirect_uri_mismatch', 'Bad Request'], 'Create a client as in step 5'],
    [google, ['tokens', 'invalid_client', 'Unauthorized', 401], 'Copy both again in step 5'],
    [google, ['tokens', 'invalid_request', 'client_secret is missing.'], 'Google requires the client secret'],
    [microsoft, ['sign-in', 'access_denied', 'AADSTS65004: User declined'], 'The access was declined'],
    [microsoft, ['sign-in', 'consent_required', 'AADSTS65001: Not consented'], 'Grant admin consent'],
    [microsoft, ['tokens', 'invalid_request', 'AADSTS50011: The redirect URI'], 'Copy it in step 3'],
    [microsoft, ['tokens', 'unauthorized_client', 'AADSTS700016: Application'], 'client) ID again in step 5'],
    [microsoft, ['tokens', 'invalid_client', 'AADSTS7000218: The request body', 401], 'the platform Web'],
    [microsoft, ['tokens', 'invalid_client', 'AADSTS7000215: Invalid secret', 401], 'not its ID'],
  ]
  const missing: unknown[] = []
  for (const [auth, fault, advice] of faults) {
    place.provider.fail(fault)
    const { shown } = await signIn(place, auth)
    const text = shown.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    if (!text.includes(fault[1]) || !text.includes(advice)) missing.push([fault, text])
  }
  expect(missing).toEqual([])

  await signIn(place, google)
  place.provider.fail(['api', 'PERMISSION_DENIED', 'Gmail API is disabled. reason: SERVICE_DISABLED'])
  const disabled = await testOf(place, google)
  expect({ ok: disabled.ok, account: disabled.account, advice: disabled.advice }).toEqual({
    ok: false,
    account: null,
    advice: "The API isn't enabled in your project. Enable it in step 2, and test again after a minute.",
  })
})

test('a run whose access Google ended after seven days says so and how it lasts', async () => {
  const place = await aPlace()
  const auth = await anAuth(place, 'Gmail', GOOGLE_CLIENT)
  await signIn(place, auth)
  place.provider.revoke()
  place.later(7 * 86_400)
  const config = { connector_id: auth.connector_id, action: 'get_profile', auth_id: auth.id }
  const steps = [{ ref_id: 'me', type: 'connector_action', config }]
  const flow = await created<{ id: string }>(place.app, '/v1/flows', { name: 'Reads', steps })
  const run = (await place.app.call('POST', `/v1/flows/${flow.id}/run?wait=true`, {})).json as FlowRun
  expect(run.error?.message).toContain(
    'needs sign-in again: ' +
      `${place.provider.url}/token responded with invalid_grant: Token has been expired or revoked. Google has ended`,
  )
  expect(run.error?.message).toContain('publish it in step 4')
})

test('with a public page, a sign-in that begins there returns there, and one from this computer does not', async () => {
  const place = await aPlace()
  const google = await anAuth(place, 'Gmail', GOOGLE_CLIENT)
  const microsoft = await anAuth(place, 'Outlook', MICROSOFT_CLIENT)
  await place.app.call('PUT', '/v1/settings', { page_url: 'https://box.example.com' })
  const redirects = []
  for (const { id } of [google, microsoft])
    for (const origin of ['https://box.example.com', 'https://evil.example.com', 'http://localhost:4747']) {
      const { json } = await place.app.call('POST', `/v1/connector-auths/${id}/authorize`, { origin })
      redirects.push(new URL((json as { url: string }).url).searchParams.get('redirect_uri'))
    }
  expect(redirects).toEqual([
    'https://box.example.com/v1/oauth2/callback/my%20gmail',
    'http://127.0.0.1:4747/v1/oauth2/callback/my%20gmail',
    'http://127.0.0.1:4747/v1/oauth2/callback/my%20gmail',
    'https://box.example.com/v1/oauth2/callback/microsoft',
    'http://localhost:4747/v1/oauth2/callback/microsoft',
    'http://localhost:4747/v1/oauth2/callback/microsoft',
  ])
})
