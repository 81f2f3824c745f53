import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { ConnectorAuth, ConnectorAuthTest } from '../../../src/shared/contract/connector-auths.ts'
import type { Connector } from '../../../src/shared/contract/connectors.ts'
import type { Flow } from '../../../src/shared/contract/flows.ts'
import type { FlowRun } from '../../../src/shared/contract/flow-runs.ts'
import type { User } from '../../../src/shared/contract/users.ts'
import {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  CLIENT,
  startAuthorizationServer,
} from '../../helpers/authorization-server.ts'
import { type FlowApp, startFlowApp } from '../../helpers/flow-app.ts'
import { callHttp, type HttpAnswer } from '../../helpers/http.ts'

const AUTHS = '/v1/connector-auths'

interface Place {
  readonly app: FlowApp
  readonly server: AuthorizationServer
  readonly connector: Connector
  readonly auth: ConnectorAuth
  /** Advances the clock. */
  readonly later: (seconds: number) => void
}

interface PlaceOptions extends AuthorizationServerOptions {
  readonly config?: object
  readonly auth?: object
  readonly oauthTimeoutMs?: number
}

/** A connector of an API that requires OAuth, and an auth of it that nobody has signed in to yet. */
async function aPlace({
  config = {},
  auth: more = {},
  oauthTimeoutMs,
  ...options
}: PlaceOptions = {}): Promise<Place> {
  let offset = 0
  const clock = { now: () => Date.now() + offset, monotonic: () => performance.now() + offset }
  const [app, server] = await Promise.all([
    startFlowApp({ clock, ...(oauthTimeoutMs === undefined ? {} : { oauthTimeoutMs }) }),
    startAuthorizationServer(options),
  ])
  const connector = await created<Connector>(app, '/v1/connectors', {
    name: 'Team Work',
    base_domain: server.url,
    test_action: 'me',
    auth_config: { ...server.config, ...config },
  })
  const action = { connector_id: connector.id, name: 'me', method: 'GET', endpoint: '/me' }
  await created(app, '/v1/connector-actions', action)
  const auth = await created<ConnectorAuth>(app, AUTHS, {
    connector_id: connector.id,
    name: 'Main',
    auth_type: 'oauth2',
    ...more,
  })
  return { app, server, connector, auth, later: (seconds) => void (offset += seconds * 1000) }
}

async function created<T>(app: FlowApp, path: string, body: object): Promise<T> {
  const answer = await app.call('POST', path, body)
  expect({ status: answer.status, text: answer.text }).toEqual({ status: 201, text: expect.any(String) })
  return answer.json as T
}

/** The URL the browser is sent to, and the one it returns to. */
async function begin({ app, auth }: Place): Promise<{ readonly url: URL; readonly callback: URL }> {
  const answer = await app.call('POST', `${AUTHS}/${auth.id}/authorize`)
  expect({ status: answer.status, text: answer.text }).toEqual({ status: 200, text: expect.any(String) })
  const url = new URL((answer.json as { url: string }).url)
  const seen = await fetch(url, { redirect: 'manual' })
  return { url, callback: new URL(seen.headers.get('location') ?? '') }
}

/** Opens a URL like a redirected browser: without a bearer, and with a browser's headers. */
function open(
  { app }: Place,
  { pathname, search }: URL,
  headers: Record<string, string> = {},
): Promise<HttpAnswer> {
  return callHttp(app.port, {
    path: `${pathname}${search}`,
    headers: {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
      ...headers,
    },
  })
}

async function signIn(place: Place): Promise<HttpAnswer> {
  return open(place, (await begin(place)).callback)
}

const readAuth = async ({ app, auth }: Place) =>
  (await app.call('GET', `${AUTHS}/${auth.id}`)).json as ConnectorAuth

