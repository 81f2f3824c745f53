import { beforeEach, expect, test } from 'vitest'
import type { ConnectorAuth } from '../../src/shared/contract/connector-auths.ts'
import type { Connector } from '../../src/shared/contract/connectors.ts'
import type { Flow } from '../../src/shared/contract/flows.ts'
import type { User } from '../../src/shared/contract/users.ts'
import { startFlowApp, type FlowApp } from '../helpers/flow-app.ts'
import { callHttp, type HttpAnswer } from '../helpers/http.ts'
import { startThirdPartyApi, type ThirdPartyApi } from '../helpers/third-party-api.ts'

let app: FlowApp
let shop: ThirdPartyApi
let connectorId: string

async function created<T>(path: string, body: object, as?: Record<string, string>): Promise<T> {
  const answer = as ? await callAs(as, 'POST', path, body) : await app.call('POST', path, body)
  expect({ status: answer.status, text: answer.text }).toEqual({ status: 201, text: expect.any(String) })
  return answer.json as T
}

function callAs(headers: Record<string, string>, method: string, path: string, body?: object) {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  return callHttp(app.port, {
    method,
    path,
    headers: { 'content-type': 'application/json', ...headers },
    ...sent,
  })
}

/** A new user with a token. */
async function aMember(name: string): Promise<{ user: User; as: { authorization: string } }> {
  const user = await created<User>('/v1/users', { name })
  const caller = { kind: 'session', userId: user.id, scopes: [], tokenId: null } as const
  const scopes = ['automation', 'connector_auth', 'connectors']
  const { token } = await app.services.tokens.create(caller, { scopes, expiration: null, note: '' })
  return { user, as: { authorization: `Bearer ${token}` } }
}

const anAuth = (body: object, as?: Record<string, string>) =>
  created<ConnectorAuth>(
    '/v1/connector-auths',
    {
      connector_id: connectorId,
      name: 'Tenant',
      auth_type: 'bearer',
      auth_token: 'token-of-a-tenant',
      ...body,
    },
    as,
  )

const stepsWith = (config: object) => [
  { ref_id: 'web1', type: 'webhook', config: { response_body: '{{ orders }}' } },
  {
    ref_id: 'orders',
    type: 'connector_action',
    config: { connector_id: connectorId, action: 'list', ...config },
  },
]

const DYNAMIC = { dynamic_auth_id: '{{ web1.auth_id }}' }

async function trigger(flow: Flow, query: string): Promise<HttpAnswer> {
  const { webhook } = (await app.call('GET', `/v1/flows/${flow.id}`)).json as Flow
  return callAs(
    { authorization: `Bearer ${webhook?.token}` },
    'POST',
    `/v1/flow-webhook/${flow.id}?${query}`,
    {},
  )
}

/** The error message of the newest run. */
const complaint = () => app.runs()[0]?.error?.message

beforeEach(async () => {
  app = await startFlowApp()
  shop = await startThirdPartyApi((request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ seen: request.headers.authorization }))
  })
  connectorId = (await created<Connector>('/v1/connectors', { name: 'Shop', base_domain: shop.url })).id
  await created('/v1/connector-actions', {
    connector_id: connectorId,
    name: 'list',
    method: 'GET',
    endpoint: '/orders',
  })
})

test('a flow uses the auth whose id is in the query string', async () => {
  const [north, south] = [
    await anAuth({ auth_token: 'token-of-north' }),
    await anAuth({ auth_token: 'token-of-south' }),
  ]
  const flow = await created<Flow>('/v1/flows', { name: 'Orders', steps: stepsWith(DYNAMIC) })
  const answers = [await trigger(flow, `auth_id=${north.id}`), await trigger(flow, `auth_id=${south.id}`)]
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  expect(shop.received.map(({ headers }) => headers.authorization)).toEqual([
    'Bearer token-of-north',
    'Bearer token-of-south',
  ])
})

