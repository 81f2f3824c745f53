import { expect, test } from 'vitest'
import type { Action, Connector } from '../../../src/shared/contract/connectors.ts'
import { DEFAULT_FLOW_SETTINGS } from '../../../src/shared/contract/flows.ts'
import { syncCatalogue } from '../../../src/main/services/reaching/connectors/catalogue.ts'
import { filesWith } from '../../helpers/data-folder.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'
import { startTestApp, type TestApp } from '../../helpers/test-app.ts'

const CONNECTORS = '/v1/connectors'
const ACTIONS = '/v1/connector-actions'
const NOBODY = '00000000-0000-4000-8000-000000000000'

const BUILT_IN = {
  connector: {
    id: 'b5f1c7a0-0000-4000-8000-000000000001',
    name: 'Weather',
    auth_config: { auth_types: ['bearer'] },
  },
  actions: [
    { id: 'b5f1c7a0-0000-4000-8000-00000000000a', name: 'forecast', method: 'GET', endpoint: 'forecast' },
    { id: 'b5f1c7a0-0000-4000-8000-00000000000b', name: 'history', method: 'GET', endpoint: 'history' },
  ],
} as const

const start = () => startTestApp({ catalogue: [BUILT_IN] })

async function aConnector(app: TestApp, body: object = {}): Promise<Connector> {
  const answer = await app.call('POST', CONNECTORS, { name: 'Shop', ...body })
  expect(answer.status).toBe(201)
  return answer.json as Connector
}

async function anAction(app: TestApp, connectorId: string, body: object = {}): Promise<Action> {
  const needed = { connector_id: connectorId, name: 'list_orders', method: 'GET', endpoint: 'orders' }
  const answer = await app.call('POST', ACTIONS, { ...needed, ...body })
  expect(answer.status).toBe(201)
  return answer.json as Action
}

function aFlowCalling(app: TestApp, name: string, connectorId: string, action: string): void {
  const step = { title: '', description: '', disabled: false, on_error: 'stop', retry: null } as const
  const call = {
    ...step,
    ref_id: 'call',
    type: 'connector_action',
    config: { connector_id: connectorId, action },
  }
  const at = new Date(app.clock.now()).toISOString()
  app.store.writeNow(() =>
    app.store.flows.insert({
      id: crypto.randomUUID(),
      name,
      description: '',
      tags: [],
      status: 'draft',
      version: 1,
      steps: [{ ...step, ref_id: 'loop', type: 'loop', config: { over: [] }, steps: [call] }],
      settings: DEFAULT_FLOW_SETTINGS,
      created_at: at,
      updated_at: at,
    }),
  )
}

const codeOf = ({ status, json }: { status: number; json: unknown }) => [
  status,
  (json as { error?: string })?.error,
]
const messageOf = ({ json }: { json: unknown }) => (json as { message: string }).message

test('a connector is created from its name alone, read, changed in part, and deleted', async () => {
  const app = await start()
  const at = new Date(app.clock.now()).toISOString()
  const created = await aConnector(app)
  expect(created).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    name: 'Shop',
    type: 'connector',
    status: 'active',
    base_domain: '',
    auth_config: {},
    header: null,
    url_token_extension: null,
    pagination_config: null,
    search_config: null,
    test_action: null,
    allowed_origins: [],
    rate_limit: null,
    short_description: '',
    long_description: '',
    image_url: '',
    external_docs: '',
    tags: [],
    built_in: false,
    created_at: at,
    updated_at: at,
  })
  const path = `${CONNECTORS}/${created.id}`
  app.clock.advance(1_000)
  const changed = await app.call('PUT', path, {
    base_domain: 'https://shop.example',
    header: { header_key: 'X-Key' },
  })
  const expected = {
    ...created,
    base_domain: 'https://shop.example',
    header: {
      token_in_header: true,
      header_key: 'X-Key',
      token_prefix: '{{ token }}',
      content_type: 'application/json',
      custom_headers: {},
    },
    updated_at: new Date(app.clock.now()).toISOString(),
  }
  expect({ status: changed.status, changed: changed.json, read: (await app.call('GET', path)).json }).toEqual(
    { status: 200, changed: expected, read: expected },
  )
  const deleted = await app.call('DELETE', path)
  expect({
    status: deleted.status,
    text: deleted.text,
    codeAfter: codeOf(await app.call('GET', path)),
  }).toEqual({ status: 204, text: '', codeAfter: [404, 'not_found'] })
})

