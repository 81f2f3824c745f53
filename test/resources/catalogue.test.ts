import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { catalogueFiles, startTestApp } from '../helpers/test-app.ts'
import { eventsOf } from '../helpers/pagination-test-events.ts'
import { type ImitationServer, startImitationServer } from './imitation-server.ts'
import { IMITATIONS } from './imitations.ts'

interface CatalogueFile {
  readonly connector: {
    readonly id: string
    readonly name: string
    readonly test_action: string | null
    readonly pagination_config: unknown
    readonly auth_config: object
  }
  readonly actions: readonly {
    readonly id: string
    readonly name: string
    readonly supports_automatic_pagination: boolean
  }[]
}
const files = catalogueFiles() as CatalogueFile[]

describe('the connectors that come with Millrace', () => {
  test('are all taken by the program, with ids and names of their own', async () => {
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

  test('name a test action that exists, and page only where they say how', () => {
    const wrong = files.filter(
      ({ connector, actions }) =>
        (connector.test_action !== null && !actions.some(({ name }) => name === connector.test_action)) ||
        (connector.pagination_config === null &&
          actions.some((action) => action.supports_automatic_pagination)),
    )
    expect(wrong.map(({ connector }) => connector.name)).toEqual([])
  })
})

test('those that say where users sign in send them there, with a client of the user’s own', async () => {
  const app = await startTestApp()
  const signingIn = files.filter(({ connector }) => 'access_url' in connector.auth_config)
  const outcomes = []
  for (const { connector } of signingIn) {
    const user_input = { client_id: 'app', client_secret: 'secret', subdomain: 'shop' }
    const body = { connector_id: connector.id, name: 'test', auth_type: 'oauth2', user_input }
    const { id } = (await app.call('POST', '/v1/connector-auths', body)).json as { id: string }
    const { status, json } = await app.call('POST', `/v1/connector-auths/${id}/authorize`)
    const { protocol, searchParams } = new URL((json as { url: string }).url)
    outcomes.push([connector.name, status, protocol, searchParams.get('client_id')])
  }
  expect(outcomes).toEqual(signingIn.map(({ connector }) => [connector.name, 200, 'https:', 'app']))
  expect(signingIn.length).toBeGreaterThan(15)
})

describe('each reads all 250 records of an imitation of its API, credentials on every call', () => {
  let server: ImitationServer
  beforeAll(async () => {
    server = await startImitationServer()
  })
  afterAll(() => server.close())

  test.for(
    IMITATIONS.map((imitation) => [`${imitation.connector}: ${imitation.action}`, imitation] as const),
  )('%s', async ([, imitation]) => {
    server.imitate(imitation)
    const app = await startTestApp()
    const file = files.find(({ connector }) => connector.id === idOf(imitation.connector))
    const auth = await app.call('POST', '/v1/connector-auths', {
      connector_id: file?.connector.id,
      name: 'test',
      api_endpoint: server.base,
      ...imitation.auth,
    })
    const events = await eventsOf(app, {
      connector_id: file?.connector.id,
      action: imitation.action,
      auth_id: (auth.json as { id: string }).id,
      ...(imitation.input ? { input: imitation.input } : {}),
    })
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
})

const idOf = (name: string) => {
  const wanted = name.replaceAll('-', ' ')
  return files.find(({ connector }) => connector.name.toLowerCase() === wanted)?.connector.id
}
