import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PaginationSuggestion } from '../../../src/shared/contract/pagination.ts'
import type { PaginationConfigEntry } from '../../../src/shared/contract/base/pagination-config.ts'
import { eventsOf } from '../../helpers/pagination-test-events.ts'
import { catalogueFiles } from '../../helpers/store.ts'
import { startTestApp, type TestApp } from '../../helpers/test-app.ts'
import { type ImitationServer, startImitationServer } from '../../resources/imitation-server.ts'
import { IMITATIONS } from '../../resources/imitations.ts'

/** A call in the form that the tester accepts. */
interface Call {
  readonly base_url: string
  readonly endpoint: string
  readonly method: string
  readonly query: Record<string, string>
  readonly headers: Record<string, string>
  readonly body?: unknown
}

const PLAYGROUND = 'f306cd0c-aa4f-4195-8fec-ae5b83201da5'

/** What no response can show, each with the reason. */
const BEYOND_ANY_RESPONSE = new Map([
  [
    'discord: list_messages',
    'a plain list without any header; that "before" takes an id is only in the docs',
  ],
  ['telegram: list_updates', 'that the next "offset" is the last id and one is only in the docs'],
  ['elasticsearch: search', 'that further pages are at "/_search/scroll" is only in the docs'],
  ['playground: query_contacts', 'that further pages are at "/more" is only in the docs'],
])

describe('the first suggestion, based on the first page, reads the complete list', () => {
  let server: ImitationServer
  beforeAll(async () => {
    server = await startImitationServer()
  })
  afterAll(() => server.close())

  const imitations = IMITATIONS.map((imitation) => ({
    title: `${imitation.connector}: ${imitation.action}`,
    imitation,
  })).filter(({ title }) => !BEYOND_ANY_RESPONSE.has(title))

  test.for(imitations)('$title', async ({ imitation }) => {
    server.imitate(imitation)
    const app = await startTestApp()
    const auth = await app.call('POST', '/v1/connector-auths', {
      connector_id: connectorNamed(imitation.connector),
      name: 'test',
      api_endpoint: server.base,
      ...imitation.auth,
    })
    const call = await firstCall(app, server.base, {
      connector_id: connectorNamed(imitation.connector),
      action: imitation.action,
      auth_id: (auth.json as { id: string }).id,
      ...(imitation.input ? { input: imitation.input } : {}),
    })
    const [suggestion] = await suggestionsFor(app, call)
    expect(await readWith(app, call, suggestion?.config)).toEqual({ ...WHOLE, records: 250 })
  })

  /** Parameters that the first call must contain, because the playground's responses don't repeat them. */
  const ASKED: Record<string, Partial<Call>> = {
    list_tickets_by_skip: { query: { limit: '10', skip: '0' } },
    list_contacts_by_header: { headers: { 'X-Limit': '10' } },
  }
  const shapes = [
    'list_contacts',
    'list_orders',
    'list_tickets',
    'list_orders_by_offset',
    'list_tickets_by_skip',
    'list_contacts_by_header',
    'list_orders_linked',
  ]

  test.for(shapes)('playground: %s', async (action) => {
    const app = await startTestApp({ playground: true })
    const call = { ...(await playgroundCall(app, action)), ...ASKED[action] }
    const [suggestion] = await suggestionsFor(app, call)
    expect(await readWith(app, call, suggestion?.config)).toEqual({ ...WHOLE, records: 64 })
  })
})

test('if further pages are at another URL, the suggestion with the cursor only needs that URL', async () => {
  const app = await startTestApp({ playground: true })
  const call = await playgroundCall(app, 'query_contacts')
  const [suggestion] = await suggestionsFor(app, call)
  const config = { ...suggestion?.config, endpoint: '{{ endpoint }}/more', replace_body: true }
  expect(await readWith(app, call, config as PaginationConfigEntry)).toEqual({ ...WHOLE, records: 64 })
})

