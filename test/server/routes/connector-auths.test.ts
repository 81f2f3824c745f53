import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import type { ConnectorAuth } from '../../../src/shared/contract/connector-auths.ts'
import type { Connector } from '../../../src/shared/contract/connectors.ts'
import { DEFAULT_FLOW_SETTINGS } from '../../../src/shared/contract/flows.ts'
import type { IssuedToken } from '../../../src/shared/contract/tokens.ts'
import type { Caller } from '../../../src/main/services/kit/caller.ts'
import { filesWith } from '../../helpers/data-folder.ts'
import { aMasterKey, aStore } from '../../helpers/store.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'
import { startTestApp, type TestApp } from '../../helpers/test-app.ts'

const AUTHS = '/v1/connector-auths'
const NOBODY = '00000000-0000-4000-8000-000000000000'

async function aConnector(app: TestApp, authConfig: object = {}): Promise<string> {
  const answer = await app.call('POST', '/v1/connectors', { name: 'Shop', auth_config: authConfig })
  return (answer.json as Connector).id
}

async function anAuth(app: TestApp, body: object = {}): Promise<ConnectorAuth> {
  const needed = { name: 'Main', auth_type: 'username_password' }
  const connector = 'connector_id' in body ? {} : { connector_id: await aConnector(app) }
  const answer = await app.call('POST', AUTHS, { ...needed, ...connector, ...body })
  expect({ status: answer.status, text: answer.text }).toEqual({ status: 201, text: expect.any(String) })
  return answer.json as ConnectorAuth
}

const codeOf = ({ status, json }: { status: number; json: unknown }) => [
  status,
  (json as { error?: string })?.error,
]
const dataOf = ({ status, json }: { status: number; json: unknown }) => [
  status,
  (json as { data?: unknown })?.data,
]

test('an auth is created with all possible fields; its secrets are named and never shown', async () => {
  const app = await startTestApp()
  const connectorId = await aConnector(app)
  const created = await anAuth(app, {
    connector_id: connectorId,
    auth_token: 'Token planted-token-1',
    auth_details: 'of the test',
    api_endpoint: 'sftp://ann:planted-endpoint-2@files.example:22/in',
    user_input: {
      client_secret: 'planted-client-3',
      secret: 'planted-secret-4',
      key: 'planted-key-5',
      region: 'eu',
    },
    username: 'ann',
    password: 'planted-password-6',
    refresh_token: 'planted-refresh-7',
    tags: ['customer 7'],
  })
  const at = new Date(app.clock.now()).toISOString()
  expect(created).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
    connector_id: connectorId,
    name: 'Main',
    auth_type: 'username_password',
    auth_details: 'of the test',
    api_endpoint: 'sftp://ann:***@files.example:22/in',
    user_input: { region: 'eu' },
    username: 'ann',
    tags: ['customer 7'],
    access: { visibility: 'account', user_ids: [] },
    secrets: {
      auth_token: true,
      password: true,
      refresh_token: true,
      api_endpoint: true,
      'user_input.client_secret': true,
      'user_input.secret': true,
      'user_input.key': true,
    },
    state: 'ok',
    token_expires_at: null,
    created_at: at,
    updated_at: at,
  })
  const answers = [
    await app.call('GET', AUTHS),
    await app.call('GET', `${AUTHS}/${created.id}`),
    await app.call('PUT', `${AUTHS}/${created.id}`, created),
    await app.call('PUT', `${AUTHS}/${created.id}`, { api_endpoint: 'sftp://ann:***@other.example/' }),
    await app.call('GET', `${AUTHS}?filter=username,eq,ann&sort=name`),
  ]
  expect(answers.filter(({ text }) => text.includes('planted'))).toEqual([])
  expect(filesWith(app.store.dataDir, 'planted')).toEqual([])
  expect(app.logged).toEqual([])
})

