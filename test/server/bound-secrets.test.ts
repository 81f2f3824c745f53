/**
 * A stored secret is only sent to where it was meant to go when it was entered. No change of the URL alone can redirect
 * it.
 */
import { beforeEach, expect, test } from 'vitest'
import { connectorAuth, type ConnectorAuth } from '../../src/shared/contract/connector-auths.ts'
import { action, connector } from '../../src/shared/contract/connectors.ts'
import { envVariable } from '../../src/shared/contract/env-variables.ts'
import { type FlowApp, startFlowApp } from '../helpers/flow-app.ts'
import { callHttp, type HttpAnswer } from '../helpers/http.ts'
import { session } from '../helpers/test-server.ts'
import { startThirdPartyApi, type ThirdPartyApi } from '../helpers/third-party-api.ts'

const SECRET = 'a-secret-for-the-shop-alone'

interface World {
  readonly app: FlowApp
  readonly shop: ThirdPartyApi
  readonly thief: ThirdPartyApi
  readonly ownId: string
  readonly bobId: string
  callAs(userId: string, method: string, path: string, body?: object): Promise<HttpAnswer>
}

let world: World

beforeEach(async () => {
  const app = await startFlowApp()
  const [shop, thief] = await Promise.all(
    [1, 2].map(() =>
      startThirdPartyApi((_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).end('[]')
      }),
    ),
  )
  const callAs: World['callAs'] = (userId, method, path, body) =>
    callHttp(app.port, {
      method,
      path: `/v1/${path}`,
      headers: { ...session, 'millrace-user-id': userId, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const ownId = app.store.users.local().id
  const bob = await callAs(ownId, 'POST', 'users', { name: 'Bob' })
  world = {
    app,
    shop: shop as ThirdPartyApi,
    thief: thief as ThirdPartyApi,
    ownId,
    bobId: (bob.json as { id: string }).id,
    callAs,
  }
})

interface Urls {
  readonly shop: string
  readonly thief: string
}

/** Something that determines an auth's URL: its initial value, and the change that leads to the thief. */
interface Place {
  /** The key of the record that contains it. */
  readonly key: string
  readonly connector?: (urls: Urls) => object
  readonly auth?: (urls: Urls) => object
  readonly endpoint?: (urls: Urls) => string
  readonly env?: (urls: Urls) => string
  readonly change: (
    urls: Urls,
    ids: { connector: string; auth: string; action: string; env: string },
  ) => [method: string, path: string, body?: object]
}

const put =
  (
    path: 'connectors' | 'connector-actions' | 'connector-auths' | 'env-variables',
    body: (urls: Urls) => object,
  ) =>
  (
    urls: Urls,
    ids: { connector: string; auth: string; action: string; env: string },
  ): [string, string, object] => {
    const id = {
      connectors: ids.connector,
      'connector-actions': ids.action,
      'connector-auths': ids.auth,
      'env-variables': ids.env,
    }
    return ['PUT', `${path}/${id[path]}`, body(urls)]
  }

const oauth = ({ shop }: Urls, more: object = {}) => ({
  auth_config: { client_id: 'id', authorization_url: `${shop}/in`, access_url: `${shop}/token`, ...more },
})
const asOAuth = () => ({ auth_type: 'oauth2', auth_token: SECRET })

const PLACES: { readonly [name: string]: Place } = {
  'base_domain of the connector': {
    key: 'connector.base_domain',
    change: put('connectors', ({ thief }) => ({ base_domain: thief })),
  },
  'no base_domain any more': {
    key: 'connector.base_domain',
    endpoint: () => '{{ input.url }}',
    change: put('connectors', () => ({ base_domain: '' })),
  },
  'allowed_origins of the connector': {
    key: 'connector.allowed_origins',
    change: put('connectors', ({ thief }) => ({ allowed_origins: [thief] })),
  },
  'allowed_origins of the pagination': {
    key: 'connector.pagination_config',
    change: put('connectors', ({ thief }) => ({
      pagination_config: [{ query: '{"page": {{ page }}}', allowed_origins: [thief] }],
    })),
  },
  'allowed_origins of the search': {
    key: 'connector.search_config',
    change: put('connectors', ({ thief }) => ({
      search_config: {
        type: 'list',
        query: '{}',
        response_fields: { id: '$.id', match: '$.name' },
        allowed_origins: [thief],
      },
    })),
  },
  'the address where tokens are given out': {
    key: 'connector.auth_config',
    connector: oauth,
    auth: asOAuth,
    change: put('connectors', (urls) => oauth(urls, { access_url: `${urls.thief}/token` })),
  },
  'the address where users sign in': {
    key: 'connector.auth_config',
    connector: oauth,
    auth: asOAuth,
    change: put('connectors', (urls) => oauth(urls, { authorization_url: `${urls.thief}/in` })),
  },
  'the address where tokens are renewed': {
    key: 'connector.auth_config',
    connector: oauth,
    auth: asOAuth,
    change: put('connectors', (urls) => oauth(urls, { token_refresh_url: `${urls.thief}/token` })),
  },
  'the endpoint of an action without a base': {
    key: 'action.endpoint',
    connector: () => ({ base_domain: '' }),
    endpoint: ({ shop }: Urls) => `${shop}/orders`,
    change: put('connector-actions', ({ thief }) => ({ endpoint: `${thief}/orders` })),
  },
  'a new action without a base': {
    key: 'action.connector_id',
    connector: () => ({ base_domain: '' }),
    endpoint: ({ shop }: Urls) => `${shop}/orders`,
    change: ({ thief }, { connector: connector_id }) => [
      'POST',
      'connector-actions',
      { connector_id, name: 'take', method: 'GET', endpoint: `${thief}/` },
    ],
  },
  'an env variable in an address': {
    key: 'envVariable.value',
    connector: () => ({ base_domain: '{{ shop_url }}' }),
    change: put('env-variables', ({ thief }) => ({ value: thief })),
  },
  'an env variable that takes its name': {
    key: 'envVariable.name',
    connector: ({ shop }) => ({ base_domain: `{{ other_url | default('${shop}') }}` }),
    env: ({ thief }) => thief,
    change: put('env-variables', () => ({ name: 'other_url' })),
  },
  'a new env variable': {
    key: 'envVariable.name',
    connector: ({ shop }) => ({ base_domain: `{{ other_url | default('${shop}') }}` }),
    change: ({ thief }) => ['POST', 'env-variables', { name: 'other_url', type: 'text', value: thief }],
  },
  'an env variable that goes': {
    key: 'envVariable.id',
    connector: ({ thief }) => ({ base_domain: `{{ shop_url | default('${thief}') }}` }),
    change: (_urls, { env }) => ['DELETE', `env-variables/${env}`],
  },
}

const urlsOf = ({ shop, thief }: World): Urls => ({ shop: shop.url, thief: thief.url })

/** A connector that sends that user's secret to the shop; nothing has to be entered again yet. */
async function set(at: World, place: Place, ownerId: string) {
  const urls = urlsOf(at)
  const make = async (userId: string, path: string, body: object) => {
    const { status, json, text } = await at.callAs(userId, 'POST', path, body)
    if (status !== 201) throw new Error(`${path}: ${text}`)
    return (json as { id: string }).id
  }
  const value = place.env?.(urls) ?? urls.shop
  const env = await make(at.ownId, 'env-variables', { name: 'shop_url', type: 'text', value })
  const base = { name: 'Shop', base_domain: urls.shop, test_action: 'list', ...place.connector?.(urls) }
  const connectorId = await make(at.ownId, 'connectors', base)
  const list = {
    connector_id: connectorId,
    name: 'list',
    method: 'GET',
    endpoint: place.endpoint?.(urls) ?? '/orders',
  }
  const actionId = await make(at.ownId, 'connector-actions', list)
  const credentials = { auth_type: 'bearer', auth_token: SECRET, ...place.auth?.(urls) }
  const auth = await make(ownerId, 'connector-auths', {
    connector_id: connectorId,
    name: 'Key',
    ...credentials,
  })
  return { connector: connectorId, action: actionId, auth, env }
}

const read = async (at: World, userId: string, id: string) =>
  (await at.callAs(userId, 'GET', `connector-auths/${id}`)).json as ConnectorAuth

const tried = (at: World, userId: string, id: string) =>
  at.callAs(userId, 'POST', `connector-auths/${id}/test`)

test.each(Object.entries(PLACES))("%s doesn't send secrets along", async (_name, place) => {
  const at = world
  const { ownId, bobId, thief } = at
  const ids = await set(at, place, ownId)
  const [method, path, body] = place.change(urlsOf(at), ids)
  const refused = await at.callAs(ownId, method, path, body)
  const before = await read(at, ownId, ids.auth)
  // Another user's auth has to wait, and the change is made.
  await at.app.store.write(() => void at.app.store.connectorAuths.delete(ids.auth))
  const { auth_type, auth_token } = { auth_type: 'bearer', auth_token: SECRET, ...place.auth?.(urlsOf(at)) }
  const credentials = { connector_id: ids.connector, name: 'Key of Bob', auth_type, auth_token }
  const made = (await at.callAs(bobId, 'POST', 'connector-auths', credentials)).json as ConnectorAuth
  const changed = await at.callAs(ownId, method, path, body)
  const waiting = await read(at, bobId, made.id)
  const whileWaiting = await tried(at, bobId, made.id)
  const entered = await at.callAs(bobId, 'PUT', `connector-auths/${made.id}`, {
    auth_token: 'entered-once-more',
  })
  expect({
    refused: refused.status,
    before: before.state,
    changed: changed.status < 300,
    waiting: [waiting.state, waiting.new_origins],
    whileWaiting: whileWaiting.status,
    received: thief.received.length,
    entered: [entered.status, (entered.json as ConnectorAuth).state],
  }).toEqual({
    refused: 400,
    before: 'ok',
    changed: true,
    waiting: ['needs_reentry', [place.key === 'connector.base_domain' && place.endpoint ? '*' : thief.url]],
    whileWaiting: 409,
    received: 0,
    entered: [200, 'ok'],
  })
})

test("with reentry=true the user's own auths wait as well, and the response says so", async () => {
  const at = world
  const ids = await set(at, {} as Place, at.ownId)
  const body = { base_domain: at.thief.url }
  const { status, json } = await at.callAs(at.ownId, 'PUT', `connectors/${ids.connector}?reentry=true`, body)
  const { warnings } = json as { warnings: { code: string }[] }
  const { state } = await read(at, at.ownId, ids.auth)
  await at.callAs(at.ownId, 'PUT', `connectors/${ids.connector}`, { base_domain: at.shop.url })
  const back = await read(at, at.ownId, ids.auth)
  expect({ status, codes: warnings.map(({ code }) => code), state, back: back.state }).toEqual({
    status: 200,
    codes: ['needs_reentry'],
    state: 'needs_reentry',
    back: 'ok',
  })
})

test.each([
  ['api_endpoint', ({ thief }: Urls) => ({ api_endpoint: thief })],
  ['user_input', ({ thief }: Urls) => ({ user_input: { url: thief } })],
  ['auth_type', () => ({ auth_type: 'oauth2' })],
])("%s of an auth sends no secret along that isn't entered again", async (key, change) => {
  const at = world
  const place: Place = {
    key,
    connector: (urls) => ({
      ...oauth(urls, { access_url: `${urls.thief}/token` }),
      base_domain: '{{ auth.user_input.url }}',
    }),
    auth: ({ shop }) => ({ user_input: { url: shop } }),
    change: () => ['', ''],
  }
  const { auth } = await set(at, place, at.ownId)
  const update = (body: object) => at.callAs(at.ownId, 'PUT', `connector-auths/${auth}`, body)
  const body = change(urlsOf(at))
  const [kept, renamed, sent] = [
    await update(body),
    await update({ name: 'Other' }),
    await update({ ...body, auth_token: 'another-secret' }),
  ]
  expect([kept.status, renamed.status, sent.status, (sent.json as ConnectorAuth).state]).toEqual([
    400,
    200,
    200,
    'ok',
  ])
})

test('no variable can have the name of a built-in one', async () => {
  const at = world
  const names = ['millrace_url', 'playground_url']
  const { env } = await set(at, {} as Place, at.ownId)
  const answers = await Promise.all(
    names.flatMap((name) => [
      at.callAs(at.ownId, 'POST', 'env-variables', { name, type: 'text', value: at.thief.url }),
      at.callAs(at.ownId, 'PUT', `env-variables/${env}`, { name }),
    ]),
  )
  expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400])
})

