import { expect, test } from 'vitest'
import type { SaveWarning } from '../../src/shared/contract/base/save-warnings.ts'
import { eventsOf } from '../helpers/pagination-test-events.ts'
import { startTestApp, type TestApp } from '../helpers/test-app.ts'
import { startThirdPartyApi } from '../helpers/third-party-api.ts'

const CONFIG = [
  { query: '{"page": {{ page }}}' },
  {
    when: '{{ page > 1 }}',
    query: '{\n  "per_page": 500,\n  "offset": {{ ((page + 1) * limit_of_shop) + 1 }}\n}',
  },
]
const HINT = { severity: 'hint', code: 'one_based_offset', field: 'pagination_config[1].query', line: 3 }
const SIZE = {
  severity: 'warning',
  code: 'page_size',
  field: 'pagination_config[1].query',
  line: 2,
  column: 3,
}
const CATCH_ALL = {
  severity: 'warning',
  code: 'catch_all_not_last',
  field: 'pagination_config[0]',
  line: null,
}

const start = () => startTestApp({ catalogue: [] })

async function saved(app: TestApp, method: string, path: string, body: unknown) {
  const answer = await app.call(method, path, body)
  expect({ status: answer.status, text: answer.text }).toEqual({
    status: method === 'POST' ? 201 : 200,
    text: expect.any(String),
  })
  return answer.json as { id: string; warnings?: SaveWarning[] }
}

async function aConnector(app: TestApp, pagination_config: unknown, base_domain = 'http://127.0.0.1:9') {
  await app.call('POST', '/v1/env-variables', { name: 'limit_of_shop', type: 'number', value: 100 })
  return saved(app, 'POST', '/v1/connectors', { name: 'Shop', base_domain, pagination_config })
}

const anAction = (connector_id: string, more: object = {}) => ({
  connector_id,
  name: 'list_orders',
  method: 'GET',
  endpoint: 'orders',
  supports_automatic_pagination: true,
  ...more,
})

test('saving a connector checks its remote search: syntax errors are rejected, unknown names reported', async () => {
  const app = await start()
  const search = (query: string) => ({
    type: 'search',
    query,
    response_fields: { id: '$.id', match: '$.name' },
  })
  const refused = await app.call('POST', '/v1/connectors', { name: 'Shop', search_config: search('{{ q') })
  const told = await saved(app, 'POST', '/v1/connectors', {
    name: 'Shop',
    base_domain: 'http://127.0.0.1:9',
    search_config: search('{"text": "{{ q }}", "of": "{{ qeury }}"}'),
  })
  const sound = await saved(app, 'PUT', `/v1/connectors/${told.id}`, {
    search_config: search('{"text": "{{ q }}"}'),
  })
  expect({ status: refused.status, fields: Object.keys((refused.json as { data: object }).data) }).toEqual({
    status: 400,
    fields: ['search_config.query'],
  })
  expect(told.warnings).toEqual([
    expect.objectContaining({
      severity: 'warning',
      code: 'template_error',
      field: 'search_config.query',
      line: 1,
      message: expect.stringContaining('qeury'),
    }),
  ])
  expect(sound.warnings).toBe(undefined)
})

test('saving a connector reports probable pagination mistakes, with field, line and column', async () => {
  const app = await start()
  const created = await aConnector(app, CONFIG)
  const read = (await app.call('GET', `/v1/connectors/${created.id}`)).json
  const back = await saved(app, 'PUT', `/v1/connectors/${created.id}`, created)
  const renamed = await saved(app, 'PUT', `/v1/connectors/${created.id}`, { name: 'Store' })
  const warnings = [HINT, SIZE, CATCH_ALL].map((warning) => expect.objectContaining(warning))
  expect({ created: created.warnings, back: back.warnings }).toEqual({ created: warnings, back: warnings })
  expect([read, renamed].map((record) => Object.hasOwn(record as object, 'warnings'))).toEqual([false, false])
})

