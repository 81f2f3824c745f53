import { expect, test } from 'vitest'
import type { ActionTry } from '../../../src/shared/contract/action-tries.ts'
import type { ConnectorImportPlan } from '../../../src/shared/contract/connector-imports.ts'
import type { Action, Connector } from '../../../src/shared/contract/connectors.ts'
import { callHttp } from '../../helpers/http.ts'
import { selfSigned } from '../../helpers/self-signed.ts'
import { startTestApp, type TestApp } from '../../helpers/test-app.ts'
import { session } from '../../helpers/test-server.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'

async function plan(app: TestApp, document: object): Promise<ConnectorImportPlan> {
  const answer = await app.call('POST', '/v1/connectors/import/plan', { source: JSON.stringify(document) })
  expect({ status: answer.status, text: answer.text.slice(0, 500) }).toEqual({
    status: 200,
    text: expect.any(String),
  })
  return answer.json as ConnectorImportPlan
}

const startEcho = () =>
  startThirdPartyApi((_request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end('{}')
  })

/** Imports a document and calls its actions by their names. */
async function imported(document: object) {
  const app = await startTestApp()
  const { file, left_out, notes } = await plan(app, document)
  const made = await app.call('POST', '/v1/connectors/import', file)
  expect({ status: made.status, text: made.text.slice(0, 500) }).toEqual({
    status: 201,
    text: expect.any(String),
  })
  const { id } = made.json as Connector
  const path = `/v1/connector-actions?filter=connector_id,eq,${id}&per_page=200`
  const actions = (await app.call('GET', path)).json as Action[]
  return {
    app,
    id,
    file,
    left_out,
    notes,
    actions,
    call: async (name: string, input: object = {}, more: object = {}): Promise<ActionTry> => {
      const action = actions.find((one) => one.name === name)
      const answer = await app.call('POST', `/v1/connector-actions/${action?.id}/try`, { input, ...more })
      expect(answer.status).toBe(200)
      return answer.json as ActionTry
    },
  }
}

const ARRAY = { type: 'array', items: { type: 'string' } }
const OBJECT = { type: 'object', properties: { R: {}, G: {}, B: {} } }
const BLUES = ['blue', 'black', 'brown']
const RGB = { R: 100, G: 200, B: 150 }

/**
 * The table of styles in OpenAPI 3.1.1, section 4.8.12.6, row by row: location, style, explode, schema, value, and what
 * is sent.
 */
const STYLES: readonly (readonly [string, string, boolean, object, unknown, string])[] = [
  ['path', 'matrix', false, { type: 'string' }, 'blue', ';color=blue'],
  ['path', 'matrix', false, ARRAY, BLUES, ';color=blue,black,brown'],
  ['path', 'matrix', true, ARRAY, BLUES, ';color=blue;color=black;color=brown'],
  ['path', 'matrix', false, OBJECT, RGB, ';color=R,100,G,200,B,150'],
  ['path', 'matrix', true, OBJECT, RGB, ';R=100;G=200;B=150'],
  ['path', 'label', false, { type: 'string' }, 'blue', '.blue'],
  ['path', 'label', false, ARRAY, BLUES, '.blue,black,brown'],
  ['path', 'label', true, ARRAY, BLUES, '.blue.black.brown'],
  ['path', 'label', false, OBJECT, RGB, '.R,100,G,200,B,150'],
  ['path', 'label', true, OBJECT, RGB, '.R=100.G=200.B=150'],
  ['path', 'simple', false, { type: 'string' }, 'blue', 'blue'],
  ['path', 'simple', false, ARRAY, BLUES, 'blue,black,brown'],
  ['path', 'simple', true, ARRAY, BLUES, 'blue,black,brown'],
  ['path', 'simple', false, OBJECT, RGB, 'R,100,G,200,B,150'],
  ['path', 'simple', true, OBJECT, RGB, 'R=100,G=200,B=150'],
  ['query', 'form', true, { type: 'string' }, '', '?color='],
  ['query', 'form', true, { type: 'string' }, 'blue', '?color=blue'],
  ['query', 'form', false, ARRAY, BLUES, '?color=blue,black,brown'],
  ['query', 'form', true, ARRAY, BLUES, '?color=blue&color=black&color=brown'],
  ['query', 'form', false, OBJECT, RGB, '?color=R,100,G,200,B,150'],
  ['query', 'form', true, OBJECT, RGB, '?R=100&G=200&B=150'],
  ['query', 'spaceDelimited', false, ARRAY, BLUES, '?color=blue%20black%20brown'],
  ['query', 'spaceDelimited', false, OBJECT, RGB, '?color=R%20100%20G%20200%20B%20150'],
  ['query', 'pipeDelimited', false, ARRAY, BLUES, '?color=blue%7Cblack%7Cbrown'],
  ['query', 'pipeDelimited', false, OBJECT, RGB, '?color=R%7C100%7CG%7C200%7CB%7C150'],
  ['query', 'deepObject', true, OBJECT, RGB, '?color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150'],
  // Beyond the table: special characters in values, other types, and absent values.
  ['path', 'simple', false, { type: 'string' }, 'a/b?c d', 'a%2Fb%3Fc%20d'],
  ['path', 'simple', false, { type: 'boolean' }, true, 'true'],
  ['query', 'form', false, ARRAY, ['a,b', 'c&d'], '?color=a%2Cb,c%26d'],
  ['query', 'form', false, ARRAY, 'abc', '?color=abc'],
  ['query', 'form', false, ARRAY, [], ''],
  ['query', 'form', false, ARRAY, undefined, ''],
  ['query', 'form', false, { type: 'array', items: { type: 'boolean' } }, [true, false], '?color=true,false'],
  ['query', 'pipeDelimited', false, { type: 'array', items: { type: 'number' } }, [1.5, 2], '?color=1.5%7C2'],
  ['query', 'form', true, { type: 'boolean' }, false, '?color=false'],
  [
    'query',
    'deepObject',
    true,
    OBJECT,
    { R: { min: 'a b', max: true } },
    '?color%5BR%5D%5Bmin%5D=a%20b&color%5BR%5D%5Bmax%5D=true',
  ],
  ['query', 'deepObject', true, ARRAY, ['a', 'b'], '?color%5B0%5D=a&color%5B1%5D=b'],
  ['query', 'deepObject', true, OBJECT, undefined, ''],
]

