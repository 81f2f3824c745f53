import { expect, test } from 'vitest'
import type { ActionTry } from '../../../src/shared/contract/action-tries.ts'
import type { Action, Connector } from '../../../src/shared/contract/connectors.ts'
import { callHttp } from '../../helpers/http.ts'
import { startSftpServer } from '../../helpers/sftp-server.ts'
import { startTestApp, type TestApp } from '../../helpers/test-app.ts'
import { session } from '../../helpers/test-server.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'

const PLAYGROUND = 'f306cd0c-aa4f-4195-8fec-ae5b83201da5'
const HTTP = '88298359-614f-41f2-9bac-74a8c6f181ac'
const SFTP = '5f0c1a52-6a8e-4a0f-9d55-0d6c5d3f7b10'

async function created<T>(app: TestApp, path: string, body: object): Promise<T> {
  const answer = await app.call('POST', path, body)
  expect({ status: answer.status, text: answer.text }).toEqual({ status: 201, text: expect.any(String) })
  return answer.json as T
}

const anAuth = (app: TestApp, connector_id: string, body: object = {}) =>
  created<{ id: string }>(app, '/v1/connector-auths', {
    connector_id,
    name: 'Main',
    auth_type: 'bearer',
    ...body,
  })

async function actionId(app: TestApp, connectorId: string, name: string): Promise<string> {
  const path = `/v1/connector-actions?filter=connector_id,eq,${connectorId}&filter=name,eq,${name}`
  const [action] = (await app.call('GET', path)).json as Action[]
  return action?.id ?? ''
}

async function tryIt(app: TestApp, id: string, body: object = {}, headers = {}): Promise<ActionTry> {
  const answer = await app.call('POST', `/v1/connector-actions/${id}/try`, body, headers)
  expect({ status: answer.status, text: answer.text }).toEqual({ status: 200, text: expect.any(String) })
  return answer.json as ActionTry
}

/** An API that echoes the request, and an action of its connector. */
async function anEcho(app: TestApp, connector: object = {}, action: object = {}) {
  const api = await startThirdPartyApi(({ method, target, headers, body }, response) => {
    response.setHeader('Content-Type', 'application/json')
    const { authorization = null } = headers
    response.end(JSON.stringify({ method, target, authorization, body: body.toString() }))
  })
  const { id } = await created<Connector>(app, '/v1/connectors', {
    name: 'Echo',
    base_domain: api.url,
    ...connector,
  })
  const made = await created<Action>(app, '/v1/connector-actions', {
    connector_id: id,
    name: 'ask',
    method: 'POST',
    endpoint: '/ask/{{ input.what }}',
    body: '{"n": {{ input.n }} }',
    ...action,
  })
  return { api, connectorId: id, actionId: made.id }
}

test('an action is called once, and the call is shown without its secrets, with its result', async () => {
  const app = await startTestApp()
  const { connectorId, actionId: id } = await anEcho(app)
  const auth = await anAuth(app, connectorId, { auth_token: 'a-secret-of-the-shop' })
  const result = await tryIt(app, id, { auth_id: auth.id, input: { what: 'orders', n: 3 } })
  expect(result).toEqual({
    ok: true,
    status: 200,
    message: '"Echo" accepted the call of "ask"',
    duration_ms: expect.any(Number),
    http: [
      expect.objectContaining({
        request: {
          method: 'POST',
          url: expect.stringMatching(/\/ask\/orders$/),
          headers: expect.objectContaining({ authorization: '***' }),
          body: '{"n": 3 }',
        },
      }),
    ],
    output: { method: 'POST', target: '/ask/orders', authorization: '***', body: '{"n": 3 }' },
    record_count: null,
    stop_reason: null,
    complete: null,
    warnings: [],
    truncated: false,
  })
  expect(JSON.stringify(result)).not.toContain('a-secret-of-the-shop')
})

