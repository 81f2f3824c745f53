import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import type { ActionTry } from '../../../src/shared/contract/action-tries.ts'
import type { ConnectorImportPlan } from '../../../src/shared/contract/connector-imports.ts'
import type { Action, Connector } from '../../../src/shared/contract/connectors.ts'
import { callHttp } from '../../helpers/http.ts'
import { startTestApp } from '../../helpers/test-app.ts'
import { session } from '../../helpers/test-server.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'

const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json'

const startEcho = () =>
  startThirdPartyApi((_request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end('{}')
  })

/** Imports a collection and calls its actions by their names. */
async function imported(collection: object) {
  const app = await startTestApp()
  const source = JSON.stringify({ info: { name: 'Shop', schema: SCHEMA }, ...collection })
  const planned = await app.call('POST', '/v1/connectors/import/plan', { source })
  expect({ status: planned.status, text: planned.text.slice(0, 500) }).toEqual({
    status: 200,
    text: expect.any(String),
  })
  const { file, left_out, notes } = planned.json as ConnectorImportPlan
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
    file,
    notes,
    left: left_out.map(({ item }) => item),
    auth: async (body: object): Promise<string> => {
      const answer = await app.call('POST', '/v1/connector-auths', {
        connector_id: id,
        name: 'Mine',
        ...body,
      })
      expect(answer.status).toBe(201)
      return (answer.json as { id: string }).id
    },
    call: async (name: string, input: object = {}, auth_id: string | null = null): Promise<ActionTry> => {
      const action = actions.find((one) => one.name === name)
      const answer = await app.call('POST', `/v1/connector-actions/${action?.id}/try`, { input, auth_id })
      expect(answer.status).toBe(200)
      return answer.json as ActionTry
    },
  }
}

const request = (name: string, url: unknown, more: object = {}) => ({
  name,
  request: { method: 'GET', url, ...more },
})

test('the effective auth is that of the request, otherwise of its folder, otherwise of the collection', async () => {
  const api = await startEcho()
  const key = (name: string, place = 'header') => ({
    type: 'apikey',
    apikey: [
      { key: 'key', value: name },
      { key: 'value', value: 'written-secret-value' },
      { key: 'in', value: place },
    ],
  })
  const at = (path: string) => `${api.url}${path}`
  const { call, auth, left, file } = await imported({
    auth: { type: 'bearer', bearer: [{ key: 'token', value: 'written-secret-value' }] },
    item: [
      request('inherits', at('/inherits')),
      request('again', at('/again')),
      {
        name: 'Keys',
        auth: key('X-Shop-Key'),
        item: [
          request('by folder', at('/folder')),
          request('own', at('/own'), { auth: key('app', 'query') }),
        ],
      },
      request('odd', at('/odd'), { auth: { type: 'ntlm' } }),
      request('written', at('/written'), {
        header: [{ key: 'Authorization', value: 'Bearer written-secret-value' }],
      }),
    ],
  })
  expect(JSON.stringify(file)).not.toContain('written-secret-value')
  const token = await auth({ auth_type: 'bearer', auth_token: 'the-token', user_input: { app: 'the-app' } })
  const shopKey = await auth({ auth_type: 'api_key', auth_token: 'the-key', user_input: {} })
  await call('inherits', {}, token)
  await call('by_folder', {}, shopKey)
  await call('own', {}, token)
  await call('written', {}, token)
  const odd = await call('odd', {}, token)
  expect(
    api.received.map(({ target, headers }) => [target, headers['authorization'], headers['x-shop-key']]),
  ).toEqual([
    ['/inherits', 'Bearer the-token', undefined],
    ['/folder', undefined, 'the-key'],
    ['/own?app=the-app', 'Bearer the-token', undefined],
    ['/written', 'Bearer the-token', undefined],
  ])
  expect({ ok: odd.ok, left }).toEqual({ ok: false, left: ['odd: auth', 'written: header Authorization'] })
})