test("parameters are serialized according to OpenAPI's style table", async () => {
  const api = await startEcho()
  const paths = STYLES.map(([place, style, explode, schema], index) => [
    place === 'path' ? `/${index}/{color}` : `/${index}`,
    {
      get: {
        operationId: `row${index}`,
        parameters: [{ name: 'color', in: place, style, explode, schema, required: place === 'path' }],
      },
    },
  ])
  const { call } = await imported({
    openapi: '3.1.1',
    servers: [{ url: api.url }],
    paths: Object.fromEntries(paths) as object,
  })
  for (const [index, [, , , , color]] of STYLES.entries()) await call(`row${index}`, { color })
  expect(api.received.map(({ target }) => target)).toEqual(
    STYLES.map(([place, , , , , sent], index) =>
      place === 'path' ? `/${index}/${sent}` : `/${index}${sent}`,
    ),
  )
})

test('headers, cookies, reserved characters, media types and clashing names arrive as intended', async () => {
  const api = await startEcho()
  const parameters = [
    { name: 'id', in: 'path', required: true, schema: { type: 'integer' } },
    { name: 'id', in: 'query', schema: { type: 'string' } },
    { name: 'X-Tags', in: 'header', schema: ARRAY },
    { name: 'X-Gone', in: 'header', schema: ARRAY },
    { name: 'sid', in: 'cookie', schema: { type: 'string' } },
    { name: 'lang', in: 'cookie', schema: { type: 'string' } },
    { name: 'to', in: 'query', allowReserved: true, schema: { type: 'string' } },
    { name: 'filter', in: 'query', content: { 'application/json': { schema: { type: 'object' } } } },
    { name: 'Content-Type', in: 'header', schema: { type: 'string' } },
  ]
  const { call, file } = await imported({
    openapi: '3.0.3',
    servers: [{ url: api.url }],
    paths: {
      '/things/{id}': {
        parameters,
        post: {
          operationId: 'make',
          requestBody: {
            content: {
              'application/json': {
                schema: {
                  properties: {
                    id: { type: 'string' },
                    'X-Tags': { type: 'string' },
                    own: { type: 'string', readOnly: true },
                    on: { type: 'boolean' },
                  },
                },
              },
            },
          },
        },
      },
    },
  })
  await call('make', {
    id: 5,
    query_id: 'six',
    x_tags: ['a', 'b'],
    sid: 'a b',
    to: 'https://x.example/a?b&c',
    filter: { a: [1] },
    body_id: 'seven',
    body_x_tags: 't',
    on: false,
  })
  const { target, headers, body } = api.received[0]!
  expect({
    target,
    tags: headers['x-tags'],
    gone: headers['x-gone'],
    cookie: headers['cookie'],
    body: String(body),
  }).toEqual({
    target: '/things/5?to=https://x.example/a?b%26c&id=six&filter=%7B%22a%22%3A%20%5B1%5D%7D',
    tags: 'a,b',
    gone: undefined,
    cookie: 'sid=a%20b',
    body: '{"id":"seven","X-Tags":"t","on":false}',
  })
  expect(file.actions[0]?.ui_form_schema?.map(({ name }) => name)).not.toContain('own')
})

