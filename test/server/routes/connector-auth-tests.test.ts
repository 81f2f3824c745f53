import { expect, test } from 'vitest'
import type {
  ConnectorAuth,
  ConnectorAuthTest,
  ConnectorAuthUse,
} from '../../../src/shared/contract/connector-auths.ts'
import type { Connector } from '../../../src/shared/contract/connectors.ts'
import { startTestApp, type TestApp } from '../../helpers/test-app.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'

const PLAYGROUND = 'f306cd0c-aa4f-4195-8fec-ae5b83201da5'

async function created<T>(app: TestApp, path: string, body: object): Promise<T> {
  const answer = await app.call('POST', path, body)
  expect({ status: answer.status, text: answer.text }).toEqual({ status: 201, text: expect.any(String) })
  return answer.json as T
}

const anAuth = (app: TestApp, connectorId: string, body: object = {}) =>
  created<ConnectorAuth>(app, '/v1/connector-auths', {
    connector_id: connectorId,
    name: 'Main',
    auth_type: 'bearer',
    ...body,
  })

async function tried(app: TestApp, { id }: { id: string }): Promise<ConnectorAuthTest> {
  const answer = await app.call('POST', `/v1/connector-auths/${id}/test`)
  expect({ status: answer.status, text: answer.text }).toEqual({ status: 200, text: expect.any(String) })
  return answer.json as ConnectorAuthTest
}

/** A connector for that URL, whose test action is `check`. */
async function aConnector(
  app: TestApp,
  url: string,
  { action = {}, ...connector }: Record<string, unknown> = {},
) {
  const body = { name: 'Shop', base_domain: url, test_action: 'check', ...connector }
  const { id } = await created<Connector>(app, '/v1/connectors', body)
  const call = { connector_id: id, name: 'check', method: 'GET', endpoint: 'me', ...(action as object) }
  await created(app, '/v1/connector-actions', call)
  return id
}

test('the right credentials are accepted, and the call is shown without them', async () => {
  const app = await startTestApp({ playground: true })
  const result = await tried(app, await anAuth(app, PLAYGROUND, { auth_token: 'playground-token' }))
  expect(result).toEqual({
    ok: true,
    status: 200,
    account: null,
    advice: null,
    message: '"Playground" accepted the call of "list_protected_contacts"',
    duration_ms: expect.any(Number),
    http: [
      {
        attempt: 1,
        page: null,
        started_at: expect.any(String),
        duration_ms: expect.any(Number),
        request: {
          method: 'GET',
          url: expect.stringMatching(/\/protected\/contacts$/),
          headers: expect.objectContaining({ authorization: '***' }),
          body: null,
        },
        response: expect.objectContaining({ status: 200, body: expect.stringContaining('"contacts"') }),
        error: null,
      },
    ],
  })
  expect(JSON.stringify(result)).not.toContain('playground-token')
})

test('wrong credentials are reported with the status and the message of the API', async () => {
  const app = await startTestApp({ playground: true })
  const result = await tried(app, await anAuth(app, PLAYGROUND, { auth_token: 'something else' }))
  expect({
    ok: result.ok,
    status: result.status,
    message: result.message,
    calls: result.http.length,
  }).toEqual({
    ok: false,
    status: 401,
    message: expect.stringMatching(
      /^GET http:\/\/127\.0\.0\.1:\d+\/playground\/protected\/contacts returned status 401/,
    ),
    calls: 1,
  })
})

test('a failing API is called once, and an unreachable one is named', async () => {
  const app = await startTestApp()
  const api = await startThirdPartyApi((_request, response) => response.writeHead(503).end('later'))
  const failing = await tried(app, await anAuth(app, await aConnector(app, api.url)))
  expect({ ok: failing.ok, status: failing.status, received: api.received.length }).toEqual({
    ok: false,
    status: 503,
    received: 1,
  })
  const gone = await tried(app, await anAuth(app, await aConnector(app, 'http://127.0.0.1:9')))
  expect({
    ok: gone.ok,
    status: gone.status,
    message: gone.message,
    response: gone.http[0]?.response,
  }).toEqual({
    ok: false,
    status: null,
    message: expect.stringContaining('http://127.0.0.1:9/me: connection refused'),
    response: null,
  })
})