test('a list that may be incomplete says so', async () => {
  const app = await startTestApp()
  const api = await startThirdPartyApi((_, response) => {
    response.setHeader('Content-Type', 'application/json')
    response.end(JSON.stringify({ items: [{ id: 1 }], paging: { next: { after: 'b' } } }))
  })
  const { id } = await created<Connector>(app, '/v1/connectors', {
    name: 'Misspelt',
    base_domain: api.url,
    pagination_config: {
      query: '{"after": "{{ previous_request.paging.next.aftr }}"}',
      response_jsonpath: '$.items',
    },
  })
  const action = await created<Action>(app, '/v1/connector-actions', {
    connector_id: id,
    name: 'list_items',
    method: 'GET',
    endpoint: '/items',
    supports_automatic_pagination: true,
  })
  const whole = await tryIt(app, action.id, { max_pages: 5 })
  expect(whole).toMatchObject({
    ok: true,
    record_count: 1,
    complete: 'in_doubt',
    warnings: [
      {
        code: 'cursor_never_seen',
        in_doubt: true,
        message: expect.stringContaining('"paging.next.after"') as string,
      },
    ],
  })
})

test('long bodies of the call are shown cut, with a mark at the cut', async () => {
  const app = await startTestApp()
  const { actionId: id } = await anEcho(app, {}, { body: '"{{ input.text }}"' })
  const { http } = await tryIt(app, id, { input: { what: 'orders', text: 'x'.repeat(20_000) } })
  expect({ request: http[0]?.request.body, response: http[0]?.response?.body }).toEqual({
    request: `"${'x'.repeat(16_383)}…`,
    response: expect.stringMatching(/^[^…]{16384}…$/),
  })
})

test('a list is read page by page as far as requested', async () => {
  const app = await startTestApp({ playground: true })
  const id = await actionId(app, PLAYGROUND, 'list_contacts')
  const one = await tryIt(app, id)
  const three = await tryIt(app, id, { max_pages: 3 })
  expect({ one: one.http.length, three: three.http.length }).toEqual({ one: 1, three: 3 })
  expect({ records: one.record_count, stopReason: one.stop_reason }).toEqual({
    records: (one.output as unknown[]).length,
    stopReason: 'cut_by_max_pages',
  })
  expect(three.record_count).toBe(3 * (one.record_count ?? 0))
  expect((await app.call('POST', `/v1/connector-actions/${id}/try`, { max_pages: 11 })).status).toBe(400)
})

test("an edited action can be tried before it is saved, and the try doesn't save it", async () => {
  const app = await startTestApp()
  const { actionId: id } = await anEcho(app)
  const before = (await app.call('GET', `/v1/connector-actions/${id}`)).text
  const draft = { method: 'GET', endpoint: '/other', query: { q: '{{ q }}' } }
  const { output } = await tryIt(app, id, { draft, input: { q: 'a b' } })
  expect(output).toMatchObject({ method: 'GET', target: '/other?q=a%20b' })
  expect((await app.call('GET', `/v1/connector-actions/${id}`)).text).toBe(before)
  const refused = await app.call('POST', `/v1/connector-actions/${id}/try`, { draft: { method: 'FETCH' } })
  expect(refused.json).toMatchObject({ status: 400, data: { 'draft.method': expect.any(Array) } })
})

