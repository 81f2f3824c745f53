import { expect, test } from 'vitest'
import { z } from 'zod'
import type { ConnectorAuth } from '../../src/shared/contract/connector-auths.ts'
import type { Flow } from '../../src/shared/contract/flows.ts'
import type { Route, StreamRoute } from '../../src/shared/contract/base/route.ts'
import { pathTemplate } from '../../src/shared/contract/base/operation-name.ts'
import { ROUTES, STREAM_ROUTES } from '../../src/shared/contract/routes.ts'
import type { HttpAnswer } from '../helpers/http.ts'
import type { ApiDocument } from '../helpers/openapi.ts'
import { startTestApp, type TestApp } from '../helpers/test-app.ts'
import { SESSION_BEARER } from '../helpers/test-server.ts'
import { startThirdPartyApi } from '../helpers/third-party-api.ts'

type Headers = Readonly<Record<string, string>>
type Visibility = ConnectorAuth['access']['visibility']

const UNKNOWN = '3d0e6a34-3c52-4b0d-9a53-0f2b7d1c9e77'
const NAME = 'Credentials of ACME'
/** The ID of a flow that is never created. */
const PUSHED = '5b0c9f7e-2a4d-4c0e-8f3b-6a1d2e3f4a5b'

interface World {
  readonly app: TestApp
  readonly connectorId: string
  readonly actionId: string
  /** A flow of the user who owns all auths. */
  readonly ownersFlow: string
}

/** Requests an auth in one way. The response must be the same for a hidden auth and one that doesn't exist. */
interface Probe {
  readonly route: string
  readonly ask: (world: World, authId: string, as: Headers) => Promise<HttpAnswer>
  /** Whether the response is one that only users who can see the auth get. */
  readonly isSeen: (answer: HttpAnswer, authId: string) => boolean
}

const AUTHS = '/v1/connector-auths'
const isDone = ({ status }: HttpAnswer) => status < 400
const names = ({ text }: HttpAnswer, authId: string) => text.includes(authId)

const callStep = (connectorId: string, config: object) => ({
  ref_id: 'orders',
  type: 'connector_action',
  config: { connector_id: connectorId, action: 'list', ...config },
})

/** A flow of the caller that uses the auth. */
async function ownFlow({ app, connectorId }: World, config: object, as: Headers): Promise<Flow> {
  const steps = [callStep(connectorId, config)]
  return (await app.call('POST', '/v1/flows', { name: 'Own', steps }, as)).json as Flow
}

async function runOf({ app }: World, id: string, body: object, as: Headers): Promise<HttpAnswer> {
  const run = await app.call('POST', `/v1/flows/${id}/run?wait=true`, body, as)
  const { status, error } = run.json as { status: string; error: { message: string } | null }
  return { ...run, status: status === 'success' ? 200 : 400, text: error?.message ?? '', json: null }
}

