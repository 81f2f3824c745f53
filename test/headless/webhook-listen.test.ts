/** The listener that other computers can reach, in the running program. */
import { connect, type AddressInfo, createServer } from 'node:net'
import { once } from 'node:events'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { WebhookRequest } from '../../src/shared/contract/webhooks.ts'
import { callHttp, sendBytes } from '../helpers/http.ts'
import { createHome, type Home, type Served } from '../helpers/program.ts'
import { askToEnd } from '../helpers/platform.ts'
import { heedStop } from '../helpers/served-runs.ts'
import { startThirdPartyApi } from '../helpers/third-party-api.ts'

let home: Home
beforeEach(() => {
  home = createHome()
})
afterEach(() => home.remove())

const LOCAL = ['--port', '0', '--webhook-listen', '127.0.0.1:0']

/** The listener's port, as reported on stderr. */
async function publicPort({ stderr, process }: Served): Promise<number> {
  for (;;) {
    const port = /^Webhooks, and nothing else, can also be reached at http:\/\/\S+:(\d+)/m.exec(stderr())?.[1]
    if (port !== undefined) return Number(port)
    await once(process.stderr!, 'data')
  }
}

const api = (served: Served) => async (method: string, path: string, body?: unknown) => {
  const { json } = await callHttp(Number(new URL(served.url).port), {
    method,
    path,
    headers: { authorization: `Bearer ${served.bearer}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return json as Record<string, unknown>
}

/** An active flow that anybody can call. */
async function openFlow(served: Served, step: object = { response_body: 'ok' }, steps: object[] = []) {
  const { id } = await api(served)('POST', '/v1/flows', {
    name: 'Open',
    steps: [{ ref_id: 'web1', type: 'webhook', config: step }, ...steps],
    settings: { webhook_token_enabled: false },
  })
  await api(served)('PUT', `/v1/flows/${String(id)}`, { status: 'active' })
  return `/v1/flow-webhook/${String(id)}`
}

test('it serves webhooks; everything else is 404 and reveals nothing about the program', async () => {
  const served = await home.serve({ args: LOCAL })
  const port = await publicPort(served)
  const hook = await openFlow(served)
  const session = { authorization: `Bearer ${served.bearer}` }
  const called = await callHttp(port, { method: 'POST', path: hook, headers: { host: 'hooks.example.com' } })
  const paths = [
    '/',
    '/index.html',
    '/v1',
    '/v1/health',
    '/v1/meta',
    '/v1/openapi.json',
    '/v1/flows',
    '/v1/settings',
    '/v1/events',
    '/v1/sign-in-codes/exchange',
    '/v1/oauth2/callback/x',
    '/v1/flow-webhook',
    hook.replace('/v1', '//v1'),
    '/v1/../v1/health',
  ]
  const others = await Promise.all(
    paths.flatMap((path) =>
      (['GET', 'POST', 'PUT'] as const).map((method) => callHttp(port, { method, path, headers: session })),
    ),
  )
  const answers = others.map(({ status, text, headers }) => ({
    status,
    text,
    telling: /millrace|express/i.test(JSON.stringify(headers) + text),
  }))
  expect({ called: [called.status, called.text], answers }).toEqual({
    called: [200, 'ok'],
    answers: others.map(() => ({
      status: 404,
      text: '{"status":404,"error":"not_found","message":"Not found","data":null}',
      telling: false,
    })),
  })
})

test('it checks requests like the main listener, and keeps connections as long', async () => {
  const served = await home.serve({ args: LOCAL })
  const port = await publicPort(served)
  const hook = await openFlow(served)
  const statusOf = async (text: string) => Number((await sendBytes(port, text)).split(' ')[1])
  const kept = await callHttp(port, {
    method: 'POST',
    path: hook,
    headers: { connection: 'keep-alive' },
  })
  expect({
    noHost: await statusOf(`POST ${hook} HTTP/1.1\r\nConnection: close\r\n\r\n`),
    twoHosts: await statusOf(`POST ${hook} HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n`),
    noHttp: await statusOf('hello\r\n\r\n'),
    headers: await statusOf(`POST ${hook} HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`),
    body: (await callHttp(port, { method: 'POST', path: hook, body: `{"a":"${'a'.repeat(6_000_000)}"}` }))
      .status,
    method: (await callHttp(port, { path: hook })).status,
    keepAlive: kept.headers['keep-alive'],
  }).toEqual({
    noHost: 400,
    twoHosts: 400,
    noHttp: 400,
    headers: 431,
    body: 413,
    method: 405,
    keepAlive: 'timeout=65',
  })
})

test('five callers behind a trusted proxy have five rate limits, and none can spoof another', async () => {
  const env = { MILLRACE_WEBHOOK_RATE_LIMIT: '2/300', MILLRACE_TRUSTED_PROXIES: '127.0.0.1' }
  const served = await home.serve({ args: LOCAL, env })
  const port = await publicPort(served)
  const hook = await openFlow(served)
  const send = async (forwarded: string, at = port) => {
    const { status } = await callHttp(at, {
      method: 'POST',
      path: hook,
      headers: { 'x-forwarded-for': forwarded },
    })
    return status
  }
  const callers = [1, 2, 3, 4, 5].map((number) => `203.0.113.${number}`)
  const five = []
  for (const caller of callers) five.push([await send(caller), await send(caller), await send(caller)])
  const pretending = [await send('198.51.100.1, 203.0.113.1'), await send('198.51.100.2, 203.0.113.1')]
  // The main listener relies on the socket's address, whatever the headers say.
  const main = Number(new URL(served.url).port)
  const loopback = []
  for (const caller of ['198.51.100.3', '198.51.100.4', '198.51.100.5'])
    loopback.push(await send(caller, main))
  const requests = (await api(served)('GET', '/v1/webhook-requests')) as unknown as WebhookRequest[]
  expect({
    five,
    pretending,
    loopback,
    clients: [...new Set(requests.map(({ client }) => client))].toSorted(),
  }).toEqual({
    five: callers.map(() => [200, 200, 429]),
    pretending: [429, 429],
    loopback: [200, 200, 429],
    clients: ['127.0.0.1', ...callers],
  })
})

test('without TLS it only starts with --insecure, and warns; with a trusted proxy, it needs neither', async () => {
  const open = ['--port', '0', '--webhook-listen', '0.0.0.0:0']
  const refused = await home.run(['serve', '--no-open', ...open])
  const served = await home.serve({ args: [...open, '--insecure'] })
  const port = await publicPort(served)
  const hook = await openFlow(served)
  const called = await callHttp(port, { method: 'POST', path: hook })
  served.process.kill()
  await served.ended
  const proxied = await home.serve({ args: open, env: { MILLRACE_TRUSTED_PROXIES: '192.0.2.1' } })
  await publicPort(proxied)
  expect({
    refused: [refused.code, refused.stderr],
    called: called.status,
    insecure: served.stderr(),
    proxied: proxied.stderr(),
  }).toEqual({
    refused: [
      2,
      expect.stringMatching(/^millrace: --webhook-listen is 0\.0\.0\.0:0, .* or add --insecure\n$/),
    ],
    called: 200,
    insecure: expect.stringContaining(
      ', without TLS: tokens and data can be read on the way. Put a proxy with TLS in front.',
    ),
    proxied: expect.stringContaining(', for the trusted proxies only.'),
  })
})

test('a port in use and an address of another machine are named', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const results = await Promise.all([
    home.run(['serve', '--no-open', '--port', '0', '--webhook-listen', `127.0.0.1:${port}`]),
    createHome().run([
      'serve',
      '--no-open',
      '--port',
      '0',
      '--insecure',
      '--webhook-listen',
      '192.0.2.1:4750',
    ]),
  ])
  taken.close()
  expect(results.map(({ code, stderr }) => [code, stderr])).toEqual([
    [
      69,
      expect.stringContaining(
        `Port ${port} is in use by another program; choose another with --webhook-listen`,
      ),
    ],
    [
      2,
      expect.stringContaining(
        '--webhook-listen has the host "192.0.2.1", which isn\'t an address of this computer',
      ),
    ],
  ])
})

test("when the program stops, a request in progress gets its response, and a new connection doesn't", async () => {
  const served = await home.serve({ args: LOCAL })
  const port = await publicPort(served)
  const isAsked = Promise.withResolvers<void>()
  const isReleased = Promise.withResolvers<void>()
  const slow = await startThirdPartyApi((_request, response) => {
    isAsked.resolve()
    void isReleased.promise.then(() => response.end('{}'))
  })
  const hook = await openFlow(served, { response_body: 'late' }, [
    { ref_id: 'wait', type: 'rest', config: { url: slow.url } },
  ])
  const late = callHttp(port, { method: 'POST', path: hook })
  await isAsked.promise
  const stop = await heedStop(served)
  askToEnd(served.process)
  await stop.begun
  isReleased.resolve()
  const answer = await late
  const code = await served.ended
  const socket = connect(port, '127.0.0.1')
  const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException]
  expect({ answer: [answer.status, answer.text], code, after: error.code }).toEqual({
    answer: [200, 'late'],
    code: 0,
    after: 'ECONNREFUSED',
  })
})
