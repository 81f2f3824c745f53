/** Tokens for chosen flows and auths. Everything they can call is tried on a flow and an auth that they can't reach. */
import { expect, test } from 'vitest'
import type { Route, StreamRoute } from '../../src/shared/contract/base/route.ts'
import type { IssuedToken } from '../../src/shared/contract/tokens.ts'
import { ROUTES, STREAM_ROUTES } from '../../src/shared/contract/routes.ts'
import { type FlowApp, type Hook, startFlowApp } from '../helpers/flow-app.ts'
import { callHttp, type HttpAnswer } from '../helpers/http.ts'
import { connectMcp } from '../helpers/mcp-client.ts'

const ALL_SCOPES = ['automation', 'company', 'connector_auth', 'connectors']
const SECRET_WORD = 'zirconium'

interface World {
  readonly app: FlowApp
  readonly connectorId: string
  readonly mine: Hook
  readonly other: Hook
  readonly authIds: { readonly mine: string; readonly other: string }
  readonly runIds: { readonly mine: string; readonly other: string }
  readonly requestIds: { readonly mine: string; readonly other: string }
  /** Texts that must not appear in a response. */
  readonly marks: readonly string[]
}

const created = ({ json }: HttpAnswer) => (json as { readonly id: string }).id

async function aWorld(): Promise<World> {
  const app = await startFlowApp({ settings: { mcp_server: true } })
  const connectorId = created(
    await app.call('POST', '/v1/connectors', { name: 'Shop', base_domain: 'https://shop.example' }),
  )
  const anAuth = async (name: string) =>
    created(
      await app.call('POST', '/v1/connector-auths', {
        connector_id: connectorId,
        name,
        auth_type: 'bearer',
        auth_token: 'a-secret-token',
      }),
    )
  const authIds = { mine: await anAuth('Mine'), other: await anAuth(`Other ${SECRET_WORD}`) }
  const aHook = (name: string, authId: string) =>
    app.addFlow(
      [
        { ref_id: 'web1', type: 'webhook', config: {} },
        { ref_id: 'sum', type: 'set', config: { values: { word: '{{ web1.word }}' } } },
        {
          ref_id: 'call',
          type: 'rest',
          disabled: true,
          config: { url: 'https://shop.example/', auth_id: authId },
        },
      ],
      { name, description: name, tags: [name], settings: { mcp_tool: { input_schema: null } } },
    )
  const mine = await aHook('Mine', authIds.mine)
  const other = await aHook(`Other ${SECRET_WORD}`, authIds.other)
  for (const [hook, word] of [
    [mine, 'mine'],
    [other, SECRET_WORD],
  ] as const) {
    await app.trigger(hook, { body: { word } })
    await app.call('PUT', `/v1/flows/${hook.flow.id}/pins/sum`, { value: { word } })
    await app.call('PUT', `/v1/flows/${hook.flow.id}/hold`, {
      what: 'matching',
      filter: `{{ web1.hold == "${word}" }}`,
    })
  }
  const requests = await app.requests()
  const idsOf = (hook: Hook) => requests.find((request) => request.flow_id === hook.flow.id)
  const runIds = { mine: idsOf(mine)?.flow_run_id ?? '', other: idsOf(other)?.flow_run_id ?? '' }
  const requestIds = { mine: idsOf(mine)?.id ?? '', other: idsOf(other)?.id ?? '' }
  const marks = [other.flow.id, runIds.other, requestIds.other, authIds.other, SECRET_WORD]
  return { app, connectorId, mine, other, authIds, runIds, requestIds, marks }
}

async function aToken({ app }: Pick<World, 'app'>, more: object, scopes = ALL_SCOPES): Promise<string> {
  const answer = await app.call('POST', '/v1/personal-access-tokens', {
    expiration: null,
    scopes,
    note: 'An agent',
    ...more,
  })
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 201 })
  return (answer.json as IssuedToken).token
}

