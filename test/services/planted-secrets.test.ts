/**
 * The figure "planted secrets found: 0": every secret given to Millrace is searched for in all bytes that it writes or
 * sends.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { foldedWords } from '../../src/main/store/search/words.ts'
import { scalar } from '../../src/main/store/sql/statement.ts'
import type { ConnectorAuth } from '../../src/shared/contract/connector-auths.ts'
import type { Connector } from '../../src/shared/contract/connectors.ts'
import type { Flow } from '../../src/shared/contract/flows.ts'
import { CLIENT, startAuthorizationServer } from '../helpers/authorization-server.ts'
import { type FlowApp, startFlowApp } from '../helpers/flow-app.ts'
import { callHttp, type HttpAnswer } from '../helpers/http.ts'
import { startThirdPartyApi } from '../helpers/third-party-api.ts'

const RUNS = 200

/** Some contain characters that are written differently in JSON, URLs and base64. */
const PLANTED = {
  bearer: 'planted-bearer-Qx7/+=é-01',
  basic: 'planted-basic-Zm9v"quoted"-02',
  password: 'planted-password &?#% -03',
  apiKey: 'planted-api-key-in-query-04',
  endpointPassword: 'planted-endpoint-05',
  clientSecret: 'planted-own-client-secret-06',
  privateKey: 'planted-private-key-\nof-two-lines-07',
  connectorSecret: CLIENT.client_secret,
  envText: 'planted-env-text-08',
  envInside: 'planted-env-in-an-object-09',
} as const

async function created<T>(app: FlowApp, path: string, body: object): Promise<T> {
  const answer = await app.call('POST', path, body)
  expect({ status: answer.status, text: answer.text }).toEqual({ status: 201, text: expect.any(String) })
  return answer.json as T
}

/** An API that echoes everything, and fails every fourth time. */
const startEcho = () =>
  startThirdPartyApi((request, response, count) => {
    const said = { target: request.target, headers: request.headers, body: request.body.toString() }
    response.writeHead(count % 4 === 0 ? 422 : 200, {
      'content-type': 'application/json',
      'x-echo': request.target,
    })
    response.end(JSON.stringify(said))
  })