const PROBES: Record<string, Probe> = {
  'the list': {
    route: 'GET /v1/connector-auths',
    ask: ({ app }, _id, as) => app.call('GET', AUTHS, undefined, as),
    isSeen: names,
  },
  'the list by name': {
    route: 'GET /v1/connector-auths',
    ask: ({ app }, id, as) => app.call('GET', `${AUTHS}?filter=id,eq,${id}`, undefined, as),
    isSeen: ({ headers }) => headers['x-total-count'] === '1',
  },
  'the uses of all': {
    route: 'GET /v1/connector-auths/uses',
    ask: ({ app }, _id, as) => app.call('GET', `${AUTHS}/uses`, undefined, as),
    isSeen: names,
  },
  reading: {
    route: 'GET /v1/connector-auths/:id',
    ask: ({ app }, id, as) => app.call('GET', `${AUTHS}/${id}`, undefined, as),
    isSeen: isDone,
  },
  changing: {
    route: 'PUT /v1/connector-auths/:id',
    ask: ({ app }, id, as) => app.call('PUT', `${AUTHS}/${id}`, { tags: ['seen'] }, as),
    isSeen: isDone,
  },
  'changing under a condition': {
    route: 'PUT /v1/connector-auths/:id',
    ask: ({ app }, id, as) =>
      app.call('PUT', `${AUTHS}/${id}`, { tags: ['seen'] }, { ...as, 'if-match': '"of-another-state"' }),
    isSeen: ({ text }) => text.includes('precondition_failed'),
  },
  'where it is used': {
    route: 'GET /v1/connector-auths/:id/flows',
    ask: ({ app }, id, as) => app.call('GET', `${AUTHS}/${id}/flows`, undefined, as),
    isSeen: isDone,
  },
  'its rate limits': {
    route: 'GET /v1/connector-auths/:id/rate-limits',
    ask: ({ app }, id, as) => app.call('GET', `${AUTHS}/${id}/rate-limits`, undefined, as),
    isSeen: isDone,
  },
  'testing it': {
    route: 'POST /v1/connector-auths/:id/test',
    ask: ({ app }, id, as) => app.call('POST', `${AUTHS}/${id}/test`, undefined, as),
    isSeen: isDone,
  },
  'signing in': {
    route: 'POST /v1/connector-auths/:id/authorize',
    ask: ({ app }, id, as) => app.call('POST', `${AUTHS}/${id}/authorize`, undefined, as),
    isSeen: ({ status }) => status === 409,
  },
  'signing in with a code': {
    route: 'POST /v1/connector-auths/:id/device-sign-in',
    ask: ({ app }, id, as) => app.call('POST', `${AUTHS}/${id}/device-sign-in`, undefined, as),
    isSeen: ({ status }) => status === 409,
  },
  'deleting it while it is used': {
    route: 'DELETE /v1/connector-auths/:id',
    ask: ({ app }, id, as) => app.call('DELETE', `${AUTHS}/${id}`, undefined, as),
    isSeen: ({ status }) => status === 409,
  },
  'pushing a flow with it': {
    route: 'POST /v1/flow-sources/push',
    ask: ({ app, connectorId }, auth_id, as) =>
      app.call(
        'POST',
        '/v1/flow-sources/push',
        {
          source: { id: PUSHED, name: 'Pushed', steps: [callStep(connectorId, { auth_id })] },
          dry_run: true,
        },
        as,
      ),
    isSeen: ({ text }) => text.includes('"missing":[]'),
  },
  'remote search': {
    route: 'POST /v1/connectors/:id/search',
    ask: ({ app, connectorId }, auth_id, as) =>
      app.call('POST', `/v1/connectors/${connectorId}/search`, { q: '', auth_id }, as),
    isSeen: isDone,
  },
  'trying an action': {
    route: 'POST /v1/connector-actions/:id/try',
    ask: ({ app, actionId }, auth_id, as) =>
      app.call('POST', `/v1/connector-actions/${actionId}/try`, { auth_id }, as),
    isSeen: isDone,
  },
  'trying an action that is not saved': {
    route: 'POST /v1/connectors/:id/try',
    ask: ({ app, connectorId }, auth_id, as) => {
      const body = { auth_id, action: { method: 'GET', endpoint: '' } }
      return app.call('POST', `/v1/connectors/${connectorId}/try`, body, as)
    },
    isSeen: isDone,
  },
  'a pagination test': {
    route: 'POST /v1/pagination-tests',
    ask: ({ app, connectorId: connector_id }, auth_id, as) =>
      app.call('POST', '/v1/pagination-tests', { connector_id, action: 'list', auth_id }, as),
    isSeen: isDone,
  },
  'suggesting pagination': {
    route: 'POST /v1/pagination-tests/suggestions',
    ask: ({ app, connectorId: connector_id }, auth_id, as) =>
      app.call(
        'POST',
        '/v1/pagination-tests/suggestions',
        {
          request: { url: 'http://127.0.0.1/list?page=1', method: 'GET' },
          response: { status: 200, headers: {}, body: { items: [{ id: 1 }], page: 1, pages: 3 } },
          probe: { connector_id, action: 'list', auth_id },
        },
        as,
      ),
    isSeen: isDone,
  },
  'saving a flow that names it': {
    route: 'POST /v1/flows',
    ask: async ({ app, connectorId }, auth_id, as) => {
      const steps = [callStep(connectorId, { auth_id })]
      const answer = await app.call('POST', '/v1/flows', { name: 'Own', steps }, as)
      const { warnings = [] } = answer.json as { warnings?: unknown[] }
      return { ...answer, text: JSON.stringify(warnings), json: null }
    },
    isSeen: ({ text }) => text === '[]',
  },
  'saving it into a flow of somebody else': {
    route: 'PUT /v1/flows/:id',
    ask: async ({ app, connectorId, ownersFlow }, auth_id, as) => {
      const steps = [callStep(connectorId, { auth_id })]
      const answer = await app.call('PUT', `/v1/flows/${ownersFlow}`, { steps }, as)
      const { status, data = {} } = answer.json as { status?: number; data?: object }
      return { ...answer, text: typeof status === 'number' ? JSON.stringify(data) : '', json: null }
    },
    isSeen: isDone,
  },
  'checking steps that name it': {
    route: 'POST /v1/flows/:id/check',
    ask: ({ app, connectorId, ownersFlow }, auth_id, as) =>
      app.call('POST', `/v1/flows/${ownersFlow}/check`, { steps: [callStep(connectorId, { auth_id })] }, as),
    isSeen: ({ text }) => !text.includes('no connector auth'),
  },
  'checking a file that names it': {
    route: 'POST /v1/flow-sources/check',
    ask: ({ app, connectorId }, auth_id, as) =>
      app.call(
        'POST',
        '/v1/flow-sources/check',
        { source: { id: UNKNOWN, name: 'a', steps: [callStep(connectorId, { auth_id })] } },
        as,
      ),
    isSeen: ({ text }) => !text.includes('no connector auth'),
  },
  'running a flow that names it': {
    route: 'POST /v1/flows/:id/run',
    ask: async (world, auth_id, as) => runOf(world, (await ownFlow(world, { auth_id }, as)).id, {}, as),
    isSeen: isDone,
  },
  'running a flow that is told it': {
    route: 'POST /v1/flows/:id/run',
    ask: async (world, id, as) => {
      const { id: flowId } = await ownFlow(world, { dynamic_auth_id: `{{ "${id}" }}` }, as)
      return runOf(world, flowId, {}, as)
    },
    isSeen: isDone,
  },
  'running unsaved steps of somebody else’s flow': {
    route: 'PUT /v1/flows/:id/working-copy',
    ask: async (world, auth_id, as) => {
      const { app, connectorId, ownersFlow } = world
      const steps = [callStep(connectorId, { auth_id })]
      await app.call('PUT', `/v1/flows/${ownersFlow}/working-copy`, { steps }, as)
      return runOf(world, ownersFlow, { working_copy: true }, as)
    },
    isSeen: isDone,
  },
  'running one unsaved step of somebody else’s flow': {
    route: 'POST /v1/flows/:id/steps/:ref_id/run',
    ask: async ({ app, connectorId, ownersFlow }, auth_id, as) => {
      const steps = [callStep(connectorId, { auth_id })]
      await app.call('PUT', `/v1/flows/${ownersFlow}/working-copy`, { steps }, as)
      const answer = await app.call('POST', `/v1/flows/${ownersFlow}/steps/orders/run`, { results: {} }, as)
      const { status, error } = answer.json as { status: string; error: { message: string } | null }
      return { ...answer, status: status === 'success' ? 200 : 400, text: error?.message ?? '', json: null }
    },
    isSeen: isDone,
  },
}