test('Hawk and tokens signed with a secret are signatures of the connector', async () => {
  const api = await startEcho()
  const secret = 'werxhqb98rpaxn39848xrunpaw3489ruxnpa98w4rxn'
  const list = (values: object) =>
    Object.entries(values).map(([key, value]) => ({ key, value: value as unknown }))
  const hawk = await imported({
    auth: { type: 'hawk', hawk: list({ authId: 'dh37', authKey: 'in-the-file', extraData: 'some-ext' }) },
    item: [request('one', `${api.url}/resource/1?b=1`)],
  })
  expect(JSON.stringify(hawk.file)).not.toContain('in-the-file')
  const body = { auth_type: 'hmac', username: 'dh37', password: secret }
  await hawk.call('one', {}, await hawk.auth(body))
  const jwt = await imported({
    auth: {
      type: 'jwt',
      jwt: list({
        algorithm: 'HS512',
        secret: 'in-the-file',
        isSecretBase64Encoded: false,
        payload: '{"iss": "Ann\'s shop", "iat": {{$timestamp}}}',
        addTokenTo: 'header',
      }),
    },
    item: [request('two', `${api.url}/two`)],
  })
  expect(JSON.stringify(jwt.file)).not.toContain('in-the-file')
  await jwt.call('two', {}, await jwt.auth(body))

  const [signed = '', token = ''] = api.received.map(({ headers }) => String(headers['authorization']))
  const [, ts, nonce, mac] =
    /^Hawk id="dh37", ts="(\d+)", nonce="([^"]+)", ext="some-ext", mac="([^"]+)"$/.exec(signed) ?? []
  const { hostname, port } = new URL(api.url)
  const text = `hawk.1.header\n${ts}\n${nonce}\nGET\n/resource/1?b=1\n${hostname}\n${port}\n\nsome-ext\n`
  expect(mac).toBe(createHmac('sha256', secret).update(text).digest('base64'))

  const [head = '', claims = '', signature] = token.replace('Bearer ', '').split('.')
  const read = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString())
  expect([read(head), read(claims)]).toEqual([
    { alg: 'HS512', typ: 'JWT' },
    { iss: "Ann's shop", iat: expect.any(Number) },
  ])
  expect(signature).toBe(createHmac('sha512', secret).update(`${head}.${claims}`).digest('base64url'))
})

test('each auth of Postman becomes an auth type, or the report says why not', async () => {
  const auths: readonly (readonly [object, string, RegExp?])[] = [
    [{ type: 'noauth' }, 'undefined'],
    [{ type: 'basic' }, 'username_password'],
    [{ type: 'bearer' }, 'bearer'],
    [{ type: 'digest' }, 'digest'],
    [{ type: 'apikey', apikey: { key: 'X-Key' } }, 'api_key'],
    [
      { type: 'awsv4', awsv4: { region: 'eu-west-1', service: 's3' } },
      'aws_sigv4',
      /region eu-west-1, service s3/,
    ],
    [{ type: 'oauth1' }, 'oauth1'],
    [{ type: 'oauth1', oauth1: { signatureMethod: 'HMAC-SHA256' } }, 'oauth1', /HMAC-SHA256: choose it/],
    [{ type: 'oauth1', oauth1: { signatureMethod: 'RSA-SHA1' } }, 'undefined', /signs with RSA-SHA1/],
    [
      { type: 'oauth2', oauth2: { grant_type: 'password_credentials' } },
      'bearer',
      /with password_credentials/,
    ],
    [{ type: 'jwt', jwt: { algorithm: 'RS256' } }, 'undefined', /private key/],
    [{ type: 'jwt', jwt: { payload: '{"exp": {{later}}}' } }, 'undefined', /has variables/],
    [{ type: 'asap' }, 'undefined', /private key/],
    [{ type: 'ntlm' }, 'undefined', /NTLM/],
    [{ type: 'edgegrid' }, 'undefined', /EdgeGrid/],
    [{ type: 'unheard-of' }, 'undefined', /has the type unheard-of/],
  ]
  const app = await startTestApp()
  for (const [auth, type, said] of auths) {
    const source = JSON.stringify({
      info: { name: 'Shop', schema: SCHEMA },
      auth,
      item: [request('one', 'https://api.example/one')],
    })
    const { file, left_out, notes } = (await app.call('POST', '/v1/connectors/import/plan', { source }))
      .json as ConnectorImportPlan
    expect(String(file.connector.auth_config?.auth_types)).toBe(type)
    const remarks = [...notes.map(({ note }) => note), ...left_out.map(({ reason }) => reason)].join('\n')
    expect(remarks).toMatch(said ?? /^$/)
  }
})

test('hosts, paths, queries and variables arrive as Postman sends them', async () => {
  const api = await startEcho()
  const other = await startEcho()
  const { call, auth, left, file } = await imported({
    variable: [
      { key: 'version', value: 'v2' },
      { key: 'base', value: '{{host}}/{{version}}' },
    ],
    item: [
      request('find', {
        raw: '{{base}}/people/:id?tag=a&tag={{tag}}&q=x%20y&flag',
        variable: [{ key: 'id', value: '7' }],
      }),
      request('list', '{{base}}/people?at={{$timestamp}}'),
      request('elsewhere', `${other.url}/x`),
      request('made up', '{{base}}/people/{{$randomFirstName}}'),
    ],
  })
  expect(file.connector).toMatchObject({
    base_domain: '{{ auth.user_input.host }}',
    auth_config: { auth_types: ['none'], auth_form: [{ name: 'host', required: true }] },
  })
  const here = await auth({ auth_type: 'none', user_input: { host: api.url } })
  await call('find', { id: 'a/b c', tag: 'd&e' }, here)
  await call('list', {}, here)
  const tries = [await call('made_up', {}, here), await call('list')]
  expect(api.received.map(({ target }) => target)).toEqual([
    '/v2/people/a%2Fb%20c?flag&tag=a&tag=d%26e&q=x%20y',
    expect.stringMatching(/^\/v2\/people\?at=\d{10}$/),
  ])
  expect(tries.map(({ ok }) => ok)).toEqual([false, false])
  expect(left).toEqual([])
})