test('what was read can be sent back unchanged', async () => {
  const app = await start()
  const { id } = await aConnector(app, { tags: ['a'], pagination_config: { query: '{}' } })
  const read = await app.call('GET', `${CONNECTORS}/${id}`)
  const written = await app.call('PUT', `${CONNECTORS}/${id}`, read.json)
  expect({ status: written.status, json: written.json }).toEqual({ status: 200, json: read.json })
})

test('a pagination configuration is saved with replace_body false by default', async () => {
  const app = await start()
  const saved = await Promise.all(
    [
      { query: { page: '{{ page + 1 }}' } },
      { body: '{}', replace_body: true },
      [{ query: '{}', when: '{{ page > 1 }}' }, { header: '{}' }],
      null,
    ].map(async (config) => (await aConnector(app, { pagination_config: config })).pagination_config),
  )
  expect(saved).toEqual([
    { query: { page: '{{ page + 1 }}' }, replace_body: false },
    { body: '{}', replace_body: true },
    [
      { query: '{}', when: '{{ page > 1 }}', replace_body: false },
      { header: '{}', replace_body: false },
    ],
    null,
  ])
})

test('an invalid pagination configuration is rejected by field', async () => {
  const app = await start()
  const configs: [unknown, string][] = [
    [{}, 'pagination_config'],
    [[], 'pagination_config'],
    [{ response_jsonpath: '$.items' }, 'pagination_config'],
    [{ query: '{"page": {{ page + }}}' }, 'pagination_config.query'],
    [{ query: '{"page": {{ pgae }}}' }, 'pagination_config.query'],
    [{ query: '[1, 2]' }, 'pagination_config.query'],
    [{ query: '{}', response_jsonpath: '$..[' }, 'pagination_config.response_jsonpath'],
    [[{ query: '{}' }, { body: '{}', when: '{{ page >' }], 'pagination_config[1].when'],
  ]
  const answers = await Promise.all(
    configs.map(([config]) => app.call('POST', CONNECTORS, { name: 'x', pagination_config: config })),
  )
  expect(answers.map(({ status, json }) => [status, Object.keys((json as { data: object }).data)])).toEqual(
    configs.map(([, field]) => [400, [field]]),
  )
  const known = { query: '{"page": {{ page }}, "tenant": "{{ auth.username }}", "q": "{{ input.q }}"}' }
  expect((await aConnector(app, { pagination_config: known })).pagination_config).toEqual({
    ...known,
    replace_body: false,
  })
})

test('secrets in auth_config are kept, and never shown again', async () => {
  const app = await start()
  const secret = 'planted-client-secret-4711'
  const { id, auth_config: shown } = await aConnector(app, {
    auth_config: {
      auth_types: ['oauth2'],
      client_id: 'public',
      client_secret: secret,
      nested: { private_key: secret, url: 'https://x.example' },
      auth_form: [{ name: 'password', type: 'password' }],
    },
  })
  const stored = () => app.store.connectors.secretsOf(id)
  expect(shown).toEqual({
    auth_types: ['oauth2'],
    client_id: 'public',
    nested: { url: 'https://x.example' },
    auth_form: [{ name: 'password', type: 'password' }],
  })
  expect(stored()).toEqual({ client_secret: secret, 'nested/private_key': secret })
  const path = `${CONNECTORS}/${id}`
  const read = await app.call('GET', path)
  const answers = [read, await app.call('PUT', path, read.json), await app.call('GET', CONNECTORS)]
  expect(answers.filter(({ text }) => text.includes(secret))).toEqual([])
  expect(Object.keys(stored())).toEqual(['client_secret', 'nested/private_key'])
  await app.call('PUT', path, {
    auth_config: { client_id: 'other', client_secret: 'new-secret-0815', nested: { private_key: null } },
  })
  expect(stored()).toEqual({ client_secret: 'new-secret-0815' })
  const refused = await app.call('PUT', path, { auth_config: { client_secret: { a: 1 } } })
  expect({ status: refused.status, data: (refused.json as { data: unknown }).data }).toEqual({
    status: 400,
    data: { 'auth_config.client_secret': ['must be a string because it is stored as a secret'] },
  })
  expect(filesWith(app.store.dataDir, secret, 'new-secret-0815')).toEqual([])
})

