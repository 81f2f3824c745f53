import { expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../helpers/test-app.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'

const PLAYGROUND = 'f306cd0c-aa4f-4195-8fec-ae5b83201da5'

const search = (app: TestApp, id: string, body: object, headers = {}) =>
  app.call('POST', `/v1/connectors/${id}/search`, body, headers)

async function aConnector(app: TestApp, url: string, searchConfig: unknown): Promise<string> {
  const body = { name: 'Shop', base_domain: url, search_config: searchConfig }
  return ((await app.call('POST', '/v1/connectors', body)).json as { id: string }).id
}

const FIELDS = { id: '$.id', match: '$.name' }

test('a list is searched locally, ignoring case, for any action', async () => {
  const app = await startTestApp({ playground: true })
  const found = await search(app, PLAYGROUND, { q: 'OKAFOR', auth_id: null })
  const all = await search(app, PLAYGROUND, { q: '', action: 'create_order', field: 'contact_id' })
  expect({ found: found.status, all: all.status }).toEqual({ found: 200, all: 200 })
  const choices = found.json as { value: number; label: string; record: { id: number; name: string } }[]
  expect(choices.length).toBeGreaterThan(0)
  expect((all.json as unknown[]).length).toBeGreaterThan(choices.length)
  for (const { value, label, record } of choices) {
    expect({ value, label, isFound: /okafor/i.test(label) }).toEqual({
      value: record.id,
      label: record.name,
      isFound: true,
    })
  }
})

test('if the API searches, its response is used; the first request has q, input and the credentials', async () => {
  const app = await startTestApp()
  const api = await startThirdPartyApi((_request, response) =>
    response
      .writeHead(200, { 'Content-Type': 'application/json' })
      .end('{"hits":[{"id":7,"name":"Ann"},{}]}'),
  )
  const id = await aConnector(app, api.url, {
    type: 'search',
    endpoint: 'people/find',
    query: '{"term": "{{ q }}", "team": "{{ input.team }}"}',
    response_jsonpath: '$.hits',
    response_fields: FIELDS,
  })
  const auth = { connector_id: id, name: 'Main', auth_type: 'bearer', auth_token: 'secret-token' }
  const { id: authId } = (await app.call('POST', '/v1/connector-auths', auth)).json as { id: string }
  const answer = await search(app, id, { q: 'x & y', auth_id: authId, input: { team: 'Sales' } })
  expect({ status: answer.status, json: answer.json }).toEqual({
    status: 200,
    json: [{ value: 7, label: 'Ann', record: { id: 7, name: 'Ann' } }],
  })
  expect(api.received.map(({ target, headers }) => [target, headers.authorization])).toEqual([
    ['/people/find?term=x%20%26%20y&team=Sales', 'Bearer secret-token'],
  ])
})

test('an invalid search and a failing API are reported', async () => {
  const app = await startTestApp()
  const api = await startThirdPartyApi((_request, response) => response.writeHead(404).end())
  const good = { type: 'list', query: '{"q": "{{ q }}"}', response_fields: FIELDS }
  const status = async (config: unknown, body: object = {}) =>
    (await search(app, await aConnector(app, api.url, config), { q: '', ...body })).status
  expect({
    none: await status(null),
    unknownKey: await status({ ...good, colour: 'red' }),
    unknownAction: await status(good, { action: 'none' }),
    unknownAuth: await status(good, { auth_id: 'none' }),
    sound: await status(good),
    unknownConnector: (await search(app, 'none', { q: '' })).status,
    noQuestion: (await search(app, PLAYGROUND, {})).status,
  }).toEqual({
    none: 400,
    unknownKey: 400,
    unknownAction: 400,
    unknownAuth: 404,
    sound: 503,
    unknownConnector: 404,
    noQuestion: 400,
  })
})

test('a plain pagination configuration is a search whose records are identified by id and name', async () => {
  const app = await startTestApp()
  const api = await startThirdPartyApi((_request, response) =>
    response
      .writeHead(200, { 'Content-Type': 'application/json' })
      .end(
        '{"hits":[{"kind":"x","id":7,"name":"Ann","email":"a@b"},{"task_id":"t1","title":"Tidy up"},"plain",{"x":1}]}',
      ),
  )
  const plain = { endpoint: 'find', query: '{"term": "{{ q }}"}', response_jsonpath: '$.hits' }
  const asked = async (config: object) => {
    const answer = await search(app, await aConnector(app, api.url, config), { q: 'tidy' })
    return (answer.json as { value: unknown; label: string }[]).map(({ value, label }) => [value, label])
  }
  expect({
    search: await asked(plain),
    list: await asked({ ...plain, type: 'list' }),
    ownMatch: await asked({ ...plain, response_fields: { match: '$.email' } }),
  }).toEqual({
    search: [
      [7, 'Ann'],
      ['t1', 'Tidy up'],
      ['plain', 'plain'],
    ],
    list: [['t1', 'Tidy up']],
    ownMatch: [
      [7, 'a@b'],
      ['t1', ''],
      ['plain', ''],
    ],
  })
  expect(api.received[0]?.target).toBe('/find?term=tidy')
})

test('an invalid search is rejected when it is saved', async () => {
  const app = await startTestApp()
  const save = (search_config: unknown) => app.call('POST', '/v1/connectors', { name: 'Shop', search_config })
  const answers = [
    await save({ type: 'magic', query: '{}' }),
    await save([{ query: '{}' }, { query: '{}', response_fields: { id: 7 } }]),
    await save({ query: '{}', response_fields: { name: '$.name' } }),
  ]
  expect(answers.map(({ status, json }) => [status, Object.keys((json as { data: object }).data)])).toEqual([
    [400, ['search_config.type']],
    [400, ['search_config[1].response_fields']],
    [400, ['search_config.response_fields']],
  ])
})
