import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { MILLRACE_CONNECTOR_ID } from '../../src/shared/contract/connectors.ts'
import type { FlowRun } from '../../src/shared/contract/flow-runs.ts'
import { operationName } from '../../src/shared/contract/base/operation-name.ts'
import type { Route } from '../../src/shared/contract/base/route.ts'
import { ROUTES } from '../../src/shared/contract/routes.ts'
import { exchangeSignInCodeRoute } from '../../src/shared/contract/page-sessions.ts'
import { createMillraceConnector } from '../../scripts/lib/millrace-connector.ts'
import { startTestApp, type TestApp } from '../helpers/test-app.ts'

const FILE = new URL('../../resources/connectors/millrace.json', import.meta.url)

async function anAuth(app: TestApp, scopes: readonly string[], more: object = {}): Promise<string> {
  const token = await app.call('POST', '/v1/personal-access-tokens', { expiration: null, scopes, note: '' })
  const auth = await app.call('POST', '/v1/connector-auths', {
    connector_id: MILLRACE_CONNECTOR_ID,
    name: 'This machine',
    auth_type: 'bearer',
    auth_token: (token.json as { token: string }).token,
    ...more,
  })
  expect(auth.status).toBe(201)
  return (auth.json as { id: string }).id
}

const step = (auth_id: string, action: string, input: object, ref_id = 'call') => ({
  ref_id,
  type: 'connector_action',
  config: { connector_id: MILLRACE_CONNECTOR_ID, action, auth_id, input },
})

async function run(app: TestApp, steps: readonly object[], input: object = {}) {
  const flow = await app.call('POST', '/v1/flows', { name: 'Calls itself', steps })
  expect({ status: flow.status, text: flow.text }).toEqual({ status: 201, text: expect.any(String) })
  const { id } = flow.json as { id: string }
  const ended = await app.call('POST', `/v1/flows/${id}/run?wait=true`, { input })
  const { id: runId, status, error } = ended.json as FlowRun
  const shown = (await app.call('GET', `/v1/flow-runs/${runId}/steps`)).json as { output: unknown }[]
  return { id, status, error: error?.message ?? null, outputs: shown.map(({ output }) => output) }
}

test('the file matches the contract (otherwise run: node scripts/millrace-connector.ts)', () => {
  const written = JSON.parse(readFileSync(FILE, 'utf8')) as { actions: { name: string }[] }
  expect(written).toEqual(JSON.parse(JSON.stringify(createMillraceConnector())))
  const covered = new Set(written.actions.map(({ name }) => name))
  const routes: readonly Route[] = ROUTES
  // Files aren't JSON, routes for the session can't be called with a token, and only a browser signs in.
  const missing = routes.filter(
    (route) =>
      !route.upload && !route.download && route.access !== 'session' && route !== exchangeSignInCodeRoute,
  )
  expect(missing.map(operationName).filter((name) => !covered.has(name))).toEqual([])
})

test('a flow creates, reads, changes, lists and deletes through the API with a stored token', async () => {
  const app = await startTestApp({ knowsItself: true })
  const auth = await anAuth(app, ['company'])
  const made = await run(app, [
    step(auth, 'create_team', { name: 'Sales' }, 'made'),
    step(auth, 'update_team', { id: '{{ made.id }}', name: 'Support' }, 'changed'),
    step(auth, 'read_team', { id: '{{ made.id }}' }, 'got'),
    step(auth, 'delete_team', { id: '{{ made.id }}' }, 'gone'),
    step(auth, 'list_teams', {}, 'all'),
  ])
  expect({ error: made.error, status: made.status }).toEqual({ error: null, status: 'success' })
  const [created, changed, got, , all] = made.outputs as Record<string, unknown>[]
  expect({ name: created?.['name'], changed, all }).toEqual({ name: 'Sales', changed: got, all: [] })
  expect(got).toMatchObject({ id: created?.['id'], name: 'Support', user_ids: [] })
})