test('a call gets the auth with every secret in its place', async () => {
  const app = await startTestApp()
  const { id, connector_id } = await anAuth(app, {
    auth_token: 'abc',
    api_endpoint: 'sftp://ann:s%2Fecret@files.example/in',
    user_input: { oauth: { client_secret: 'deep' }, region: 'eu' },
    username: 'ann',
    password: 'pw',
  })
  expect(await app.services.connectorAuths.open(app.store.users.local().id, id)).toEqual({
    id,
    connector_id,
    auth_type: 'username_password',
    auth_token: 'abc',
    auth_details: '',
    api_endpoint: 'sftp://ann:s%2Fecret@files.example/in',
    user_input: { oauth: { client_secret: 'deep' }, region: 'eu' },
    username: 'ann',
    password: 'pw',
  })
})

test("the specification's body is accepted as it is, including empty values", async () => {
  const app = await startTestApp()
  const auth = await anAuth(app, {
    auth_token: '',
    auth_details: '',
    api_endpoint: 'sftp://user:password@host/path',
    user_input: {},
    username: 'user',
    password: 'password',
    tags: [],
  })
  expect({ secrets: auth.secrets, apiEndpoint: auth.api_endpoint }).toEqual({
    secrets: { password: true, api_endpoint: true },
    apiEndpoint: 'sftp://user:***@host/path',
  })
})

test("a change keeps what it doesn't name, including secrets; an empty secret is deleted", async () => {
  const app = await startTestApp()
  const auth = await anAuth(app, {
    auth_token: 'a',
    password: 'b',
    user_input: { secret: 'c', key: 'd', region: 'eu' },
    tags: ['x'],
  })
  const path = `${AUTHS}/${auth.id}`
  const open = async () => {
    const { auth_token, password, user_input } = await app.services.connectorAuths.open(
      app.store.users.local().id,
      auth.id,
    )
    return { auth_token, password, user_input }
  }
  app.clock.advance(1_000)
  const renamed = (await app.call('PUT', path, { name: 'Other', connector_id: auth.connector_id })).json
  const later = new Date(app.clock.now()).toISOString()
  expect({ renamed, opened: await open() }).toEqual({
    renamed: { ...auth, name: 'Other', updated_at: later },
    opened: { auth_token: 'a', password: 'b', user_input: { secret: 'c', key: 'd', region: 'eu' } },
  })
  await app.call('PUT', path, { auth_token: '', user_input: { region: 'us', key: null, secret: 'new' } })
  expect(await open()).toEqual({ auth_token: '', password: 'b', user_input: { secret: 'new', region: 'us' } })
  expect(((await app.call('GET', path)).json as ConnectorAuth).secrets).toEqual({
    password: true,
    'user_input.secret': true,
  })
})

test('*** keeps the stored password of the URL, and moves it to no other host', async () => {
  const app = await startTestApp()
  const { id } = await anAuth(app, { api_endpoint: 'sftp://ann:secret@files.example:22/in' })
  const put = async (endpoint: string) => {
    const answer = await app.call('PUT', `${AUTHS}/${id}`, { api_endpoint: endpoint })
    const { api_endpoint: kept } = await app.services.connectorAuths.open(app.store.users.local().id, id)
    return [answer.status, kept]
  }
  const unchanged = 'sftp://bob:secret@FILES.example:22/out'
  expect([
    await put('sftp://ann:***@files.example:22/in'),
    await put('sftp://bob:***@FILES.example:22/out'),
    await put('sftp://bob:***@evil.example:22/out'),
    await put('sftp://bob:***@files.example:23/out'),
    await put('ftp://bob:***@files.example:22/out'),
    await put('sftp://bob:pa/ss@files.example/out'),
    await put('sftp://bob:new@other.example/'),
    await put('sftp://bob@other.example/'),
    await put('sftp://bob:***@other.example/'),
    await put(''),
  ]).toEqual([
    [200, 'sftp://ann:secret@files.example:22/in'],
    [200, unchanged],
    [400, unchanged],
    [400, unchanged],
    [400, unchanged],
    [400, unchanged],
    [200, 'sftp://bob:new@other.example/'],
    [200, 'sftp://bob@other.example/'],
    [400, 'sftp://bob@other.example/'],
    [200, ''],
  ])
  const created = await app.call('POST', AUTHS, {
    connector_id: await aConnector(app),
    name: 'x',
    auth_type: 'none',
    api_endpoint: 'sftp://ann:***@files.example',
  })
  expect(codeOf(created)).toEqual([400, 'validation'])
})