test('bodies of every kind are serialized according to their media type and encoding', async () => {
  const api = await startEcho()
  const operation = (operationId: string, type: string, media: object) => [
    `/${operationId}`,
    { post: { operationId, requestBody: { required: true, content: { [type]: media } } } },
  ]
  const form = {
    schema: {
      type: 'object',
      properties: {
        name: { type: 'string' },
        tags: ARRAY,
        codes: ARRAY,
        address: { type: 'object', properties: { city: {} } },
        plain: { type: 'object' },
      },
    },
    encoding: { codes: { explode: false }, address: { style: 'deepObject', explode: true } },
  }
  const upload = {
    schema: {
      type: 'object',
      properties: {
        title: { type: 'string' },
        about: { type: 'object' },
        file: { type: 'string', format: 'binary' },
        more: { type: 'array', items: { type: 'string', format: 'binary' } },
        notes: { type: 'string' },
      },
    },
    encoding: { notes: { contentType: 'text/markdown' } },
  }
  const { app, call, left_out } = await imported({
    openapi: '3.1.0',
    servers: [{ url: api.url }],
    paths: Object.fromEntries([
      operation('flat', 'application/x-www-form-urlencoded', { schema: { properties: { a: {}, b: ARRAY } } }),
      operation('nested', 'application/x-www-form-urlencoded', form),
      operation('upload', 'multipart/form-data', upload),
      operation('binary', 'application/octet-stream', {}),
      operation('picture', 'image/*', {}),
      operation('anything', '*/*', { schema: { properties: { a: { type: 'integer' } } } }),
      operation('text', 'text/csv', { schema: { type: 'string' } }),
      operation('word', 'application/json', { schema: { type: 'string' } }),
      operation('patch', 'application/merge-patch+json', { schema: { type: 'object' } }),
      operation('mixed', 'multipart/related', { schema: { type: 'object' } }),
    ]) as object,
  })
  const uploaded = await callHttp(app.port, {
    method: 'POST',
    path: '/v1/file-uploads?filename=a.png',
    headers: { ...session, 'content-type': 'image/png' },
    body: 'PNG',
  })
  const { id: file_id } = uploaded.json as { id: string }
  const file = { file_id, filename: 'a.png', content_type: 'image/png' }
  await call('flat', { a: 'x y', b: ['1', '2'] })
  await call('nested', {
    name: 'A&B',
    tags: ['1', '2'],
    codes: ['x', 'y'],
    address: { city: 'Bern' },
    plain: { a: 1 },
  })
  await call('upload', { title: 'T', about: { a: 1 }, file: file_id, more: [file], notes: '# N' })
  await call('binary', { body: file_id })
  await call('picture', { body: file })
  await call('anything', { a: 1 })
  await call('text', { body: 'a;b' })
  await call('word', { body: 'hello' })
  await call('patch', { body: { a: null } })
  const mixed = await call('mixed', {})
  const sent = api.received.map(({ headers, body }) => {
    const [type = '', boundary = '-'] = (headers['content-type'] ?? '').split('; boundary=')
    return [type, body.toString().replaceAll(boundary, 'B').split('\r\n').join('|')]
  })
  const part = (rest: string) => `--B|Content-Disposition: form-data; name=${rest}|`
  expect(sent).toEqual([
    ['application/x-www-form-urlencoded', 'a=x%20y&b=1&b=2'],
    [
      'application/x-www-form-urlencoded',
      'name=A%26B&tags=1&tags=2&codes=x,y&address%5Bcity%5D=Bern&plain=%7B%22a%22%3A%201%7D',
    ],
    [
      'multipart/form-data',
      [
        part('"title"||T'),
        part('"about"|Content-Type: application/json||{"a": 1}'),
        part('"file"; filename="a.png"|Content-Type: image/png||PNG'),
        part('"more"; filename="a.png"|Content-Type: image/png||PNG'),
        part('"notes"|Content-Type: text/markdown||# N'),
        '--B--|',
      ].join(''),
    ],
    ['application/octet-stream', 'PNG'],
    ['image/png', 'PNG'],
    ['application/json', '{"a":1}'],
    ['text/csv', 'a;b'],
    ['application/json', '"hello"'],
    ['application/merge-patch+json', '{"a":null}'],
  ])
  expect({ ok: mixed.ok, message: mixed.message }).toEqual({
    ok: false,
    message: expect.stringContaining('mixed'),
  })
  expect(left_out.map(({ item }) => item)).toEqual(['POST /mixed: the body'])
})

test('a value that no form can offer, a cycle and a reference to another file leave the rest of a document intact', async () => {
  const api = await startEcho()
  const { call, file, left_out } = await imported({
    openapi: '3.0.0',
    servers: [{ url: api.url }],
    components: {
      schemas: {
        Node: {
          allOf: [{ $ref: '#/components/schemas/Node' }],
          properties: { next: { $ref: '#/components/schemas/Node' } },
        },
        Pet: {
          oneOf: [
            { required: ['bark'], properties: { kind: { enum: ['dog'] }, bark: { type: 'string' } } },
            { properties: { kind: { enum: ['cat'] }, size: { $ref: 'common.yaml#/Size' } } },
          ],
        },
      },
    },
    paths: {
      '/pets': {
        get: {
          operationId: 'list',
          parameters: [
            {
              name: 'state',
              in: 'query',
              schema: { type: 'string', nullable: true, enum: ['on', 'off', null] },
            },
            { name: 'flag', in: 'query', schema: { enum: [true, false, null] } },
            { name: 'size', in: 'query', schema: { type: 'integer', enum: [1, 2] } },
            { name: 'code', in: 'query', schema: { type: 'string', enum: [1, true] } },
          ],
        },
        post: {
          operationId: 'add',
          requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } } },
        },
        put: { operationId: 'put', requestBody: { $ref: 'bodies.yaml#/Pet' } },
        delete: { operationId: 'drop', parameters: [{ $ref: 'common.yaml#/Id' }] },
      },
      '/nodes': {
        post: {
          operationId: 'node',
          requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Node' } } } },
        },
      },
      '/other': { $ref: 'paths.yaml#/other' },
    },
  })
  expect(file.actions.find(({ name }) => name === 'list')?.ui_form_schema).toMatchObject([
    { name: 'state', type: 'select', options: [{ value: 'on' }, { value: 'off' }] },
    { name: 'flag', type: 'switch' },
    { name: 'size', type: 'select', options: [{ value: 1 }, { value: 2 }] },
    { name: 'code', type: 'text' },
  ])
  expect(file.actions.find(({ name }) => name === 'add')?.ui_form_schema).toMatchObject([
    { name: 'kind', options: [{ value: 'dog' }, { value: 'cat' }], required: false },
    { name: 'bark', required: false },
    { name: 'size' },
  ])
  await call('list', { flag: false, size: 2 })
  await call('add', { kind: 'cat', size: 3 })
  await call('node', { next: { next: null } })
  expect(api.received.map(({ target, body }) => [target, body.toString()])).toEqual([
    ['/pets?flag=false&size=2', ''],
    ['/pets', '{"kind":"cat","size":3}'],
    ['/nodes', '{"next":{"next":null}}'],
  ])
  expect([(await call('put')).ok, (await call('drop')).ok]).toEqual([false, false])
  expect(api.received).toHaveLength(3)
  expect(left_out.map(({ item }) => item).toSorted()).toEqual([
    '/other',
    'DELETE /pets: a parameter',
    'PUT /pets: the body',
    'reference bodies.yaml#/Pet',
    'reference common.yaml#/Id',
    'reference common.yaml#/Size',
    'reference paths.yaml#/other',
  ])
})

