/**
 * Every way to try out a call uses the credentials and variables that its caller can use, and rejects others in the
 * same words.
 */
import { expect, test } from 'vitest'
import { aMasterKey } from '../helpers/fixtures.ts'
import { startTestApp, type TestApp } from '../helpers/test-app.ts'
import { startThirdPartyApi, type ThirdPartyApi } from '../helpers/third-party-api.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'

const PASSWORD = 'password-of-the-shop'
const VARIABLE = 'variable-of-the-company'

interface Shop {
  readonly app: TestApp
  readonly api: ThirdPartyApi
  readonly connectorId: string
  readonly actionId: string
  readonly authId: string
}

async function create(app: TestApp, path: string, body: object): Promise<string> {
  const { status, json, text } = await app.call('POST', `/v1/${path}`, body)
  expect({ status, text }).toEqual({ status: 201, text: expect.any(String) })
  return (json as { id: string }).id
}

const anAuth = (app: TestApp, connector_id: string, visibility = 'account') =>
  create(app, 'connector-auths', {
    connector_id,
    name: 'Key',
    auth_type: 'bearer',
    auth_token: PASSWORD,
    access: { visibility, user_ids: [] },
  })

/** A shop whose API echoes what it receives. */
async function aShop(options: Parameters<typeof startTestApp>[0] = {}): Promise<Shop> {
  const app = await startTestApp(options)
  const api = await startThirdPartyApi(({ headers }, response) => {
    response.setHeader('Content-Type', 'application/json')
    response.end(JSON.stringify([{ id: 1, name: [headers.authorization, headers['x-key']].join(' ') }]))
  })
  await create(app, 'env-variables', { name: 'key', type: 'text', value: VARIABLE, secret: true })
  const connectorId = await create(app, 'connectors', {
    name: 'Shop',
    base_domain: api.url,
    header: { custom_headers: { 'X-Key': '{{ key }}' } },
    search_config: { type: 'search', query: '{"q": "{{ q }}"}' },
  })
  const actionId = await create(app, 'connector-actions', {
    connector_id: connectorId,
    name: 'list',
    method: 'GET',
    endpoint: '/',
  })
  return { app, api, connectorId, actionId, authId: await anAuth(app, connectorId) }
}

interface Way {
  readonly path: string
  readonly body: object
}

/** The ways that name a connector and an auth. */
function namingBoth({ connectorId, actionId }: Shop, auth_id: string): Record<string, Way> {
  const action = { name: 'list', method: 'GET', endpoint: '/' }
  return {
    action: { path: `connector-actions/${actionId}/try`, body: { auth_id } },
    draft: { path: `connectors/${connectorId}/try`, body: { auth_id, action } },
    search: { path: `connectors/${connectorId}/search`, body: { auth_id, q: '' } },
    pages: { path: 'pagination-tests', body: { connector_id: connectorId, action: 'list', auth_id } },
  }
}

/** Includes the ways that find the connector by the auth. */
function allWays(shop: Shop, auth_id: string): Record<string, Way> {
  return {
    ...namingBoth(shop, auth_id),
    typed: {
      path: 'pagination-tests',
      body: { request: { base_url: shop.api.url, endpoint: '/', headers: { 'X-Key': 'typed' } }, auth_id },
    },
    auth: { path: `connector-auths/${auth_id}/test`, body: { action: 'list' } },
  }
}

async function callAll<T>(
  app: TestApp,
  ways: Record<string, Way>,
  headers: Record<string, string>,
  read: (answer: Awaited<ReturnType<TestApp['call']>>) => T,
): Promise<Record<string, T>> {
  const results: Record<string, T> = {}
  for (const [name, { path, body }] of Object.entries(ways))
    results[name] = read(await app.call('POST', `/v1/${path}`, body, headers))
  return results
}

const refusal = ({ status, json }: Awaited<ReturnType<TestApp['call']>>) => {
  const { message, data = null } = json as { message: string; data?: unknown }
  return { status, message, data }
}