test('a URL needs a scheme and a valid host, and its password is found after spaces too', async () => {
  const app = await startTestApp()
  const body = { connector_id: await aConnector(app), name: 'x', auth_type: 'none' }
  const bad = [
    'sftp://a:b@',
    'http://[::1',
    'https://',
    'api.example.com',
    'https://a b',
    'smtp://host:99999',
    '/v1',
  ]
  const answers = await Promise.all(
    bad.map((api_endpoint) => app.call('POST', AUTHS, { ...body, api_endpoint })),
  )
  expect(answers.map(({ status, json }) => [status, (json as { data: object }).data])).toEqual(
    bad.map(() => [400, { api_endpoint: [expect.stringMatching(/^isn't a URL; write it with scheme/)] }]),
  )
  const spaced = await app.call('POST', AUTHS, { ...body, api_endpoint: ' sftp://ann:secret@[::1]:22/in ' })
  expect((spaced.json as ConnectorAuth).api_endpoint).toBe('sftp://ann:***@[::1]:22/in')
})

test('auths are found by a tag', async () => {
  const app = await startTestApp()
  const north = await anAuth(app, { name: 'North', tags: ['customer', 'eu'] })
  const south = await anAuth(app, { name: 'South', tags: ['customer', 'Übersee'] })
  const own = await anAuth(app, { name: 'Own' })
  const found = async (filter: string) => {
    const list = (await app.call('GET', `${AUTHS}?filter=${encodeURIComponent(filter)}`))
      .json as ConnectorAuth[]
    return list.map(({ id }) => id)
  }
  expect([
    await found('tags,eq,customer'),
    await found('tags,ne,eu'),
    await found('tags,in,eu,us'),
    await found('tags,like,über%'),
    await found('tags,eq,custom'),
  ]).toEqual([[south.id, north.id], [own.id, south.id], [north.id], [south.id], []])
  const refused = [
    await app.call('GET', `${AUTHS}?filter=tags,gt,a`),
    await app.call('GET', `${AUTHS}?sort=tags`),
    await app.call('GET', '/v1/flows?filter=tags,eq,x'),
    await app.call('GET', '/v1/connectors?filter=tags,eq,automation'),
  ]
  expect(
    refused.map(({ status, text }) => [status, text.includes('operators are'), text.includes('Millrace')]),
  ).toEqual([
    [400, true, false],
    [400, false, false],
    [200, false, false],
    [200, false, true],
  ])
})

test('missing and invalid fields of an auth are reported field by field', async () => {
  const app = await startTestApp()
  const connectorId = await aConnector(app, { auth_types: ['bearer', 'none'] })
  const good = { connector_id: connectorId, name: 'x', auth_type: 'bearer' }
  const bodies: [object, string][] = [
    [{ connector_id: undefined }, 'connector_id'],
    [{ connector_id: 'x' }, 'connector_id'],
    [{ connector_id: NOBODY }, 'connector_id'],
    [{ connector_id: null }, 'connector_id'],
    [{ name: undefined }, 'name'],
    [{ name: '' }, 'name'],
    [{ auth_type: undefined }, 'auth_type'],
    [{ auth_type: 'magic' }, 'auth_type'],
    [{ auth_type: 'oauth2' }, 'auth_type'],
    [{ auth_token: null }, 'auth_token'],
    [{ auth_token: 5 }, 'auth_token'],
    [{ password: ['x'] }, 'password'],
    [{ api_endpoint: 'x'.repeat(4_001) }, 'api_endpoint'],
    [{ user_input: [] }, 'user_input'],
    [{ user_input: { secret: 5 } }, 'user_input.secret'],
    [{ username: '\ud800' }, 'username'],
    [{ tags: [1] }, 'tags[0]'],
    [{ access: { visibility: 'all' } }, 'access.visibility'],
    [{ access: { visibility: 'selected', user_ids: [NOBODY] } }, 'access.user_ids'],
    [{ access: {} }, 'access.visibility'],
    [{ colour: 'red' }, 'colour'],
  ]
  const answers = await Promise.all(bodies.map(([change]) => app.call('POST', AUTHS, { ...good, ...change })))
  expect(answers.map(({ status, json }) => [status, Object.keys((json as { data: object }).data)])).toEqual(
    bodies.map(([, field]) => [400, [field]]),
  )
  expect((await app.call('GET', AUTHS)).json).toEqual([])
  const { id } = await anAuth(app, good)
  const other = await aConnector(app)
  expect(dataOf(await app.call('PUT', `${AUTHS}/${id}`, { connector_id: other }))).toEqual([
    400,
    { connector_id: ["can't be changed; create an auth for the other connector"] },
  ])
})

test('fields that the form of a connector hides are secrets too', async () => {
  const app = await startTestApp()
  const connectorId = await aConnector(app, {
    auth_form: [
      { name: 'pin', type: 'password' },
      { name: 'site', type: 'text' },
    ],
  })
  const auth = await anAuth(app, { connector_id: connectorId, user_input: { pin: '1234', site: 'north' } })
  expect({ userInput: auth.user_input, secrets: auth.secrets }).toEqual({
    userInput: { site: 'north' },
    secrets: { 'user_input.pin': true },
  })
})

test('an OAuth auth without a token waits for its authorization', async () => {
  const app = await startTestApp()
  const [waiting, ready] = [
    await anAuth(app, { auth_type: 'oauth2' }),
    await anAuth(app, { auth_type: 'oauth2', auth_token: 'x' }),
  ]
  expect({ waiting: waiting.state, ready: ready.state }).toEqual({
    waiting: 'needs_authorization',
    ready: 'ok',
  })
})

const BOB = '11111111-1111-4111-8111-111111111111'

/** A data folder with a second user besides the local one. */
async function folderWithBob(): Promise<string> {
  const dataDir = temporaryFolder()
  const store = await aStore({ dataDir })
  store.close()
  const db = new Database(`${dataDir}/millrace.db`)
  db.prepare("INSERT INTO users (id, name, email, role, created_at) VALUES (?, 'Bob', '', 'member', 0)").run(
    BOB,
  )
  db.close()
  return dataDir
}

async function bobsToken(app: TestApp): Promise<{ readonly authorization: string }> {
  const bob: Caller = { kind: 'session', userId: BOB, scopes: [], tokenId: null }
  const body = { scopes: ['connector_auth', 'automation'], expiration: null, note: '' }
  return { authorization: `Bearer ${(await app.services.tokens.create(bob, body)).token}` }
}

test("an auth that its access hides from a user doesn't exist for that user, in any way", async () => {
  const app = await startTestApp({ store: { dataDir: await folderWithBob() } })
  const as = await bobsToken(app)
  const ownerId = app.store.users.local().id
  const visible = await anAuth(app, { name: 'account' })
  const shared = await anAuth(app, {
    name: 'selected',
    access: { visibility: 'selected', user_ids: [BOB] },
  })
  const hidden = await anAuth(app, {
    name: 'not selected',
    access: { visibility: 'selected', user_ids: [ownerId] },
  })
  const secret = await anAuth(app, { name: 'private', access: { visibility: 'private' } })
  const list = await app.call('GET', `${AUTHS}?sort=name`, undefined, as)
  expect((list.json as ConnectorAuth[]).map(({ name }) => name)).toEqual(['account', 'selected'])
  expect(list.headers['x-total-count']).toBe('2')
  const outcome = async (id: string) => [
    (await app.call('GET', `${AUTHS}/${id}`, undefined, as)).status,
    (await app.call('PUT', `${AUTHS}/${id}`, { tags: ['x'] }, as)).status,
    (await app.call('DELETE', `${AUTHS}/${id}`, undefined, as)).status,
  ]
  expect({
    hidden: await outcome(hidden.id),
    secret: await outcome(secret.id),
    shared: await outcome(shared.id),
    visible: await outcome(visible.id),
  }).toEqual({
    hidden: [404, 404, 404],
    secret: [404, 404, 404],
    shared: [200, 200, 204],
    visible: [200, 200, 204],
  })
  await expect(app.services.connectorAuths.open(BOB, secret.id)).rejects.toThrow('There is no connector auth')
  const own = (await app.call('GET', AUTHS)).json as ConnectorAuth[]
  expect(own.map(({ name }) => name)).toEqual(['private', 'not selected'])
})

test("an auth can't be deleted while a flow uses it, unless forced", async () => {
  const app = await startTestApp()
  const { id, connector_id } = await anAuth(app)
  const at = new Date(app.clock.now()).toISOString()
  const config = { connector_id, action: 'x', auth_id: id }
  const call = {
    ref_id: 'call',
    type: 'connector_action',
    title: '',
    description: '',
    disabled: false,
    config,
  }
  app.store.writeNow(() => {
    for (const name of ['Nightly sync', 'Receive an order']) {
      app.store.flows.insert({
        id: crypto.randomUUID(),
        name,
        description: '',
        tags: [],
        status: 'draft',
        version: 1,
        steps: [{ ...call, on_error: 'stop', retry: null }],
        settings: DEFAULT_FLOW_SETTINGS,
        created_at: at,
        updated_at: at,
      })
    }
  })
  const refused = await app.call('DELETE', `${AUTHS}/${id}`)
  const alsoRefused = await app.call('DELETE', `${AUTHS}/${id}?force=false`)
  const nonsense = await app.call('DELETE', `${AUTHS}/${id}?force=yes`)
  const forced = await app.call('DELETE', `${AUTHS}/${id}?force=true`)
  expect({
    refused: codeOf(refused),
    alsoRefused: codeOf(alsoRefused),
    nonsense: codeOf(nonsense),
    forced: forced.status,
  }).toEqual({
    refused: [409, 'conflict'],
    alsoRefused: [409, 'conflict'],
    nonsense: [400, 'validation'],
    forced: 204,
  })
  const { message } = refused.json as { message: string }
  expect({
    namesSync: message.includes('"Nightly sync"'),
    namesOrder: message.includes('"Receive an order"'),
    namesForce: message.includes('force=true'),
  }).toEqual({ namesSync: true, namesOrder: true, namesForce: true })
})

test('with another master key the auths ask for their secrets, and everything else works', async () => {
  const dataDir = temporaryFolder()
  const first = await startTestApp({ store: { dataDir, masterKey: aMasterKey(1) } })
  const kept = await anAuth(first, { password: 'old', api_endpoint: 'sftp://ann:old@files.example/' })
  const plain = await anAuth(first, { auth_type: 'none' })
  first.store.close()
  const app = await startTestApp({ store: { dataDir, masterKey: aMasterKey(2) } })
  const path = `${AUTHS}/${kept.id}`
  const read = (await app.call('GET', path)).json as ConnectorAuth
  const states = [read.state, ((await app.call('GET', `${AUTHS}/${plain.id}`)).json as ConnectorAuth).state]
  await expect(app.services.connectorAuths.open(app.store.users.local().id, kept.id)).rejects.toThrow(
    'entered again',
  )
  const renamed = (await app.call('PUT', path, { ...read, name: 'Renamed' })).json as ConnectorAuth
  const entered = (await app.call('PUT', path, { password: 'new' })).json as ConnectorAuth
  expect({
    states,
    name: renamed.name,
    renamedState: renamed.state,
    renamedSecrets: renamed.secrets,
    enteredState: entered.state,
    enteredSecrets: entered.secrets,
  }).toEqual({
    states: ['needs_reentry', 'ok'],
    name: 'Renamed',
    renamedState: 'needs_reentry',
    renamedSecrets: { password: true, api_endpoint: true },
    enteredState: 'ok',
    enteredSecrets: { password: true },
  })
})

test('an imported key opens auths and env variables at once, without a restart', async () => {
  const dataDir = temporaryFolder()
  const first = await startTestApp({ store: { dataDir, masterKey: aMasterKey(1) } })
  const kept = await anAuth(first, { password: 'old' })
  const variable = { name: 'shop_key', type: 'text', value: 'value of the first machine', secret: true }
  await first.call('POST', '/v1/env-variables', variable)
  const keys = first.services.keys.exportKeys()
  first.store.close()
  const app = await startTestApp({ store: { dataDir, masterKey: aMasterKey(2) } })
  const step = { ref_id: 'read', type: 'set', config: { values: { read: '{{ shop_key | length }}' } } }
  const flow = (await app.call('POST', '/v1/flows', { name: 'Reads', steps: [step] })).json as { id: string }
  const shown = async () => {
    const run = await app.call('POST', `/v1/flows/${flow.id}/steps/read/run`, {})
    const { output } = run.json as { output: { read: number } | null }
    return [((await app.call('GET', `${AUTHS}/${kept.id}`)).json as ConnectorAuth).state, output?.read ?? 0]
  }
  const before = await shown()
  await app.services.keys.importKeys(keys)
  expect({ before, after: await shown() }).toEqual({
    before: ['needs_reentry', 0],
    after: ['ok', variable.value.length],
  })
  const { password } = await app.services.connectorAuths.open(app.store.users.local().id, kept.id)
  expect(password).toBe('old')
})

test('without a master key secrets are rejected with a sentence, auths without any are not', async () => {
  const app = await startTestApp({ store: { masterKey: null } })
  const connector_id = await aConnector(app)
  const needed = { connector_id, name: 'x' }
  const [secret, open] = [
    await app.call('POST', AUTHS, { ...needed, auth_type: 'bearer', auth_token: 'x' }),
    await app.call('POST', AUTHS, { ...needed, auth_type: 'none' }),
  ]
  expect({ secret: codeOf(secret), open: open.status, listed: (await app.call('GET', AUTHS)).json }).toEqual({
    secret: [409, 'conflict'],
    open: 201,
    listed: [open.json],
  })
})

test('a token with automation only reads auths', async () => {
  const app = await startTestApp()
  const auth = await anAuth(app, { password: 'planted-password' })
  const body = { scopes: ['automation'], expiration: null, note: '' }
  const { token } = (await app.call('POST', '/v1/personal-access-tokens', body)).json as IssuedToken
  const as = { authorization: `Bearer ${token}` }
  const read = await app.call('GET', `${AUTHS}/${auth.id}`, undefined, as)
  const answers = await Promise.all([
    app.call('POST', AUTHS, auth, as),
    app.call('PUT', `${AUTHS}/${auth.id}`, {}, as),
    app.call('DELETE', `${AUTHS}/${auth.id}`, undefined, as),
  ])
  expect({ status: read.status, text: read.text, statuses: answers.map(({ status }) => status) }).toEqual({
    status: 200,
    text: expect.not.stringContaining('planted'),
    statuses: [403, 403, 403],
  })
})

test('a password in its field overrides an old one in the URL; a missing field comes from the URL', async () => {
  const app = await startTestApp()
  const api = await startThirdPartyApi((_request, response) => response.end('{}'))
  const connector = (await app.call('POST', '/v1/connectors', { name: 'Shop', test_action: 'ping' }))
    .json as { id: string }
  const action = { connector_id: connector.id, name: 'ping', method: 'GET', endpoint: 'ping' }
  await app.call('POST', '/v1/connector-actions', action)
  const send = async (fields: object) => {
    const made = await app.call('POST', '/v1/connector-auths', {
      connector_id: connector.id,
      name: 'Main',
      auth_type: 'username_password',
      api_endpoint: `http://ann:of-last-year@127.0.0.1:${api.port}`,
      ...fields,
    })
    await app.call('POST', `/v1/connector-auths/${(made.json as { id: string }).id}/test`)
    const sent = api.received.at(-1)?.headers.authorization ?? ''
    return Buffer.from(sent.replace('Basic ', ''), 'base64').toString()
  }
  expect([
    await send({ username: 'bea', password: 'of-today' }),
    await send({ password: 'of-today' }),
    await send({}),
  ]).toEqual(['bea:of-today', 'ann:of-today', 'ann:of-last-year'])
})