test('a document that expands to far more than its size is read once, up to a limit', async () => {
  const app = await startTestApp()
  const levels = 40
  const schemas = Object.fromEntries(
    Array.from({ length: levels }, (_, level) => [
      `L${level}`,
      level === levels - 1
        ? { properties: { deepest: { type: 'string' } } }
        : {
            allOf: Array.from({ length: 8 }, () => ({ $ref: `#/components/schemas/L${level + 1}` })),
            properties: { [`p${level}`]: { type: 'string' } },
          },
    ]),
  )
  const wide = Object.fromEntries(
    Array.from({ length: 400 }, (_, at) => [
      `W${at}`,
      {
        ...(at > 0
          ? { allOf: Array.from({ length: 8 }, () => ({ $ref: `#/components/schemas/W${at - 1}` })) }
          : {}),
        properties: Object.fromEntries(Array.from({ length: 10 }, (_one, key) => [`w${at}_${key}`, {}])),
      },
    ]),
  )
  const body = (name: string) => ({
    post: {
      operationId: name,
      requestBody: { content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } } },
    },
  })
  const { file, left_out } = await plan(app, {
    openapi: '3.0.0',
    servers: [{ url: 'https://x.example' }],
    components: { schemas: { ...schemas, ...wide } },
    paths: { '/deep': body('L0'), '/wide': body('W399') },
  })
  expect(file.actions[0]?.ui_form_schema).toHaveLength(levels)
  expect(left_out.map(({ item }) => item)).toContain('schemas')
})

const SECURED = {
  openapi: '3.0.0',
  components: {
    securitySchemes: {
      app: { type: 'apiKey', in: 'header', name: 'X-App-Id' },
      key: { type: 'apiKey', in: 'header', name: 'X-Key' },
      caller: { type: 'apiKey', in: 'query', name: 'caller' },
      token: { type: 'http', scheme: 'bearer' },
      hoba: { type: 'http', scheme: 'hoba' },
      certificate: { type: 'mutualTLS' },
    },
  },
  security: [{ key: [], app: [], caller: [] }],
  paths: {
    '/all': { get: { operationId: 'all' } },
    '/own': { get: { operationId: 'own', security: [{ key: [], app: [], caller: [] }] } },
    '/token': { get: { operationId: 'by_token', security: [{ token: [] }] } },
    '/hoba': { get: { operationId: 'by_hoba', security: [{ hoba: [] }] } },
    '/certificate': { get: { operationId: 'by_certificate', security: [{ certificate: [] }] } },
    '/open': { get: { operationId: 'open', security: [] } },
  },
}

test('credentials that belong together are sent together; an operation that no auth can satisfy is omitted', async () => {
  const api = await startEcho()
  const { app, id, call, left_out } = await imported({ ...SECURED, servers: [{ url: api.url }] })
  const stored = (await app.call('GET', `/v1/connectors/${id}`)).json as Connector
  expect(stored.auth_config.auth_types).toEqual(['api_key', 'bearer', 'client_certificate'])
  const auth = async (body: object) =>
    (
      (await app.call('POST', '/v1/connector-auths', { connector_id: id, name: 'Mine', ...body })).json as {
        id: string
      }
    ).id
  const keys = await auth({
    auth_type: 'api_key',
    auth_token: 'the-first-key',
    user_input: { app: 'the-app-id', caller: 'the-caller', key: 'the-first-key' },
  })
  const token = await auth({ auth_type: 'bearer', auth_token: 'the-token', user_input: {} })
  await call('all', {}, { auth_id: keys })
  await call('by_token', {}, { auth_id: token })
  const refused = await call('by_hoba', {}, { auth_id: token })
  const seen = api.received.map(({ target, headers }) => ({
    target,
    keys: [headers['x-app-id'], headers['x-key'], headers['authorization']],
  }))
  expect(seen).toEqual([
    { target: '/all?caller=the-caller', keys: expect.arrayContaining(['the-app-id', 'the-first-key']) },
    { target: '/token', keys: [undefined, undefined, 'Bearer the-token'] },
  ])
  expect(refused.ok).toBe(false)
  expect(left_out.map(({ item }) => item)).toEqual(['security scheme hoba', 'GET /hoba: security'])
})

test('OAuth is imported with its grant, its full URLs and the scopes that calls require', async () => {
  const app = await startTestApp()
  const withFlows = (flows: object) =>
    plan(app, {
      openapi: '3.0.0',
      servers: [{ url: 'https://api.example/v1' }],
      components: { securitySchemes: { login: { type: 'oauth2', flows } } },
      security: [{ login: ['read'] }],
      paths: { '/a': { get: {} }, '/b': { post: { security: [{ login: ['write'] }] } } },
    })
  const scopes = { read: '', write: '', admin: '' }
  const plans = await Promise.all(
    [
      {
        authorizationCode: {
          authorizationUrl: '/login',
          tokenUrl: 'https://id.example/token',
          refreshUrl: '/renew',
          scopes,
        },
      },
      { clientCredentials: { tokenUrl: 'https://id.example/token', scopes: {} } },
      { implicit: { authorizationUrl: 'https://id.example/login', scopes } },
    ].map(withFlows),
  )
  expect(plans.map(({ file }) => file.connector.auth_config)).toEqual([
    {
      auth_types: ['oauth2'],
      auth_form: [],
      grant_type: 'authorization_code',
      authorization_url: 'https://api.example/login',
      access_url: 'https://id.example/token',
      token_refresh_url: 'https://api.example/renew',
      scope: ['read', 'write'],
    },
    {
      auth_types: ['oauth2'],
      auth_form: [],
      grant_type: 'client_credentials',
      access_url: 'https://id.example/token',
      scope: ['read', 'write'],
    },
    { auth_types: ['bearer'], auth_form: [expect.objectContaining({ name: 'auth_token' })] },
  ])
  expect(plans.map(({ notes }) => notes.length)).toEqual([2, 0, 1])
})