const LISTS = new Set(['the list', 'the uses of all'])

/** Routes that may name an auth but aren't probed here, with the reason. */
const BESIDES: Record<string, string> = {
  'POST /v1/connector-auths': 'makes one',
  'POST /v1/connector-auths/test': 'tests one that isn’t stored; it has no id',
  'POST /v1/flow-tests/run': 'plays recorded calls with auths that the test describes; none of the store’s',
  'POST /v1/flows/import': 'flows of the caller’s own, saved as any others',
  'POST /v1/connectors/import': 'a file of a connector has no auths',
  'POST /v1/templates/preview': 'runs only steps that call nothing',
  'POST /v1/flow-samples/:name': 'plants flows of its own',
  'PUT /v1/settings':
    'the mail server of alarms, which no token can choose, and a session only if it sees it',
}

async function aWorld() {
  const app = await startTestApp({ settings: { webhook_rate_limit_requests: null } })
  const api = await startThirdPartyApi((_request, response) => {
    response.setHeader('Content-Type', 'application/json').end('[{"id":1,"name":"first"}]')
  })
  const make = async <T>(path: string, body: object, as: Headers = {}): Promise<T> => {
    const answer = await app.call('POST', path, body, as)
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 201, text: expect.any(String) })
    return answer.json as T
  }
  const { id: connectorId } = await make<{ id: string }>('/v1/connectors', {
    name: 'Shop',
    base_domain: api.url,
    test_action: 'list',
    search_config: {
      type: 'list',
      endpoint: '/find',
      query: '{}',
      response_fields: { id: '$.id', match: '$.name' },
    },
  })
  const { id: actionId } = await make<{ id: string }>('/v1/connector-actions', {
    connector_id: connectorId,
    name: 'list',
    method: 'GET',
    endpoint: '/orders',
  })
  const users = {
    owner: await make<{ id: string }>('/v1/users', { name: 'Ann' }),
    selected: await make<{ id: string }>('/v1/users', { name: 'Sam' }),
    'of the team': await make<{ id: string }>('/v1/users', { name: 'Tim' }),
    stranger: await make<{ id: string }>('/v1/users', { name: 'Eve' }),
  }
  const ofTeam = [users.owner, users.selected, users['of the team']].map(({ id }) => id)
  await make('/v1/teams', { name: 'Sales', user_ids: ofTeam })
  const callers: [user: string, kind: string, as: Headers][] = []
  for (const [user, { id }] of Object.entries(users)) {
    const session = { 'millrace-user-id': id }
    const body = {
      scopes: ['automation', 'company', 'connector_auth', 'connectors'],
      expiration: null,
      note: '',
    }
    const { token } = await make<{ token: string }>('/v1/personal-access-tokens', body, session)
    callers.push([user, 'the page', session], [user, 'a token', { authorization: `Bearer ${token}` }])
  }
  const asOwner = { 'millrace-user-id': users.owner.id }
  const { id: ownersFlow } = await make<Flow>('/v1/flows', { name: 'Of Ann' }, asOwner)
  const auths = await Promise.all(
    (['account', 'selected', 'private'] as const).map(async (visibility) => {
      const user_ids = visibility === 'selected' ? [users.selected.id] : []
      const { id } = await make<ConnectorAuth>(
        AUTHS,
        {
          connector_id: connectorId,
          name: NAME,
          auth_type: 'bearer',
          auth_token: `token-that-is-${visibility}`,
          access: { visibility, user_ids },
        },
        asOwner,
      )
      const steps = [callStep(connectorId, { auth_id: id })]
      await make('/v1/flows', { name: `Uses the ${visibility} one`, steps }, asOwner)
      return { visibility, id }
    }),
  )
  const strangersToken = callers.at(-1)?.[2]['authorization'] ?? ''
  return { world: { app, connectorId, actionId, ownersFlow }, auths, callers, asOwner, users, strangersToken }
}