test('another action or a URL is called instead of the test action', async () => {
  const app = await startTestApp()
  const api = await startThirdPartyApi((request, response) =>
    response.writeHead(request.headers.authorization === 'Bearer good' ? 200 : 401).end('{}'),
  )
  const connectorId = await aConnector(app, api.url, { test_action: null })
  const auth = await anAuth(app, connectorId, { auth_token: 'good' })
  const call = async (body: object) => {
    const { status, json } = await app.call('POST', `/v1/connector-auths/${auth.id}/test`, body)
    return { status, ...(json as object) }
  }
  expect({
    action: await call({ action: 'check' }),
    path: await call({ url: '/who?x=1' }),
    whole: await call({ url: `${api.url}/whole` }),
    foreign: await call({ url: 'http://127.0.0.1:9/steal' }),
    unknown: await call({ action: 'nope' }),
    both: await call({ action: 'check', url: '/' }),
  }).toMatchObject({
    action: { ok: true, message: '"Shop" accepted the call of "check"' },
    path: { ok: true, message: '"Shop" accepted the call of "/who?x=1"' },
    whole: { ok: true },
    foreign: { ok: false },
    unknown: { ok: false, message: 'The connector "Shop" has no action "nope"' },
    both: { status: 400, data: { action: ["can't be combined with url; send only one of them"] } },
  })
  expect(api.received.map(({ target }) => target)).toEqual(['/me', '/who?x=1', '/whole'])
})

test('an impossible test returns a sentence', async () => {
  const app = await startTestApp()
  const message = async (connectorId: string, auth: object = {}) => {
    const { ok, status, message: text, http } = await tried(app, await anAuth(app, connectorId, auth))
    expect({ ok, status, http }).toEqual({ ok: false, status: null, http: [] })
    return text
  }
  const url = 'http://127.0.0.1:9'
  const broken = await aConnector(app, url, { action: { endpoint: '{{ input.account.id }}' } })
  expect([
    await message(await aConnector(app, url, { test_action: null })),
    await message(await aConnector(app, url, { test_action: 'ping' })),
    await message(await aConnector(app, url), { auth_type: 'oauth2' }),
    await message(broken),
    await message(await aConnector(app, 'shop.example')),
  ]).toEqual([
    'The connector "Shop" has no test_action; choose one of its actions',
    'The connector "Shop" has no action "ping", which is set as its test_action',
    'The connector auth "Main" needs sign-in: nobody has signed in yet; open it in Millrace and choose "Sign in"',
    expect.stringContaining('Action "check", endpoint: '),
    expect.stringContaining('shop.example'),
  ])
})

test('secrets are redacted wherever they travel: other headers, URLs and what the API repeats of them', async () => {
  const app = await startTestApp()
  const api = await startThirdPartyApi((request, response) =>
    response
      .writeHead(200, { 'Content-Type': 'text/plain', 'X-Echo': request.target })
      .end(`${request.target} ${JSON.stringify(request.headers)}`),
  )
  const connectorId = await aConnector(app, api.url, {
    header: { header_key: 'X-Shop', custom_headers: { 'X-Tenant': '{{ auth.user_input.secret }}' } },
    url_token_extension: { key: 'shop key', value: '{{ token }}' },
  })
  const auth = { auth_token: 'tok7', user_input: { secret: 'planted-long-secret' } }
  const result = await tried(app, await anAuth(app, connectorId, auth))
  expect(api.received[0]?.target).toBe('/me?shop%20key=tok7')
  expect(api.received[0]?.headers).toMatchObject({
    'x-shop': 'Bearer tok7',
    'x-tenant': 'planted-long-secret',
  })
  expect({ ok: result.ok, url: result.http[0]?.request.url }).toEqual({
    ok: true,
    url: `${api.url}/me?shop%20key=***`,
  })
  expect(result.http[0]?.request.headers).toMatchObject({ 'x-shop': '***', 'x-tenant': '***' })
  expect(JSON.stringify(result)).not.toContain('planted-long-secret')
})

test('a long API response is shown cut, with a mark at the cut', async () => {
  const app = await startTestApp()
  const api = await startThirdPartyApi((_request, response) => response.end('x'.repeat(20_000)))
  const result = await tried(app, await anAuth(app, await aConnector(app, api.url)))
  expect(result.http[0]?.response?.body).toBe(`${'x'.repeat(16_384)}…`)
})

