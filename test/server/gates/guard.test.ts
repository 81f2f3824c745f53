import { expect, test } from 'vitest'
import { z } from 'zod'
import { defineRoute } from '../../../src/shared/contract/base/route.ts'
import type { App } from '../../../src/main/server/mount/app.ts'
import { mountRaw } from '../../../src/main/server/mount/mount-raw.ts'
import { mountRoute } from '../../../src/main/server/mount/mount-route.ts'
import { callHttp, readAnswer, sendBytes } from '../../helpers/http.ts'
import { session, startTestServer } from '../../helpers/test-server.ts'

const anyToken = defineRoute({
  method: 'GET',
  path: '/v1/any',
  summary: '',
  access: 'any-token',
  status: 200,
  result: z.object({ ok: z.boolean() }),
})

/** The API, the webhook and the OAuth callback, each of which returns 200 to any request that gets through. */
function mountAll(app: App): void {
  mountRoute(app, anyToken, () => ({ ok: true }))
  mountRaw(app, '/v1/flow-webhook', async (_request, response) => void response.end('webhook'))
  mountRaw(app, '/v1/oauth2/callback', async (_request, response) => void response.end('callback'))
}

const TARGETS = {
  api: '/v1/any',
  page: '/',
  webhook: '/v1/flow-webhook/x',
  callback: '/v1/oauth2/callback/x',
}

type Statuses = Record<keyof typeof TARGETS, number>

async function statusesWith(
  port: number,
  headers: Record<string, string>,
  method = 'GET',
): Promise<Statuses> {
  const entries = Object.entries(TARGETS).map(async ([name, path]) => {
    const call = { path, method, headers: { host: `127.0.0.1:${port}`, ...session, ...headers } }
    return [name, (await callHttp(port, call)).status]
  })
  return Object.fromEntries(await Promise.all(entries)) as Statuses
}

const everywhere: Statuses = { api: 200, page: 200, webhook: 200, callback: 200 }
const fromOutside: Statuses = { api: 403, page: 403, webhook: 200, callback: 200 }
const fromForeignPage: Statuses = { api: 403, page: 403, webhook: 200, callback: 403 }
const navigation: Statuses = { api: 403, page: 200, webhook: 200, callback: 200 }

test('every loopback name means this machine, whatever the port', async () => {
  const { port } = await startTestServer(mountAll)
  const hosts = ['127.0.0.1', '127.0.0.1:1', 'localhost', 'LocalHost:65535', '[::1]', `[::1]:${port}`]
  const seen = await Promise.all(hosts.map((host) => statusesWith(port, { host })))
  expect(seen).toEqual(hosts.map(() => everywhere))
})

test('under any other name only the webhook and the OAuth callback are reachable', async () => {
  const { port } = await startTestServer(mountAll)
  const hosts = [
    'evil.example',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'localhost.',
    'evil.example:4747',
    '127.0.0.2',
    '0.0.0.0',
    '192.168.1.10:4747',
    '[::2]',
    '::1',
    '127.0.0.1:',
    '127.0.0.1:4747:1',
    'user@127.0.0.1',
    '2130706433',
    '127.1',
  ]
  const seen = await Promise.all(hosts.map((host) => statusesWith(port, { host })))
  expect(Object.fromEntries(hosts.map((host, index) => [host, seen[index]]))).toEqual(
    Object.fromEntries(hosts.map((host) => [host, fromOutside])),
  )
})

test('proxied requests only reach the webhook and the OAuth callback', async () => {
  const { port } = await startTestServer(mountAll)
  const names = [
    'Forwarded',
    'Via',
    'X-Forwarded-For',
    'x-forwarded-host',
    'X-FORWARDED-PROTO',
    'X-Forwarded-Anything',
    'X-Real-IP',
    'CF-Connecting-IP',
    'CF-Ray',
    'True-Client-IP',
    'Fly-Client-IP',
    'X-Original-URL',
  ]
  const seen = await Promise.all(names.map((name) => statusesWith(port, { [name]: '127.0.0.1' })))
  expect(seen).toEqual(names.map(() => fromOutside))
})

