import { expect, test } from 'vitest'
import { eventsOf } from '../../helpers/pagination-test-events.ts'
import { startTestApp } from '../../helpers/test-app.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'

const PLAYGROUND = 'f306cd0c-aa4f-4195-8fec-ae5b83201da5'
const SHAPES = [
  'list_contacts',
  'list_orders',
  'list_tickets',
  'query_contacts',
  'list_orders_by_offset',
  'list_tickets_by_skip',
  'list_contacts_by_header',
  'list_orders_linked',
]

test('each of the eight styles of the playground is read completely', async () => {
  const app = await startTestApp({ playground: true })
  const read = await Promise.all(
    SHAPES.map(async (action) => {
      const last = (await eventsOf(app, { connector_id: PLAYGROUND, action })).at(-1)
      return last?.type === 'done' ? [action, last.total_records] : [action, last]
    }),
  )
  expect(read).toEqual(SHAPES.map((action) => [action, 64]))
})

test("a configuration in the body overrides the connector's, and soft limits cut with a warning", async () => {
  const app = await startTestApp({ playground: true })
  const wanted = { connector_id: PLAYGROUND, action: 'list_contacts' }
  const cut = (await eventsOf(app, { ...wanted, max_pages: 2 })).at(-1)
  const broken = await eventsOf(app, { ...wanted, pagination_config: { query: '{{ page' } })
  expect({ cut, types: broken.map(({ type }) => type), failure: broken.at(-1) }).toEqual({
    cut: expect.objectContaining({ type: 'done', stop_reason: 'cut_by_max_pages', total_records: 20 }),
    types: ['failed'],
    failure: expect.objectContaining({
      error: expect.objectContaining({ code: 'template_error', field: 'query', line: 1 }),
    }),
  })
})

test('a typed request is sent with an auth as in an HTTP step, and only where its secrets may go', async () => {
  const app = await startTestApp()
  const api = await startThirdPartyApi(({ headers }, response) => {
    const isGood = headers.authorization === 'Bearer of-the-shop'
    response.writeHead(isGood ? 200 : 401, { 'content-type': 'application/json' }).end('[]')
  })
  const other = await startThirdPartyApi((_request, response) => void response.writeHead(200).end('[]'))
  const connector = await app.call('POST', '/v1/connectors', { name: 'Shop', base_domain: api.url })
  const auth = await app.call('POST', '/v1/connector-auths', {
    connector_id: (connector.json as { id: string }).id,
    name: 'Key',
    auth_type: 'bearer',
    auth_token: 'of-the-shop',
  })
  const events = (url: string) =>
    eventsOf(app, {
      request: { base_url: url, endpoint: '/users' },
      auth_id: (auth.json as { id: string }).id,
      pagination_config: { query: '{"page": {{ page + 1 }}}' },
    })
  const read = await events(api.url)
  const refused = (await events(other.url)).at(-1)
  expect({
    end: read.at(-1)?.type,
    shown: read.flatMap((event) => (event.type === 'request' ? [event.headers['authorization']] : [])),
    refused: refused?.type === 'failed' && refused.error.code,
    sent: other.received.length,
  }).toEqual({ end: 'done', shown: ['***'], refused: 'cross_origin_link', sent: 0 })
})

test('an action that is not saved is tested with unsaved changes of its connector; its secrets stay with its host', async () => {
  const app = await startTestApp()
  const pages = (target: string) => Number(new URL(target, 'http://a').searchParams.get('page') ?? 1)
  const answer = (target: string) => JSON.stringify(pages(target) <= 2 ? [{ id: pages(target) }] : [])
  const api = await startThirdPartyApi(({ target }, response) => void response.end(answer(target)))
  const other = await startThirdPartyApi((_request, response) => void response.end('[]'))
  const connector = await app.call('POST', '/v1/connectors', { name: 'Shop', base_domain: api.url })
  const { id } = connector.json as { id: string }
  const auth = await app.call('POST', '/v1/connector-auths', {
    connector_id: id,
    name: 'Key',
    auth_type: 'bearer',
    auth_token: 'of-the-shop',
  })
  const wanted = {
    connector_id: id,
    action: 'list_users',
    auth_id: (auth.json as { id: string }).id,
    input: { state: 'new' },
  }
  const draft = {
    method: 'GET',
    endpoint: '/users',
    query: { state: '{{ state }}' },
    supports_automatic_pagination: true,
  }
  const pagination_config = { query: '{"page": {{ page + 1 }}}' }
  const end = async (body: object) => {
    try {
      const last = (await eventsOf(app, { ...wanted, ...body })).at(-1)
      if (last?.type === 'done') return last.total_records
      return last?.type === 'failed' ? last.error.code : last?.type
    } catch (error) {
      return (error as Error).message
    }
  }
  expect({
    saved: (await app.call('POST', '/v1/pagination-tests', wanted)).status,
    configOfTest: await end({ draft, pagination_config }),
    configOfScreen: await end({ draft, connector: { pagination_config } }),
    elsewhere: await end({ draft, pagination_config, connector: { base_domain: other.url } }),
    sent: api.received.map(({ target }) => target).slice(0, 2),
    sentElsewhere: other.received.length,
  }).toEqual({
    saved: 404,
    configOfTest: 2,
    configOfScreen: 2,
    elsewhere: 'cross_origin_link',
    sent: ['/users?state=new', '/users?state=new&page=2'],
    sentElsewhere: 0,
  })
})