test('each kind of security scheme becomes an auth type, or the report says why not', async () => {
  const app = await startTestApp()
  const header = { type: 'apiKey', in: 'header', name: 'Authorization' }
  const http = (scheme: string) => ({ type: 'http', scheme })
  const address = 'https://id.example/x'
  const device = { deviceAuthorizationUrl: address, tokenUrl: address, scopes: {} }
  const oauth = (flows: object) => ({ type: 'oauth2', flows })
  const schemes: readonly (readonly [object, object | null, RegExp?])[] = [
    [{ ...header, 'x-amazon-apigateway-authtype': 'awsSigv4' }, { auth_types: ['aws_sigv4'] }],
    [header, { auth_types: ['api_key'] }],
    [http('AWS4-HMAC-SHA256'), { auth_types: ['aws_sigv4'] }],
    [http('OAuth'), { auth_types: ['oauth1'] }],
    [http('Digest'), { auth_types: ['digest'] }],
    [http('Signature'), { auth_types: ['hmac'] }, /auth_config\.signing/],
    [http('Token'), { auth_types: ['basic_auth'] }, /whole value of Authorization/],
    [http('DPoP'), null, /needs an exchange/],
    [
      oauth({ deviceAuthorization: device }),
      {
        auth_types: ['oauth2'],
        grant_type: 'device_code',
        device_authorization_url: address,
        access_url: address,
      },
    ],
    [
      oauth({ clientCredentials: { tokenUrl: address, scopes: {} }, deviceAuthorization: device }),
      { grant_type: 'device_code' },
      /also issues tokens by client_credentials/,
    ],
    [oauth({ password: { tokenUrl: address, scopes: {} } }), { auth_types: ['bearer'] }, /\(password\)/],
    [
      { type: 'openIdConnect', openIdConnectUrl: 'https://id.example/conf' },
      { auth_types: ['bearer'] },
      /in https:\/\/id\.example\/conf/,
    ],
  ]
  for (const [scheme, config, said] of schemes) {
    const { file, left_out, notes } = await plan(app, {
      openapi: '3.2.0',
      servers: [{ url: 'https://api.example' }],
      components: { securitySchemes: { one: scheme } },
      security: [{ '#/components/securitySchemes/one': [] }],
      paths: { '/a': { get: {} } },
    })
    const { auth_config: made } = file.connector
    expect({ made }).toMatchObject({ made: config ?? undefined })
    const remarks = [...notes.map(({ note }) => note), ...left_out.map(({ reason }) => reason)].join('\n')
    expect(remarks).toMatch(said ?? /^$/)
  }
  const old = await plan(app, {
    swagger: '2.0',
    host: 'api.example',
    securityDefinitions: { sign: { ...header, 'x-amazon-apigateway-authtype': 'awsSigv4' } },
    security: [{ sign: [] }],
    paths: { '/a': { get: { responses: {} } } },
  })
  expect(old.file.connector.auth_config).toMatchObject({ auth_types: ['aws_sigv4'] })
})

test('a certificate and a token or key that are wanted together are one auth', async () => {
  const api = await startEcho()
  const { app, id, call, left_out } = await imported({
    openapi: '3.1.0',
    servers: [{ url: api.url }],
    components: {
      securitySchemes: {
        certificate: { type: 'mutualTLS' },
        token: { type: 'http', scheme: 'bearer' },
        login: { type: 'http', scheme: 'basic' },
        tenant: { type: 'apiKey', in: 'header', name: 'X-Tenant' },
      },
    },
    paths: {
      '/a': { get: { operationId: 'a', security: [{ token: [], certificate: [], tenant: [] }] } },
      '/b': { get: { operationId: 'b', security: [{ login: [], certificate: [] }] } },
    },
  })
  const own = selfSigned('127.0.0.1')
  const auth = await app.call('POST', '/v1/connector-auths', {
    connector_id: id,
    name: 'Bank',
    auth_type: 'client_certificate',
    auth_token: 'the-token',
    user_input: { tenant: 'the-tenant', certificate: own.cert, private_key: own.key },
  })
  expect(auth.status).toBe(201)
  await call('a', {}, { auth_id: (auth.json as { id: string }).id })
  expect(api.received.map(({ headers }) => [headers['authorization'], headers['x-tenant']])).toEqual([
    ['Bearer the-token', 'the-tenant'],
  ])
  expect(left_out.map(({ item }) => item)).toEqual(['security login and certificate', 'GET /b: security'])
})

test('servers of paths and operations are called, and the auth asks for an incomplete URL', async () => {
  const [api, other] = [await startEcho(), await startEcho()]
  const { call, file, notes } = await imported({
    openapi: '3.0.0',
    servers: [{ url: `${api.url}/v1` }],
    paths: {
      '/a': { get: { operationId: 'a' } },
      '/b': { servers: [{ url: `${api.url}/v2/` }], get: { operationId: 'b' } },
      '/c/{id}': { get: { operationId: 'c', servers: [{ url: other.url }] } },
    },
  })
  await call('a')
  await call('b')
  await call('c', { id: 'x' })
  expect([api, other].map(({ received }) => received.map(({ target }) => target))).toEqual([
    ['/v1/a', '/v2/b'],
    ['/c/x'],
  ])
  expect({ origins: file.connector.allowed_origins, notes: notes.map(({ item }) => item) }).toEqual({
    origins: [other.url],
    notes: [`GET /c/{id}: server ${other.url}`],
  })
  const relative = await imported({
    openapi: '3.0.0',
    servers: [{ url: '/api/v3' }],
    paths: { '/a': { get: { operationId: 'a' } } },
  })
  const auth = await relative.app.call('POST', '/v1/connector-auths', {
    connector_id: relative.id,
    name: 'Here',
    auth_type: 'none',
    user_input: { server: api.url },
  })
  const tries = [
    await relative.call('a'),
    await relative.call('a', {}, { auth_id: (auth.json as { id: string }).id }),
  ]
  expect(tries.map(({ ok }) => ok)).toEqual([false, true])
  expect(api.received.at(-1)?.target).toBe('/api/v3/a')
  expect(relative.left_out.map(({ item }) => item)).toEqual(['server /api/v3'])
})