/** A URL that leads to the shop when it is checked, and to the thief when it is called. */
const twoFaced = (shop: string, thief: string) =>
  `{% if ".invalid" in millrace_url %}${shop}{% else %}${thief}{% endif %}`

test('a token URL that renders differently when it is called gets no secret', async () => {
  const at = world
  const { ownId, bobId, shop, thief } = at
  const grant = { grant_type: 'client_credentials' }
  const user_input = { client_id: 'id', client_secret: SECRET }
  const ids = await set(
    at,
    {
      ...(PLACES['the address where tokens are given out'] as Place),
      connector: (urls) => oauth(urls, grant),
      auth: () => ({ ...asOAuth(), user_input }),
    },
    ownId,
  )
  const access_url = twoFaced(`${shop.url}/token`, `${thief.url}/token`)
  const changed = await at.callAs(
    bobId,
    'PUT',
    `connectors/${ids.connector}`,
    oauth(urlsOf(at), { ...grant, access_url }),
  )
  const signIn = await at.callAs(ownId, 'POST', `connector-auths/${ids.auth}/authorize`)
  expect({
    changed: changed.status,
    signIn: [signIn.status, (signIn.json as { message: string }).message],
    received: thief.received.length,
  }).toEqual({
    changed: 200,
    signIn: [
      409,
      `The secrets of the connector auth "Key" must be entered again: they would be sent to the new origin ${thief.url}`,
    ],
    received: 0,
  })
})