test('only users who can change auths can test them, and only those they see', async () => {
  const app = await startTestApp({ playground: true })
  const { id } = await anAuth(app, PLAYGROUND, { auth_token: 'playground-token' })
  const statusWith = async (scopes: string[]) => {
    const { token } = await created<{ token: string }>(app, '/v1/personal-access-tokens', {
      scopes,
      expiration: null,
      note: '',
    })
    const as = { authorization: `Bearer ${token}` }
    return (await app.call('POST', `/v1/connector-auths/${id}/test`, undefined, as)).status
  }
  expect({
    automation: await statusWith(['automation']),
    view: await statusWith(['connector_auth:view']),
    manage: await statusWith(['connector_auth:manage']),
    missing: (await app.call('POST', '/v1/connector-auths/7c9e6679-7425-40de-944b-e07fc1f90ae7/test')).status,
  }).toEqual({ automation: 403, view: 403, manage: 200, missing: 404 })
})

test('last use and test of an auth are reported without changing the auth', async () => {
  const app = await startTestApp({ playground: true })
  const auth = await anAuth(app, PLAYGROUND, { auth_token: 'playground-token' })
  const other = await anAuth(app, PLAYGROUND, { auth_token: 'wrong' })
  const config = { connector_id: PLAYGROUND, action: 'list_protected_contacts', auth_id: auth.id }
  const flow = await created<{ id: string }>(app, '/v1/flows', {
    name: 'Nightly',
    steps: [{ ref_id: 'contacts', type: 'connector_action', config }],
  })
  const uses = async () => (await app.call('GET', '/v1/connector-auths/uses')).json
  const unused = {
    last_used: null,
    last_tested: null,
    last_test_ok: null,
    last_result: null,
    last_result_ok: null,
    days: [],
  }
  const flows = [{ id: flow.id, name: 'Nightly' }]
  expect(await uses()).toEqual([
    { auth_id: other.id, ...unused, flows: [] },
    { auth_id: auth.id, ...unused, flows },
  ])
  await tried(app, other)
  await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`, {})
  const at = expect.stringMatching(/Z$/)
  expect(await uses()).toEqual([
    {
      auth_id: other.id,
      last_used: at,
      last_tested: at,
      last_test_ok: false,
      last_result: at,
      last_result_ok: false,
      days: [{ date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), worked: 0, rejected: 1 }],
      flows: [],
    },
    {
      auth_id: auth.id,
      ...unused,
      last_used: at,
      last_result: at,
      last_result_ok: true,
      days: [{ date: expect.any(String), worked: 1, rejected: 0 }],
      flows,
    },
  ])
  const after = (await app.call('GET', `/v1/connector-auths/${auth.id}`)).json as ConnectorAuth
  expect(after.updated_at).toBe(auth.updated_at)
})

test('typed credentials are tested without being stored, and only a test of what is stored is noted', async () => {
  const app = await startTestApp()
  const api = await startThirdPartyApi(({ headers }, response) =>
    response.writeHead(headers.authorization === 'Bearer good' ? 200 : 401).end('{}'),
  )
  const auth = await anAuth(app, await aConnector(app, api.url), { auth_token: 'good' })
  const testWith = async (changes: object) =>
    (await app.call('POST', `/v1/connector-auths/${auth.id}/test`, { changes })).json as ConnectorAuthTest
  const noted = async () => {
    const uses = (await app.call('GET', '/v1/connector-auths/uses')).json as ConnectorAuthUse[]
    return uses.find(({ auth_id: id }) => id === auth.id)?.last_test_ok
  }
  expect({ ok: (await tried(app, auth)).ok, noted: await noted() }).toEqual({ ok: true, noted: true })

  const wrong = await testWith({ auth_token: 'a-wrong-token' })
  expect({ ok: wrong.ok, status: wrong.status, noted: await noted() }).toEqual({
    ok: false,
    status: 401,
    noted: true,
  })
  expect(JSON.stringify(wrong)).not.toContain('a-wrong-token')
  expect((await app.call('GET', `/v1/connector-auths/${auth.id}`)).json).toEqual(auth)
  // The stored token is still there, and is tested with values that change nothing about the call.
  expect({ ok: (await testWith({ name: 'Other' })).ok, stored: (await tried(app, auth)).ok }).toEqual({
    ok: true,
    stored: true,
  })

  // What a change would refuse, a test refuses as well: the stored token stays where it was entered for.
  const elsewhere = await startThirdPartyApi((_request, response) => response.end('{}'))
  const refused = await app.call('POST', `/v1/connector-auths/${auth.id}/test`, {
    changes: { api_endpoint: elsewhere.url },
  })
  expect({ status: refused.status, sent: elsewhere.received.length }).toEqual({ status: 400, sent: 0 })
  expect((await testWith({ api_endpoint: elsewhere.url, auth_token: 'for there' })).ok).toBe(true)
  expect((await tried(app, auth)).ok).toBe(true)

  await app.call('PUT', `/v1/connector-auths/${auth.id}`, { auth_token: 'other' })
  expect(await noted()).toBe(null)
})

test('what an API says of the credentials is noted wherever they are used; other failures say nothing', async () => {
  const app = await startTestApp()
  const { clock } = app
  const answers: [status: number, body: string][] = []
  const api = await startThirdPartyApi((_request, response) => {
    const [status, body] = answers.shift() ?? [200, '{}']
    response.writeHead(status).end(body)
  })
  const auth = await anAuth(app, await aConnector(app, api.url), { auth_token: 'good' })
  const flow = await created<{ id: string }>(app, '/v1/flows', {
    name: 'Nightly',
    steps: [
      {
        ref_id: 'me',
        type: 'rest',
        config: { method: 'GET', url: `${api.url}/me`, auth_id: auth.id },
      },
    ],
  })
  const use = async () => {
    const uses = (await app.call('GET', '/v1/connector-auths/uses')).json as ConnectorAuthUse[]
    const { last_result: at, last_result_ok: ok, days } = uses.find(({ auth_id: id }) => id === auth.id) ?? {}
    return { at, ok, days: days?.map(({ date, worked, rejected }) => [date, worked, rejected]) }
  }
  const after = async (status: number, body = '{}') => {
    answers.push([status, body])
    await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`, {})
    return await use()
  }
  expect(await after(200)).toEqual({ at: '2026-03-01T12:00:00.000Z', ok: true, days: [['2026-03-01', 1, 0]] })
  clock.advance(10_000)
  expect(await after(401)).toEqual({
    at: '2026-03-01T12:00:10.000Z',
    ok: false,
    days: [['2026-03-01', 1, 1]],
  })
  expect(await after(403, '{"error": "not your team"}')).toMatchObject({
    ok: false,
    days: [['2026-03-01', 1, 1]],
  })
  expect((await after(404)).ok).toBe(false)
  expect((await after(200)).ok).toBe(true)
  expect((await after(403, '{"error": "Invalid API key"}')).ok).toBe(false)
  expect((await after(200)).ok).toBe(true)
  // Calls of the same minute are counted with the next that is stored.
  await after(200)
  clock.advance(86_400_000)
  expect(await after(200)).toMatchObject({
    ok: true,
    days: [
      ['2026-03-01', 3, 2],
      ['2026-03-02', 2, 0],
    ],
  })
  clock.advance(29 * 86_400_000)
  expect((await after(200)).days).toEqual([
    ['2026-03-02', 2, 0],
    ['2026-03-31', 1, 0],
  ])
  // Other credentials have no past.
  await app.call('PUT', `/v1/connector-auths/${auth.id}`, { auth_token: 'other' })
  expect(await use()).toMatchObject({ at: null, ok: null })
  expect((await after(200)).ok).toBe(true)
})