test('lists with a described pagination are read to their end; others are called once', async () => {
  const people = [1, 2, 3, 4, 5].map((id) => ({ id }))
  const api = await startThirdPartyApi(({ target }, response) => {
    const url = new URL(target, 'http://x')
    const at = (name: string, otherwise: number) => Number(url.searchParams.get(name) ?? otherwise)
    const answer = {
      '/people': () => {
        const from = at('offset', 0)
        return { total: 5, people: people.slice(from, from + 2) }
      },
      '/shops/7/orders': () => {
        const from = at('cursor', 0)
        return { data: people.slice(from, from + 2), next_cursor: from + 2 < 5 ? String(from + 2) : null }
      },
      '/counted': () => {
        const from = at('offset', 0)
        return { count: people.slice(from, from + 2).length, ids: ['x'], data: people.slice(from, from + 2) }
      },
      '/pages': () => people.slice((at('page', 1) - 1) * 2, at('page', 1) * 2),
      '/unclear': () => people.slice(at('page', 0) * 2, at('page', 0) * 2 + 2),
    }[url.pathname]
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(answer?.() ?? null))
  })
  const list = { type: 'array', items: { type: 'object', properties: { id: { type: 'integer' } } } }
  const operation = (operationId: string, parameters: object[], schema: object) => ({
    get: {
      operationId,
      parameters,
      responses: { 200: { description: '', content: { 'application/json': { schema } } } },
    },
  })
  const integer = (name: string, schema: object = {}) => ({
    name,
    in: 'query',
    schema: { type: 'integer', ...schema },
  })
  const { call, file, notes } = await imported({
    openapi: '3.0.0',
    servers: [{ url: api.url }],
    paths: {
      '/people': operation('people', [integer('offset'), integer('limit')], {
        properties: { total: { type: 'integer' }, people: list },
      }),
      '/shops/{shop}/orders': operation(
        'orders',
        [{ name: 'cursor', in: 'query', schema: { type: 'string' } }],
        {
          properties: { data: list, next_cursor: { type: 'string', nullable: true } },
        },
      ),
      '/pages': operation('pages', [integer('page', { default: 1 })], list),
      '/unclear': operation('unclear', [integer('page')], list),
      '/counted': operation('counted', [integer('offset')], {
        properties: { count: { type: 'integer' }, ids: ARRAY, data: list },
      }),
      '/two': operation('two', [integer('offset')], { properties: { shops: list, people: list } }),
      '/one': operation('one', [], { properties: { id: { type: 'integer' } } }),
    },
  })
  const counts = []
  for (const [name, input] of [
    ['people', {}],
    ['orders', { shop: '7' }],
    ['pages', {}],
    ['unclear', {}],
    ['counted', {}],
  ] as const) {
    const { record_count, output } = await call(name, input, { max_pages: 10 })
    counts.push([name, record_count ?? (output as unknown[]).length])
  }
  expect(counts).toEqual([
    ['people', 5],
    ['orders', 5],
    ['pages', 5],
    ['unclear', 2],
    ['counted', 5],
  ])
  expect(file.connector.pagination_config).toHaveLength(4)
  expect(notes.map(({ item }) => item)).toEqual([
    'GET /people',
    'GET /shops/{shop}/orders',
    'GET /pages',
    'GET /counted',
  ])
})

test('a Swagger 2.0 document is converted with its bodies, forms and separators', async () => {
  const api = await startEcho()
  const { call, file } = await imported({
    swagger: '2.0',
    info: { title: 'Old' },
    host: api.url.replace('http://', ''),
    basePath: '/v1',
    schemes: ['http'],
    consumes: ['application/json'],
    securityDefinitions: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } },
    security: [{ key: [] }],
    parameters: {
      Pet: { name: 'body', in: 'body', required: true, schema: { $ref: '#/definitions/Pet' } },
      Ids: { name: 'ids', in: 'query', type: 'array', items: { type: 'string' } },
    },
    definitions: { Pet: { type: 'object', properties: { name: { type: 'string' } } } },
    paths: {
      '/pets': {
        post: { operationId: 'add', parameters: [{ $ref: '#/parameters/Pet' }] },
        get: {
          operationId: 'list',
          parameters: [
            { $ref: '#/parameters/Ids' },
            {
              name: 'kinds',
              in: 'query',
              type: 'array',
              collectionFormat: 'multi',
              items: { type: 'string' },
            },
            { name: 'old', in: 'query', type: 'array', collectionFormat: 'pipes', items: { type: 'string' } },
          ],
        },
      },
      '/form': {
        post: {
          operationId: 'form',
          parameters: [
            { name: 'a', in: 'formData', type: 'string' },
            { name: 'b', in: 'formData', type: 'array', items: { type: 'string' } },
          ],
        },
      },
      '/file': { post: { operationId: 'file', parameters: [{ name: 'up', in: 'formData', type: 'file' }] } },
    },
  })
  await call('add', { name: 'Tom' })
  await call('list', { ids: ['1', '2'], kinds: ['a', 'b'], old: ['x', 'y'] })
  await call('form', { a: 'x', b: ['1', '2'] })
  expect(
    api.received.map(({ method, target, headers, body }) => [
      method,
      target,
      headers['content-type'],
      body.toString(),
    ]),
  ).toEqual([
    ['POST', '/v1/pets', 'application/json', '{"name":"Tom"}'],
    ['GET', '/v1/pets?ids=1,2&kinds=a&kinds=b&old=x%7Cy', undefined, ''],
    ['POST', '/v1/form', 'application/x-www-form-urlencoded', 'a=x&b=1,2'],
  ])
  expect(file.actions.find(({ name }) => name === 'file')?.headers).toEqual({
    'Content-Type': 'multipart/form-data',
  })
  expect(file.connector.header?.header_key).toBe('X-Key')
})

