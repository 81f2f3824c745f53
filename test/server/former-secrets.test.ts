/** Hidden values stay hidden: no way of viewing stored data reveals a secret that was replaced or deleted. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROUTES } from '../../src/shared/contract/routes.ts'
import { startAuthorizationServer } from '../helpers/authorization-server.ts'
import { type FlowApp, realClock, startFlowApp } from '../helpers/flow-app.ts'
import { callHttp } from '../helpers/http.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { startThirdPartyApi } from '../helpers/third-party-api.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
const ENV = 'env-secret-that-was-first-01'
const INSIDE = 'env-secret-inside-a-list-02'
const BEARER = 'bearer-that-was-first-03'
const PASSWORD = 'password-that-was-first-04'

const make = async (app: FlowApp, path: string, body: object) => {
  const { status, json, text } = await app.call('POST', `/v1/${path}`, body)
  if (status !== 201) throw new Error(`${path}: ${text}`)
  return (json as { id: string }).id
}

async function stop(app: FlowApp): Promise<void> {
  app.services.runtime.beginStop()
  await app.services.runtime.stop({ graceMs: 2_000 })
  app.store.close()
}

/** Records of this length are stored in a file of their run. */
const pad = 'x'.repeat(1_500)

/** Echoes the request, as a list of many records if the URL asks for one. */
const startEcho = () =>
  startThirdPartyApi(({ target, headers }, response) => {
    const said = { target, headers }
    const page = Number(new URL(target, 'http://x').searchParams.get('page') ?? 0)
    const records =
      page > 2
        ? []
        : Array.from({ length: 2_500 }, (_, index) => ({ id: page * 2_500 + index, ...said, pad }))
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(target.startsWith('/many') ? records : said))
  })

interface World {
  readonly app: FlowApp
  readonly flowId: string
  readonly runIds: readonly string[]
  /** Secrets that are no longer valid. */
  readonly former: readonly string[]
}

/**
 * Runs with five kinds of secrets in everything they store. Afterwards each secret is replaced or deleted, and the
 * program is restarted.
 */
