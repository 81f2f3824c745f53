import { expect, test } from 'vitest'
import type { FlowSource, PushedFlow } from '../../../src/shared/contract/flow-files.ts'
import type { FlowProblem } from '../../../src/shared/contract/base/flow-problem.ts'
import type { Flow } from '../../../src/shared/contract/flows.ts'
import { startTestApp, type TestApp } from '../../helpers/test-app.ts'
import { type ApiDocument, faultsOf } from '../../helpers/openapi.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'

const SECRET = 'sk_live_abcdefgh12345678'
const ID = '7c9e6679-7425-40de-944b-e07fc1f90ae7'

async function post<T>(app: TestApp, path: string, body: unknown, status = 201): Promise<T> {
  const answer = await app.call('POST', path, body)
  expect({ status: answer.status, text: answer.text.slice(0, 400) }).toEqual({
    status,
    text: expect.any(String),
  })
  return answer.json as T
}

const sources = async (app: TestApp) =>
  (await app.call('GET', '/v1/flow-sources')).json as { revision: string; source: FlowSource }[]
const push = (app: TestApp, body: object, status = 200) =>
  post<PushedFlow & { data?: unknown; message: string }>(app, '/v1/flow-sources/push', body, status)
const flowOf = async (app: TestApp, id: string) => (await app.call('GET', `/v1/flows/${id}`)).json as Flow

/** A connector and an auth, with the same names everywhere but with separate IDs. */
async function withShop(app: TestApp): Promise<{ connector_id: string; auth_id: string }> {
  const { id: connector_id } = await post<{ id: string }>(app, '/v1/connectors', {
    name: 'Shop',
    base_domain: 'https://shop.example.test',
  })
  await post(app, '/v1/connector-actions', { connector_id, name: 'list', method: 'GET', endpoint: '/orders' })
  const auth = { connector_id, name: 'Shop of the team', auth_type: 'bearer', auth_token: SECRET }
  const { id: auth_id } = await post<{ id: string }>(app, '/v1/connector-auths', auth)
  return { connector_id, auth_id }
}

const stepsFor = ({ connector_id, auth_id }: { connector_id: string; auth_id: string }) => [
  { ref_id: 'orders', type: 'connector_action', config: { connector_id, action: 'list', auth_id } },
  {
    ref_id: 'call',
    type: 'rest',
    title: `Not ${SECRET}`,
    config: {
      url: `https://api.example.test/x?key=${SECRET}`,
      headers: { Authorization: 'Bearer written-into-the-flow', 'X-Api-Key': '{{ shop_key }}' },
      body: { deep: [{ token: SECRET }], plain: '***' },
    },
  },
]

test('a source names connectors and auths, and has placeholders for secrets, which a push puts back', async () => {
  const app = await startTestApp()
  await post(app, '/v1/env-variables', {
    name: 'shop_key',
    type: 'text',
    value: 'another-secret-1234',
    secret: true,
  })
  const shop = await withShop(app)
  const { id } = await post<Flow>(app, '/v1/flows', {
    name: 'Orders',
    description: `The key is ${SECRET}`,
    steps: stepsFor(shop),
  })
  const before = await flowOf(app, id)
  const [written] = await sources(app)
  expect(JSON.stringify(written)).not.toMatch(new RegExp(`${SECRET}|written-into|${shop.auth_id}`))
  expect(written?.source).toEqual({
    id,
    name: 'Orders',
    description: 'The key is ***',
    steps: [
      {
        ref_id: 'orders',
        type: 'connector_action',
        config: { connector: 'Shop', action: 'list', auth: 'Shop of the team' },
      },
      {
        ref_id: 'call',
        type: 'rest',
        title: 'Not ***',
        config: {
          url: { $secret: 'https://api.example.test/x?key=***' },
          headers: { Authorization: { $secret: '***' }, 'X-Api-Key': '{{ shop_key }}' },
          body: { deep: [{ token: { $secret: '***' } }], plain: '***' },
        },
      },
    ],
  })
  const same = await push(app, { source: written?.source })
  const renamed = await push(app, {
    source: { ...written?.source, name: 'All orders' },
    revision: written?.revision,
  })
  const { name, steps, description, version } = await flowOf(app, id)
  expect({ same, renamed: renamed.change, name, steps, description, version }).toEqual({
    same: { change: 'none', revision: written?.revision, missing: [], problems: [] },
    renamed: 'change',
    name: 'All orders',
    steps: before.steps,
    description: before.description,
    version: before.version,
  })
})

