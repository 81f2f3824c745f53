import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildActionRequest } from '../../src/main/engine/connector/action-request.ts'
import { credentialsOf } from '../../src/main/engine/connector/credentials.ts'
import type { OpenAuth } from '../../src/main/engine/connector/open-auth.ts'
import { dictionaryOf, entriesOf } from '../../packages/jinja/src/data/value.ts'
import type { Action, Connector } from '../../src/shared/contract/connectors.ts'
import { catalogueFiles } from '../helpers/store.ts'
import { startTestApp } from '../helpers/test-app.ts'
import { eventsOf } from '../helpers/pagination-test-events.ts'
import { type ImitationServer, startImitationServer } from './imitation-server.ts'
import { type Imitation, IMITATIONS } from './imitations.ts'

interface CatalogueFile {
  readonly connector: {
    readonly id: string
    readonly name: string
    readonly test_action: string | null
    readonly pagination_config: unknown
    readonly auth_config: { readonly auth_types?: readonly string[] }
  }
  readonly actions: readonly {
    readonly id: string
    readonly name: string
    readonly supports_automatic_pagination: boolean
  }[]
}
const files = catalogueFiles() as readonly CatalogueFile[]

describe('the connectors that come with Millrace', () => {
  test('are all valid, with unique ids and names', async () => {
    const app = await startTestApp()
    const listed = (await app.call('GET', '/v1/connectors')).json as { name: string; built_in: boolean }[]
    const ids = files.flatMap(({ connector, actions }) => [connector.id, ...actions.map(({ id }) => id)])
    expect({
      count: listed.length,
      builtIn: listed.every(({ built_in }) => built_in),
      distinctIds: new Set(ids).size,
      distinctNames: new Set(listed.map(({ name }) => name)).size,
    }).toEqual({ count: files.length, builtIn: true, distinctIds: ids.length, distinctNames: files.length })
  })

  test('name a test action that exists, and only paginate with a pagination configuration', () => {
    const wrong = files.filter(
      ({ connector, actions }) =>
        (connector.test_action !== null && !actions.some(({ name }) => name === connector.test_action)) ||
        (connector.pagination_config === null &&
          actions.some((action) => action.supports_automatic_pagination)),
    )
    expect(wrong.map(({ connector }) => connector.name)).toEqual([])
  })

  test('have an imitation of their API if they paginate', () => {
    const imitated = new Set(IMITATIONS.map(({ connector }) => idOf(connector)))
    const unseen = files.filter(
      ({ connector, actions }) =>
        !imitated.has(connector.id) && actions.some((action) => action.supports_automatic_pagination),
    )
    expect(unseen.map(({ connector }) => connector.name)).toEqual(['Millrace', 'Playground'])
  })
})

test.each([
  ['', '2025-09-03'],
  ['2021-08-16', '2021-08-16'],
])('Notion is called with the version "%s" as %s', (notion_version, sent) => {
  const file = files.find(({ connector }) => connector.name === 'Notion')
  const action = file?.actions.find(({ name }) => name === 'get_page') as Action
  const input = dictionaryOf(Object.entries({ page_id: 'p1', notion_version }))
  const connector = file?.connector as unknown as Connector
  const { headers } = buildActionRequest({ connector, action, auth: null, input, env: {} } as never)
  expect(headers.filter(([name]) => name === 'Notion-Version')).toEqual([['Notion-Version', sent]])
})

test('connectors with a sign-in send users there, with the user’s own client', async () => {
  const app = await startTestApp()
  const signingIn = files.filter(({ connector }) => connector.auth_config.auth_types?.includes('oauth2'))
  const outcomes = []
  for (const { connector } of signingIn) {
    const user_input = { client_id: 'app', client_secret: 'secret', subdomain: 'shop', shop: 'shop' }
    const body = { connector_id: connector.id, name: 'test', auth_type: 'oauth2', user_input }
    const { id } = (await app.call('POST', '/v1/connector-auths', body)).json as { id: string }
    const { status, json } = await app.call('POST', `/v1/connector-auths/${id}/authorize`)
    const { protocol, searchParams } = new URL((json as { url: string }).url)
    outcomes.push([connector.name, status, protocol, searchParams.get('client_id')])
  }
  expect(outcomes).toEqual(signingIn.map(({ connector }) => [connector.name, 200, 'https:', 'app']))
  expect(signingIn.length).toBeGreaterThan(15)
})

test('a credential is sent where the API expects it, by the type of the auth', () => {
  const placed = (name: string, auth: Partial<OpenAuth>) => {
    const file = files.find(({ connector }) => connector.id === idOf(name))
    const open = { auth_token: 'key', user_input: {}, ...auth } as OpenAuth
    const { headers, query } = credentialsOf(file?.connector as Connector, open)
    return [...headers, ...entriesOf(query)]
  }
  const inQuery = { user_input: { query_name: 'api_key' } }
  expect([
    placed('shopify', { auth_type: 'oauth2' }),
    placed('pipedrive', { auth_type: 'oauth2' }),
    placed('pipedrive', { auth_type: 'api_key' }),
    placed('http', { auth_type: 'api_key', ...inQuery }),
    placed('http', { auth_type: 'bearer', ...inQuery }),
    placed('http', { auth_type: 'api_key', user_input: { header_name: 'X-Key' } }),
  ]).toEqual([
    [['X-Shopify-Access-Token', 'key']],
    [['Authorization', 'Bearer key']],
    [['x-api-token', 'key']],
    [['api_key', 'key']],
    [['Authorization', 'Bearer key']],
    [['X-Key', 'key']],
  ])
})