async function rotated(clock = realClock): Promise<World> {
  const dataDir = temporaryFolder()
  const app = await startFlowApp({ dataDir, clock })
  const [echo, server] = await Promise.all([startEcho(), startAuthorizationServer()])
  const env = await make(app, 'env-variables', { name: 'shop_key', type: 'text', value: ENV, secret: true })
  const list = await make(app, 'env-variables', { name: 'keys', type: 'list', value: [INSIDE], secret: true })
  const connector = await make(app, 'connectors', {
    name: 'Echo',
    base_domain: echo.url,
    auth_config: { ...server.config, auth_types: [] },
    pagination_config: { query: '{"page": {{ page }}}' },
  })
  const action = { connector_id: connector, method: 'GET' }
  await make(app, 'connector-actions', { ...action, name: 'say', endpoint: '/say' })
  await make(app, 'connector-actions', {
    ...action,
    name: 'many',
    endpoint: '/many',
    supports_automatic_pagination: true,
  })
  const anAuth = (body: object) =>
    make(app, 'connector-auths', { connector_id: connector, name: 'Auth', ...body })
  const bearer = await anAuth({ auth_type: 'bearer', auth_token: BEARER })
  const basic = await anAuth({ auth_type: 'username_password', username: 'ann', password: PASSWORD })
  const signedIn = await anAuth({ auth_type: 'oauth2' })
  const { url } = (await app.call('POST', `/v1/connector-auths/${signedIn}/authorize`)).json as {
    url: string
  }
  const back = new URL((await fetch(url, { redirect: 'manual' })).headers.get('location') ?? '')
  await callHttp(app.port, { path: `${back.pathname}${back.search}` })
  const { auth_token: access = '', refresh_token: refresh = '' } =
    app.store.connectorAuths.secretsOf(signedIn)
  const all = { env: '{{ shop_key }}', keys: '{{ keys }}', said: '{{ say }}', token: '{{ webhook.headers }}' }
  const flowId = await make(app, 'flows', {
    name: 'Echo',
    status: 'active',
    settings: { dynamic_title: 'With {{ shop_key }}' },
    steps: [
      {
        ref_id: 'web1',
        type: 'webhook',
        config: { response_body: '{{ kept | tojson }}', response_headers: { 'x-said': '{{ shop_key }}' } },
      },
      ...[bearer, basic, signedIn].map((id, index) => ({
        ref_id: index === 0 ? 'say' : `say${index}`,
        type: 'connector_action',
        config: { connector_id: connector, action: 'say', auth_id: id },
      })),
      {
        ref_id: 'many',
        type: 'connector_action',
        config: { connector_id: connector, action: 'many', auth_id: bearer },
      },
      {
        ref_id: 'kept',
        type: 'set',
        config: { values: { ...all, plain: '{{ say1 }} {{ say2 }}', sent: '{{ web1 }}' } },
      },
      {
        ref_id: 'last',
        type: 'condition',
        config: { when: '{{ web1.fails is defined }}' },
        then: [
          { ref_id: 'end', type: 'stop', config: { status: 'error', message: 'Failed with {{ shop_key }}' } },
        ],
      },
    ],
  })
  const { webhook } = (await app.call('GET', `/v1/flows/${flowId}`)).json as { webhook: { token: string } }
  const former = [ENV, INSIDE, BEARER, PASSWORD, access, refresh, webhook.token]
  const trigger = (more: object) =>
    callHttp(app.port, {
      method: 'POST',
      path: `/v1/flow-webhook/${flowId}?key=${ENV}`,
      headers: { authorization: `Bearer ${webhook.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ echoed: former, ...more }),
    })
  await trigger({})
  await trigger({ fails: true })
  const runIds = app.runs().map(({ id }) => id)
  await app.call('PUT', `/v1/flows/${flowId}/pins/kept`, { value: { former }, flow_run_id: runIds[0] })

  await app.call('PUT', `/v1/env-variables/${env}`, { value: 'env-secret-of-today-01' })
  await app.call('DELETE', `/v1/env-variables/${list}`)
  await app.call('PUT', `/v1/connector-auths/${bearer}`, { auth_token: 'bearer-of-today-03' })
  await app.call('DELETE', `/v1/connector-auths/${basic}?force=true`)
  server.revokeAccess()
  // The API rejects the access token from now on, so both tokens are replaced.
  await app.store.write(() =>
    app.store.connectorAuths.saveTokens(signedIn, {
      secrets: { auth_token: 'access-of-today-05', refresh_token: 'refresh-of-today-06' },
      issuedAt: clock.now(),
      expiresAt: null,
    }),
  )
  await app.call('POST', `/v1/flows/${flowId}/webhook-token`)
  await stop(app)
  return { app: await startFlowApp({ dataDir, clock }), flowId, runIds, former }
}

const spelled = (secret: string) => [
  secret,
  Buffer.from(secret).toString('base64').slice(0, -4),
  encodeURIComponent(secret),
]

/** Which of the former secrets occur in a text, in any spelling. */
const found = (former: readonly string[], text: string) =>
  former.filter((secret) => spelled(secret).some((form) => text.includes(form)))

test('no route that shows what is stored shows a secret that was replaced or deleted, not even after a restart', async () => {
  const { app, flowId, runIds, former } = await rotated()
  const requests = (await app.requests()).map(({ id }) => id)
  const steps = app.runs().flatMap((run) => app.stepsOf(run).map(({ id }) => id))
  const ids: Record<string, readonly string[]> = {
    'flow-runs': runIds,
    'webhook-requests': requests,
    flows: [flowId],
  }
  const queries: Record<string, readonly string[]> = {
    '/v1/flow-runs': [
      '',
      `?text=${encodeURIComponent('"secret that was first"')}`,
      '?text=env-secret-that-was-first-01',
    ],
    '/v1/templates/completions': [`?flow_id=${flowId}&ref_id=last&flow_run_id=${runIds[0]}`],
  }
  const targets = ROUTES.filter(({ method }) => method === 'GET').flatMap(({ path }) => {
    const own = ids[path.split('/')[2] ?? ''] ?? []
    const filled = (path.includes(':id') ? own : ['']).flatMap((id) =>
      (path.includes(':step_id') ? steps : ['']).map((step) =>
        path.replace(':id', id).replace(':step_id', step),
      ),
    )
    return filled.flatMap((target) => (queries[path] ?? ['']).map((query) => `${target}${query}`))
  })
  const posts: [string, object][] = [
    ['templates/render', { template: '{{ kept }} {{ many[0] }}', flow_run_id: runIds[0] }],
    [
      'templates/preview',
      { template: '{{ kept }}', kind: 'value', flow_id: flowId, ref_id: 'last', flow_run_id: runIds[0] },
    ],
    [`flows/${flowId}/steps/kept/run`, {}],
    ['flow-runs/replay', { ids: runIds, version: 'recorded' }],
    [`flow-runs/${runIds[1]}/rerun`, { from: 'kept' }],
  ]
  const shown: { path: string; status: number; leaks: string[] }[] = []
  const look = async (method: string, path: string, body?: object) => {
    const { status, text, headers } = await app.call(method, path, body)
    shown.push({ path, status, leaks: found(former, `${text}${JSON.stringify(headers)}`) })
  }
  for (const path of targets) await look('GET', path)
  for (const [path, body] of posts) await look('POST', `/v1/${path}`, body)
  const replays = app.runs().filter(({ trigger }) => trigger === 'replay')
  for (const { id } of replays) await app.until((run) => run.id === id && run.finished_at !== null)
  for (const run of replays)
    for (const part of ['', '/results', '/answer', '/steps', '/compare'])
      await look('GET', `/v1/flow-runs/${run.id}${part}`)

  const good = new Set(shown.filter(({ status }) => status === 200).map(({ path }) => path.split('?')[0]))
  expect({
    leaks: shown.filter(({ leaks }) => leaks.length > 0),
    seen: [
      ...runIds.flatMap((id) =>
        ['results', 'answer', 'steps', 'compare'].map((part) => `/v1/flow-runs/${id}/${part}`),
      ),
      ...requests.map((id) => `/v1/webhook-requests/${id}`),
      `/v1/flows/${flowId}/pins`,
    ].filter((path) => !good.has(path)),
    records: shown.filter(({ path, status }) => path.endsWith('/records') && status === 200).length > 0,
  }).toEqual({
    leaks: [],
    // The newer run failed, so it has no stored response that the other one could be compared with.
    seen: [`/v1/flow-runs/${runIds[0]}/answer`, `/v1/flow-runs/${runIds[1]}/compare`],
    records: true,
  })
})

test('a former secret is deleted once nothing is old enough to contain it, including replays of older runs', async () => {
  let later = 0
  const clock = { now: () => Date.now() + later, monotonic: () => performance.now() }
  const app = await startFlowApp({ clock })
  const id = await make(app, 'env-variables', { name: 'shop_key', type: 'text', value: ENV, secret: true })
  const flowId = await make(app, 'flows', {
    name: 'Keeps',
    settings: { data_retention_days: 365 },
    steps: [
      { ref_id: 'web1', type: 'webhook' },
      { ref_id: 'kept', type: 'set', config: { values: { sent: '{{ web1.sent }}' } } },
    ],
  })
  const run = async (path: string, body: object) => {
    const { flow_run_id: started } = (await app.call('POST', path, body)).json as { flow_run_id: string }
    return (await app.until((each) => each.id === started && each.finished_at !== null)).id
  }
  const first = await run(`/v1/flows/${flowId}/run`, { input: { sent: ENV } })
  await app.call('PUT', `/v1/env-variables/${id}`, { value: 'env-secret-of-today-01' })
  const replayed = await run(`/v1/flow-runs/${first}/replay`, {})
  const rounds = async () => {
    for (const _ of [1, 2]) {
      later += 2 * DAY_MS
      await app.services.housekeeping.runOnce()
    }
    return app.store.formerSecrets.after(0).length
  }
  await app.call('DELETE', `/v1/flow-runs/${first}`)
  const whileReplayed = await rounds()
  const shown = (await app.call('GET', `/v1/flow-runs/${replayed}/results`)).text
  await app.call('DELETE', `/v1/flow-runs/${replayed}`)
  expect({ whileReplayed, leaks: found([ENV], shown), atLast: await rounds() }).toEqual({
    whileReplayed: 1,
    leaks: [],
    atLast: 0,
  })
})

test('pinned values and former secrets are encrypted on the disk', async () => {
  const { app, former } = await rotated()
  await stop(app)
  const { dataDir } = app.store
  const bytes = readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
  expect(found(former, bytes.join('\n'))).toEqual([])
})