test('bodies arrive with their types: raw, forms, files and GraphQL', async () => {
  const api = await startEcho()
  const post = (name: string, body: object, more: object = {}) =>
    request(name, `${api.url}/${name}`, { method: 'POST', body, ...more })
  const raw = (text: string, language?: string) => ({
    mode: 'raw',
    raw: text,
    ...(language === undefined ? {} : { options: { raw: { language } } }),
  })
  const { app, call } = await imported({
    item: [
      post('json', raw('{"name": "{{name}}", "count": {{count}}, "list": [{{count}}]}', 'json')),
      post('xml', raw('<a>{{name}}</a>', 'xml')),
      post('text', raw('hello')),
      post('own', raw('x'), { header: [{ key: 'content-type', value: 'application/x-own' }] }),
      post('form', {
        mode: 'urlencoded',
        urlencoded: [
          { key: 'a', value: '1' },
          { key: 'a', value: '{{name}}' },
          { key: 'off', value: 'x', disabled: true },
        ],
      }),
      post('upload', {
        mode: 'formdata',
        formdata: [
          { key: 'title', type: 'text', value: 'T' },
          { key: 'meta', type: 'text', value: '{"a":1}', contentType: 'application/json' },
          { key: 'pic', type: 'file', src: '/home/me/a.png' },
        ],
      }),
      post('file', { mode: 'file', file: { src: '/home/me/a.png' } }),
      post('graph', {
        mode: 'graphql',
        graphql: {
          query: 'query One($id: ID!) {\n  pet(id: $id) { name(like: "{{name}}") }\n}',
          variables: '{"id": "{{id}}", "n": 2}',
        },
      }),
    ],
  })
  const uploaded = await callHttp(app.port, {
    method: 'POST',
    path: '/v1/file-uploads?filename=a.png',
    headers: { ...session, 'content-type': 'image/png' },
    body: 'PNG',
  })
  const { id: file_id } = uploaded.json as { id: string }
  const name = 'say "hi"'
  await call('json', { name, count: 3 })
  await call('json', { name, count: '3' })
  await call('xml', { name: 'Tom' })
  await call('text')
  await call('own')
  await call('form', { name: 'x y' })
  await call('upload', { pic: file_id })
  await call('file', { file: { file_id, content_type: 'image/png' } })
  await call('graph', { name, id: 7 })
  const sent = api.received.map(({ headers, body }) => {
    const [type = '', boundary = '-'] = (headers['content-type'] ?? '').split('; boundary=')
    return [type, body.toString().replaceAll(boundary, 'B').split('\r\n').join('|')]
  })
  const json = ['application/json', '{"name": "say \\"hi\\"", "count": 3, "list": [3]}']
  expect(sent).toEqual([
    json,
    json,
    ['application/xml', '<a>Tom</a>'],
    ['text/plain', 'hello'],
    ['application/x-own', 'x'],
    ['application/x-www-form-urlencoded', 'a=1&a=x%20y'],
    [
      'multipart/form-data',
      '--B|Content-Disposition: form-data; name="title"||T|--B|Content-Disposition: form-data; name="meta"|Content-Type: application/json||{"a":1}|--B|Content-Disposition: form-data; name="pic"; filename="a.png"|Content-Type: image/png||PNG|--B--|',
    ],
    ['image/png', 'PNG'],
    [
      'application/json',
      '{"query": "query One($id: ID!) {\\n  pet(id: $id) { name(like: \\"say \\"hi\\"\\") }\\n}", "variables": {"id": "7", "n": 2}}',
    ],
  ])
})

test('scripts are listed; one that changes its request becomes a placeholder, and a variable it sets becomes a field', async () => {
  const api = await startEcho()
  const script = (listen: string, ...exec: string[]) => ({ listen, script: { exec } })
  const { call, left, file } = await imported({
    variable: [{ key: 'page', value: '1' }],
    item: [
      {
        ...request('signed', `${api.url}/signed`),
        event: [script('prerequest', "pm.request.headers.add({key: 'X-Sign', value: 'x'})")],
      },
      {
        ...request('paged', `${api.url}/paged?page={{page}}`),
        event: [script('prerequest', "pm.environment.set('page', 2)"), script('test', 'pm.test("ok")')],
      },
      {
        ...request('plain', `${api.url}/plain`),
        event: [script('test', ''), script('prerequest', '// nothing')],
      },
      {
        name: 'Folder',
        event: [script('prerequest', 'pm.request.url.query.add("k=1")')],
        item: [request('inside', `${api.url}/inside`)],
      },
    ],
  })
  const tries = []
  for (const name of ['signed', 'paged', 'plain', 'inside']) tries.push((await call(name, { page: 5 })).ok)
  expect({ tries, targets: api.received.map(({ target }) => target), left }).toEqual({
    tries: [false, true, true, false],
    targets: ['/paged?page=5', '/plain'],
    left: ['signed: scripts', 'paged: scripts', 'Folder: scripts'],
  })
  expect(file.actions.find(({ name }) => name === 'paged')?.ui_form_schema).toMatchObject([{ name: 'page' }])
})