test('every field is validated and named', async () => {
  const app = await start()
  const bodies: [object, string][] = [
    [{ name: undefined }, 'name'],
    [{ name: '' }, 'name'],
    [{ name: '  ' }, 'name'],
    [{ name: 'x'.repeat(201) }, 'name'],
    [{ name: 'a\0' }, 'name'],
    [{ type: 'thing' }, 'type'],
    [{ status: 'live' }, 'status'],
    [{ base_domain: 7 }, 'base_domain'],
    [{ auth_config: [] }, 'auth_config'],
    [{ auth_config: { auth_types: ['magic'] } }, 'auth_config.auth_types[0]'],
    [{ header: { header_key: 1 } }, 'header.header_key'],
    [{ header: { colour: 1 } }, 'header.colour'],
    [{ header: { custom_headers: { a: 1 } } }, 'header.custom_headers.a'],
    [{ url_token_extension: {} }, 'url_token_extension.key'],
    [{ pagination_config: { query: 5 } }, 'pagination_config.query'],
    [{ pagination_config: { pages: 5 } }, 'pagination_config.pages'],
    [{ pagination_config: [{ query: '{}' }, { replace_body: 1 }] }, 'pagination_config[1].replace_body'],
    [{ pagination_config: 'x' }, 'pagination_config'],
    [{ search_config: 'x' }, 'search_config'],
    [{ tags: 'a' }, 'tags'],
    [{ tags: [''] }, 'tags[0]'],
    [{ colour: 'red' }, 'colour'],
  ]
  const answers = await Promise.all(
    bodies.map(([body]) => app.call('POST', CONNECTORS, { name: 'x', ...body })),
  )
  expect(answers.map(({ status, json }) => [status, Object.keys((json as { data: object }).data)])).toEqual(
    bodies.map(([, field]) => [400, [field]]),
  )
})

test('a connector is found by a filter on its name, with wildcards, ignoring case', async () => {
  const app = await start()
  for (const name of ['FTP server', 'Microsoft', 'Shop', 'ft_x', 'ZOË']) await aConnector(app, { name })
  const names = async (query: string) =>
    ((await app.call('GET', `${CONNECTORS}?${query}`)).json as Connector[]).map(({ name }) => name)
  expect({
    like: await names('filter=name,like,%25ft%25'),
    quoted: await names(`filter=${encodeURIComponent('name,like,"%ft%"')}`),
    underscore: await names('filter=name,like,ft_%25'),
    beyondAscii: await names('filter=name,like,zo%C3%AB'),
    equal: await names('filter=name,eq,Shop'),
    both: await names('filter=name,like,%25s%25&filter=built_in,eq,false&sort=name'),
    list: await names('filter=name,in,Shop,ft_x&sort=-name'),
    flag: await names('filter=built_in,eq,true'),
    none: await names('filter=name,eq,nobody'),
    page: await names('page=2&per_page=2&sort=name'),
  }).toEqual({
    like: ['ft_x', 'Microsoft', 'FTP server'],
    quoted: ['ft_x', 'Microsoft', 'FTP server'],
    underscore: ['ft_x'],
    beyondAscii: ['ZOË'],
    equal: ['Shop'],
    both: ['FTP server', 'Microsoft', 'Shop'],
    list: ['Shop', 'ft_x'],
    flag: ['Weather'],
    none: [],
    page: ['Microsoft', 'Shop'],
  })
  const refused = await Promise.all(
    [
      'filter=nme,eq,x',
      'filter=name',
      'filter=name,is,x',
      'sort=colour',
      'per_page=0',
      'per_page=201',
      'page=x',
      'q=1',
    ].map((query) => app.call('GET', `${CONNECTORS}?${query}`)),
  )
  expect(refused.map(codeOf)).toEqual(refused.map(() => [400, 'validation']))
})