test('credentials are tested before they are stored', async () => {
  const app = await startTestApp()
  const api = await startThirdPartyApi(({ headers }, response) =>
    response.writeHead(headers.authorization === 'Bearer good' ? 200 : 401).end('{}'),
  )
  const connectorId = await aConnector(app, api.url)
  const tryOut = async (auth_token: string, call: object = {}, auth: object = {}) => {
    const body = {
      auth: { connector_id: connectorId, name: 'Main', auth_type: 'bearer', auth_token, ...auth },
      ...call,
    }
    const { status, json } = await app.call('POST', '/v1/connector-auths/test', body)
    return { status, ...(json as object) }
  }
  const wrong = await tryOut('a-wrong-token')
  expect(JSON.stringify(wrong)).not.toContain('a-wrong-token')
  expect({
    wrong,
    good: await tryOut('good'),
    byUrl: await tryOut('good', { url: '/other' }),
    foreign: await tryOut('good', { url: 'http://127.0.0.1:9/steal' }),
    refused: await tryOut('good', {}, { auth_type: 'none', connector_id: 'nope' }),
    stored: (await app.call('GET', '/v1/connector-auths')).json,
  }).toMatchObject({
    wrong: { status: 401, ok: false },
    good: { status: 200, ok: true },
    byUrl: { status: 200, ok: true },
    foreign: { ok: false },
    refused: { status: 400 },
    stored: [],
  })
  expect(api.received.map(({ target }) => target)).toEqual(['/me', '/me', '/other'])
})