test('a connector without secrets blocks no save, whatever its URLs are', async () => {
  const { ownId, bobId } = world
  const url = `{% if uuid()[0] in '01234567' %}${world.shop.url}{% else %}${world.thief.url}{% endif %}/token`
  const { id } = (await world.callAs(bobId, 'POST', 'connectors', { name: 'Changing' })).json as {
    id: string
  }
  await world.callAs(bobId, 'PUT', `connectors/${id}`, {
    auth_config: { auth_types: ['oauth2'], access_url: url },
  })
  const statuses = []
  for (let number = 0; number < 12; number += 1)
    statuses.push(
      (await world.callAs(ownId, 'POST', 'env-variables', { name: `v${number}`, type: 'text', value: 'x' }))
        .status,
    )
  expect(new Set(statuses)).toEqual(new Set([201]))
})

test('an SFTP URL that renders differently when it is called gets no secret', async () => {
  const at = world
  const [shop, thief] = [at.shop, at.thief].map(({ url }) => url.replace(/^http/, 'sftp')) as [string, string]
  const auth = () => ({ auth_type: 'username_password', username: 'ada', password: SECRET })
  const connector = () => ({ base_domain: shop })
  const ids = await set(at, { key: 'connector.base_domain', connector, auth } as unknown as Place, at.ownId)
  await at.callAs(at.ownId, 'PUT', `connector-actions/${ids.action}`, {
    method: 'POST',
    body: { operation: 'list', path: '/' },
  })
  const base_domain = twoFaced(shop, thief)
  const changed = await at.callAs(at.bobId, 'PUT', `connectors/${ids.connector}`, { base_domain })
  const attempt = await at.callAs(at.ownId, 'POST', `connector-actions/${ids.action}/try`, {
    auth_id: ids.auth,
  })
  expect([changed.status, (attempt.json as { message: string }).message]).toEqual([
    200,
    `The secrets of the connector auth "Key" must be entered again: they would be sent to the new origin ${thief}`,
  ])
})

