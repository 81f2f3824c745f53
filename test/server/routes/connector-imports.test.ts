import { expect, test } from 'vitest'
import type { ConnectorFile, ConnectorImportPlan } from '../../../src/shared/contract/connector-imports.ts'
import type { Action, Connector } from '../../../src/shared/contract/connectors.ts'
import { startTestApp, type TestApp } from '../../helpers/test-app.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'

const PLAN = '/v1/connectors/import/plan'
const IMPORT = '/v1/connectors/import'

async function plan(app: TestApp, source: string | object): Promise<ConnectorImportPlan> {
  const text = typeof source === 'string' ? source : JSON.stringify(source)
  const answer = await app.call('POST', PLAN, { source: text })
  expect({ status: answer.status, text: answer.text.slice(0, 500) }).toEqual({
    status: 200,
    text: expect.any(String),
  })
  return answer.json as ConnectorImportPlan
}

/** Echoes the request. */
const startEcho = () =>
  startThirdPartyApi(({ target, headers, body }, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ path: target, key: headers['x-shop-key'], sent: body.toString() }))
  })

const actionsOf = async (app: TestApp, { id }: Connector) =>
  (await app.call('GET', `/v1/connector-actions?filter=connector_id,eq,${id}&per_page=200&sort=name`))
    .json as Action[]

test("curl commands become a connector and its actions; credentials aren't imported", async () => {
  const app = await startTestApp()
  const { source_format, file, left_out } = await plan(
    app,
    `curl 'https://api.shop.example/v2/orders?status=open&limit=10' \\
  -H 'Authorization: Bearer sk_live_1234567890' -H 'Accept: application/json' -H 'Sec-Fetch-Mode: cors'
curl -X POST https://api.shop.example/v2/orders --json '{"sku":"A-1","note":"{{ hi }}"}' -b 'session=abc'
curl https://elsewhere.example/ping`,
  )
  expect({ source_format, connector: file.connector, names: file.actions.map(({ name }) => name) }).toEqual({
    source_format: 'curl',
    connector: {
      name: 'shop.example',
      base_domain: 'https://api.shop.example',
      auth_config: {
        auth_types: ['bearer'],
        auth_form: [{ name: 'auth_token', label: 'Token', type: 'password', required: true }],
      },
    },
    names: ['get_v2_orders', 'post_v2_orders'],
  })
  expect(file.actions[0]).toMatchObject({
    method: 'GET',
    endpoint: 'v2/orders',
    query: { status: 'open', limit: '10' },
    headers: { Accept: 'application/json', 'Sec-Fetch-Mode': 'cors' },
  })
  expect(left_out.map(({ item }) => item)).toEqual([
    'get_v2_orders: header Authorization',
    'post_v2_orders: header Cookie',
    'curl https://elsewhere.example/ping',
  ])
  expect(JSON.stringify(file)).not.toMatch(/sk_live|abc/)
})