/** Starts a flow that calls the API with the auth, and waits for its end. */
async function run({ app, connector, auth }: Place): Promise<FlowRun> {
  const config = { connector_id: connector.id, action: 'me', auth_id: auth.id }
  const flow = await created<Flow>(app, '/v1/flows', {
    name: 'Calls',
    steps: [{ ref_id: 'me', type: 'connector_action', config }],
  })
  return (await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`, {})).json as FlowRun
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await wait(5)
}

test('signing in: PKCE, a state, and a page that shows the result; then runs have a token', async () => {
  const before = Date.now()
  const place = await aPlace()
  const { url, callback } = await begin(place)
  expect({ pathname: url.pathname, query: Object.fromEntries(url.searchParams) }).toEqual({
    pathname: '/authorize',
    query: {
      response_type: 'code',
      client_id: CLIENT.client_id,
      redirect_uri: 'http://127.0.0.1:4747/v1/oauth2/callback/team%20work',
      state: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    },
  })
  const page = await open(place, callback)
  expect({
    status: page.status,
    contentType: page.headers['content-type'],
    cacheControl: page.headers['cache-control'],
  }).toEqual({ status: 200, contentType: 'text/html; charset=utf-8', cacheControl: 'no-store' })
  expect(page.text).toContain('Flows can now use &#34;Main&#34; at &#34;Team Work&#34;.')
  const [call] = place.server.tokenCalls
  expect(call).toEqual({
    authorization: undefined,
    form: {
      grant_type: 'authorization_code',
      code: callback.searchParams.get('code'),
      redirect_uri: 'http://127.0.0.1:4747/v1/oauth2/callback/team%20work',
      code_verifier: expect.any(String),
      ...CLIENT,
    },
  })
  const { state, secrets, token_expires_at: ends } = await readAuth(place)
  expect({ state, secrets }).toEqual({ state: 'ok', secrets: { auth_token: true, refresh_token: true } })
  const endsIn = Date.parse(ends ?? '') - before
  expect({
    isLongEnough: endsIn >= 3_600_000,
    isNotLonger: endsIn <= 3_600_000 + Date.now() - before,
  }).toEqual({ isLongEnough: true, isNotLonger: true })
  expect((await run(place)).status).toBe('success')
})

test('before anybody has signed in, a run says so and makes no call', async () => {
  const place = await aPlace()
  expect((await readAuth(place)).state).toBe('needs_authorization')
  const { status, error } = await run(place)
  expect({ status, message: error?.message }).toEqual({
    status: 'error',
    message:
      'Step "me": The connector auth "Main" needs sign-in: nobody has signed in yet; open it in Millrace and choose "Sign in"',
  })
  expect({ apiCalls: place.server.apiCalls, tokenCalls: place.server.tokenCalls }).toEqual({
    apiCalls: [],
    tokenCalls: [],
  })
})

test('a user who declines, a wrong state, another callback and a replayed code change nothing', async () => {
  const place = await aPlace()
  place.server.deny()
  const denied = await signIn(place)
  expect({ status: denied.status, text: denied.text }).toEqual({
    status: 400,
    text: expect.stringContaining('access_denied: The user said &#60;no&#62;'),
  })

  const { callback } = await begin(place)
  const wrongState = new URL(callback)
  wrongState.searchParams.set('state', 'x'.repeat(43))
  const elsewhere = new URL(callback)
  elsewhere.pathname = '/v1/oauth2/callback/other'
  const noState = new URL(callback)
  noState.searchParams.delete('state')
  for (const address of [wrongState, elsewhere, noState]) {
    const page = await open(place, address)
    expect({ status: page.status, text: page.text }).toEqual({
      status: 400,
      text: expect.stringContaining('Unknown sign-in'),
    })
  }
  expect({ tokenCalls: place.server.tokenCalls, state: (await readAuth(place)).state }).toEqual({
    tokenCalls: [],
    state: 'needs_authorization',
  })
  expect((await open(place, callback)).status).toBe(200)
  const replayed = await open(place, callback)
  expect({
    status: replayed.status,
    tokenCalls: place.server.tokenCalls.length,
    state: (await readAuth(place)).state,
  }).toEqual({ status: 400, tokenCalls: 1, state: 'ok' })
})

test('a sign-in expires after ten minutes, and with the token that started it', async () => {
  const place = await aPlace()
  const { callback } = await begin(place)
  place.later(601)
  expect((await open(place, callback)).status).toBe(400)

  const { token, id } = (
    await place.app.call('POST', '/v1/personal-access-tokens', {
      scopes: ['connector_auth'],
      expiration: null,
      note: '',
    })
  ).json as { token: string; id: string }
  const answer = await callHttp(place.app.port, {
    method: 'POST',
    path: `${AUTHS}/${place.auth.id}/authorize`,
    headers: { authorization: `Bearer ${token}` },
  })
  const begun = await fetch((answer.json as { url: string }).url, { redirect: 'manual' })
  await place.app.call('DELETE', `/v1/personal-access-tokens/${id}`)
  const page = await open(place, new URL(begun.headers.get('location') ?? ''))
  expect({ status: page.status, tokenCalls: place.server.tokenCalls }).toEqual({
    status: 400,
    tokenCalls: [],
  })
})

test('only a browser navigation completes a sign-in: no prefetch, no foreign page in the background', async () => {
  const place = await aPlace()
  const { callback } = await begin(place)
  const path = `${callback.pathname}${callback.search}`
  const statuses = [
    (await callHttp(place.app.port, { method: 'HEAD', path })).status,
    (await open(place, callback, { 'sec-purpose': 'prefetch' })).status,
    (await open(place, callback, { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' })).status,
    (await callHttp(place.app.port, { method: 'POST', path })).status,
    (await open(place, callback)).status,
  ]
  expect(statuses).toEqual([403, 403, 403, 405, 200])
})

test('API differences: Basic, another name for the code, extra parameters, another refresh URL', async () => {
  const place = await aPlace({
    config: {
      client_id_and_secret_in_headers: true,
      alternative_code_key: 'auth_code',
      scope: ['read', 'write'],
      extra_authorization_url: { access_type: 'offline', hint: '{{ auth.user_input.region }}' },
      extra_access_url: 'audience=api&tenant={{ auth.user_input.region }}',
    },
    auth: { user_input: { region: 'eu' } },
  })
  await place.app.call('PUT', `/v1/connectors/${place.connector.id}`, {
    auth_config: {
      ...place.connector.auth_config,
      token_refresh_url: `${place.server.url}/refresh`,
      client_secret: CLIENT.client_secret,
    },
  })
  const { url, callback } = await begin(place)
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    scope: 'read write',
    access_type: 'offline',
    hint: 'eu',
  })
  callback.searchParams.set('auth_code', callback.searchParams.get('code') ?? '')
  callback.searchParams.delete('code')
  expect((await open(place, callback)).status).toBe(200)
  place.later(3600)
  expect((await run(place)).status).toBe('success')
  const basic = `Basic ${Buffer.from(`${CLIENT.client_id}:${CLIENT.client_secret}`).toString('base64')}`
  expect(place.server.tokenCalls).toEqual([
    {
      authorization: basic,
      form: {
        grant_type: 'authorization_code',
        auth_code: callback.searchParams.get('auth_code'),
        redirect_uri: expect.any(String),
        code_verifier: expect.any(String),
        audience: 'api',
        tenant: 'eu',
      },
    },
    { authorization: basic, form: { grant_type: 'refresh_token', refresh_token: expect.any(String) } },
  ])
})

test('the original names of the URLs are accepted, and a client in the auth overrides the connector’s', async () => {
  const server = await startAuthorizationServer()
  const place = await aPlace({
    config: {
      authorization_url: '',
      access_url: '',
      step1_authorize_url: '{{ auth.user_input.host }}/authorize',
      step3_access_url: `${server.url}/token`,
    },
    auth: { user_input: { host: server.url, client_id: 'own', client_secret: 'planted-own-secret' } },
  })
  const { url } = await begin(place)
  expect({ origin: url.origin, clientId: url.searchParams.get('client_id') }).toEqual({
    origin: server.url,
    clientId: 'own',
  })
})

test('a connector without a sign-in, or one that would send secrets unencrypted, is rejected with a sentence', async () => {
  const place = await aPlace()
  const outcomes = []
  for (const config of [
    { access_url: `${place.server.url}/token`, client_id: 'x' },
    { authorization_url: `${place.server.url}/authorize`, client_id: 'x' },
    {
      authorization_url: `${place.server.url}/authorize`,
      access_url: 'http://api.example/token',
      client_id: 'x',
    },
    { authorization_url: 'javascript:alert(1)', access_url: `${place.server.url}/token`, client_id: 'x' },
    { authorization_url: '{{ nothing.at.all }}', access_url: `${place.server.url}/token`, client_id: 'x' },
    { authorization_url: `${place.server.url}/authorize`, access_url: `${place.server.url}/token` },
  ]) {
    const auth_config = { client_secret: 'sent-with-each-change', ...config }
    await place.app.call('PUT', `/v1/connectors/${place.connector.id}`, { auth_config })
    const { status, json } = await place.app.call('POST', `${AUTHS}/${place.auth.id}/authorize`)
    outcomes.push([status, (json as { message: string }).message])
  }
  expect(outcomes).toEqual([
    [409, expect.stringContaining('auth_config.authorization_url: is missing')],
    [409, expect.stringContaining('auth_config.access_url: is missing')],
    [409, expect.stringContaining('"http://api.example" would receive secrets unencrypted; use https://')],
    [409, expect.stringContaining('auth_config.authorization_url: must be a URL that begins with https://')],
    [409, expect.stringContaining('auth_config.authorization_url')],
    [409, expect.stringContaining('has no client ID')],
  ])
})

test('client credentials need no user: the first call fetches a token, and the next ones share it', async () => {
  const place = await aPlace({
    config: { grant_type: 'client_credentials', authorization_url: '', scope: 'all' },
  })
  expect((await readAuth(place)).state).toBe('ok')
  expect({ first: (await run(place)).status, second: (await run(place)).status }).toEqual({
    first: 'success',
    second: 'success',
  })
  expect(place.server.tokenCalls.map(({ form }) => form)).toEqual([
    { grant_type: 'client_credentials', scope: 'all', ...CLIENT },
  ])
  place.server.revokeAccess()
  expect((await run(place)).status).toBe('success')
  const direct = await place.app.call('POST', `${AUTHS}/${place.auth.id}/authorize`)
  expect({ json: direct.json, tokenCalls: place.server.tokenCalls.length }).toEqual({
    json: { url: null },
    tokenCalls: 3,
  })
})

test('a token is refreshed before it expires, once for all runs that need it, and the rotated refresh token is kept', async () => {
  const place = await aPlace({ expiresIn: 600 })
  await signIn(place)
  place.later(500)
  await run(place)
  expect(place.server.tokenCalls.length).toBe(1)
  for (let round = 1; round <= 3; round++) {
    place.later(590)
    const held = place.server.holdTokens()
    const runs = Promise.all(Array.from({ length: 8 }, () => run(place)))
    await until(() => held.waiting() > 0)
    // Gives the other runs time to reach the point where this one waits.
    for (let call = 0; call < 50; call++) await place.app.call('GET', '/v1/meta')
    expect(held.waiting()).toBe(1)
    held.release()
    expect((await runs).map(({ status }) => status)).toEqual(Array(8).fill('success'))
    expect(place.server.tokenCalls.length).toBe(1 + round)
  }
})

test('a token that the API rejects is refreshed, and the call repeated, once', async () => {
  const place = await aPlace()
  await signIn(place)
  place.server.revokeAccess()
  const runs = await Promise.all(Array.from({ length: 5 }, () => run(place)))
  expect({ statuses: runs.map(({ status }) => status), tokenCalls: place.server.tokenCalls.length }).toEqual({
    statuses: Array(5).fill('success'),
    tokenCalls: 2,
  })
  // An API that rejects every token is called twice, but not again.
  const stubborn = await aPlace()
  await signIn(stubborn)
  await stubborn.app.call('PUT', `/v1/connectors/${stubborn.connector.id}`, {
    header: { header_key: 'Authorization', token_prefix: 'Wrong {{ auth.auth_token }}' },
  })
  const { status, error } = await run(stubborn)
  expect({ status, message: error?.message }).toEqual({
    status: 'error',
    message: expect.stringContaining('status 401'),
  })
  expect({
    apiCalls: stubborn.server.apiCalls.length,
    tokenCalls: stubborn.server.tokenCalls.length,
  }).toEqual({ apiCalls: 2, tokenCalls: 2 })
})

test('revoked access: the run says so, the auth needs sign-in, and signing in again fixes it', async () => {
  const place = await aPlace()
  await signIn(place)
  place.server.revokeAll()
  const first = await run(place)
  expect({ status: first.status, message: first.error?.message }).toEqual({
    status: 'error',
    message: `Step "me": The connector auth "Main" needs sign-in again: ${place.server.url}/token responded with invalid_grant: Token has been revoked`,
  })
  expect((await readAuth(place)).state).toBe('needs_authorization')
  const calls = place.server.tokenCalls.length
  const second = await run(place)
  expect(second.error?.message).toBe(
    'Step "me": The connector auth "Main" needs sign-in again: its access was revoked; open it in Millrace and choose "Sign in"',
  )
  expect(place.server.tokenCalls.length).toBe(calls)
  const tested = (await place.app.call('POST', `${AUTHS}/${place.auth.id}/test`)).json as ConnectorAuthTest
  expect({ ok: tested.ok, message: tested.message }).toEqual({
    ok: false,
    message: expect.stringContaining('needs sign-in again'),
  })
  await place.app.call('PUT', `${AUTHS}/${place.auth.id}`, { name: 'Renamed' })
  expect((await readAuth(place)).state).toBe('needs_authorization')
  await signIn(place)
  expect({ state: (await readAuth(place)).state, runStatus: (await run(place)).status }).toEqual({
    state: 'ok',
    runStatus: 'success',
  })
})

test('a token without a refresh token is used until it expires; then the auth has expired', async () => {
  const place = await aPlace({ rotates: false })
  place.server.answerTokensWith((response) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end('{"access_token":"short","expires_in":100}'),
  )
  await signIn(place)
  place.later(95)
  expect((await run(place)).error?.message).toContain('401')
  expect((await readAuth(place)).state).toBe('ok')
  place.later(10)
  expect((await run(place)).error?.message).toContain('because there is no refresh token')
  expect((await readAuth(place)).state).toBe('expired')
})

test('non-standard token responses are understood or rejected in a sentence', async () => {
  const place = await aPlace()
  const send = (status: number, type: string, text: string) =>
    place.server.answerTokensWith(
      (response) => void response.writeHead(status, { 'content-type': type }).end(text),
    )
  const outcome = async (of = place) => {
    const page = await signIn(of)
    return [page.status, /<p>(.*?)<\/p>/.exec(page.text)?.[1]?.replace(/^.* failed: /, '')]
  }
  const outcomes = []
  for (const [status, type, text] of [
    [200, 'text/html', '<h1>Maintenance</h1>'],
    [200, 'application/json', '{"ok":false}'],
    [200, 'application/json', '{"error":"bad_verification_code","error_description":"expired"}'],
    [401, 'application/json', '{"error":"invalid_client"}'],
    [503, 'text/plain', 'later'],
    [302, 'text/plain', ''],
    [200, 'application/x-www-form-urlencoded', 'access_token=planted-form-token&expires_in=60'],
    [
      201,
      'application/json',
      '{"access_token":"planted-other-token","token_type":"User","id_token":"x.y.z"}',
    ],
  ] as const) {
    send(status, type, text)
    outcomes.push(await outcome())
  }
  const silent = await aPlace({ oauthTimeoutMs: 300 })
  silent.server.answerTokensWith(() => undefined)
  outcomes.push(await outcome(silent))
  const end = '. Start it again in Millrace.'
  const where = `${place.server.url}/token`
  expect(outcomes).toEqual([
    [400, `${where} returned no tokens${end}`],
    [400, `${where} returned no tokens${end}`],
    [400, `${where} responded with bad_verification_code: expired${end}`],
    [400, `${where} responded with invalid_client${end}`],
    [400, `${where} returned status 503 without a reason${end}`],
    [400, `${where} returned status 302 without a reason${end}`],
    [200, 'Flows can now use &#34;Main&#34; at &#34;Team Work&#34;.'],
    [200, 'Flows can now use &#34;Main&#34; at &#34;Team Work&#34;.'],
    [400, expect.stringContaining('took longer than')],
  ])
})

test("an unreachable server doesn't end the sign-in: a valid token is still used, a run without one says why", async () => {
  const place = await aPlace({ expiresIn: 1000 })
  await signIn(place)
  place.server.answerTokensWith((response) => void response.writeHead(503).end())
  place.later(950)
  expect((await run(place)).status).toBe('success')
  place.later(100)
  const { error } = await run(place)
  expect(error?.message).toContain("can't get an access token now")
  expect((await readAuth(place)).state).toBe('ok')
  place.server.answerTokensWith(null)
  expect((await run(place)).status).toBe('success')
})

test('no token is shown: not in the auth, a test, a run’s history or an error, even if it has been refreshed', async () => {
  const place = await aPlace()
  await signIn(place)
  place.server.revokeAccess()
  const { id } = await run(place)
  const answers = await Promise.all([
    place.app.call('GET', `${AUTHS}/${place.auth.id}`),
    place.app.call('GET', `/v1/connectors/${place.connector.id}`),
    place.app.call('GET', `/v1/flow-runs/${id}/steps`),
    place.app.call('POST', `${AUTHS}/${place.auth.id}/test`),
  ])
  expect(answers.map(({ status, text }) => [status, text.includes('planted-')])).toEqual(
    Array.from({ length: 4 }, () => [200, false]),
  )
  expect(place.app.logged).toEqual([])
})

test("users who can't see an auth can't sign in for it, and one of another type has no sign-in", async () => {
  const place = await aPlace({ auth: { access: { visibility: 'private' } } })
  const user = await created<User>(place.app, '/v1/users', { name: 'Bob' })
  const caller = { kind: 'session', userId: user.id, scopes: [], tokenId: null } as const
  const scopes = ['connector_auth']
  const { token } = await place.app.services.tokens.create(caller, { scopes, expiration: null, note: '' })
  const path = `${AUTHS}/${place.auth.id}/authorize`
  const hidden = await callHttp(place.app.port, {
    method: 'POST',
    path,
    headers: { authorization: `Bearer ${token}` },
  })
  const plain = await place.app.call('PUT', `${AUTHS}/${place.auth.id}`, { auth_type: 'oauth2' })
  expect({ hidden: hidden.status, plain: plain.status }).toEqual({ hidden: 404, plain: 200 })
  const { callback } = await begin(place)
  await place.app.call('DELETE', `${AUTHS}/${place.auth.id}`)
  const page = await open(place, callback)
  expect({ status: page.status, text: page.text }).toEqual({
    status: 400,
    text: expect.stringContaining('was deleted while you signed in'),
  })
})

test("tokens aren't sent to new origins of the connector, not even in a run that started before; signing in again confirms them", async () => {
  const [place, other] = [await aPlace(), await startAuthorizationServer()]
  await signIn(place)
  const { oauth } = place.app.services
  const userId = place.app.store.users.local().id
  const opened = await oauth.open(userId, place.auth.id)
  const path = `/v1/connectors/${place.connector.id}`
  const auth_config = { ...place.server.config, ...CLIENT, token_refresh_url: `${other.url}/token` }
  const refused = await place.app.call('PUT', path, { auth_config })
  const changed = await place.app.call('PUT', `${path}?reentry=true`, { auth_config })
  place.server.revokeAccess()
  const call = oauth.senderFor(opened)(
    {
      method: 'GET',
      url: `${place.server.url}/me`,
      headers: [['Authorization', `Bearer ${opened.auth_token}`]],
      body: null,
    },
    {},
  )
  await expect(call).rejects.toThrow(/entered again/)
  const waiting = await readAuth(place)
  const again = await signIn(place)
  expect({
    statuses: [refused.status, changed.status, again.status],
    waiting: [waiting.state, waiting.new_origins],
    calls: other.tokenCalls.length,
    state: (await readAuth(place)).state,
  }).toEqual({
    statuses: [400, 200, 200],
    waiting: ['needs_reentry', [other.url]],
    calls: 0,
    state: 'ok',
  })
})