test("a built-in connector can't be changed, nor can its actions", async () => {
  const app = await start()
  const { id } = BUILT_IN.connector
  const [{ id: actionId }] = BUILT_IN.actions
  const answers = await Promise.all([
    app.call('PUT', `${CONNECTORS}/${id}`, { name: 'Mine' }),
    app.call('DELETE', `${CONNECTORS}/${id}`),
    app.call('POST', ACTIONS, { connector_id: id, name: 'mine', method: 'GET', endpoint: 'x' }),
    app.call('PUT', `${ACTIONS}/${actionId}`, { title: 'Mine' }),
    app.call('DELETE', `${ACTIONS}/${actionId}`),
  ])
  expect(answers.map(codeOf)).toEqual(answers.map(() => [409, 'conflict']))
  expect(answers.map(messageOf).every((message) => message.includes('copy it'))).toBe(true)
})

test('a copy has the actions of the original in their order, without its secrets, and can be changed', async () => {
  const app = await start()
  const copied = await app.call('POST', `${CONNECTORS}/${BUILT_IN.connector.id}/copy`)
  const { id } = copied.json as Connector
  const named = await app.call('POST', `${CONNECTORS}/${id}/copy`, { name: 'My weather' })
  const actionsOf = async (connectorId: string) =>
    ((await app.call('GET', `${ACTIONS}?filter=connector_id,eq,${connectorId}`)).json as Action[]).map(
      ({ name }) => name,
    )
  expect({ status: copied.status, json: copied.json, name: (named.json as Connector).name }).toMatchObject({
    status: 201,
    json: { name: 'Weather (copy)', built_in: false, auth_config: { auth_types: ['bearer'] } },
    name: 'My weather',
  })
  expect({ builtIn: await actionsOf(BUILT_IN.connector.id), copy: await actionsOf(id) }).toEqual({
    builtIn: ['history', 'forecast'],
    copy: ['history', 'forecast'],
  })
  expect((await app.call('PUT', `${CONNECTORS}/${id}`, { name: 'Mine' })).status).toBe(200)
  expect(codeOf(await app.call('POST', `${CONNECTORS}/${NOBODY}/copy`))).toEqual([404, 'not_found'])
  const withSecret = await aConnector(app, { auth_config: { client_secret: 'planted-client-secret' } })
  const bare = (await app.call('POST', `${CONNECTORS}/${withSecret.id}/copy`)).json as Connector
  expect(app.store.connectors.secretsOf(bare.id)).toEqual({})
})

test("a connector can't be deleted while an auth or a flow uses it, and is deleted with its actions", async () => {
  const app = await start()
  const { id } = await aConnector(app)
  const action = await anAction(app, id)
  aFlowCalling(app, 'Nightly sync', id, 'list_orders')
  const usedByFlow = await app.call('DELETE', `${CONNECTORS}/${id}`)
  const other = await aConnector(app, { name: 'Other' })
  await app.call('POST', '/v1/connector-auths', { connector_id: other.id, name: 'a', auth_type: 'none' })
  const usedByAuth = await app.call('DELETE', `${CONNECTORS}/${other.id}`)
  expect({
    usedByFlow: codeOf(usedByFlow),
    message: messageOf(usedByFlow),
    usedByAuth: codeOf(usedByAuth),
  }).toEqual({
    usedByFlow: [409, 'conflict'],
    message: 'The connector "Shop" can\'t be deleted: the flows "Nightly sync" use it; change them first',
    usedByAuth: [409, 'conflict'],
  })
  const free = await aConnector(app, { name: 'Free' })
  const gone = await anAction(app, free.id)
  expect((await app.call('DELETE', `${CONNECTORS}/${free.id}`)).status).toBe(204)
  expect({
    gone: (await app.call('GET', `${ACTIONS}/${gone.id}`)).status,
    kept: (await app.call('GET', `${ACTIONS}/${action.id}`)).status,
  }).toEqual({ gone: 404, kept: 200 })
})