test('from curl to a run: the imported action calls the API with the stored credential', async () => {
  const app = await startTestApp()
  const api = await startEcho()
  const { file } = await plan(
    app,
    `curl -X POST '${api.url}/v1/orders?dry=1' -H 'X-Api-Key: secret-key-4711' -d '{"note":"{{ not a template }}"}'`,
  )
  const made = await app.call('POST', IMPORT, {
    ...file,
    connector: {
      ...file.connector,
      header: { ...file.connector.header, header_key: "{{ auth.user_input.header_name or 'X-Api-Key' }}" },
    },
  })
  const connector = made.json as Connector
  expect({ status: made.status, location: made.headers.location }).toEqual({
    status: 201,
    location: `/v1/connectors/${connector.id}`,
  })
  const auth = await app.call('POST', '/v1/connector-auths', {
    connector_id: connector.id,
    name: 'Key',
    auth_type: 'api_key',
    auth_token: 'short',
    user_input: { header_name: 'X-Shop-Key' },
  })
  const flow = await app.call('POST', '/v1/flows', {
    name: 'Order',
    steps: [
      {
        ref_id: 'order',
        type: 'connector_action',
        config: {
          connector_id: connector.id,
          action: file.actions[0]!.name,
          auth_id: (auth.json as { id: string }).id,
        },
      },
    ],
  })
  const run = await app.call('POST', `/v1/flows/${(flow.json as { id: string }).id}/run?wait=true`, {})
  const steps = (await app.call('GET', `/v1/flow-runs/${(run.json as { id: string }).id}/steps`)).json as {
    output: unknown
  }[]
  expect(steps[0]?.output).toMatchObject({
    path: '/v1/orders?dry=1',
    key: 'short',
    sent: '{"note":"{{ not a template }}"}',
  })
  const tested = await app.call('PUT', `/v1/connectors/${connector.id}`, {
    test_action: file.actions[0]!.name,
  })
  expect(tested.status).toBe(200)
  const exchange = await app.call('POST', `/v1/connector-auths/${(auth.json as { id: string }).id}/test`)
  expect(exchange.json).toMatchObject({ ok: true })
  const { http } = exchange.json as { http: { request: { headers: Record<string, string> } }[] }
  const sent = Object.entries(http[0]?.request.headers ?? {})
  expect(sent.filter(([name]) => /shop-key/i.test(name)).map(([, value]) => value)).toEqual(['***'])
})

const OPENAPI = {
  openapi: '3.1.0',
  info: { title: 'Pets', description: 'All about pets' },
  servers: [
    { url: 'https://{region}.pets.example/v1/', variables: { region: { default: 'eu' } } },
    { url: 'https://test.pets.example' },
  ],
  components: {
    securitySchemes: {
      key: { type: 'apiKey', in: 'query', name: 'api_key' },
      oidc: { type: 'openIdConnect', openIdConnectUrl: 'https://x.example' },
    },
    parameters: { Limit: { name: 'limit', in: 'query', schema: { type: 'integer', default: 10 } } },
    schemas: {
      Named: { type: 'object', properties: { name: { type: 'string', description: 'Its name' } } },
      Pet: {
        allOf: [
          { $ref: '#/components/schemas/Named' },
          { properties: { kind: { enum: ['cat', 'dog'] }, born: { type: 'string', format: 'date' } } },
        ],
        required: ['name'],
      },
      Loop: { $ref: '#/components/schemas/Loop' },
    },
  },
  paths: {
    '/pets': {
      parameters: [{ $ref: '#/components/parameters/Limit' }],
      get: {
        operationId: 'listPets',
        summary: 'List pets',
        tags: ['pets'],
        parameters: [
          { name: 'X-Trace', in: 'header', schema: { type: 'string' } },
          { name: 'sid', in: 'cookie' },
        ],
      },
      post: {
        operationId: 'createPet',
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } },
        },
      },
      options: {},
    },
    '/pets/{petId}': {
      delete: { parameters: [{ name: 'petId', in: 'path', required: true, schema: { type: 'string' } }] },
      put: { requestBody: { content: { 'multipart/form-data': {} } } },
      patch: {
        deprecated: true,
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Loop' } } } },
      },
    },
  },
}