test(`after ${RUNS} runs twelve planted secrets are found nowhere`, async () => {
  const [app, echo, server] = await Promise.all([startFlowApp(), startEcho(), startAuthorizationServer()])
  const connector = await created<Connector>(app, '/v1/connectors', {
    name: 'Echo',
    base_domain: echo.url,
    auth_config: { client_secret: PLANTED.connectorSecret },
    url_token_extension: { key: 'api_key', value: '{{ token }}' },
    test_action: 'say',
  })
  const signing = await created<Connector>(app, '/v1/connectors', {
    name: 'Signing',
    base_domain: echo.url,
    auth_config: server.config,
    test_action: 'say',
  })
  for (const { id } of [connector, signing]) {
    await created(app, '/v1/connector-actions', {
      connector_id: id,
      name: 'say',
      method: 'POST',
      endpoint: '/say/{{ auth.password | urlencode }}',
      body: { auth: '{{ auth }}', env: '{{ shop_key }}', deep: '{{ shop }}' },
    })
  }
  await created(app, '/v1/env-variables', {
    name: 'shop_key',
    type: 'text',
    value: PLANTED.envText,
    secret: true,
  })
  await created(app, '/v1/env-variables', {
    name: 'shop',
    type: 'object',
    value: { deep: [PLANTED.envInside] },
    secret: true,
  })
  const auth = (body: object) =>
    created<ConnectorAuth>(app, '/v1/connector-auths', { connector_id: connector.id, name: 'Auth', ...body })
  const auths = [
    await auth({ auth_type: 'bearer', auth_token: PLANTED.bearer }),
    await auth({ auth_type: 'basic_auth', auth_token: PLANTED.basic }),
    await auth({ auth_type: 'username_password', username: 'ann', password: PLANTED.password }),
    await auth({ auth_type: 'api_key', auth_token: PLANTED.apiKey }),
    await auth({
      auth_type: 'bearer',
      auth_token: PLANTED.bearer,
      api_endpoint: echo.url.replace('http://', `http://ann:${PLANTED.endpointPassword}@`),
      user_input: { client_secret: PLANTED.clientSecret, private_key: PLANTED.privateKey, region: 'eu' },
    }),
    await created<ConnectorAuth>(app, '/v1/connector-auths', {
      connector_id: signing.id,
      name: 'Signed in',
      auth_type: 'oauth2',
    }),
  ]
  const signedIn = auths[5] as ConnectorAuth
  const { url } = (await app.call('POST', `/v1/connector-auths/${signedIn.id}/authorize`)).json as {
    url: string
  }
  const back = new URL((await fetch(url, { redirect: 'manual' })).headers.get('location') ?? '')
  expect((await callHttp(app.port, { path: `${back.pathname}${back.search}` })).status).toBe(200)
  const tokens = app.store.connectorAuths.secretsOf(signedIn.id)
  const { token: personal } = (
    await app.call('POST', '/v1/personal-access-tokens', {
      scopes: ['automation'],
      expiration: null,
      note: '',
    })
  ).json as { token: string }

  const flowOf = (id: string) =>
    created<Flow>(app, '/v1/flows', {
      name: 'Echo',
      steps: [
        { ref_id: 'web1', type: 'webhook', config: { response_body: '{"ok": true}' } },
        {
          ref_id: 'say',
          type: 'connector_action',
          on_error: 'continue',
          config: { connector_id: id, action: 'say', dynamic_auth_id: '{{ web1.auth_id }}' },
        },
        { ref_id: 'kept', type: 'set', config: { values: { all: '{{ say }}', env: '{{ shop }}' } } },
        {
          ref_id: 'rest',
          type: 'rest',
          config: {
            method: 'GET',
            url: `${echo.url}/rest?key={{ shop_key | urlencode }}`,
            auth_id: '{{ web1.auth_id }}',
          },
        },
      ],
    })
  const flows = new Map([
    [connector.id, await flowOf(connector.id)],
    [signing.id, await flowOf(signing.id)],
  ])
  const hooks: string[] = []
  const answers: HttpAnswer[] = []
  for (let run = 0; run < RUNS; run++) {
    const used = auths[run % auths.length] as ConnectorAuth
    const flow = flows.get(used.connector_id) as Flow
    const { webhook } = (await app.call('GET', `/v1/flows/${flow.id}`)).json as Flow
    const bearer = run % 3 === 0 ? personal : (webhook?.token ?? '')
    hooks.push(webhook?.token ?? '')
    answers.push(
      await callHttp(app.port, {
        method: 'POST',
        path: `/v1/flow-webhook/${flow.id}?auth_id=${used.id}`,
        headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
        body: JSON.stringify({ said: bearer, run }),
      }),
    )
  }
  expect({ runs: app.runs().length, statuses: new Set(answers.map(({ status }) => status)) }).toEqual({
    runs: RUNS,
    statuses: new Set([200, 500]),
  })

  const secrets: Record<string, string> = {
    ...PLANTED,
    accessToken: tokens['auth_token'] ?? '',
    refreshToken: tokens['refresh_token'] ?? '',
    personal,
    webhook: hooks[0] ?? '',
    otherWebhook: hooks[auths.length - 1] ?? '',
  }
  // The API received them, so the search below would find any that leaked.
  const sent = echo.received
    .map(({ target, headers, body }) => target + JSON.stringify(headers) + body.toString())
    .join('')
  for (const name of ['bearer', 'apiKey', 'envText', 'accessToken'] as const)
    expect(sent).toContain(secrets[name])

  const shown: HttpAnswer[] = [...answers]
  for (const path of [
    '/v1/flow-runs?per_page=200',
    '/v1/flow-run-steps?per_page=200',
    '/v1/webhook-requests?per_page=200',
  ])
    shown.push(await app.call('GET', path))
  for (const { id } of app.runs()) shown.push(await app.call('GET', `/v1/flow-runs/${id}/steps?per_page=200`))
  for (const path of [
    'connectors',
    'connector-actions',
    'connector-auths',
    'env-variables',
    'personal-access-tokens',
  ])
    shown.push(await app.call('GET', `/v1/${path}`))
  for (const { id } of auths) {
    shown.push(await app.call('POST', `/v1/connector-auths/${id}/test`))
    shown.push(
      await app.call('PUT', `/v1/connector-auths/${id}`, {
        api_endpoint: 'sftp://ann:***@elsewhere.example/',
      }),
    )
    shown.push(await app.call('DELETE', `/v1/connector-auths/${id}`))
  }
  await app.services.runIndexing.runOnce()
  const backup = join(app.store.dataDir, 'backup-of-the-test')
  await app.store.backups.writeTo(backup)

  const found = [
    ...shown.flatMap(({ text }, index) => namesIn(Buffer.from(text), secrets, `answer ${index}`)),
    ...filesBelow(app.store.dataDir).flatMap((path) => namesIn(readFileSync(path), secrets, path)),
    ...namesIn(Buffer.from(JSON.stringify(app.logged)), secrets, 'log'),
  ]
  expect(found).toEqual([])

  // The index contains single words, folded and without common prefixes, so its bytes can't be searched.
  const words = wordsOfIndex(backup)
  expect({ hasWords: words.size > 100, hasPlanted: words.has('planted') }).toEqual({
    hasWords: true,
    hasPlanted: false,
  })
  const indexed = Object.entries(secrets).flatMap(([name, secret]) =>
    foldedWords(secret)
      .split(' ')
      .filter((word) => word.length >= 10 && words.has(word))
      .map((word) => `${name} as ${word}`),
  )
  expect(indexed).toEqual([])
})

function wordsOfIndex(path: string): ReadonlySet<string> {
  const db = new Database(path)
  try {
    db.exec(`CREATE VIRTUAL TABLE temp.words USING fts5vocab (main, run_search, 'row')`)
    return new Set(scalar<string>(db, 'SELECT term FROM temp.words').all())
  } finally {
    db.close()
  }
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    return statSync(path).isDirectory() ? filesBelow(path) : [path]
  })
}

/** The secrets that occur in these bytes, in any of their spellings. */
function namesIn(bytes: Buffer, secrets: Readonly<Record<string, string>>, where: string): string[] {
  return Object.entries(secrets).flatMap(([name, secret]) =>
    formsOf(secret)
      .filter((form) => bytes.includes(form))
      .map((form) => `${name} in ${where} as ${form.slice(0, 20)}`),
  )
}

function formsOf(secret: string): string[] {
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    Buffer.from(secret).toString('base64').replace(/=+$/, ''),
    Buffer.from(secret).toString('base64url'),
    Buffer.from(secret).toString('hex'),
  ]
}