test('an auth of another connector, an unknown one and a missing one fail the step with a sentence', async () => {
  const other = await created<Connector>('/v1/connectors', { name: 'Other' })
  const foreign = await anAuth({ connector_id: other.id })
  const unknown = '00000000-0000-4000-8000-000000000000'
  const flow = await created<Flow>('/v1/flows', { name: 'Orders', steps: stepsWith(DYNAMIC) })
  const outcomes = []
  for (const query of [`auth_id=${foreign.id}`, `auth_id=${unknown}`, 'auth_id=', 'other=1'])
    outcomes.push([(await trigger(flow, query)).status, complaint()])
  expect(outcomes).toEqual([
    [500, `Step "orders": the connector auth ${foreign.id} belongs to another connector`],
    [500, `Step "orders": There is no connector auth "${unknown}"`],
    [500, 'Step "orders": "dynamic_auth_id" must be the ID of a connector auth, got ""'],
    [500, expect.stringContaining('Step "orders"')],
  ])
  expect(shop.received).toEqual([])
})

test("a run reads what its flow's owner can read, whoever started it", async () => {
  const bob = await aMember('Bob')
  const mine = await anAuth({ access: { visibility: 'private' }, auth_token: 'token-of-the-owner' })
  const his = await anAuth({ access: { visibility: 'private' }, auth_token: 'token-of-bob-alone' }, bob.as)
  const shared = await anAuth({ access: { visibility: 'selected', user_ids: [bob.user.id] } })
  const flow = await created<Flow>('/v1/flows', { name: 'Of Bob', steps: stepsWith(DYNAMIC) }, bob.as)
  const own = await created<Flow>('/v1/flows', { name: 'Of mine', steps: stepsWith(DYNAMIC) })
  const statuses = []
  for (const [started, auth] of [
    [flow, his],
    [flow, shared],
    [flow, mine],
    [own, mine],
    [own, his],
  ] as const)
    statuses.push((await trigger(started, `auth_id=${auth.id}`)).status)
  expect(statuses).toEqual([200, 200, 500, 200, 500])
  expect(complaint()).toBe(`Step "orders": There is no connector auth "${his.id}"`)
})

test("nobody borrows an auth by writing its id into somebody else's flow", async () => {
  const bob = await aMember('Bob')
  const mine = await anAuth({ access: { visibility: 'private' } })
  const flow = await created<Flow>('/v1/flows', { name: 'Orders', steps: stepsWith({ auth_id: mine.id }) })
  const empty = await created<Flow>('/v1/flows', { name: 'Empty', steps: [] })
  const path = `/v1/flows/${empty.id}`
  const borrowed = await callAs(bob.as, 'PUT', path, { steps: stepsWith({ auth_id: mine.id }) })
  const kept = await callAs(bob.as, 'PUT', `/v1/flows/${flow.id}`, {
    steps: stepsWith({ auth_id: mine.id, max_pages: 3 }),
  })
  expect({ borrowed: borrowed.status, json: borrowed.json, kept: kept.status }).toEqual({
    borrowed: 400,
    json: expect.objectContaining({
      data: {
        'steps.orders.config.auth_id': [
          `isn't a connector auth that you can use: "${mine.id}"; the flow's owner can change these steps`,
        ],
      },
    }),
    kept: 400,
  })
  const renamed = await callAs(bob.as, 'PUT', `/v1/flows/${flow.id}`, { name: 'Orders of today' })
  expect(renamed.status).toBe(200)
})

test('steps written by another user read what both they and the owner can read, until the owner saves them', async () => {
  const bob = await aMember('Bob')
  const mine = await anAuth({ access: { visibility: 'private' } })
  const flow = await created<Flow>('/v1/flows', { name: 'Orders', steps: stepsWith(DYNAMIC) })
  const query = `auth_id=${mine.id}`
  expect((await trigger(flow, query)).status).toBe(200)
  const steps = stepsWith({ ...DYNAMIC, max_pages: 3 })
  expect((await callAs(bob.as, 'PUT', `/v1/flows/${flow.id}`, { steps })).status).toBe(200)
  expect({ status: (await trigger(flow, query)).status, complaint: complaint() }).toEqual({
    status: 500,
    complaint: `Step "orders": There is no connector auth "${mine.id}"`,
  })
  await app.call('PUT', `/v1/flows/${flow.id}`, { steps })
  expect((await trigger(flow, query)).status).toBe(200)
})