test('another Millrace takes a source over under the same ID, once all that it needs is there', async () => {
  const [laptop, server] = [await startTestApp(), await startTestApp()]
  const shop = await withShop(laptop)
  const handler = await post<Flow>(laptop, '/v1/flows', { name: 'Handler', steps: [] })
  const steps = [
    ...stepsFor(shop),
    { ref_id: 'other', type: 'run_flow', config: { flow_id: handler.id } },
    { ref_id: 'read', type: 'file_read', config: { path: 'orders.csv' } },
  ]
  await post(laptop, '/v1/env-variables', { name: 'shop_key', type: 'text', value: 'x', secret: false })
  const settings = { error_handling_flow_id: handler.id }
  const { id } = await post<Flow>(laptop, '/v1/flows', { name: 'Orders', steps, settings })
  const source = (await sources(laptop)).find((one) => one.source.id === id)?.source
  const { missing, change } = await push(server, { source, dry_run: true })
  const refused = await push(server, { source }, 400)
  expect({ change, missing: missing.map(({ kind, name, ref_id }) => `${kind} ${name} ${ref_id}`) }).toEqual({
    change: 'create',
    missing: [
      'connector Shop orders',
      'connector_auth Shop of the team orders',
      'secret config.url call',
      'secret config.headers.Authorization call',
      'secret config.body.deep[0].token call',
      `flow ${handler.id} other`,
      'folder orders.csv read',
      `flow ${handler.id} null`,
      'variable shop_key null',
    ],
  })
  expect(refused.message).toContain('connector Shop (orders), connector auth Shop of the team (orders)')
  expect(await sources(server)).toEqual([])

  const there = await withShop(server)
  await post(server, '/v1/env-variables', { name: 'shop_key', type: 'text', value: 'y', secret: false })
  expect((await server.call('PUT', '/v1/settings', { file_folders: [temporaryFolder()] })).status).toBe(200)
  const clean = JSON.parse(
    JSON.stringify(source).replaceAll(/\{"\$secret":"([^"]*)"\}/g, '"$1"'),
  ) as FlowSource
  await push(server, { source: { id: handler.id, name: 'Handler', steps: [] } })
  const pushed = await push(server, { source: clean })
  const made = await flowOf(server, id)
  expect({ pushed, made }).toMatchObject({
    pushed: { change: 'create', missing: [], problems: [] },
    made: {
      id,
      status: 'draft',
      settings: { error_handling_flow_id: handler.id },
      steps: [{ config: there }, {}, {}, {}],
    },
  })
})

test('a push respects the revision that its sender saw, and a dry run changes nothing', async () => {
  const app = await startTestApp()
  const source = {
    id: ID,
    name: 'Greet',
    steps: [{ ref_id: 'a', type: 'set', config: { values: { x: 1 } } }],
  }
  const dry = await push(app, { source, dry_run: true })
  expect({ dry, there: await sources(app) }).toEqual({
    dry: { change: 'create', revision: null, missing: [], problems: [] },
    there: [],
  })
  const created = await push(app, { source, revision: null })
  const again = await push(app, { source: { ...source, name: 'Other' }, revision: null }, 412)
  const changed = await push(app, { source: { ...source, name: 'Greet all' }, revision: created.revision })
  const late = await push(app, { source: { ...source, name: 'Late' }, revision: created.revision }, 412)
  const wrong = { ...source, steps: [{ ref_id: 'a', type: 'rest', config: { method: 'GET' } }] }
  const checked = await push(app, { source: wrong, dry_run: true })
  const refused = await push(app, { source: wrong }, 400)
  expect({
    again: again.message,
    late: late.message,
    changed: changed.change,
    problems: checked.problems,
    refused: refused.data,
    name: (await flowOf(app, ID)).name,
  }).toEqual({
    again: 'The flow "Other" has changed since you read it; read it again',
    late: 'The flow "Late" has changed since you read it; read it again',
    changed: 'change',
    problems: [expect.stringContaining('url')],
    refused: { 'steps[0].config.url': [expect.any(String)] },
    name: 'Greet all',
  })
})