test('a step, a try and a pagination test send credentials only to the origins of their auth', async () => {
  const at = world
  const { ownId, thief, app } = at
  const ids = await set(
    at,
    {
      connector: () => ({ base_domain: '' }),
      endpoint: ({ shop }: Urls) => `${shop}/orders`,
    } as unknown as Place,
    ownId,
  )
  const { flow } = await app.addFlow([
    { ref_id: 'rest', type: 'rest', config: { url: `${thief.url}/take`, auth_id: ids.auth } },
  ])
  const run = await at.callAs(ownId, 'POST', `flows/${flow.id}/run?wait=true`, {})
  const draft = { auth_id: ids.auth, draft: { endpoint: `${thief.url}/take` } }
  const attempt = await at.callAs(ownId, 'POST', `connector-actions/${ids.action}/try`, draft)
  const unsaved = await at.callAs(ownId, 'POST', `connectors/${ids.connector}/try`, {
    auth_id: ids.auth,
    action: { method: 'GET', endpoint: 'take' },
    connector: { base_domain: thief.url, allowed_origins: [thief.url] },
  })
  const paged = await at.callAs(ownId, 'POST', 'pagination-tests', {
    connector_id: ids.connector,
    action: 'list',
    auth_id: ids.auth,
    pagination_config: { query: '{"a": 1}', endpoint: `${thief.url}/take`, allowed_origins: [thief.url] },
  })
  expect({
    run: (run.json as { error: { code: string } }).error.code,
    attempt: (attempt.json as { ok: boolean }).ok,
    unsaved: (unsaved.json as { ok: boolean }).ok,
    paged: paged.status,
    received: thief.received.map(({ headers }) => headers.authorization),
  }).toEqual({ run: 'cross_origin_link', attempt: false, unsaved: false, paged: 200, received: [] })
})