test('a list is read completely, page by page', async () => {
  const app = await startTestApp({ knowsItself: true })
  const auth = await anAuth(app, ['company'])
  await Promise.all(
    Array.from({ length: 230 }, (_, index) => app.call('POST', '/v1/users', { name: `User ${index}` })),
  )
  const { outputs, error } = await run(app, [step(auth, 'list_users', { filter: 'name,like,User%' })])
  expect({ error, records: (outputs[0] as unknown[]).length }).toEqual({ error: null, records: 230 })
})

test("a step fails if its token doesn't allow the call, and testing the auth says whether the token is valid", async () => {
  const app = await startTestApp({ knowsItself: true })
  const auth = await anAuth(app, ['company:view'])
  const refused = await run(app, [step(auth, 'create_team', { name: 'Sales' })])
  expect({ status: refused.status, error: refused.error }).toEqual({
    status: 'error',
    error: expect.stringContaining('403'),
  })
  const tested = await app.call('POST', `/v1/connector-auths/${auth}/test`)
  expect(tested.json).toMatchObject({ ok: true, status: 200 })
  const bad = await anAuth(app, ['company'])
  await app.call('PUT', `/v1/connector-auths/${bad}`, { auth_token: 'mr_pat_wrong' })
  expect((await app.call('POST', `/v1/connector-auths/${bad}/test`)).json).toMatchObject({
    ok: false,
    status: 401,
  })
})

async function ofConnector(app: TestApp, connectorId: string): Promise<object> {
  const auth = await anAuth(app, ['company'], { connector_id: connectorId })
  const call = step(auth, 'list_teams', {})
  return { ...call, config: { ...call.config, connector_id: connectorId } }
}

test('a copy of the connector, and one that was exported and imported, call this program as the original does', async () => {
  const app = await startTestApp({ knowsItself: true })
  await app.call('POST', '/v1/teams', { name: 'Sales' })
  const path = `/v1/connectors/${MILLRACE_CONNECTOR_ID}`
  const copy = await app.call('POST', `${path}/copy`, {})
  const file = await app.call('GET', `${path}/export`)
  const imported = await app.call('POST', '/v1/connectors/import', file.json)
  for (const { json } of [copy, imported]) {
    const { outputs, error } = await run(app, [await ofConnector(app, (json as { id: string }).id)])
    expect({ error, outputs }).toEqual({
      error: null,
      outputs: [[expect.objectContaining({ name: 'Sales' })]],
    })
  }
})

test("no other connector, URL or step reaches Millrace's own port", async () => {
  const app = await startTestApp({ knowsItself: true })
  const own = `http://127.0.0.1:${app.port}`
  const copy = await app.call('POST', `/v1/connectors/${MILLRACE_CONNECTOR_ID}/copy`, {})
  const changed = (copy.json as { id: string }).id
  await app.call('PUT', `/v1/connectors/${changed}`, { base_domain: own })
  const elsewhere = await anAuth(app, ['company'], { api_endpoint: own })
  const outcomes = [
    await run(app, [await ofConnector(app, changed)]),
    await run(app, [step(elsewhere, 'list_teams', {})]),
    await run(app, [{ ref_id: 'call', type: 'rest', config: { method: 'GET', url: `${own}/v1/health` } }]),
  ]
  expect(outcomes.map(({ status }) => status)).toEqual(['error', 'error', 'error'])
})

test('flows that start each other endlessly are stopped after ten calls', async () => {
  const app = await startTestApp({ knowsItself: true })
  const auth = await anAuth(app, ['automation'])
  const flow = (await app.call('POST', '/v1/flows', { name: 'Again' })).json as { id: string }
  const again = {
    ...step(auth, 'run_flow', { id: flow.id, wait: 'true' }),
    retry: null,
  }
  await app.call('PUT', `/v1/flows/${flow.id}`, {
    steps: [again],
    settings: { automatic_retries: false },
  })
  await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`, {})
  const runs = (await app.call('GET', `/v1/flow-runs?filter=flow_id,eq,${flow.id}`)).json as FlowRun[]
  expect({
    runs: runs.length,
    roots: runs.filter(({ parent_run_id }) => parent_run_id === null).length,
  }).toEqual({ runs: 11, roots: 1 })
  const refusals = runs.map(({ error }) => error?.message ?? '').join('\n')
  expect(refusals).toContain('409')
})