const responseOf = (properties: object) => ({
  200: {
    description: 'a list',
    content: { 'application/json': { schema: { type: 'object', properties } } },
  },
})
const listOfThings = { type: 'array', items: { type: 'object', properties: { id: { type: 'integer' } } } }
const parameter = (name: string, description: string, type = 'integer') => ({
  name,
  in: 'query',
  description,
  schema: { type },
})

test('a description that contradicts the name of a paging parameter is believed, and its list is left unpaged', async () => {
  const total = { total: { type: 'integer' } }
  const { file, notes } = await imported({
    openapi: '3.0.0',
    info: { title: 'Pages', version: '1' },
    servers: [{ url: 'https://api.example' }],
    paths: {
      '/executions': {
        get: {
          operationId: 'executions',
          parameters: [parameter('offset', 'The page number. Starts at 1.'), parameter('limit', 'Page size')],
          responses: responseOf({ data: listOfThings, ...total }),
        },
      },
      '/monitors': {
        get: {
          operationId: 'monitors',
          parameters: [parameter('id_offset', 'Start with zero, then set it to the last ID of the result')],
          responses: responseOf({ data: listOfThings, ...total }),
        },
      },
      '/companies/scroll': {
        get: {
          operationId: 'scroll',
          parameters: [parameter('scroll_param', 'Where to continue', 'string')],
          responses: responseOf({
            data: listOfThings,
            pages: {
              type: 'object',
              properties: {
                next: { type: 'object', properties: { starting_after: { type: 'string' } } },
              },
            },
            scroll_param: { type: 'string' },
          }),
        },
      },
    },
  })
  const { connector, actions } = file as unknown as {
    connector: { pagination_config: unknown }
    actions: { name: string; supports_automatic_pagination?: boolean }[]
  }
  expect({
    config: connector.pagination_config,
    paged: actions.filter((action) => action.supports_automatic_pagination === true).map(({ name }) => name),
    notes: notes.filter(({ note }) => note.includes('described as')),
  }).toEqual({
    config: expect.objectContaining({
      query: '{"scroll_param": "{{ previous_request.scroll_param }}"}',
    }) as unknown,
    paged: ['scroll'],
    notes: [
      { item: 'GET /executions', note: expect.stringContaining('the number of a page') as string },
      { item: 'GET /monitors', note: expect.stringContaining('the ID of the last record') as string },
    ],
  })
})

test('a list that a description does not require may be absent, if it requires something else', async () => {
  const configOf = async (required: readonly string[]) => {
    const schema = {
      type: 'object',
      required,
      properties: { kind: { type: 'string' }, items: listOfThings, nextPageToken: { type: 'string' } },
    }
    const { file } = await imported({
      openapi: '3.0.0',
      info: { title: 'Pages', version: '1' },
      servers: [{ url: 'https://api.example' }],
      paths: {
        '/things': {
          get: {
            operationId: 'things',
            parameters: [parameter('pageToken', 'Where to continue', 'string')],
            responses: {
              200: { description: 'a list', content: { 'application/json': { schema } } },
            },
          },
        },
      },
    })
    return (file.connector as { pagination_config?: unknown }).pagination_config
  }
  const config = {
    query: '{"pageToken": "{{ previous_request.nextPageToken }}"}',
    response_jsonpath: '$.items',
  }
  expect([await configOf(['kind']), await configOf(['kind', 'items']), await configOf([])]).toEqual([
    { ...config, list_may_be_absent: true },
    config,
    config,
  ])
})

test('the total of a search is next to its list, and not the number of its shards', async () => {
  const { file } = await imported({
    openapi: '3.0.0',
    info: { title: 'Search', version: '1' },
    servers: [{ url: 'https://api.example' }],
    paths: {
      '/_search': {
        get: {
          operationId: 'search',
          parameters: [
            parameter('from', 'How many hits to skip, starting from 0. Defaults to 0.'),
            parameter('size', 'Page size'),
          ],
          responses: responseOf({
            _shards: { type: 'object', properties: { total: { type: 'integer' } } },
            hits: {
              type: 'object',
              properties: {
                total: { type: 'object', properties: { value: { type: 'integer' } } },
                hits: listOfThings,
              },
            },
          }),
        },
      },
    },
  })
  const { connector } = file as unknown as { connector: { pagination_config: { stop_when?: string } } }
  expect(connector.pagination_config).toMatchObject({
    query: '{"from": {{ count }}}',
    stop_when: expect.stringContaining('previous_request.hits.total.value') as string,
  })
})

test.for([
  ['OpenAPI', { openapi: '3.0.0', servers: [{ url: 'https://api.example' }] }],
  ['Swagger', { swagger: '2.0', host: 'api.example', schemes: ['https'] }],
] as const)('an operation that is a reference is read, or reported: %s', async ([, head]) => {
  const { file, left_out } = await imported({
    ...head,
    info: { title: 'References', version: '1' },
    paths: {
      '/here': { get: { $ref: '#/x-operations/here' } },
      '/elsewhere': { get: { $ref: 'resources/elsewhere.yml' } },
    },
    'x-operations': {
      here: {
        operationId: 'here',
        parameters: [{ name: 'q', in: 'query', type: 'string', schema: { type: 'string' } }],
        responses: { 200: { description: 'fine' } },
      },
    },
  })
  const { actions } = file as unknown as { actions: { name: string; query: object }[] }
  expect({
    actions: actions.map(({ name, query }) => ({ name, query: Object.keys(query) })),
    reported: left_out.find(({ item }) => item === 'GET /elsewhere')?.reason,
  }).toEqual({
    actions: [{ name: 'here', query: ['q'] }],
    reported: expect.stringContaining('resources/elsewhere.yml') as string,
  })
})