test('a test run of unsaved steps borrows nothing from the owner', async () => {
  const bob = await aMember('Bob')
  const mine = await anAuth({ access: { visibility: 'private' } })
  const flow = await created<Flow>('/v1/flows', { name: 'Orders', steps: stepsWith({ auth_id: mine.id }) })
  const path = `/v1/flows/${flow.id}`
  const shownSteps = [{ ...stepsWith({ auth_id: mine.id })[1] }]
  await callAs(bob.as, 'PUT', `${path}/working-copy`, { steps: shownSteps })
  const copyBy = async (as: Record<string, string>) =>
    (await callAs(as, 'POST', `${path}/run?wait=true`, { working_copy: true })).json as { status: string }
  const session = { authorization: 'Bearer the-session-bearer-of-this-test' }
  expect({ asBob: (await copyBy(bob.as)).status, asOwner: (await copyBy(session)).status }).toEqual({
    asBob: 'error',
    asOwner: 'error',
  })
  const alone = await callAs(bob.as, 'POST', `${path}/steps/orders/run`, { results: {} })
  expect((alone.json as { error: { message: string } }).error.message).toContain('There is no connector auth')
  await callAs(session, 'PUT', `${path}/working-copy`, { steps: shownSteps })
  expect({ asBob: (await copyBy(bob.as)).status, asOwner: (await copyBy(session)).status }).toEqual({
    asBob: 'error',
    asOwner: 'success',
  })
  expect(shop.received.length).toBe(1)
})

test('only its owner can change who uses an auth', async () => {
  const bob = await aMember('Bob')
  const shared = await anAuth({ access: { visibility: 'selected', user_ids: [bob.user.id] } })
  const path = `/v1/connector-auths/${shared.id}`
  const change = (access: object, as = bob.as) => callAs(as, 'PUT', path, { name: 'New name', access })
  expect((await change(shared.access)).status).toBe(200)
  expect((await change({ visibility: 'account', user_ids: [] })).status).toBe(403)
  const session = { authorization: 'Bearer the-session-bearer-of-this-test' }
  expect((await change({ visibility: 'private', user_ids: [] }, session)).status).toBe(200)
  expect((await change({ visibility: 'private', user_ids: [] })).status).toBe(404)
})

test('flows of a deleted user are paused, and get the rights of the user of this machine once that user activates them', async () => {
  const bob = await aMember('Bob')
  const mine = await anAuth({ access: { visibility: 'private' } })
  const eve = await aMember('Eve')
  const draft = await created<Flow>('/v1/flows', { name: 'Of Bob', steps: stepsWith(DYNAMIC) }, bob.as)
  const active = await created<Flow>('/v1/flows', { name: 'Active', steps: stepsWith(DYNAMIC) }, bob.as)
  const kept = await created<Flow>('/v1/flows', { name: 'Of Eve', steps: stepsWith(DYNAMIC) }, eve.as)
  await app.call('PUT', `/v1/flows/${active.id}`, { status: 'active' })
  const use = async (flow: Flow) => {
    const { status, json } = await trigger(flow, `auth_id=${mine.id}`)
    return status === 200 && (json as { error?: string }).error === 'biz_logic' ? 'paused' : status
  }
  const before = await use(draft)
  const { status } = await app.call('DELETE', `/v1/users/${bob.user.id}`)
  const list = (await app.call('GET', '/v1/flows?filter=inherited,eq,true&sort=name')).json as Flow[]
  const others = (await app.call('GET', '/v1/flows?filter=inherited,eq,false')).json as Flow[]
  const after = [await use(draft), await use(active)]
  // Activation by another user doesn't grant the flow the heir's auths.
  const byEve = await callAs(eve.as, 'PUT', `/v1/flows/${draft.id}`, { status: 'active' })
  const lent = await use(draft)
  const byHeir = await app.call('PUT', `/v1/flows/${active.id}`, { status: 'active' })
  expect({
    before,
    status,
    list: list.map(({ name, status: state, inherited }) => [name, state, inherited]),
    others: others.map(({ id }) => id).includes(kept.id),
    after,
    byEve: byEve.status,
    lent,
    byHeir: (byHeir.json as Flow).inherited ?? null,
    taken: await use(active),
  }).toEqual({
    before: 500,
    status: 204,
    list: [
      ['Active', 'paused', true],
      ['Of Bob', 'paused', true],
    ],
    others: true,
    after: ['paused', 'paused'],
    byEve: 200,
    lent: 500,
    byHeir: null,
    taken: 200,
  })
})