test('an OpenAPI document becomes actions with forms; each omitted part is reported with a reason', async () => {
  const app = await startTestApp()
  const { source_format, file, left_out } = await plan(app, OPENAPI)
  expect({ source_format, name: file.connector.name, baseDomain: file.connector.base_domain }).toEqual({
    source_format: 'openapi',
    name: 'Pets',
    baseDomain: 'https://eu.pets.example/v1',
  })
  expect(file.connector.url_token_extension).toEqual({
    key: "{{ 'api_key' if auth.auth_type == 'api_key' else '' }}",
    value: '{{ token }}',
  })
  expect(file.actions.map(({ name, method, endpoint }) => [name, method, endpoint])).toEqual([
    ['list_pets', 'GET', 'pets'],
    ['create_pet', 'POST', 'pets'],
    ['put_pets_pet_id', 'PUT', "pets/{{ input.petId | urlencode | replace('/', '%2F') }}"],
    ['patch_pets_pet_id', 'PATCH', "pets/{{ input.petId | urlencode | replace('/', '%2F') }}"],
    ['delete_pets_pet_id', 'DELETE', "pets/{{ input.petId | urlencode | replace('/', '%2F') }}"],
  ])
  expect(file.actions[0]).toMatchObject({
    title: 'List pets',
    tag: 'pets',
    query: { limit: '{{ input.limit }}' },
    headers: { 'X-Trace': '{{ input.x_trace }}', Cookie: expect.stringContaining("'sid='") },
    ui_form_schema: [
      { name: 'limit', type: 'number', default: 10 },
      { name: 'x_trace', type: 'text' },
      { name: 'sid', type: 'text' },
    ],
  })
  expect(file.actions[1]?.ui_form_schema?.slice(1)).toMatchObject([
    { name: 'name', type: 'text', required: true, help: 'Its name' },
    { name: 'kind', type: 'select', required: false },
    { name: 'born', type: 'date' },
  ])
  expect(left_out.map(({ item }) => item)).toEqual([
    'OPTIONS /pets',
    'server https://test.pets.example',
    'PATCH /pets/{petId}: the body',
  ])
  const made = await app.call('POST', IMPORT, file)
  expect({ status: made.status, actions: (await actionsOf(app, made.json as Connector)).length }).toEqual({
    status: 201,
    actions: 5,
  })
})

test('an action imported from an OpenAPI operation sends only the fields that were filled in', async () => {
  const app = await startTestApp()
  const api = await startEcho()
  const { file } = await plan(app, { ...OPENAPI, servers: [{ url: api.url }] })
  const { id } = (await app.call('POST', IMPORT, file)).json as Connector
  const call = (ref_id: string, action: string, input: object) => ({
    ref_id,
    type: 'connector_action',
    config: { connector_id: id, action, input },
  })
  const flow = await app.call('POST', '/v1/flows', {
    name: 'Pets',
    steps: [
      call('made', 'create_pet', { name: 'Tom', kind: 'cat', limit: 3 }),
      call('gone', 'delete_pets_pet_id', { petId: 'a/b' }),
    ],
  })
  const run = await app.call('POST', `/v1/flows/${(flow.json as { id: string }).id}/run?wait=true`, {})
  const steps = (await app.call('GET', `/v1/flow-runs/${(run.json as { id: string }).id}/steps`)).json as {
    output: unknown
  }[]
  expect(steps.map(({ output }) => output)).toMatchObject([
    { path: '/pets?limit=3', sent: '{"name":"Tom","kind":"cat"}' },
    { path: '/pets/a%2Fb' },
  ])
})