const aChosen = (world: World, more: object = {}, scopes = ALL_SCOPES) =>
  aToken(world, { flow_ids: [world.mine.flow.id], auth_ids: [world.authIds.mine], ...more }, scopes)

function call(world: World, token: string, name: string, path: string, body?: unknown): Promise<HttpAnswer> {
  const [method = ''] = name.split(' ')
  return callHttp(world.app.port, {
    method,
    path,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

/** Closed to such tokens, whatever they send. */
const CLOSED = `
  POST /v1/personal-access-tokens/check
  PUT /v1/connectors/:id
  DELETE /v1/connectors/:id
  POST /v1/imports/read-url
  PUT /v1/connector-actions/:id
  DELETE /v1/connector-actions/:id
  POST /v1/connector-auths
  POST /v1/connector-auths/test
  POST /v1/env-variables
  GET /v1/env-variables
  GET /v1/env-variables/:id
  PUT /v1/env-variables/:id
  DELETE /v1/env-variables/:id
  POST /v1/data-tables
  GET /v1/data-tables
  GET /v1/data-tables/:id
  PUT /v1/data-tables/:id
  DELETE /v1/data-tables/:id
  GET /v1/data-tables/:id/rows
  POST /v1/data-tables/:id/rows
  POST /v1/data-tables/:id/rows/upsert
  PUT /v1/data-tables/:id/rows
  DELETE /v1/data-tables/:id/rows
  POST /v1/data-tables/:id/import
  GET /v1/data-tables/:id/export
  POST /v1/file-uploads
  GET /v1/file-uploads
  GET /v1/file-uploads/:id
  GET /v1/file-uploads/:id/content
  PUT /v1/file-uploads/:id
  DELETE /v1/file-uploads/:id
  GET /v1/plugins
  POST /v1/plugins
  GET /v1/plugins/:name
  POST /v1/plugins/:name/confirm
  DELETE /v1/plugins/:name
  POST /v1/users
  GET /v1/users
  GET /v1/users/:id
  PUT /v1/users/:id
  DELETE /v1/users/:id
  POST /v1/teams
  GET /v1/teams
  GET /v1/teams/:id
  PUT /v1/teams/:id
  DELETE /v1/teams/:id
  POST /v1/flows/import/plan
  POST /v1/flows/import
  POST /v1/flow-samples/:id/plant
  POST /v1/flows
  GET /v1/flow-run-steps
  GET /v1/settings
  PUT /v1/settings
  GET /v1/doctor
  GET /v1/data-folder
  POST /v1/database/backup
  POST /v1/database/restore
  POST /v1/data-keys/export
  POST /v1/data-keys/import
  GET /v1/port
  PUT /v1/port
  GET /v1/tunnel
  PUT /v1/tunnel
  POST /v1/tunnel/start
  POST /v1/tunnel/stop
  POST /v1/sign-in-codes
  POST /v1/page-sessions/links
  GET /v1/page-sessions
  DELETE /v1/page-sessions/:id
  POST /v1/alarms/test
  GET /v1/alarms
  POST /v1/alarms
  GET /v1/alarms/:id
  PUT /v1/alarms/:id
  DELETE /v1/alarms/:id
  POST /v1/alarms/:id/test
  POST /v1/flow-runs/failures/resolve
  POST /v1/flow-runs/failures/reopen
  POST /v1/flow-sources/check
  GET /v1/logs
  GET /v1/calls
  GET /v1/metrics
  POST /v1/stop`

/** These respond to the ID of a record that can't be reached as if the record didn't exist. */
const HIDDEN = `
  POST /v1/personal-access-tokens/:id/regenerate
  DELETE /v1/personal-access-tokens/:id
  GET /v1/connector-auths/:id
  PUT /v1/connector-auths/:id
  DELETE /v1/connector-auths/:id
  POST /v1/connector-auths/:id/authorize
  GET /v1/connector-auths/:id/flows
  GET /v1/connector-auths/:id/rate-limits
  POST /v1/connector-auths/:id/test
  POST /v1/connector-auths/:id/device-sign-in
  GET /v1/flows/:id/export
  GET /v1/flows/:id
  PUT /v1/flows/:id
  DELETE /v1/flows/:id
  POST /v1/flows/:id/webhook-token
  GET /v1/flows/:id/schedule
  POST /v1/flows/:id/schedule/preview
  GET /v1/flows/:id/trigger
  POST /v1/flows/:id/trigger/check
  POST /v1/flows/:id/trigger/restart
  POST /v1/flows/:id/trigger/retry
  GET /v1/flows/:id/versions
  POST /v1/flows/:id/versions/:version/restore
  PUT /v1/flows/:id/versions/:version
  GET /v1/flows/:id/working-copy
  PUT /v1/flows/:id/working-copy
  POST /v1/flows/:id/check
  POST /v1/flows/:id/run
  POST /v1/flows/:id/steps/:ref_id/run
  GET /v1/flows/:id/reach
  GET /v1/flows/:id/pins
  PUT /v1/flows/:id/pins/:ref_id
  DELETE /v1/flows/:id/pins/:ref_id
  GET /v1/flows/:id/breakpoints
  PUT /v1/flows/:id/breakpoints/:ref_id
  DELETE /v1/flows/:id/breakpoints/:ref_id
  POST /v1/flows/:id/webhook-condition
  PUT /v1/flows/:id/hold
  DELETE /v1/flows/:id/hold
  GET /v1/flows/:id/forward
  PUT /v1/flows/:id/forward
  DELETE /v1/flows/:id/forward
  GET /v1/flow-runs/:id
  GET /v1/flow-runs/:id/steps
  GET /v1/flow-runs/:id/outcomes
  GET /v1/flow-runs/:id/steps/:step_id/records
  GET /v1/flow-runs/:id/questions
  GET /v1/flow-runs/:id/breakpoint
  POST /v1/flow-runs/:id/breakpoint
  POST /v1/flow-runs/:id/cancel
  POST /v1/flow-runs/:id/replay
  POST /v1/flow-runs/:id/resume
  DELETE /v1/flow-runs/:id
  GET /v1/flow-runs/:id/compare
  GET /v1/flow-runs/:id/export
  GET /v1/flow-runs/:id/har
  POST /v1/flow-runs/:id/rerun
  GET /v1/flow-runs/:id/results
  POST /v1/flow-runs/:id/test
  POST /v1/flow-runs/:id/resolve
  POST /v1/flow-runs/:id/reopen
  GET /v1/flows/:id/tests
  POST /v1/flows/:id/tests
  GET /v1/flows/:id/tests/:name
  PUT /v1/flows/:id/tests/:name
  DELETE /v1/flows/:id/tests/:name
  POST /v1/flows/:id/tests/:name/accept
  POST /v1/flows/:id/tests/run
  GET /v1/flow-runs/:id/answer
  GET /v1/webhook-requests/:id
  POST /v1/webhook-holds/:id/release
  POST /v1/webhook-holds/:id/answer
  POST /v1/webhook-holds/:id/drop`

/** Nothing in these belongs to a flow or to stored credentials, unless an auth is named: see the calls below. */
const FREE = `
  POST /v1/connectors
  GET /v1/connectors
  GET /v1/connectors/:id/image
  GET /v1/connectors/:id
  POST /v1/connectors/:id/copy
  POST /v1/connectors/import/plan
  POST /v1/connectors/import
  GET /v1/connectors/:id/export
  POST /v1/connector-actions
  GET /v1/connector-actions
  GET /v1/connector-actions/:id
  GET /v1/users/me
  GET /v1/flow-samples
  POST /v1/flow-tests/run
  POST /v1/pagination-tests/checks
  POST /v1/pagination-tests/:id/continue
  POST /v1/sign-in-codes/exchange
  GET /v1/page-sessions/current
  POST /v1/page-sessions/sign-in
  POST /v1/page-sessions/sign-out
  GET /v1/health
  GET /v1/meta
  GET /v1/openapi.json
  GET /v1/schemas/flow.json
  POST /v1/personal-access-tokens`

interface Attempt {
  readonly path?: string
  readonly body?: unknown
  /** The status with a token that reaches everything. If it is 200, the response has one of the marks. */
  readonly status: number
}

/** Lists, and calls that name a flow, run or auth in their query or body. */
const ATTEMPTS: Readonly<Record<string, (world: World) => readonly Attempt[]>> = {
  'GET /v1/personal-access-tokens': () => [{ status: 200 }],
  'GET /v1/connector-auths': () => [{ status: 200 }],
  'GET /v1/connector-auths/uses': () => [{ status: 200 }],
  'GET /v1/flow-sources': () => [{ status: 200 }],
  'POST /v1/flow-sources/push': ({ other }) => [
    {
      body: { source: { ...sourceOf(other), name: `Renamed ${SECRET_WORD}` }, dry_run: true },
      status: 200,
    },
  ],
  'GET /v1/flows': ({ other }) => [
    { status: 200 },
    { path: `/v1/flows?filter=id,eq,${other.flow.id}`, status: 200 },
    { path: `/v1/flows?filter=name,like,%25${SECRET_WORD}%25&sort=name`, status: 200 },
  ],
  'GET /v1/flow-runs/failures': () => [{ status: 200 }],
  'GET /v1/flow-runs/activity': () => [{ status: 200 }],
  'GET /v1/flow-runs': ({ other }) => [
    { status: 200 },
    { path: `/v1/flow-runs?filter=flow_id,eq,${other.flow.id}`, status: 200 },
    { path: `/v1/flow-runs?text=${SECRET_WORD}`, status: 200 },
    { path: '/v1/flow-runs?answers=true', status: 200 },
  ],
  'POST /v1/flow-runs/replay': ({ runIds }) => [
    { body: { ids: [runIds.other], version: 'current' }, status: 200 },
  ],
  'GET /v1/webhook-requests': () => [
    { status: 200 },
    { path: `/v1/webhook-requests?text=${SECRET_WORD}`, status: 200 },
  ],
  'GET /v1/webhook-requests/paused': () => [{ status: 200 }],
  'POST /v1/webhook-requests/replay': ({ requestIds, other }) => [
    { body: { to: 1, ids: [requestIds.other] }, status: 200 },
    { body: { to: 1, since: '2020-01-01T00:00:00Z', flow_id: other.flow.id }, status: 200 },
    { body: { to: 1, since: '2020-01-01T00:00:00Z' }, status: 200 },
  ],
  'GET /v1/webhook-holds': () => [{ status: 200 }],
  'GET /v1/figures': ({ other }) => [
    { path: `/v1/figures?flow_id=${other.flow.id}`, status: 200 },
    { path: `/v1/figures?flow_id=${other.flow.id}&text=${SECRET_WORD}`, status: 200 },
  ],
  'POST /v1/templates/render': ({ runIds }) => [
    { body: { template: '{{ sum.word }}', flow_run_id: runIds.other }, status: 200 },
  ],
  'GET /v1/templates/completions': ({ other, runIds }) => [
    {
      path: `/v1/templates/completions?flow_id=${other.flow.id}&flow_run_id=${runIds.other}&ref_id=call`,
      status: 200,
    },
    { path: `/v1/templates/completions?flow_run_id=${runIds.other}`, status: 200 },
  ],
  'POST /v1/templates/preview': ({ other, runIds }) => [
    {
      body: {
        template: '{{ sum.word }}',
        kind: 'text',
        flow_id: other.flow.id,
        flow_run_id: runIds.other,
        ref_id: 'call',
      },
      status: 200,
    },
    { body: { template: '{{ sum.word }}', kind: 'text', flow_run_id: runIds.other }, status: 200 },
  ],
}

const sourceOf = ({ flow: { id, name, description, tags, settings, steps } }: Hook) => ({
  id,
  name,
  description,
  tags,
  settings,
  steps,
})

/** Calls that send an auth are rejected before anything is sent. */
const WITH_AUTH: Readonly<
  Record<string, (world: World) => { readonly path?: string; readonly body: object }>
> = {
  'POST /v1/connectors/:id/search': ({ connectorId, authIds }) => ({
    path: `/v1/connectors/${connectorId}/search`,
    body: { q: 'x', auth_id: authIds.other },
  }),
  'POST /v1/connector-actions/:id/try': ({ authIds }) => ({ body: { auth_id: authIds.other } }),
  'POST /v1/connectors/:id/try': ({ connectorId, authIds }) => ({
    path: `/v1/connectors/${connectorId}/try`,
    body: { action: { name: 'x', method: 'GET', endpoint: '/' }, auth_id: authIds.other },
  }),
  'POST /v1/pagination-tests/suggestions': ({ authIds }) => ({
    body: {
      request: { url: 'https://shop.example/', method: 'GET' },
      response: {
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: { orders: [{ id: 1 }], page: 1, total_pages: 2 },
      },
      probe: { request: { base_url: 'https://shop.example', endpoint: '/' }, auth_id: authIds.other },
    },
  }),
  'POST /v1/pagination-tests': ({ authIds }) => ({
    body: { request: { base_url: 'https://shop.example', endpoint: '/' }, auth_id: authIds.other },
  }),
}

const namesIn = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

const EVENTS = 'GET /v1/events'

test('each route of the contract says how it keeps to chosen flows and auths', () => {
  const routes: readonly (Route | StreamRoute)[] = [...ROUTES, ...STREAM_ROUTES]
  const known = [
    ...[CLOSED, HIDDEN, FREE].flatMap(namesIn),
    ...Object.keys(ATTEMPTS),
    ...Object.keys(WITH_AUTH),
    EVENTS,
  ]
  expect(known.toSorted()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).toSorted())
})

/** A URL with the IDs of records that can't be reached. */
function pathOf({ other, runIds, requestIds, authIds, connectorId }: World, name: string): string {
  const [, path = ''] = name.split(' ')
  const ids: Record<string, string> = {
    '/v1/flows/': other.flow.id,
    '/v1/flow-runs/': runIds.other,
    '/v1/webhook-requests/': requestIds.other,
    '/v1/connector-auths/': authIds.other,
    '/v1/connectors/': connectorId,
  }
  const [, id = '3d0e6a34-3c52-4b0d-9a53-0f2b7d1c9e77'] =
    Object.entries(ids).find(([root]) => path.startsWith(root)) ?? []
  return path
    .replace(':version', '1')
    .replace(':ref_id', 'sum')
    .replace(':step_id', 'sum')
    .replace(':id', id)
    .replace(':name', 'x')
}

const marksIn = (world: World, { text, headers }: HttpAnswer) =>
  world.marks.filter((mark) => `${text} ${JSON.stringify(headers)}`.includes(mark))

test('what a token does not reach is closed or hidden to it, whatever route it calls', async () => {
  const world = await aWorld()
  const token = await aChosen(world)
  const before = await stateOf(world)
  const found: Record<string, number> = {}
  const expected: Record<string, number> = {}
  for (const [names, status] of [
    [CLOSED, 403],
    [HIDDEN, 404],
  ] as const)
    for (const name of namesIn(names)) {
      const answer = await call(
        world,
        token,
        name,
        pathOf(world, name),
        name.startsWith('GET') ? undefined : {},
      )
      const unknownBody = name.startsWith('POST /v1/webhook-holds') || name.includes('personal-access-tokens')
      // The ID is checked after the body, which is invalid in this call.
      found[name] = unknownBody && answer.status === 400 ? status : answer.status
      expected[name] = status
      // A caller finds what it sent in an error, but nothing else.
      const sent = pathOf(world, name)
      expect({ name, marks: marksIn(world, answer).filter((mark) => !sent.includes(mark)) }).toEqual({
        name,
        marks: [],
      })
    }
  expect(found).toEqual(expected)
  expect(await stateOf(world)).toEqual(before)
})

async function stateOf({ app, other, authIds }: World) {
  const read = async (path: string) => (await app.call('GET', path)).json
  const flow = `/v1/flows/${other.flow.id}`
  return {
    flow: await read(flow),
    copy: await read(`${flow}/working-copy`),
    pins: await read(`${flow}/pins`),
    breakpoints: await read(`${flow}/breakpoints`),
    holds: ((await read('/v1/webhook-holds')) as { set: unknown[] }).set,
    auth: await read(`/v1/connector-auths/${authIds.other}`),
    runs: app.runs().filter((run) => run.flow_id === other.flow.id),
  }
}

test('lists, searches and templates show nothing of other flows and auths', async () => {
  const world = await aWorld()
  const [chosen, whole] = [await aChosen(world), await aToken(world, { note: SECRET_WORD })]
  // A run that fails, for the list of causes.
  await world.app.call('POST', `/v1/flows/${world.other.flow.id}/run?wait=true`, { input: { word: 'x' } })
  const held = world.app.trigger(world.other, { body: { hold: SECRET_WORD } }).catch(() => null)
  for (const [name, attemptsOf] of Object.entries(ATTEMPTS)) {
    for (const { path = name.split(' ')[1] ?? '', body, status } of attemptsOf(world)) {
      const answer = await call(world, chosen, name, path, body)
      const sent = `${path} ${JSON.stringify(body)}`
      const marks = marksIn(world, answer).filter((mark) => !sent.includes(mark))
      expect({ path, body, marks, isError: answer.status >= 500 }).toEqual({
        path,
        body,
        marks: [],
        isError: false,
      })
      if (name.includes('replay') || name.includes('push')) continue
      expect({ path, status: (await call(world, whole, name, path, body)).status }).toEqual({ path, status })
    }
  }
  const seen = await call(world, whole, 'GET', '/v1/flow-runs')
  expect(marksIn(world, seen)).toContain(world.other.flow.id)
  const { held: shown } = (await call(world, chosen, 'GET', '/v1/webhook-holds')).json as { held: unknown[] }
  const all = (await call(world, whole, 'GET', '/v1/webhook-holds')).json as { held: { id: string }[] }
  expect([shown, all.held.length]).toEqual([[], 1])
  const [{ id } = { id: '' }] = all.held
  const dropped = await call(world, chosen, 'POST', `/v1/webhook-holds/${id}/drop`)
  expect(dropped.status).toBe(404)
  await call(world, whole, 'POST', `/v1/webhook-holds/${id}/drop`)
  await held
  const mine = (await call(world, chosen, 'GET', '/v1/flow-runs')).json as { flow_id: string }[]
  expect(new Set(mine.map((run) => run.flow_id))).toEqual(new Set([world.mine.flow.id]))
})

test('an auth that a token does not reach is never sent', async () => {
  const world = await aWorld()
  const chosen = await aChosen(world)
  const whole = await aToken(world, {})
  const action = created(
    await world.app.call('POST', '/v1/connector-actions', {
      connector_id: world.connectorId,
      name: 'list',
      method: 'GET',
      endpoint: '/orders',
    }),
  )
  for (const [name, wanted] of Object.entries(WITH_AUTH)) {
    const { path = (name.split(' ')[1] ?? '').replace(':id', action), body } = wanted(world)
    const { text, status } = await call(world, chosen, name, path, body)
    const other = await call(world, whole, name, path, body)
    expect({ name, status, text }).toEqual({
      name,
      status: 404,
      text: expect.stringContaining('There is no connector auth') as string,
    })
    expect({ name, hides: other.text.includes('There is no connector auth') }).toEqual({ name, hides: false })
  }
})

test('flows with other auths, or that run other flows, are neither saved nor run', async () => {
  const world = await aWorld()
  const { mine, other, authIds, app } = world
  const chosen = await aChosen(world)
  const onlyAuths = await aToken(world, { auth_ids: [authIds.mine] })
  const path = `/v1/flows/${mine.flow.id}`
  const step = (config: object, type = 'rest') => [
    { ref_id: 'web1', type: 'webhook', config: {} },
    { ref_id: 'call', type, config },
  ]
  const rest = (more: object) => step({ url: 'https://shop.example/', ...more })
  const sends: Record<string, { readonly body: object; readonly token?: string }> = {
    otherAuth: { body: { steps: rest({ auth_id: authIds.other }) } },
    anyAuth: { body: { steps: rest({ auth_id: '{{ web1.auth }}' }) } },
    nested: {
      body: {
        steps: [
          { ref_id: 'web1', type: 'webhook', config: {} },
          {
            ref_id: 'each',
            type: 'loop',
            config: { over: '{{ web1.items }}' },
            steps: rest({ auth_id: authIds.other }).slice(1),
          },
        ],
      },
    },
    otherFlow: { body: { steps: step({ flow_id: other.flow.id }, 'run_flow') } },
    anyFlow: { body: { steps: step({ flow_id: '{{ web1.flow }}' }, 'run_flow') } },
    errorFlow: { body: { settings: { error_handling_flow_id: other.flow.id } } },
    alarmAuth: {
      body: { settings: { alarms: { email: { auth_id: authIds.other, to: ['a@example.com'] } } } },
    },
    throughAnother: { body: { steps: step({ flow_id: other.flow.id }, 'run_flow') }, token: onlyAuths },
  }
  for (const [name, { body, token = chosen }] of Object.entries(sends)) {
    const answer = await call(world, token, 'PUT', path, body)
    expect({ name, status: answer.status }).toEqual({ name, status: 400 })
  }
  const draft = await call(world, chosen, 'PUT', `${path}/working-copy`, {
    steps: rest({ auth_id: authIds.other }),
  })
  expect(draft.status).toBe(400)
  const kept = await call(world, chosen, 'PUT', path, { steps: rest({ auth_id: authIds.mine }) })
  expect(kept.status).toBe(200)
  // A person can save it, but after that the token can't run, try or change the flow.
  await app.call('PUT', `${path}/working-copy`, { steps: rest({ auth_id: authIds.other }) })
  const used = [
    await call(world, chosen, 'POST', `${path}/run`, { input: {} }),
    await call(world, chosen, 'POST', `${path}/steps/call/run`, {}),
    await call(world, chosen, 'PUT', path, { name: 'Mine again' }),
    await call(world, chosen, 'GET', path),
    await call(world, onlyAuths, 'POST', `/v1/flows/${other.flow.id}/run`, { input: {} }),
    await call(world, onlyAuths, 'GET', `/v1/flows/${other.flow.id}`),
    await call(world, onlyAuths, 'POST', mine.path, { word: 'x' }),
  ]
  expect(used.map(({ status }) => status)).toEqual([403, 403, 403, 200, 403, 200, 403])
})

test('a webhook is started by tokens for its flow only', async () => {
  const world = await aWorld()
  const token = await aToken(world, { flow_ids: [world.mine.flow.id] }, ['automation:webhook_run'])
  const started = [world.mine, world.other].map((hook) =>
    call(world, token, 'POST', hook.path, { word: 'hello' }),
  )
  expect((await Promise.all(started)).map(({ status }) => status)).toEqual([200, 403])
})

test('a token creates no token that reaches more, and sees none', async () => {
  const world = await aWorld()
  const token = await aChosen(world)
  const path = '/v1/personal-access-tokens'
  const body = { expiration: null, scopes: ['automation'], note: '' }
  const create = async (more: object) => {
    const answer = await call(world, token, 'POST', path, { ...body, ...more })
    const { flow_ids, auth_ids } = answer.json as Partial<IssuedToken>
    return { status: answer.status, flow_ids, auth_ids }
  }
  const reach = { flow_ids: [world.mine.flow.id], auth_ids: [world.authIds.mine] }
  const refused = { status: 403, flow_ids: undefined, auth_ids: undefined }
  expect({
    inherited: await create({}),
    fewer: await create({ auth_ids: [] }),
    allFlows: await create({ flow_ids: null }),
    otherFlow: await create({ flow_ids: [world.other.flow.id] }),
    allAuths: await create({ auth_ids: null }),
    otherAuth: await create({ auth_ids: [world.authIds.other] }),
  }).toEqual({
    inherited: { status: 201, ...reach },
    fewer: { status: 201, ...reach, auth_ids: [] },
    allFlows: refused,
    otherFlow: refused,
    allAuths: refused,
    otherAuth: refused,
  })
  const whole = created(await world.app.call('POST', path, { ...body, flow_ids: null }))
  const listed = (await call(world, token, 'GET', path)).json as { id: string }[]
  expect([listed.length, listed.some(({ id }) => id === whole)]).toEqual([3, false])
  expect((await call(world, token, 'DELETE', `${path}/${whole}`)).status).toBe(404)
  const missing = '7c9e6679-7425-40de-944b-e07fc1f90ae7'
  expect((await world.app.call('POST', path, { ...body, flow_ids: [missing] })).json).toMatchObject({
    data: { flow_ids: [`there is no flow "${missing}"`] },
  })
})

test('an AI client sees and calls the chosen flows only', async () => {
  const world = await aWorld()
  const { callTool, toolNames } = await connectMcp(world.app.port, `Bearer ${await aChosen(world)}`)
  expect((await toolNames()).filter((name) => /^(mine|other)/.test(name))).toEqual(['mine'])
  const { mine, other, runIds } = world
  const answers = {
    list_flows: await callTool('list_flows'),
    list_runs: await callTool('list_runs', { text: SECRET_WORD }),
    read_flow: await callTool('read_flow', { flow_id: other.flow.id }),
    read_run: await callTool('read_run', { flow_run_id: runIds.other }),
    run_flow: await callTool('run_flow', { flow_id: other.flow.id }),
    patch_flow: await callTool('patch_flow', {
      flow_id: other.flow.id,
      revision: 'x',
      edits: [{ op: 'remove', ref_id: 'sum' }],
    }),
    cancel_run: await callTool('cancel_run', { flow_run_id: runIds.other }),
    create_flow: await callTool('create_flow', { name: 'New', steps: [] }),
  }
  const errors = Object.entries(answers).map(([name, { isError }]) => [name, isError])
  expect(Object.fromEntries(errors)).toEqual({
    list_flows: false,
    list_runs: false,
    read_flow: true,
    read_run: true,
    run_flow: true,
    patch_flow: true,
    cancel_run: true,
    create_flow: true,
  })
  expect(JSON.stringify([answers.list_flows, answers.list_runs])).not.toContain(SECRET_WORD)
  expect((await callTool('run_flow', { flow_id: mine.flow.id, input: { word: 'a' } })).isError).toBe(false)
})

test('live events tell of the chosen flows and auths only', async () => {
  const world = await aWorld()
  const controller = new AbortController()
  const token = await aChosen(world)
  const response = await fetch(`http://127.0.0.1:${world.app.port}/v1/events`, {
    headers: { authorization: `Bearer ${token}` },
    signal: controller.signal,
  })
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = (await reader.read()).value ?? ''
  await world.app.call('PUT', `/v1/connector-auths/${world.authIds.other}`, { name: `New ${SECRET_WORD}` })
  await world.app.call('PUT', `/v1/flows/${world.other.flow.id}`, { description: SECRET_WORD })
  await world.app.trigger(world.other, { body: { word: SECRET_WORD } })
  await aToken(world, {})
  await world.app.call('PUT', `/v1/flows/${world.mine.flow.id}`, { description: 'last' })
  while (!text.includes(world.mine.flow.id)) text += (await reader.read()).value ?? ''
  controller.abort()
  expect(world.marks.filter((mark) => text.includes(mark))).toEqual([])
})