test('an action that is not saved can be tried with a connector as it is being changed, and nothing is saved by it', async () => {
  const app = await startTestApp()
  const { api, connectorId } = await anEcho(app, { base_domain: 'http://127.0.0.1:1' })
  const path = `/v1/connectors/${connectorId}`
  const before = (await app.call('GET', path)).text
  const auth = await anAuth(app, connectorId, { auth_token: 'stored', api_endpoint: api.url })
  const header = { token_in_header: true, header_key: 'Authorization', token_prefix: 'Key {{ token }}' }
  const answer = await app.call('POST', `${path}/try`, {
    auth_id: auth.id,
    input: { what: 'orders' },
    action: { name: 'find', method: 'GET', endpoint: '/{{ input.what }}', query: { page: '1' } },
    connector: {
      base_domain: `${api.url}/v2`,
      header: { ...header, custom_headers: { 'X-Shop': 'a' } },
      pagination_config: null,
    },
  })
  expect(answer.json).toMatchObject({ ok: true, message: '"Echo" accepted the call of "find"' })
  const [sent] = api.received
  expect([sent?.method, sent?.target, sent?.headers.authorization, sent?.headers['x-shop']]).toEqual([
    'GET',
    '/orders?page=1',
    'Key Bearer stored',
    'a',
  ])
  const [actions] = [(await app.call('GET', '/v1/connector-actions?filter=name,eq,find')).json]
  expect([(await app.call('GET', path)).text, actions]).toEqual([before, []])
  const refused = await app.call('POST', `${path}/try`, { action: { method: 'GET' } })
  expect(refused.json).toMatchObject({ status: 400, data: { 'action.endpoint': ['is required'] } })
  const action = { method: 'GET', endpoint: '' }
  expect((await app.call('POST', '/v1/connectors/unknown/try', { action })).status).toBe(404)
})

test('a rejection, a template error and an unreachable server are results', async () => {
  const app = await startTestApp()
  const refusing = await startThirdPartyApi((_request, response) => {
    response.writeHead(422, { 'Content-Type': 'application/json' }).end('{"why":"no such shop"}')
  })
  const { actionId: id } = await anEcho(app, { base_domain: refusing.url })
  const refused = await tryIt(app, id, { input: { n: 1 } })
  expect({
    ok: refused.ok,
    status: refused.status,
    output: refused.output,
    body: refused.http[0]?.response?.body,
  }).toEqual({ ok: false, status: 422, output: null, body: '{"why":"no such shop"}' })
  const broken = await tryIt(app, id, { draft: { endpoint: '/{{ input.' } })
  expect({ ok: broken.ok, status: broken.status, http: broken.http }).toEqual({
    ok: false,
    status: null,
    http: [],
  })
  expect(broken.message).toContain('Action "ask", endpoint')
  const gone = await anEcho(app, { base_domain: 'http://127.0.0.1:1', name: 'Gone' })
  const unreached = await tryIt(app, gone.actionId, { input: { n: 1 } })
  expect({ ok: unreached.ok, status: unreached.status, calls: unreached.http.length }).toEqual({
    ok: false,
    status: null,
    calls: 1,
  })
})

test("an auth of another connector, one that the caller can't see, and a missing scope are rejected", async () => {
  const app = await startTestApp()
  const { connectorId, actionId: id } = await anEcho(app)
  const other = await anAuth(app, HTTP, { auth_token: 'x' })
  const path = `/v1/connector-actions/${id}/try`
  expect((await app.call('POST', path, { auth_id: other.id })).json).toMatchObject({
    status: 400,
    data: { auth_id: ['belongs to another connector'] },
  })
  const mine = await anAuth(app, connectorId, { access: { visibility: 'private', user_ids: [] } })
  const ann = await created<{ id: string }>(app, '/v1/users', { name: 'Ann' })
  const asAnn = await app.call('POST', path, { auth_id: mine.id }, { 'millrace-user-id': ann.id })
  const unknown = await app.call('POST', path, { auth_id: 'unknown' })
  expect({ asAnn: asAnn.status, unknown: unknown.status }).toEqual({ asAnn: 404, unknown: 404 })
  const { token } = await created<{ token: string }>(app, '/v1/personal-access-tokens', {
    scopes: ['connectors'],
    expiration: null,
    note: '',
  })
  const headers = { authorization: `Bearer ${token}` }
  expect((await app.call('POST', path, { auth_id: mine.id }, headers)).status).toBe(403)
  expect((await app.call('POST', path, { input: { n: 1 } }, headers)).status).toBe(200)
})