test('an action is created, read, changed in part and deleted', async () => {
  const app = await start()
  const { id: connectorId } = await aConnector(app)
  const created = await anAction(app, connectorId, { query: { limit: 100 }, body: { a: [1, null] } })
  expect(created).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    connector_id: connectorId,
    name: 'list_orders',
    title: '',
    status: 'active',
    method: 'GET',
    endpoint: 'orders',
    query: { limit: 100 },
    headers: {},
    body: { a: [1, null] },
    ui_form_schema: [],
    supports_automatic_pagination: false,
    short_description: '',
    tag: '',
    external_docs: '',
    created_at: new Date(app.clock.now()).toISOString(),
    updated_at: new Date(app.clock.now()).toISOString(),
  })
  const path = `${ACTIONS}/${created.id}`
  const changed = await app.call('PUT', path, { ...created, title: 'Orders', body: null })
  expect({ status: changed.status, json: changed.json }).toEqual({
    status: 200,
    json: { ...created, title: 'Orders', body: null },
  })
  expect({
    deleted: (await app.call('DELETE', path)).status,
    gone: (await app.call('GET', path)).status,
  }).toEqual({ deleted: 204, gone: 404 })
})

test('the name of an action is unique in its connector, snake_case, and kept while a flow calls it', async () => {
  const app = await start()
  const [{ id: shop }, { id: other }] = [await aConnector(app), await aConnector(app, { name: 'Other' })]
  const action = await anAction(app, shop)
  const second = await anAction(app, shop, { name: 'get_order' })
  await anAction(app, other)
  aFlowCalling(app, 'Nightly sync', shop, 'list_orders')
  const put = (id: string, body: object) => app.call('PUT', `${ACTIONS}/${id}`, body)
  const post = (body: object) => app.call('POST', ACTIONS, { method: 'GET', endpoint: '', ...body })
  const answers = {
    taken: codeOf(await post({ connector_id: shop, name: 'list_orders' })),
    renamedToTaken: codeOf(await put(second.id, { name: 'list_orders' })),
    renamedWhileUsed: codeOf(await put(action.id, { name: 'orders' })),
    deletedWhileUsed: codeOf(await app.call('DELETE', `${ACTIONS}/${action.id}`)),
    changedWhileUsed: (await put(action.id, { title: 'Orders', name: 'list_orders' })).status,
    renamed: (await put(second.id, { name: 'read_order' })).status,
    moved: codeOf(await put(second.id, { connector_id: other })),
    ofNobody: codeOf(await post({ connector_id: NOBODY, name: 'x' })),
    badName: codeOf(await post({ connector_id: shop, name: 'List orders' })),
    badMethod: codeOf(await post({ connector_id: shop, name: 'x', method: 'BREW' })),
  }
  expect(answers).toEqual({
    taken: [409, 'conflict'],
    renamedToTaken: [409, 'conflict'],
    renamedWhileUsed: [409, 'conflict'],
    deletedWhileUsed: [409, 'conflict'],
    changedWhileUsed: 200,
    renamed: 200,
    moved: [400, 'validation'],
    ofNobody: [400, 'validation'],
    badName: [400, 'validation'],
    badMethod: [400, 'validation'],
  })
})