const SEES: Record<Visibility, readonly string[]> = {
  account: ['owner', 'selected', 'of the team', 'stranger'],
  selected: ['owner', 'selected'],
  private: ['owner'],
}

const likeUnknown = ({ status, text }: HttpAnswer, id: string) =>
  `${status} ${text.replaceAll(id, '<id>').replaceAll(/"(?:duration_ms|started_at)":[^,}]*/g, '')}`

test("an auth that a user can't see doesn't exist for them in any endpoint or run", async () => {
  const { world, auths, callers } = await aWorld()
  const faults: string[] = []
  for (const [name, { ask, isSeen }] of Object.entries(PROBES)) {
    for (const [user, kind, as] of callers) {
      const unknown = likeUnknown(await ask(world, UNKNOWN, as), UNKNOWN)
      for (const { visibility, id } of auths) {
        const answer = await ask(world, id, as)
        const sees = SEES[visibility].includes(user)
        const at = `${name}, a ${visibility} auth, ${user} by ${kind}: ${answer.status} ${answer.text.slice(0, 200)}`
        if (isSeen(answer, id) !== sees) faults.push(`${sees ? 'not seen' : 'SEEN'}: ${at}`)
        // A list contains the other auths, which the caller can see.
        else if (!sees && !LISTS.has(name) && likeUnknown(answer, id) !== unknown)
          faults.push(`tells that it is there: ${at} instead of ${unknown.slice(0, 200)}`)
      }
    }
  }
  expect(faults).toEqual([])
})