test('the connector for any address puts the key into the header that its auth names', async () => {
  const app = await startTestApp()
  const api = await startThirdPartyApi(({ headers }, response) => response.end(JSON.stringify(headers)))
  const id = await actionId(app, HTTP, 'get')
  const withName = (header_name?: string) =>
    anAuth(app, HTTP, {
      auth_type: 'api_key',
      auth_token: 'the-key-of-the-shop',
      user_input: { url: api.url, ...(header_name === undefined ? {} : { header_name }) },
    })
  const named = await withName('X-Shop-Key')
  const unnamed = await withName()
  const shown = await tryIt(app, id, { auth_id: named.id, input: { path: '/me' } })
  await tryIt(app, id, { auth_id: unnamed.id, input: { path: '/me' } })
  const sent = api.received.map(({ headers }) => [headers['x-shop-key'], headers.authorization])
  expect(sent).toEqual([
    ['the-key-of-the-shop', undefined],
    [undefined, 'the-key-of-the-shop'],
  ])
  expect(shown.http[0]?.request.headers).toMatchObject({ 'x-shop-key': '***' })
})

test('an action at an SFTP server is tried like any other', async () => {
  const app = await startTestApp()
  const server = await startSftpServer()
  const auth = await anAuth(app, SFTP, {
    auth_type: 'username_password',
    api_endpoint: `sftp://${server.username}@127.0.0.1:${server.port}${server.path}`,
    user_input: { private_key: server.privateKey },
  })
  const write = await actionId(app, SFTP, 'write_file')
  const result = await tryIt(app, write, { auth_id: auth.id, input: { path: 'a.txt', text: 'hello' } })
  expect({ ok: result.ok, status: result.status, output: result.output }).toEqual({
    ok: true,
    status: null,
    output: { path: 'a.txt', size: 5 },
  })
})

test('a body is a form with files, or a single file, if the Content-Type of the action says so', async () => {
  const app = await startTestApp()
  const { api, actionId: id } = await anEcho(app, {}, { endpoint: 'up', body: '{{ input }}' })
  const upload = await callHttp(app.port, {
    method: 'POST',
    path: '/v1/file-uploads?filename=note.txt',
    headers: { ...session, 'content-type': 'text/plain' },
    body: 'the content',
  })
  const { id: file_id } = upload.json as { id: string }
  const attempt = (type: string, input: object) =>
    tryIt(app, id, { draft: { headers: { 'Content-Type': type } }, input })
  const form = { title: 'Hi', tags: ['a', 'b'], more: { n: 1 }, note: { file_id }, gone: null }
  const tries = [
    await attempt('multipart/form-data', form),
    await attempt('application/octet-stream', { file_id }),
    await attempt('application/json', { file_id }),
    await attempt('image/png', { file_id: 'nope' }),
  ]
  expect(tries.map(({ ok, message }) => [ok, message])).toEqual([
    [true, expect.any(String)],
    [true, expect.any(String)],
    [true, expect.any(String)],
    [false, 'There is no file "nope"; use the "file_id" of a file that was received'],
  ])
  const [sentForm, sentFile, sentJson] = api.received
  const boundary =
    /^multipart\/form-data; boundary=(.+)$/.exec(sentForm?.headers['content-type'] ?? '')?.[1] ?? ''
  const field = (rest: string) => `\r\nContent-Disposition: form-data; name=${rest}\r\n`
  expect(sentForm?.body.toString().split(`--${boundary}`)).toEqual([
    '',
    field('"title"\r\n\r\nHi'),
    field('"tags"\r\n\r\na'),
    field('"tags"\r\n\r\nb'),
    field('"more"\r\n\r\n{"n":1}'),
    field('"note"; filename="note.txt"\r\nContent-Type: text/plain\r\n\r\nthe content'),
    '--\r\n',
  ])
  expect([sentFile?.headers['content-type'], sentFile?.body.toString()]).toEqual([
    'application/octet-stream',
    'the content',
  ])
  expect(sentJson?.body.toString()).toBe(JSON.stringify({ file_id }))
})