test('a template that can never be rendered is rejected with its field, line and column', async () => {
  const app = await start()
  const { id } = await aConnector(app)
  const action = await anAction(app, id)
  const answers = await Promise.all([
    app.call('POST', CONNECTORS, { name: 'x', base_domain: 'https://{{ auth.region }.example' }),
    app.call('PUT', `${CONNECTORS}/${id}`, { header: { custom_headers: { 'X-A': '{{ a | nofilter }}' } } }),
    app.call('PUT', `${CONNECTORS}/${id}`, { url_token_extension: { key: 'k', value: '{% if %}' } }),
    app.call('PUT', `${ACTIONS}/${action.id}`, { endpoint: 'a\n{{ 1 + }}' }),
    app.call('PUT', `${ACTIONS}/${action.id}`, { body: { list: [{ a: '{{ "open }}' }] } }),
    app.call('PUT', `${ACTIONS}/${action.id}`, { query: { q: '{{ input.q | upper }} { }' } }),
  ])
  const sentence = expect.stringMatching(/^line \d+, column \d+: /)
  expect(answers.map(({ status, json }) => [status, (json as { data?: unknown }).data])).toEqual([
    [400, { base_domain: [sentence] }],
    [400, { 'header.custom_headers.X-A': [sentence] }],
    [400, { 'url_token_extension.value': [sentence] }],
    [400, { endpoint: [expect.stringMatching(/^line 2, /)] }],
    [400, { 'body.list[0].a': [sentence] }],
    [200, undefined],
  ])
})

test('the catalogue follows its files: changes are applied, a removed connector becomes the user’s own', async () => {
  const app = await start()
  const { id } = BUILT_IN.connector
  const [forecast] = BUILT_IN.actions
  const before = (await app.call('GET', `${CONNECTORS}/${id}`)).json as Connector
  app.clock.advance(60_000)
  syncCatalogue([BUILT_IN], app)
  const same = (await app.call('GET', `${CONNECTORS}/${id}`)).json as Connector
  const newer = {
    connector: { ...BUILT_IN.connector, name: 'Weather 2' },
    actions: [
      { ...forecast, title: 'Forecast' },
      { ...forecast, id: NOBODY, name: 'warnings' },
    ],
  }
  syncCatalogue([newer], app)
  const after = (await app.call('GET', `${CONNECTORS}/${id}`)).json as Connector
  const actions = (await app.call('GET', `${ACTIONS}?sort=name`)).json as Action[]
  syncCatalogue([], app)
  const own = (await app.call('GET', `${CONNECTORS}/${id}`)).json as Connector
  expect({
    same,
    name: after.name,
    keepsCreation: after.created_at === before.created_at,
    updatedAt: after.updated_at,
  }).toEqual({
    same: before,
    name: 'Weather 2',
    keepsCreation: true,
    updatedAt: new Date(app.clock.now()).toISOString(),
  })
  expect(actions.map(({ name, title }) => [name, title])).toEqual([
    ['forecast', 'Forecast'],
    ['warnings', ''],
  ])
  expect({ builtIn: own.built_in, name: own.name }).toEqual({ builtIn: false, name: 'Weather 2' })
})

test('everything in the catalogue could be entered by hand: it passes every check', async () => {
  const app = await startTestApp()
  const builtIn = (await app.call('GET', `${CONNECTORS}?filter=built_in,eq,true`)).json as Connector[]
  for (const connector of builtIn) {
    const entered = await aConnector(app, connector)
    const actions = (await app.call('GET', `${ACTIONS}?per_page=200&filter=connector_id,eq,${connector.id}`))
      .json
    for (const action of actions as Action[])
      await anAction(app, entered.id, { ...action, connector_id: entered.id })
  }
  expect(builtIn.map(({ name }) => name)).toContain('Playground')
})

test('a label that is sent twice is stored once', async () => {
  const app = await start()
  const { id, tags } = await aConnector(app, { tags: ['shop', 'eu', 'shop'] })
  const auth = { connector_id: id, name: 'Main', auth_type: 'none', tags: ['a', 'a'] }
  const flow = { name: 'Orders', tags: ['b', 'b', 'c'] }
  expect({
    connector: tags,
    auth: (await app.call('POST', '/v1/connector-auths', auth)).json,
    flow: (await app.call('POST', '/v1/flows', flow)).json,
  }).toMatchObject({ connector: ['shop', 'eu'], auth: { tags: ['a'] }, flow: { tags: ['b', 'c'] } })
})