test("users who can't read env variables can't send a secret one to a URL of their own", async () => {
  const at = world
  const { ownId, thief } = at
  await at.callAs(ownId, 'POST', 'env-variables', {
    name: 'shop_key',
    type: 'text',
    value: SECRET,
    secret: true,
  })
  const custom = { header: { custom_headers: { 'X-Key': '{{ shop_key }}' } } }
  const ids = await set(at, { connector: () => custom } as unknown as Place, ownId)
  const scopes = ['connectors', 'connector_auth']
  const token = await at.callAs(ownId, 'POST', 'personal-access-tokens', {
    scopes,
    expiration: null,
    note: '',
  })
  const headers = {
    authorization: `Bearer ${(token.json as { token: string }).token}`,
    'content-type': 'application/json',
  }
  const call = async (method: string, path: string, body: object) =>
    (await callHttp(at.app.port, { method, path: `/v1/${path}`, headers, body: JSON.stringify(body) })).status
  const statuses = [
    await call('PUT', `connectors/${ids.connector}`, { base_domain: thief.url }),
    await call('POST', 'connectors', { name: 'Mine', base_domain: thief.url, ...custom }),
    await call('POST', 'connectors/import', {
      format: 'millrace-connector',
      version: 1,
      connector: { name: 'Mine', base_domain: thief.url, ...custom },
      actions: [],
    }),
    await call('POST', 'connector-actions', {
      connector_id: ids.connector,
      name: 'take',
      method: 'GET',
      endpoint: '/{{ shop_key }}',
    }),
    await call('POST', 'connector-auths', {
      connector_id: ids.connector,
      name: 'Mine',
      auth_type: 'none',
      api_endpoint: thief.url,
    }),
    await call('POST', 'pagination-tests', {
      request: { base_url: thief.url, endpoint: '/', method: 'GET' },
      pagination_config: { header: '{"X-Key": "{{ shop_key }}"}' },
    }),
  ]
  const carried = thief.received.filter((request) => JSON.stringify(request.headers).includes(SECRET))
  expect({ statuses, carried }).toEqual({ statuses: [403, 403, 403, 403, 403, 200], carried: [] })
})

test('every key of a connector, an action, an auth and a variable is known to affect origins or not', () => {
  const records = { connector, action, connectorAuth, envVariable }
  const keys = Object.entries(records).flatMap(([name, { shape }]) =>
    Object.keys(shape).map((key) => `${name}.${key}`),
  )
  const leading = new Set([
    ...Object.values(PLACES).map(({ key }) => key),
    'connectorAuth.api_endpoint',
    'connectorAuth.user_input',
    'connectorAuth.auth_type',
  ])
  const rest = keys.filter((key) => !leading.has(key))
  expect(rest.toSorted()).toEqual(
    [
      // Names, texts, states and times are sent, but don't decide where to.
      ...'created_at external_docs id name short_description status tag title updated_at'
        .split(' ')
        .map((key) => `action.${key}`),
      ...'body headers method query supports_automatic_pagination ui_form_schema'
        .split(' ')
        .map((key) => `action.${key}`),
      ...'created_at external_docs id image_url long_description name short_description'
        .split(' ')
        .map((key) => `connector.${key}`),
      ...'built_in header rate_limit status tags test_action type updated_at url_token_extension'
        .split(' ')
        .map((key) => `connector.${key}`),
      ...'access auth_details created_at id name new_origins references secrets state tags'
        .split(' ')
        .map((key) => `connectorAuth.${key}`),
      ...'connector_id token_expires_at updated_at username'.split(' ').map((key) => `connectorAuth.${key}`),
      ...'created_at secret state type updated_at'.split(' ').map((key) => `envVariable.${key}`),
    ].toSorted(),
  )
})