test('the ETag of a save with warnings is that of the record as it is read', async () => {
  const app = await start()
  const { id } = await aConnector(app, CONFIG)
  const tagOf = ({ headers }: { headers: object }) => (headers as Record<string, unknown>)['etag']
  const put = await app.call('PUT', `/v1/connectors/${id}`, { pagination_config: CONFIG })
  const get = await app.call('GET', `/v1/connectors/${id}`)
  expect({
    etag: tagOf(put),
    hasWarnings: (put.json as object) && Object.hasOwn(put.json as object, 'warnings'),
  }).toEqual({ etag: tagOf(get), hasWarnings: true })
  expect(tagOf(get)).toEqual(expect.stringMatching(/^"/))
})

test('saving an action reports that its page is too large, and that its connector has no pagination', async () => {
  const app = await start()
  const plain = await aConnector(app, null)
  const created = await saved(
    app,
    'POST',
    '/v1/connector-actions',
    anAction(plain.id, { query: { limit: 250 } }),
  )
  const path = `/v1/connector-actions/${created.id}`
  const smaller = await saved(app, 'PUT', path, { ...created, query: { limit: 50 } })
  const single = await saved(app, 'PUT', path, { supports_automatic_pagination: false })
  expect(
    [created, smaller, single].map(({ warnings = [] }) => warnings.map(({ code, field }) => [code, field])),
  ).toEqual([
    [
      ['page_size', 'query.limit'],
      ['no_pagination_config', 'supports_automatic_pagination'],
    ],
    [['no_pagination_config', 'supports_automatic_pagination']],
    [],
  ])
})

test('saving a flow reports warnings about its steps, including paginated ones', async () => {
  const app = await start()
  const connector = await aConnector(app, CONFIG)
  await saved(app, 'POST', '/v1/connector-actions', anAction(connector.id))
  const steps = [
    { ref_id: 'early', type: 'set', config: { values: { x: '{{ orders }}' } } },
    {
      ref_id: 'orders',
      type: 'connector_action',
      config: { connector_id: connector.id, action: 'list_orders' },
    },
    {
      ref_id: 'items',
      type: 'rest',
      config: { url: 'https://api.test/', pagination: { query: '{"limit": 200, "page": {{ page }}}' } },
    },
  ]
  const created = await saved(app, 'POST', '/v1/flows', { name: 'Orders', steps })
  const renamed = await saved(app, 'PUT', `/v1/flows/${created.id}`, { name: 'All orders' })
  const again = await saved(app, 'PUT', `/v1/flows/${created.id}`, created)
  const seen = created.warnings?.map(({ severity, code, field, line }) => [severity, code, field, line])
  expect({ seen, renamed: renamed.warnings, again: again.warnings }).toEqual({
    seen: [
      ['warning', 'reads_ahead', 'steps[0].config.values.x', null],
      ['warning', 'page_size', 'steps[1].config.action', null],
      ['warning', 'catch_all_not_last', 'steps[1].config.action', null],
      ['warning', 'page_size', 'steps[2].config.pagination.query', 1],
    ],
    renamed: undefined,
    again: created.warnings,
  })
})

test("unknown names, strings that can't be objects and invalid paths are rejected with their position", async () => {
  const app = await start()
  const refused = async (pagination_config: unknown) => {
    const { status, json } = await app.call('POST', '/v1/connectors', { name: 'Shop', pagination_config })
    return [status, (json as { data: unknown }).data]
  }
  expect([
    await refused({ query: '{"page": {{ pge }}}' }),
    await refused({ query: 'cursor={{ previous_request.next }}' }),
    await refused({ query: '{"page": {{ page }}', response_jsonpath: '$.items[' }),
  ]).toEqual([
    [400, { 'pagination_config.query': [expect.stringMatching(/^line 1, column 13: .*pge/)] }],
    [400, { 'pagination_config.query': [expect.stringContaining('cursor=')] }],
    [
      400,
      {
        'pagination_config.query': [expect.any(String)],
        'pagination_config.response_jsonpath': [expect.stringMatching(/^line 1, column \d+: /)],
      },
    ],
  ])
})

test("a string that isn't an object with sample values is saved with a warning", async () => {
  const app = await start()
  const { warnings } = await aConnector(app, { query: '{"a": {{ previous_request.a }} "b": 1}' })
  const sound = await aConnector(app, {
    query:
      '{"after": "{{ previous_request.meta.cursor }}", "ids": [{% for i in previous_request.ids %}{{ i }},{% endfor %}]}',
  })
  expect({
    warnings: warnings?.map(({ code, severity }) => [code, severity]),
    sound: sound.warnings,
  }).toEqual({ warnings: [['not_a_dictionary', 'warning']], sound: undefined })
})

test("the tester reports the same before its first request, and doesn't count it at the end", async () => {
  const api = await startThirdPartyApi((_, response) => {
    response.setHeader('content-type', 'application/json').end('[]')
  })
  const app = await start()
  const events = await eventsOf(app, {
    request: { base_url: api.url, endpoint: 'orders' },
    pagination_config: { query: '{"offset": {{ ((page + 1) * 100) + 1 }}}' },
  })
  expect({ types: events.map(({ type }) => type), first: events[0], last: events.at(-1) }).toEqual({
    types: ['warning', 'request', 'response', 'done'],
    first: expect.objectContaining({
      page: 0,
      code: 'one_based_offset',
      field: 'query',
      line: 1,
      column: expect.any(Number),
    }),
    last: expect.objectContaining({ warnings: [] }),
  })
})