const each = <T>(ways: Record<string, Way>, value: T): Record<string, T> =>
  Object.fromEntries(Object.keys(ways).map((name) => [name, value]))

async function token(app: TestApp, scopes: string[]): Promise<Record<string, string>> {
  const body = { scopes, expiration: null, note: '' }
  const { json } = await app.call('POST', '/v1/personal-access-tokens', body)
  return { authorization: `Bearer ${(json as { token: string }).token}` }
}

test('the auth of another user is not there', async () => {
  const shop = await aShop()
  const { app, connectorId, api } = shop
  const privateAuth = await anAuth(app, connectorId, 'private')
  const headers = { 'millrace-user-id': await create(app, 'users', { name: 'Ann' }) }
  const ways = allWays(shop, privateAuth)
  expect(await callAll(app, ways, headers, refusal)).toEqual(
    each(ways, { status: 404, message: `There is no connector auth "${privateAuth}"`, data: null }),
  )
  expect(api.received).toEqual([])
})

test('an auth of another connector is named, with the connector', async () => {
  const shop = await aShop()
  const { app, api } = shop
  const otherAuth = await anAuth(app, await create(app, 'connectors', { name: 'Bank', base_domain: api.url }))
  const ways = namingBoth(shop, otherAuth)
  const message = `The connector auth "${otherAuth}" doesn't belong to "Shop"`
  const data = { auth_id: ['belongs to another connector'] }
  expect(await callAll(app, ways, {}, refusal)).toEqual(each(ways, { status: 400, message, data }))
  expect(api.received).toEqual([])
})

test('credentials need the scope for auths, and secret variables that of variables', async () => {
  const shop = await aShop()
  const { app, api, authId } = shop
  const ways = allWays(shop, authId)
  const { auth: refused, ...others } = await callAll(app, ways, await token(app, ['connectors']), refusal)
  const { auth: _, ...reading } = ways
  const message =
    'Missing permission to read connector auths, which needs the scope connector_auth:view; the token has connectors'
  expect(others).toEqual(each(reading, { status: 403, message, data: null }))
  expect(refused).toMatchObject({ status: 403 }) // The route needs permission to update auths.
  expect(api.received).toEqual([])

  const { typed: __, ...templated } = ways
  const sent = async (headers: Record<string, string>) => {
    api.received.length = 0
    const shown = await callAll(app, templated, headers, ({ status, text }) => ({
      status,
      isSecret: text.includes(PASSWORD) || text.includes(VARIABLE),
    }))
    return { shown, keys: api.received.map((request) => request.headers['x-key'] ?? null) }
  }
  const shown = each(templated, { status: 200, isSecret: false })
  const times = Object.keys(templated)
  expect(await sent(await token(app, ['connectors', 'connector_auth']))).toEqual({
    shown,
    keys: times.map(() => null),
  })
  expect(await sent({})).toEqual({ shown, keys: times.map(() => VARIABLE) })
})

test('an auth whose key is missing asks for its secrets', async () => {
  const dataDir = temporaryFolder()
  const before = await aShop({ store: { dataDir, masterKey: aMasterKey(1) } })
  before.app.store.close()
  const app = await startTestApp({ store: { dataDir, masterKey: aMasterKey(2) } })
  const shop = { ...before, app }
  const ways = allWays(shop, shop.authId)
  expect(await callAll(app, ways, {}, refusal)).toEqual(
    each(ways, {
      status: 409,
      message: 'The secrets of the connector auth "Key" must be entered again',
      data: null,
    }),
  )
  expect(shop.api.received).toEqual([])
  const changes = { auth_token: 'new-password' }
  const tested = await app.call('POST', `/v1/connector-auths/${shop.authId}/test`, {
    action: 'list',
    changes,
  })
  expect(tested.json).toMatchObject({ ok: true, status: 200 })
})