test("a Postman collection becomes actions; variables become form fields, scripts and secrets aren't imported", async () => {
  const app = await startTestApp()
  const { source_format, file, left_out } = await plan(app, {
    info: { name: 'CRM', schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
    variable: [{ key: 'base', value: 'https://crm.example/api' }],
    auth: { type: 'bearer', bearer: [{ key: 'token', value: 'top-secret-token' }] },
    item: [
      {
        name: 'People',
        item: [
          {
            name: 'Find person',
            event: [{ listen: 'test', script: { exec: ['pm.test()'] } }],
            request: {
              method: 'GET',
              url: { raw: '{{base}}/people/:id?q={{term}}&api_key=abc' },
              header: [
                { key: 'Accept', value: 'application/json' },
                { key: 'X-Off', value: '1', disabled: true },
              ],
            },
          },
          {
            name: 'Add person',
            request: {
              method: 'POST',
              url: '{{base}}/people',
              body: { mode: 'urlencoded', urlencoded: [{ key: 'name', value: '{{name}}' }] },
            },
          },
          {
            name: 'Picture',
            request: { method: 'POST', url: '{{base}}/pic', body: { mode: 'formdata', formdata: [] } },
          },
        ],
      },
    ],
  })
  expect({
    source_format,
    baseDomain: file.connector.base_domain,
    authTypes: file.connector.auth_config?.auth_types,
  }).toEqual({ source_format: 'postman', baseDomain: 'https://crm.example', authTypes: ['bearer'] })
  expect(file.actions).toMatchObject([
    {
      name: 'find_person',
      tag: 'People',
      endpoint: "api/people/{{ input.id | urlencode | replace('/', '%2F') }}",
      query: { q: '{{ input.term }}' },
      headers: { Accept: 'application/json' },
    },
    { name: 'add_person', body: { name: '{{ input.name }}' } },
    { name: 'picture', body: {} },
  ])
  expect(left_out.map(({ item }) => item)).toEqual([
    'People / Find person: scripts',
    'People / Find person: query parameter api_key',
  ])
  expect(JSON.stringify(file)).not.toMatch(/top-secret|abc/)
})

test('a connector moves as one file from one Millrace to another, without its secrets', async () => {
  const app = await startTestApp()
  const made = await app.call('POST', '/v1/connectors', {
    name: 'Shop',
    base_domain: 'https://me:planted-secret-1@shop.example/v1',
    auth_config: { auth_types: ['oauth2'], client_id: 'me', client_secret: 'planted-secret-1234' },
    header: {
      custom_headers: { 'X-Api-Key': 'planted-secret-2', Accept: 'text/csv', Cookie: '{{ token }}' },
    },
    url_token_extension: { key: 'sign', value: 'planted-secret-3' },
  })
  const shop = made.json as Connector
  await app.call('POST', '/v1/connector-actions', {
    connector_id: shop.id,
    name: 'list',
    method: 'GET',
    endpoint: 'orders',
    query: { api_key: 'planted-secret-4', page: '1' },
    headers: { Authorization: 'Bearer planted-secret-5' },
  })
  const exported = await app.call('GET', `/v1/connectors/${shop.id}/export`)
  expect(exported.text).not.toContain('planted-secret')
  expect(exported.json).toMatchObject({
    connector: {
      base_domain: 'https://shop.example/v1',
      header: { custom_headers: { Accept: 'text/csv', Cookie: '{{ token }}' } },
      url_token_extension: { key: 'sign', value: '{{ token }}' },
    },
    actions: [{ query: { page: '1' }, headers: {} }],
  })
  const other = await startTestApp()
  const { file, source_format } = await plan(other, exported.text)
  expect({ source_format, file }).toEqual({ source_format: 'millrace', file: exported.json })
  const copied = (await other.call('POST', IMPORT, file)).json as Connector
  const again = (await other.call('GET', `/v1/connectors/${copied.id}/export`)).json as ConnectorFile
  expect(again).toEqual(exported.json)
  const builtIn = ((await app.call('GET', '/v1/connectors?filter=name,eq,GitHub')).json as Connector[])[0]!
  const github = (await app.call('GET', `/v1/connectors/${builtIn.id}/export`)).json as ConnectorFile
  expect((await other.call('POST', IMPORT, github)).status).toBe(201)
})

const YAML = `# Pets of a shop
openapi: 3.0.3
info: { title: Pets, version: 1.0 }
servers:
  - url: https://pets.example/v1
x-limit: &limit
  name: limit
  in: query
  schema: { type: integer, default: 20 }
paths:
  /pets:
    get:
      operationId: listPets
      parameters:
        - *limit
      responses:
        200: { description: All of them }
    post:
      operationId: addPet
      requestBody:
        content:
          application/json:
            schema:
              type: object
              required: [name]
              properties:
                name: { type: string }
                born: { type: string, format: date, example: 2020-02-29 }
      responses: { 201: { description: Added } }
    options: { responses: {} }
components:
  securitySchemes:
    key: { type: apiKey, in: header, name: X-Pet-Key }
security: [{ key: [] }]
`

const BOMB = ['a: &a [1,1,1,1,1,1,1,1,1]']
  .concat(
    ['b', 'c', 'd', 'e', 'f', 'g'].map((name, at) => {
      const before = `*${'abcdef'[at]}`
      return `${name}: &${name} [${Array.from({ length: 9 }, () => before).join()}]`
    }),
  )
  .join('\n')

/** Half a megabyte that would expand to half a gigabyte: few values, but each of them is long. */
const LONG_BOMB = `a: &a ${'x'.repeat(500_000)}\nopenapi: [${'*a,'.repeat(900)}*a]`

test('an OpenAPI document reads the same in YAML and in JSON', async () => {
  const app = await startTestApp()
  const fromYaml = await plan(app, YAML)
  const { parse } = await import('yaml')
  const fromJson = await plan(app, JSON.stringify(parse(YAML)))
  expect(fromYaml).toEqual(fromJson)
  expect(fromYaml.source_format).toBe('openapi')
  expect(fromYaml.file.connector).toMatchObject({ name: 'Pets', base_domain: 'https://pets.example/v1' })
  expect(fromYaml.file.actions.map(({ name, method }) => [name, method])).toEqual([
    ['list_pets', 'GET'],
    ['add_pet', 'POST'],
  ])
  expect(fromYaml.left_out.map(({ item }) => item)).toContain('OPTIONS /pets')
  expect((await app.call('POST', IMPORT, fromYaml.file)).status).toBe(201)
})

test('an unreadable source is rejected with what it seems to be, and nothing is imported by halves', async () => {
  const app = await startTestApp()
  const sources = [
    'openapi: 3.1.0\ninfo:\n  title: Pets\n servers: []',
    'openapi: 3.1.0\n---\nopenapi: 3.1.0',
    BOMB,
    LONG_BOMB,
    'openapi: 3.1.0\npaths: &paths\n  /a: *paths',
    `openapi: 3.1.0\npaths: ${'['.repeat(2_000)}${']'.repeat(2_000)}`,
    'name: Nothing',
    '{"openapi":',
    '{"a":1}',
    'curl --help',
    'hello',
    '[]',
  ]
  const answers = await Promise.all(sources.map((source) => app.call('POST', PLAN, { source })))
  const sentences = answers.map(({ json }) => (json as { data: { source: string[] } }).data.source[0])
  expect(answers.map(({ status }) => status)).toEqual(sources.map(() => 400))
  expect(sentences).toEqual([
    expect.stringMatching(/not YAML either: line 4, column 1: .*column/),
    expect.stringContaining('line 2, column 1: a second document'),
    expect.stringContaining('aliases'),
    expect.stringContaining('aliases expand to more than 32 MB'),
    expect.stringMatching(/nested|values/),
    expect.stringContaining('nested more than 64 levels deep'),
    expect.stringContaining('neither'),
    expect.stringContaining('not JSON'),
    expect.stringContaining('neither'),
    expect.stringContaining('has no URL'),
    expect.stringContaining("isn't in any of these formats"),
    expect.stringContaining('a list'),
  ])
  const action = { name: 'a', method: 'GET', endpoint: 'x' }
  const file = { format: 'millrace-connector', version: 1, connector: { name: 'Half' } }
  const refused = await Promise.all(
    [
      [action, action],
      [action, { ...action, name: 'b', endpoint: '{{ broken' }],
    ].map((actions) => app.call('POST', IMPORT, { ...file, actions })),
  )
  expect(refused.map(({ status, json }) => [status, Object.keys((json as { data: object }).data)])).toEqual([
    [400, ['actions[1].name']],
    [400, ['actions[1].endpoint']],
  ])
  expect((await app.call('GET', '/v1/connectors?filter=name,eq,Half')).json).toEqual([])
})

test('an imported connector says what should be checked', async () => {
  const app = await startTestApp({ catalogue: [] })
  const made = await app.call('POST', IMPORT, {
    format: 'millrace-connector',
    version: 1,
    connector: { name: 'Shop', image_url: 'http://127.0.0.1:9/logo.png' },
    actions: [],
  })
  expect({ status: made.status, json: made.json }).toMatchObject({
    status: 201,
    json: { name: 'Shop', warnings: [{ code: 'image_not_fetched' }] },
  })
})