test("every route that accepts an auth's id is tried", () => {
  const takesAuth = ({ path, body }: Route | StreamRoute) =>
    path.startsWith(AUTHS) ||
    (body !== undefined && /"(?:auth_id|steps)"/.test(JSON.stringify(z.toJSONSchema(body, SCHEMA))))
  const routes = [...ROUTES, ...STREAM_ROUTES]
    .filter(takesAuth)
    .map(({ method, path }) => `${method} ${path}`)
  const asked = new Set([...Object.values(PROBES).map(({ route }) => route), ...Object.keys(BESIDES)])
  expect(routes.filter((route) => !asked.has(route))).toEqual([])
})

/** Sorted in the order in which they are sent: deletions come last, so that the others still find their records. */
const WRITES = ([...ROUTES, ...STREAM_ROUTES] as readonly (Route | StreamRoute)[])
  .filter(({ method, access }) => method !== 'GET' && access !== 'session' && access !== 'open')
  .toSorted((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'))

test('no write that a stranger’s scopes allow shows, changes or sends on an auth that is not theirs', async () => {
  const { world, auths, asOwner, users, strangersToken } = await aWorld()
  const { app, connectorId, actionId } = world
  const thief = await startThirdPartyApi((_request, response) => response.end('[]'))
  const make = async (path: string, body: object) =>
    ((await app.call('POST', path, body, asOwner)).json as { id: string }).id
  const hidden = auths.filter(({ visibility }) => visibility !== 'account')
  const ofOwner = async (authId: string): Promise<Record<string, string>> => {
    const steps = [{ ref_id: 'hook', type: 'webhook' }, callStep(connectorId, { auth_id: authId })]
    const flows = await make('/v1/flows', { name: 'Of Ann alone', status: 'active', steps })
    const { json } = await app.call('POST', `/v1/flows/${flows}/run?wait=true`, {}, asOwner)
    return {
      connectors: connectorId,
      'connector-actions': actionId,
      'connector-auths': authId,
      flows,
      'flow-runs': (json as { id: string }).id,
      'personal-access-tokens': ownersToken,
      users: users.owner.id,
      teams: await make('/v1/teams', { name: 'Others', user_ids: [users.owner.id] }),
      'env-variables': await make('/v1/env-variables', { name: 'SHOP', value: 'x' }),
    }
  }
  const ownersToken = await make('/v1/personal-access-tokens', {
    scopes: ['automation'],
    expiration: null,
    note: 'Ann',
  })
  const document = (await app.call('GET', '/v1/openapi.json')).json as ApiDocument
  const faults: string[] = []
  let allowed = 0
  for (const { id: authId } of hidden) {
    const ids = await ofOwner(authId)
    const before = app.store.connectorAuths.get(authId)
    for (const { method, path } of WRITES) {
      const kind = path.split('/')[2] ?? ''
      const at = path
        .replace(':id', ids[kind] ?? UNKNOWN)
        .replace(':ref_id', 'orders')
        .replace(':version', '1')
      const example =
        document.paths[pathTemplate(path)]?.[method.toLowerCase()]?.requestBody?.content['application/json']
          ?.example
      const body = example === undefined ? undefined : aimed(example, { authId, connectorId, url: thief.url })
      const { status, text } = await app.call(method, at, body, { authorization: strangersToken })
      if (status < 300) allowed++
      if (text.includes(NAME) || text.includes('token-that-is'))
        faults.push(`${method} ${path} shows it: ${text}`)
      const after = app.store.connectorAuths.get(authId)
      const isHeirs = path === '/v1/users/:id' && method === 'DELETE'
      if (!isHeirs && JSON.stringify(after) !== JSON.stringify(before))
        faults.push(`${method} ${path} changes it: ${status} ${text}`)
      const seen = await app.call('GET', `${AUTHS}/${authId}`, undefined, { authorization: strangersToken })
      if (seen.status !== 404) faults.push(`it can be seen after ${method} ${path}`)
    }
  }
  const sent = thief.received.filter(({ headers }) => JSON.stringify(headers).includes('token-that-is'))
  expect({ faults, sent, manyAreAllowed: allowed > 60 }).toEqual({
    faults: [],
    sent: [],
    manyAreAllowed: true,
  })
})

/** An example with the auth, its connector and a server of the sender's wherever such a value is possible. */
function aimed(
  example: unknown,
  to: { readonly authId: string; readonly connectorId: string; readonly url: string },
): unknown {
  if (Array.isArray(example)) return example.map((item) => aimed(item, to))
  if (typeof example !== 'object' || example === null) return example
  return Object.fromEntries(
    Object.entries(example).map(([key, value]) => {
      if (key.endsWith('auth_id')) return [key, to.authId]
      if (key === 'connector_id') return [key, to.connectorId]
      if (/^(?:base_domain|api_endpoint|url|endpoint)$/.test(key) && typeof value === 'string')
        return [key, to.url]
      return [key, aimed(value, to)]
    }),
  )
}

const SCHEMA = { io: 'input', unrepresentable: 'any' } as const

test('no export, preview, completion or list of flows reveals the name of an auth', async () => {
  const { world, auths, asOwner } = await aWorld()
  const { app, connectorId, ownersFlow } = world
  const texts = await Promise.all(
    [
      `/v1/connectors/${connectorId}/export`,
      `/v1/connectors/${connectorId}`,
      '/v1/connectors',
      '/v1/connector-actions',
      '/v1/flows',
      '/v1/env-variables',
      '/v1/data-tables',
      '/v1/users',
      '/v1/teams',
      '/v1/webhook-requests',
      `/v1/templates/completions?flow_id=${ownersFlow}`,
      '/v1/openapi.json',
    ].map(async (path) => (await app.call('GET', path, undefined, asOwner)).text),
  )
  expect(texts.filter((text) => text.includes(NAME))).toEqual([])
  const exported = texts[0] ?? ''
  expect(auths.filter(({ id }) => exported.includes(id))).toEqual([])
})

test('a repeated key returns the record only to its creator', async () => {
  const { world, callers } = await aWorld()
  const { app, connectorId } = world
  const body = {
    connector_id: connectorId,
    name: 'Once',
    auth_type: 'none',
    access: { visibility: 'private', user_ids: [] },
  }
  const ids = []
  for (const [, , as] of callers) {
    const answer = await app.call('POST', AUTHS, body, { ...as, 'idempotency-key': 'the-same-key' })
    ids.push((answer.json as { id: string }).id)
  }
  expect(new Set(ids).size).toBe(callers.length)
})

test('a stream reports a change of an auth to the users who can see it', async () => {
  const { world, auths, callers, asOwner } = await aWorld()
  const { app } = world
  const leaving = new AbortController()
  const streams = await Promise.all(
    callers.map(async ([user, kind, as]) => {
      const headers = { authorization: `Bearer ${SESSION_BEARER}`, ...as }
      const url = `http://127.0.0.1:${app.port}/v1/events`
      const response = await fetch(url, { headers, signal: leaving.signal })
      return { user, kind, lines: linesOf(response) }
    }),
  )
  await Promise.all(streams.map(({ lines }) => lines.next()))
  for (const { id } of auths) await app.call('PUT', `${AUTHS}/${id}`, { tags: ['changed'] }, asOwner)
  await app.call('POST', '/v1/connectors', { name: 'The last event' })
  const heard = await Promise.all(
    streams.map(async ({ user, kind, lines }) => {
      const seen: string[] = []
      for await (const { noun, id } of lines) {
        if (noun === 'connector') break
        const auth = auths.find((one) => one.id === id)
        if (auth) seen.push(auth.visibility)
      }
      return [`${user} by ${kind}`, seen]
    }),
  )
  leaving.abort()
  const expected = streams.map(({ user, kind }) => [
    `${user} by ${kind}`,
    auths.map(({ visibility }) => visibility).filter((visibility) => SEES[visibility].includes(user)),
  ])
  expect(heard).toEqual(expected)
})

async function* linesOf(response: Response): AsyncGenerator<{ noun: string | null; id: string | null }> {
  let rest = ''
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + chunk).split('\n')
    rest = parts.pop() ?? ''
    for (const part of parts) yield JSON.parse(part) as { noun: string | null; id: string | null }
  }
}