describe('each reads all 250 records of an imitation of its API, with credentials on every call', () => {
  let server: ImitationServer
  beforeAll(async () => {
    server = await startImitationServer()
  })
  afterAll(() => server.close())

  test.for(
    IMITATIONS.map((imitation) => [`${imitation.connector}: ${imitation.action}`, imitation] as const),
  )('%s', async ([, imitation]) => {
    server.imitate(imitation)
    const events = await eventsOfCall(imitation)
    const records = events.flatMap((event) => (event.type === 'records' ? event.records : []))
    const ids = new Set(records.map((record) => JSON.stringify(record)))
    const last = events.at(-1)
    expect({
      last: last?.type === 'failed' ? last.error : last?.type,
      records: records.length,
      distinct: ids.size,
      credentials: server.seen.every(({ credential }) => credential),
      refused: server.seen.filter(({ status }) => status >= 400).length,
    }).toEqual({ last: 'done', records: 250, distinct: 250, credentials: true, refused: 0 })
  })

  test.each([
    ['airtable', 'offset'],
    ['gmail', 'nextPageToken'],
    ['google-calendar', 'nextPageToken'],
    ['google-drive', 'nextPageToken'],
    ['hubspot', 'paging'],
    ['intercom', 'next'],
    ['jira', 'nextPageToken'],
    ['microsoft-graph', '@odata.nextLink'],
    ['onedrive', '@odata.nextLink'],
    ['outlook', '@odata.nextLink'],
    ['outlook-calendar', '@odata.nextLink'],
    ['salesforce', 'nextRecordsUrl'],
    ['slack', 'response_metadata'],
  ])('a single page of %s, whose API leaves out %s then, is a complete list', async (connector, left) => {
    const imitation = IMITATIONS.find((one) => one.connector === connector) as Imitation
    const singlePage = (key: string, value: unknown) => {
      if (key === left) return undefined
      if (key === 'isLast') return true
      if (/total|size/i.test(key)) return 3
      return Array.isArray(value) ? (value.slice(0, 3) as unknown) : value
    }
    const withoutCursor = (body: unknown) => JSON.parse(JSON.stringify(body, singlePage)) as unknown
    server.imitate({
      ...imitation,
      serve: (request) => ({ body: withoutCursor(imitation.serve(request).body) }),
    })
    const last = (await eventsOfCall(imitation)).at(-1)
    expect(last).toMatchObject({ type: 'done', complete: true })
  })

  test("a list of Slack that breaks off with an error and status 200 isn't taken for complete", async () => {
    const slack = IMITATIONS.find(({ connector }) => connector === 'slack') as Imitation
    const revoked = { body: { ok: false, error: 'token_revoked' } }
    server.imitate({
      ...slack,
      serve: (request) => (request.query.has('cursor') ? revoked : slack.serve(request)),
    })
    const before = server.seen.length
    const last = (await eventsOfCall(slack, { limits: { max_attempts: 2, backoff_base_ms: 1 } })).at(-1)
    // The error is final, so nothing is repeated, and the message has Slack's reason.
    expect({ last, requests: server.seen.length - before }).toMatchObject({
      last: {
        type: 'failed',
        error: {
          code: 'error_in_answer',
          page: 1,
          partial_count: 100,
          message: expect.stringContaining('token_revoked') as string,
        },
      },
      requests: 2,
    })
  })

  test('a rate limit that Slack reports with status 200 is waited for', async () => {
    const slack = IMITATIONS.find(({ connector }) => connector === 'slack') as Imitation
    let refusals = 0
    server.imitate({
      ...slack,
      serve: (request) =>
        request.query.has('cursor') && refusals++ === 0
          ? { body: { ok: false, error: 'ratelimited' } }
          : slack.serve(request),
    })
    const events = await eventsOfCall(slack, { limits: { backoff_base_ms: 1 } })
    const records = events.flatMap((event) => (event.type === 'records' ? event.records : []))
    expect({ last: events.at(-1)?.type, records: records.length }).toEqual({ last: 'done', records: 250 })
  })

  test("a key in the query string is sent there, and isn't shown anywhere", async () => {
    const sent: string[] = []
    const http: Imitation = {
      connector: 'http',
      action: 'get',
      auth: { auth_type: 'api_key', auth_token: 'k1', user_input: { query_name: 'sig' } },
      input: { path: 'things' },
      credential: ['host', ''],
      serve: ({ query }) => ({ body: [sent.push(query.toString())] }),
    }
    server.imitate(http)
    const events = await eventsOfCall(http)
    const shown = events.flatMap((event) => (event.type === 'request' ? [new URL(event.url).search] : []))
    expect({ sent, shown }).toEqual({ sent: ['sig=k1'], shown: ['?sig=***'] })
  })

  async function eventsOfCall(imitation: Imitation, options: object = {}) {
    const app = await startTestApp()
    const connector_id = idOf(imitation.connector)
    const auth = await app.call('POST', '/v1/connector-auths', {
      connector_id,
      name: 'test',
      api_endpoint: server.base,
      ...imitation.auth,
    })
    return eventsOf(app, {
      connector_id,
      action: imitation.action,
      auth_id: (auth.json as { id: string }).id,
      ...(imitation.input ? { input: imitation.input } : {}),
      ...options,
    })
  }
})

const idOf = (name: string) => {
  const wanted = name.replaceAll('-', ' ')
  return files.find(({ connector }) => connector.name.toLowerCase() === wanted)?.connector.id
}