test('the setting expose_api opens /v1 to proxies, not the page', async () => {
  const { port } = await startTestServer(mountAll, { settings: { expose_api: true } })
  const seen = await Promise.all([
    statusesWith(port, { host: 'mill.example' }),
    statusesWith(port, { 'x-forwarded-for': '203.0.113.7' }),
    statusesWith(port, { host: 'mill.example', origin: 'https://mill.example' }),
    statusesWith(port, { host: 'mill.example', origin: 'https://evil.example' }),
  ])
  expect(seen).toEqual([
    { ...everywhere, page: 403 },
    { ...everywhere, page: 403 },
    { ...everywhere, page: 403 },
    fromForeignPage,
  ])
})

test("an Origin must be exactly the request's own", async () => {
  const { port } = await startTestServer(mountAll)
  const own = await statusesWith(port, { origin: `http://127.0.0.1:${port}` })
  const origins = [
    'null',
    'http://evil.example',
    `https://127.0.0.1:${port}`,
    'http://127.0.0.1:1',
    'http://127.0.0.1',
  ]
  const foreign = await Promise.all(
    [...origins, `http://localhost:${port}`].map((origin) => statusesWith(port, { origin })),
  )
  expect({ own, foreign }).toEqual({ own: everywhere, foreign: foreign.map(() => fromForeignPage) })
})

test('another site can open the page and the callback by navigation, and do nothing else', async () => {
  const { port } = await startTestServer(mountAll)
  const crossSite = { 'sec-fetch-site': 'cross-site' }
  const navigating = { ...crossSite, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
  const seen = await Promise.all([
    statusesWith(port, crossSite),
    statusesWith(port, { ...crossSite, 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' }),
    statusesWith(port, { ...navigating, 'sec-fetch-dest': 'iframe' }),
    statusesWith(port, navigating),
    statusesWith(port, { 'sec-fetch-site': 'same-origin' }),
    statusesWith(port, { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }),
  ])
  expect(seen).toEqual([
    fromForeignPage,
    fromForeignPage,
    fromForeignPage,
    navigation,
    everywhere,
    everywhere,
  ])
  const posted = await statusesWith(port, { ...navigating, origin: 'http://evil.example' }, 'POST')
  expect({ api: posted.api, page: posted.page, callback: posted.callback }).toEqual({
    api: 403,
    page: 403,
    callback: 403,
  })
})

test('a missing or repeated Host, Authorization or Content-Type is a malformed request', async () => {
  const { port } = await startTestServer(mountAll)
  const heads = [
    'GET /v1/any HTTP/1.1',
    'GET /v1/any HTTP/1.0',
    'GET /v1/any HTTP/1.1\r\nHost:',
    'GET /v1/any HTTP/1.1\r\nHost: localhost\r\nHost: localhost',
    'GET /v1/any HTTP/1.1\r\nHost: localhost\r\nhOST: evil.example',
    'GET /v1/any HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b',
    'GET /v1/any HTTP/1.1\r\nHost: localhost\r\nContent-Type: a/b\r\nContent-Type: a/b',
    `GET /v1/any HTTP/1.1\r\n${'A:b\r\n'.repeat(2_500)}Host: localhost\r\nHost: localhost`,
  ]
  const answers = await Promise.all(
    heads.map((head) => sendBytes(port, `${head}\r\nConnection: close\r\n\r\n`)),
  )
  expect(answers.map((text) => readAnswer(text).json)).toMatchObject(
    heads.map(() => ({ status: 400, error: 'validation' })),
  )
})

test('an absolute URL is accepted if it names the requested host', async () => {
  const { port } = await startTestServer(mountAll)
  const ask = async (target: string, host: string) => {
    const head = `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n`
    return readAnswer(await sendBytes(port, `${head}Authorization: ${session.authorization}\r\n\r\n`)).status
  }
  expect(
    await Promise.all([
      ask('http://127.0.0.1:4747/v1/any', '127.0.0.1:4747'),
      ask('HTTP://LOCALHOST/v1/any', 'localhost'),
      ask('http://localhost', 'localhost'),
      ask('http://evil.example/v1/any', '127.0.0.1:4747'),
      ask('http://localhost.evil.example/v1/any', 'localhost'),
      ask('http://localhost@evil.example/v1/any', 'localhost'),
      ask('*', 'localhost'),
      ask('/v1/any#', 'localhost'),
      ask('/v1\\any#', 'localhost'),
      ask('http://localhost/v1/any#', 'localhost'),
      ask('/v1/oauth2/callback/x#', 'evil.example'),
    ]),
  ).toEqual([200, 200, 200, ...Array(8).fill(400)])
})