describe('a page that is no JSON although its type does not say so', () => {
  const rows = [1, 2, 3].map((n) => ({ id: String(n), name: `n ${n}` }))
  const table = (mark: string) =>
    [['id', 'name'], ...rows.map(({ id, name }) => [id, name])].map((row) => row.join(mark)).join('\r\n')
  test.each([
    ['csv', table(','), 'text/plain', { response_format: 'csv' }],
    [
      'csv with semicolons',
      table(';'),
      'application/octet-stream',
      { response_format: 'csv', delimiter: ';' },
    ],
    ['tsv', table('\t'), 'text/plain', { response_format: 'tsv' }],
    [
      'ndjson',
      rows.map((row) => JSON.stringify(row)).join('\n'),
      'text/plain',
      { response_format: 'ndjson' },
    ],
    [
      'xml',
      `<r><rows>${rows.map(({ id }) => `<row><id>${id}</id></row>`).join('')}</rows></r>`,
      'text/plain',
      { response_format: 'xml', response_jsonpath: '$.r.rows.row' },
    ],
    ['csv by its type', table(','), 'text/csv', {}],
  ])('%s', async (_, body, type, expected) => {
    const app = await startTestApp()
    const answer = await app.call('POST', '/v1/pagination-tests/suggestions', {
      request: { url: 'https://api.example.com/rows?page=1&per_page=3', method: 'GET' },
      response: { status: 200, headers: { 'Content-Type': type }, body },
    })
    const [first] = (answer.json as { suggestions: PaginationSuggestion[] }).suggestions
    expect(first).toMatchObject({ style: 'page_number', config: expected })
    expect(first?.config.response_format !== undefined).toBe(type !== 'text/csv')
  })

  test.each(['<!doctype html><p>1,2</p>', 'Service, unavailable', '{"a": 1', 'one\ntwo\nthree'])(
    '%s is none of them',
    async (body) => {
      const app = await startTestApp()
      const answer = await app.call('POST', '/v1/pagination-tests/suggestions', {
        request: { url: 'https://api.example.com/rows?page=1', method: 'GET' },
        response: { status: 200, headers: { 'Content-Type': 'text/plain' }, body },
      })
      expect(answer.json).toMatchObject({
        suggestions: [],
        advice: expect.stringContaining('list') as string,
      })
    },
  )
})

const WHOLE = { last: 'done', warnings: [] as string[], distinct: true }

async function readWith(app: TestApp, request: Call, config: PaginationConfigEntry | undefined) {
  const events = await eventsOf(app, { request, pagination_config: config ?? null })
  const records = events.flatMap((event) => (event.type === 'records' ? event.records : []))
  const last = events.at(-1)
  return {
    last: last?.type === 'failed' ? last.error : last?.type,
    warnings: last?.type === 'done' ? last.warnings : [],
    records: records.length,
    distinct: new Set(records.map((record) => JSON.stringify(record))).size === records.length,
  }
}

/** Sends the first call and asks for suggestions based on its response. */
async function suggestionsFor(app: TestApp, call: Call): Promise<readonly PaginationSuggestion[]> {
  const { base_url: base, endpoint, method, query, headers, body } = call
  const search = new URLSearchParams(query).toString()
  const url = `${base}/${endpoint}${search === '' ? '' : `?${search}`}`
  const response = await fetch(url, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const answer = await app.call('POST', '/v1/pagination-tests/suggestions', {
    request: { url, method, headers, endpoint, ...(body === undefined ? {} : { body }) },
    response: {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: await response.json(),
    },
  })
  expect(answer.status).toBe(200)
  return (answer.json as { suggestions: PaginationSuggestion[] }).suggestions
}

function playgroundCall(app: TestApp, action: string): Promise<Call> {
  return firstCall(app, null, { connector_id: PLAYGROUND, action })
}

/** The first request of an action, taken from a test of one page. */
async function firstCall(app: TestApp, base: string | null, body: object): Promise<Call> {
  const [first] = await eventsOf(app, { ...body, max_pages: 1 })
  if (first?.type !== 'request') throw new Error(JSON.stringify(first))
  const url = new URL(first.url)
  const baseUrl = base ?? `${url.origin}/playground`
  return {
    base_url: baseUrl,
    endpoint: url.href.split('?', 1)[0]?.slice(baseUrl.length + 1) ?? '',
    method: first.method,
    query: Object.fromEntries(url.searchParams),
    headers: { 'Content-Type': 'application/json' },
    ...(first.body === null ? {} : { body: first.body }),
  }
}

const files = catalogueFiles() as readonly { connector: { id: string; name: string } }[]
const connectorNamed = (name: string) =>
  files.find(({ connector }) => connector.name.toLowerCase() === name.replaceAll('-', ' '))?.connector.id