test('stored credentials are sent and shown as ***', async () => {
  const app = await startTestApp({ playground: true })
  const auth = await app.call('POST', '/v1/connector-auths', {
    connector_id: PLAYGROUND,
    name: 'Key',
    auth_type: 'bearer',
    auth_token: 'playground-token',
  })
  const body = { connector_id: PLAYGROUND, action: 'list_protected_contacts' }
  const refused = (await eventsOf(app, body)).at(-1)
  const events = await eventsOf(app, { ...body, auth_id: (auth.json as { id: string }).id })
  expect({
    refused: refused?.type === 'failed' && refused.error.status,
    records: events.flatMap((event) => (event.type === 'records' ? event.records : [])).length,
    shown: [
      ...new Set(
        events.flatMap((event) => (event.type === 'request' ? [event.headers['authorization']] : [])),
      ),
    ],
    leaked: JSON.stringify(events).includes('playground-token'),
  }).toEqual({ refused: 401, records: 64, shown: ['***'], leaked: false })
})

test('a configuration in the request is used for an action without pagination, and an error names the page by its URL', async () => {
  const api = await startThirdPartyApi(({ target }, response) => {
    const page = Number(new URL(target, 'http://x').searchParams.get('page') ?? 1)
    response.writeHead(page === 3 ? 403 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify([{ id: page }]))
  })
  const app = await startTestApp()
  const made = await app.call('POST', '/v1/connectors', { name: 'Unmarked', base_domain: api.url })
  const { id } = made.json as { id: string }
  const action = { connector_id: id, name: 'list', method: 'GET', endpoint: 'things' }
  await app.call('POST', '/v1/connector-actions', action)
  const query = '{"page": {{ page + 1 }}, "api_key": "not-to-be-seen"}'
  const tested = await eventsOf(app, { connector_id: id, action: 'list', pagination_config: { query } })
  const plain = await eventsOf(app, { connector_id: id, action: 'list' })
  const failure = tested.find((event) => event.type === 'failed')
  expect({
    pages: tested.filter(({ type }) => type === 'records').length,
    message: failure?.type === 'failed' ? failure.error.message : null,
    plain: plain.filter(({ type }) => type === 'request').length,
  }).toEqual({
    pages: 2,
    message: expect.stringContaining(`${api.url}/things?page=3&api_key=*** returned status 403`),
    plain: 1,
  })
})

test('every secret of an auth is redacted, under whatever name it is sent', async () => {
  const api = await startThirdPartyApi((request, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ target: request.target }))
  })
  const app = await startTestApp()
  const connector = await app.call('POST', '/v1/connectors', {
    name: 'Keyed',
    base_domain: api.url,
    header: { custom_headers: { 'X-Client': '{{ auth.user_input.client_secret }}' } },
    pagination_config: { query: '{"page": {{ page + 1 }}}' },
  })
  const connectorId = (connector.json as { id: string }).id
  await app.call('POST', '/v1/connector-actions', {
    connector_id: connectorId,
    name: 'read',
    method: 'GET',
    endpoint: 'things',
    query: { key: '{{ auth.user_input.client_secret }}' },
  })
  const auth = await app.call('POST', '/v1/connector-auths', {
    connector_id: connectorId,
    name: 'k',
    auth_type: 'bearer',
    auth_token: 'a-token-of-some-length',
    user_input: { client_secret: 'planted-secret-value' },
  })
  const events = await eventsOf(app, {
    connector_id: connectorId,
    action: 'read',
    auth_id: (auth.json as { id: string }).id,
  })
  const shown = JSON.stringify(events)
  expect({
    sent: api.received[0]?.target,
    requests: events.filter(({ type }) => type === 'request').length,
    leaked: /planted-secret|a-token-of/.test(shown),
    answered: events.flatMap((event) => (event.type === 'output' ? [event.value] : [])),
  }).toEqual({
    sent: '/things?key=planted-secret-value',
    requests: 1,
    leaked: false,
    answered: [{ target: '/things?key=***' }],
  })
})