test('settings that a source leaves out have their default, and the status stays', async () => {
  const app = await startTestApp()
  const source = { id: ID, name: 'Greet', steps: [] }
  await push(app, { source: { ...source, settings: { timeout_seconds: 5, log_all_steps: false } } })
  await app.call('PUT', `/v1/flows/${ID}`, { status: 'paused' })
  await push(app, { source: { ...source, settings: { timeout_seconds: 7 } } })
  expect(await flowOf(app, ID)).toMatchObject({
    status: 'paused',
    settings: { timeout_seconds: 7, log_all_steps: true },
  })
})

test('a token needs the scopes of flows', async () => {
  const app = await startTestApp()
  const token = async (...scopes: string[]) => {
    const made = await post<{ token: string }>(app, '/v1/personal-access-tokens', {
      scopes,
      expiration: null,
      note: '',
    })
    return { authorization: `Bearer ${made.token}` }
  }
  const view = await token('automation:view')
  const none = await token('connectors')
  const read = await app.call('GET', '/v1/flow-sources', undefined, view)
  const body = { source: { id: ID, name: 'New', steps: [] } }
  const statuses = await Promise.all([
    app.call('POST', '/v1/flow-sources/push', body, view),
    app.call('GET', '/v1/flow-sources', undefined, none),
    app.call('POST', '/v1/flow-sources/push', body, await token('automation')),
  ])
  expect({ read: read.status, statuses: statuses.map(({ status }) => status) }).toEqual({
    read: 200,
    statuses: [403, 403, 200],
  })
})

test.each([
  ['list_trigger', { action: 'list_orders' }],
  ['sql_trigger', { table: 'orders' }],
])('a source names what a %s reads', async (type, config) => {
  const app = await startTestApp()
  const { auth_id, connector_id } = await withShop(app)
  const ids = type === 'list_trigger' ? { auth_id, connector_id } : { auth_id }
  const steps = [{ ref_id: 'entry', type, config: { ...config, ...ids } }]
  const { id } = await post<Flow>(app, '/v1/flows', { name: 'Reads', steps })
  const [written] = await sources(app)
  const pushed = await push(app, {
    source: { ...written?.source, name: 'Renamed' },
    revision: written?.revision,
  })
  expect({
    named: written?.source.steps[0]?.config?.['auth'],
    missing: pushed.missing,
    ids: (await flowOf(app, id)).steps[0]?.config,
  }).toMatchObject({ named: 'Shop of the team', missing: [], ids })
})

test('a source names the auths of databases', async () => {
  const app = await startTestApp()
  const { auth_id } = await withShop(app)
  const sink = { target: 'postgres', auth_id, table: 'orders' }
  const steps = [
    { ref_id: 'since', type: 'read_cursor', config: sink },
    { ref_id: 'rows', type: 'sql', config: { auth_id, statement: 'SELECT 1' } },
    { ref_id: 'written', type: 'write_records', config: { ...sink, records: '{{ rows }}' } },
  ]
  const { id } = await post<Flow>(app, '/v1/flows', { name: 'Databases', steps })
  const [written] = await sources(app)
  const pushed = await push(app, {
    source: { ...written?.source, name: 'Renamed' },
    revision: written?.revision,
  })
  expect({
    named: written?.source.steps.map(({ config }) => config?.['auth']),
    missing: pushed.missing,
    ids: (await flowOf(app, id)).steps.map(({ config }) => config['auth_id']),
  }).toEqual({
    named: Array.from({ length: 3 }, () => 'Shop of the team'),
    missing: [],
    ids: [auth_id, auth_id, auth_id],
  })
})