test('IDs in queries, bodies and lists are looked up by the last words of their names, with what a list belongs to', async () => {
  const text = { type: 'string' }
  const inPath = (...names: string[]) =>
    names.map((name) => ({ name, in: 'path', required: true, schema: text }))
  const properties = {
    default_section_id: text,
    reviewer_user_ids: { type: 'array', items: text },
    author_id: text,
    external_user_id: text,
    messaging_service_id: text,
    task_assignment_id: text,
    policy_assignment_id: text,
    id: text,
  }
  const requestBody = { content: { 'application/json': { schema: { type: 'object', properties } } } }
  const { actions } = await imported({
    openapi: '3.1.0',
    info: { title: 'Work', version: '1' },
    servers: [{ url: 'https://work.example' }],
    paths: {
      '/projects': {
        get: {
          operationId: 'list_projects',
          parameters: [{ name: 'project_ids', in: 'query', schema: { type: 'array', items: text } }],
        },
      },
      '/projects/{project_id}/sections': {
        get: { operationId: 'list_sections', parameters: inPath('project_id') },
      },
      '/sections/{section_id}': { get: { operationId: 'get_section', parameters: inPath('section_id') } },
      '/boards/{board_id}/pins': { get: { operationId: 'list_pins', parameters: inPath('board_id') } },
      '/pins/{pin_id}': { get: { operationId: 'get_pin', parameters: inPath('pin_id') } },
      '/users': { get: { operationId: 'list_users' } },
      '/services': { get: { operationId: 'list_services' } },
      '/policies': { get: { operationId: 'list_policies' } },
      '/policies/{policy_id}/assignments': {
        get: { operationId: 'list_assignments', parameters: inPath('policy_id') },
      },
      '/users/tags': {
        get: { operationId: 'list_tags' },
        post: { operationId: 'tag', requestBody },
      },
    },
  })
  const form = (name: string) =>
    actions
      .find((action) => action.name === name)
      ?.ui_form_schema.map(({ name: field, type, lookup, help }) => [
        field,
        type,
        ...(type === 'lookup' ? [lookup] : []),
        ...(help === undefined || help === '' ? [] : [help]),
      ])
  const list = (action: string) => ({ action })
  const sections = { action: 'list_sections' }
  expect({
    section: form('get_section'),
    pin: form('get_pin'),
    projects: form('list_projects'),
    tag: form('tag'),
  }).toEqual({
    section: [
      ['project_id', 'lookup', list('list_projects'), 'Only to choose the section by its name'],
      ['section_id', 'lookup', sections],
    ],
    // Boards aren't listed, so a pin can't be chosen.
    pin: [['pin_id', 'text']],
    projects: [['project_ids', 'lookup', list('list_projects')]],
    tag: [
      ['default_section_id', 'text'],
      ['reviewer_user_ids', 'lookup', list('list_users')],
      ['author_id', 'lookup', list('list_users')],
      ['external_user_id', 'text'],
      ['messaging_service_id', 'text'],
      ['task_assignment_id', 'text'],
      ['policy_id', 'lookup', list('list_policies'), 'Only to choose the policy assignment by its name'],
      ['policy_assignment_id', 'lookup', list('list_assignments')],
      ['id', 'lookup', list('list_tags')],
    ],
  })
})

test('parameters for IDs become look-ups where another operation lists the records', async () => {
  const path = (...names: string[]) =>
    names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }))
  const ids = { type: 'array', items: { type: 'string' } }
  const body = { type: 'object', properties: { label_ids: ids, owner_id: { type: 'integer' }, note: {} } }
  const requestBody = { content: { 'application/json': { schema: body } } }
  const { actions } = await imported({
    openapi: '3.1.0',
    info: { title: 'Boards', version: '1' },
    servers: [{ url: 'https://boards.example' }],
    paths: {
      '/boards': { get: { operationId: 'list_boards' } },
      '/boards/{id}': { get: { operationId: 'get_board', parameters: path('id') } },
      '/boards/{board}/lists': { get: { operationId: 'list_lists', parameters: path('board') } },
      '/boards/{boardId}/lists/{list_slug}/cards': {
        post: { operationId: 'add_card', parameters: path('boardId', 'list_slug'), requestBody },
      },
      '/labels': { get: { operationId: 'list_labels' } },
      '/search': {
        get: {
          operationId: 'search',
          parameters: [{ name: 'board_id', in: 'query', schema: { type: 'string' } }],
        },
      },
      '/reports/{report_id}': { get: { operationId: 'get_report', parameters: path('report_id') } },
    },
  })
  const lookups = actions.flatMap(({ name, ui_form_schema: form }) =>
    form.map((field) => [
      `${name}.${field['name'] as string}`,
      field['type'],
      field['multiple'] ?? false,
      field['lookup'],
    ]),
  )
  expect(Object.fromEntries(lookups.map(([name, ...rest]) => [name, rest]))).toEqual({
    'get_board.id': ['lookup', false, { action: 'list_boards', read: 'get_board' }],
    'list_lists.board': ['lookup', false, { action: 'list_boards', read: 'get_board' }],
    'add_card.boardId': ['lookup', false, { action: 'list_boards', read: 'get_board' }],
    'add_card.list_slug': [
      'lookup',
      false,
      { action: 'list_lists', input: { board: '{{ input.boardId }}' }, response_fields: { id: '$.slug' } },
    ],
    'add_card.label_ids': ['lookup', true, { action: 'list_labels' }],
    'add_card.owner_id': ['number', false, undefined],
    'add_card.note': [expect.any(String), false, undefined],
    'search.board_id': ['lookup', false, { action: 'list_boards', read: 'get_board' }],
    'get_report.report_id': ['text', false, undefined],
  })
})