test('an unknown connector or action is 404, a missing scope 403, before anything is sent', async () => {
  const app = await startTestApp()
  const post = (body: object, headers = {}) => app.call('POST', '/v1/pagination-tests', body, headers)
  const { json } = await app.call('POST', '/v1/personal-access-tokens', {
    expiration: null,
    scopes: ['connectors'],
    note: '',
  })
  const authorization = `Bearer ${(json as { token: string }).token}`
  const statuses = [
    await post({ connector_id: 'nobody', action: 'x' }),
    await post({ connector_id: PLAYGROUND, action: 'nothing' }),
    await post({ connector_id: PLAYGROUND, action: 'list_contacts', auth_id: 'a' }, { authorization }),
    await post({ nothing: true }),
  ].map(({ status }) => status)
  expect(statuses).toEqual([404, 404, 403, 400])
})

test('a wrong key of a typed request is named there, and nothing else is asked for', async () => {
  const app = await startTestApp()
  const { status, json } = await app.call('POST', '/v1/pagination-tests', {
    request: { method: 'GET', url: 'http://127.0.0.1:9/' },
  })
  expect([status, Object.keys((json as { data: object }).data)]).toEqual([
    400,
    ['request.base_url', 'request.endpoint', 'request.url'],
  ])
})

test('if the caller leaves, the request in flight is cancelled', async () => {
  const closed = Promise.withResolvers<string>()
  const api = await startThirdPartyApi((_request, response) => {
    response.once('close', () => closed.resolve('closed'))
  })
  const app = await startTestApp()
  const left = new AbortController()
  const response = await fetch(`http://127.0.0.1:${app.port}/v1/pagination-tests`, {
    method: 'POST',
    headers: { authorization: 'Bearer the-session-bearer-of-this-test', 'content-type': 'application/json' },
    body: JSON.stringify({ request: { base_url: api.url, endpoint: 'never' } }),
    signal: left.signal,
  })
  await response.body?.getReader().read()
  left.abort()
  expect(await closed.promise).toBe('closed')
})

test('a search configuration is tested with a text to search for, and shows the choices of each page', async () => {
  const app = await startTestApp()
  const api = await startThirdPartyApi(({ target }, response) =>
    response
      .writeHead(200, { 'Content-Type': 'application/json' })
      .end(
        target.includes('from=2')
          ? '{"hits":[{"id":8,"name":"Anna"},{"name":"No ID"}]}'
          : '{"hits":[{"id":7,"name":"Ann"},{"id":9,"name":"Bob"}],"next":2}',
      ),
  )
  const { id } = (await app.call('POST', '/v1/connectors', { name: 'Shop', base_domain: api.url })).json as {
    id: string
  }
  const tested = async (search: object) => {
    const before = api.received.length
    const { text } = await app.call('POST', '/v1/pagination-tests', {
      connector_id: id,
      action: 'any',
      draft: { name: 'any', method: 'GET', endpoint: 'orders/{{ input.id }}' },
      pagination_config: {
        endpoint: 'find',
        query: '{"term": "{{ q }}", "from": "{{ previous_request.next }}"}',
        response_jsonpath: '$.hits',
        ...search,
      },
      q: 'ann',
    })
    const events = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; choices?: unknown })
    return {
      targets: api.received.slice(before).map(({ target }) => target),
      choices: events.flatMap(({ type, choices }) => (type === 'records' ? [choices] : [])),
      last: events.at(-1)?.type,
    }
  }
  const targets = ['/find?term=ann', '/find?term=ann&from=2']
  const anna = { value: 8, label: 'Anna' }
  expect({
    list: await tested({ type: 'list' }),
    search: await tested({ response_fields: { match: '$.id' } }),
  }).toEqual({
    list: { targets, choices: [[{ value: 7, label: 'Ann' }], [anna]], last: 'done' },
    search: {
      targets,
      choices: [
        [
          { value: 7, label: '7' },
          { value: 9, label: '9' },
        ],
        [{ value: 8, label: '8' }],
      ],
      last: 'done',
    },
  })
})