test('a check of a source names places and fixes as its file has them', async () => {
  const app = await startTestApp()
  await withShop(app)
  const check = async (source: object) => {
    const { json } = await app.call('POST', '/v1/flow-sources/check', { source })
    return (json as { problems: FlowProblem[] }).problems
  }
  const orders = {
    ref_id: 'orders',
    type: 'connector_action',
    config: { connector: 'Shop', action: 'list', auth: 'Shop of the team' },
  }
  const source = {
    id: ID,
    name: 'Orders',
    steps: [
      orders,
      {
        ref_id: 'call',
        type: 'rest',
        config: { url: '{{ ordrs }}', headers: { Authorization: { $secret: 'Bearer ***' } } },
      },
    ],
  }
  expect(await check({ ...source, steps: [orders] })).toEqual([])
  expect(await check(source)).toEqual([
    {
      severity: 'error',
      ref_id: 'call',
      path: 'steps[1].config.url',
      field: 'config.url',
      line: 1,
      column: 4,
      message: `line 1, column 4: 'ordrs' is undefined (Did you mean "orders"?)`,
      fix: {
        title: 'Change "ordrs" to "orders"',
        safe: true,
        edits: [{ op: 'set', ref_id: 'call', path: '/config/url', value: '{{ orders }}' }],
      },
    },
  ])
  const fixes = async (config: object) =>
    (await check({ ...source, steps: [{ ...orders, config: { ...orders.config, ...config } }] })).map(
      ({ field, fix }) => [field, fix?.safe, fix?.edits],
    )
  expect([await fixes({ connector: 'Shp' }), await fixes({ auth: 'Shop of the taem' })]).toEqual([
    [['config.connector', true, [{ op: 'set', ref_id: 'orders', path: '/config/connector', value: 'Shop' }]]],
    [
      [
        'config.auth',
        false,
        [{ op: 'set', ref_id: 'orders', path: '/config/auth', value: 'Shop of the team' }],
      ],
    ],
  ])
  const { name: _, ...nameless } = source
  expect(
    (await check({ ...nameless, steps: [orders], settngs: {} })).map(({ path, ref_id }) => [path, ref_id]),
  ).toEqual([
    ['name', null],
    ['settngs', null],
  ])
})

test('the schema of flow files accepts what a file has, describes its fields and rejects what it lacks', async () => {
  const app = await startTestApp()
  const shop = await withShop(app)
  await post(app, '/v1/env-variables', { name: 'shop_key', type: 'text', value: 'key', secret: true })
  await post<Flow>(app, '/v1/flows', { name: 'Orders', steps: stepsFor(shop) })
  const { json: schema } = await app.call('GET', '/v1/schemas/flow.json')
  // References lead into the document, which is the schema.
  const faults = (value: unknown) =>
    faultsOf(schema as ApiDocument, [{ label: 'flow', schema: { $ref: '#' }, value }])
  const [{ source } = { source: null }] = await sources(app)
  const file = { millrace_flow: 1, $schema: './flow.schema.json', ...source }
  const step = (more: object) => ({ ...file, steps: [{ ref_id: 'a', type: 'delay', ...more }] })
  expect(await faults(file)).toEqual([])
  expect(await faults(step({ config: { seconds: 5 } }))).toEqual([])
  const wrong = [
    step({ type: 'dealy' }),
    step({ config: { second: 5 } }),
    step({ titel: 'x' }),
    { ...file, millrace_flow: 2 },
  ]
  for (const flow of wrong) expect((await faults(flow)).length).toBeGreaterThan(0)
  expect(JSON.stringify(schema)).toContain('Absolute URL to call')
})