test('an allowed origin ends with its host; anything longer is rejected by item', async () => {
  const app = await start()
  const bad = [
    'https://files.example/v1',
    'https://files.example?x=1',
    'https://ann:pw@files.example',
    'files.example',
    'ftp://files.example',
    'http://[::1',
  ]
  const answers = await Promise.all(
    bad.map((origin) =>
      app.call('POST', CONNECTORS, { name: 'Shop', allowed_origins: ['https://a.example', origin] }),
    ),
  )
  expect(answers.map(({ status, json }) => [status, Object.keys((json as { data: object }).data)])).toEqual(
    bad.map(() => [400, ['allowed_origins[1]']]),
  )
  const good = ['https://files.example', 'http://127.0.0.1:8080/', 'HTTPS://[::1]:1', ' https://cdn.example ']
  expect((await aConnector(app, { allowed_origins: good })).allowed_origins).toEqual(
    good.map((origin) => origin.trim()),
  )
})

test('the image of a connector is fetched when it is saved, within limits of size and type, and then kept', async () => {
  const app = await startTestApp({ knowsItself: true })
  const png = Buffer.from('89504e470d0a1a0a00000001', 'hex')
  const served: Record<string, { readonly status?: number; readonly body: Buffer }> = {
    '/icon.png': { body: png },
    '/logo.svg': { body: Buffer.from('<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>') },
    '/page': { body: Buffer.from('<!DOCTYPE html><title>sign in</title>') },
    '/huge.png': { body: Buffer.concat([png, Buffer.alloc(300_000)]) },
    '/gone': { status: 404, body: Buffer.from('') },
  }
  const asked: string[] = []
  const { url } = await startThirdPartyApi((request, response) => {
    asked.push(request.target)
    const found = served[request.target]
    response.writeHead(found?.status ?? 200, { 'content-type': 'image/png' }).end(found?.body)
  })
  const imageOf = async (id: string) => (await app.call('GET', `${CONNECTORS}/${id}/image`)).json
  const save = async (id: string, imageUrl: string) => {
    const { status, json } = await app.call('PUT', `${CONNECTORS}/${id}`, { image_url: imageUrl })
    const { warnings = [] } = json as { warnings?: { code: string; message: string }[] }
    return { status, warnings: warnings.map(({ code, message }) => `${code}: ${message}`) }
  }

  const { id } = await aConnector(app, { image_url: `${url}/icon.png` })
  const shown = { content_type: 'image/png', base64: png.toString('base64') }
  expect([await imageOf(id), await imageOf(id)]).toEqual([shown, shown])
  const again = await save(id, `${url}/icon.png`)
  const copied = (await app.call('POST', `${CONNECTORS}/${id}/copy`, {})).json as Connector
  expect({ again, copied: await imageOf(copied.id), asked }).toEqual({
    again: { status: 200, warnings: [] },
    copied: shown,
    asked: ['/icon.png'],
  })

  expect(await save(id, `${url}/logo.svg`)).toEqual({ status: 200, warnings: [] })
  expect(await imageOf(id)).toMatchObject({ content_type: 'image/svg+xml' })
  const refused = []
  for (const path of ['/page', '/huge.png', '/gone']) refused.push(await save(id, url + path))
  refused.push(await save(id, `http://127.0.0.1:${app.port}/v1/health`), await save(id, 'no address'))
  expect(refused).toEqual(
    ["isn't an image", 'has 300012 bytes', 'status 404', 'Millrace', ''].map((why) => ({
      status: 200,
      warnings: [expect.stringMatching(new RegExp(`^image_not_fetched: .*${why}`))],
    })),
  )
  expect((await app.call('GET', `${CONNECTORS}/${id}/image`)).status).toBe(404)
})
