/** Browsers that sign in from elsewhere, as the proxy in front of Millrace passes their requests on. */
import Database from 'better-sqlite3'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { PageSession } from '../../../src/shared/contract/page-sessions.ts'
import { ROUTES } from '../../../src/shared/contract/routes.ts'
import { callHttp, type HttpAnswer } from '../../helpers/http.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'
import { startTestApp, type TestApp } from '../../helpers/test-app.ts'
import { session } from '../../helpers/test-server.ts'

const HOST = 'box.example.com'
const URL = `https://${HOST}`
const ALL = ['automation', 'company', 'connector_auth', 'connectors', 'dashboard', 'embed']
const SIGN_IN = '/v1/page-sessions/sign-in'

type Headers = Readonly<Record<string, string>>

/** What a proxy with TLS adds. */
const PROXIED: Headers = { host: HOST, 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.7' }

/** An empty header isn't sent. */
function ask(
  app: TestApp,
  method: string,
  path: string,
  headers: Headers = {},
  body?: unknown,
): Promise<HttpAnswer> {
  const sent = {
    ...PROXIED,
    origin: URL,
    'content-type': 'application/json',
    'user-agent': 'Firefox',
    ...headers,
  }
  return callHttp(app.port, {
    method,
    path,
    headers: Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== '')),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

const anApp = (settings = {}) => startTestApp({ settings: { page_url: URL, ...settings } })

async function aToken(app: TestApp, scopes: readonly string[] = ALL, expiration: number | null = null) {
  const { json } = await app.call('POST', '/v1/personal-access-tokens', { scopes, expiration, note: 'Phone' })
  return json as { id: string; token: string }
}

const cookieOf = ({ headers }: HttpAnswer): Headers => ({
  cookie: (headers['set-cookie']?.[0] ?? '').split(';')[0] ?? '',
})

async function signedIn(app: TestApp, scopes: readonly string[] = ALL) {
  const token = await aToken(app, scopes)
  const answer = await ask(app, 'POST', SIGN_IN, {}, { token: token.token })
  return { token, answer, cookie: cookieOf(answer), id: (answer.json as PageSession).id }
}

async function aLink(app: TestApp): Promise<string> {
  const { json } = await app.call('POST', '/v1/page-sessions/links')
  return (json as { url: string }).url.split('#link=')[1] ?? ''
}

test('a token signs a browser in, with a cookie that only it, this host and https ever have', async () => {
  const app = await anApp()
  const { answer, cookie, token } = await signedIn(app, ['automation:view'])
  const { token: _, ...shown } = { token, ...(answer.json as PageSession) }
  const flows = await ask(app, 'GET', '/v1/flows', cookie)
  const me = await ask(app, 'GET', '/v1/page-sessions/current', cookie)
  const write = await ask(app, 'POST', '/v1/flows', cookie, { name: 'Mine', steps: [] })
  expect({
    status: answer.status,
    cookie: answer.headers['set-cookie'],
    shown,
    flows: flows.status,
    me: me.json,
    write: write.status,
    page: (await ask(app, 'GET', '/flows', { accept: 'text/html', origin: '' })).status,
    health: (await ask(app, 'GET', '/v1/health', { origin: '' })).status,
  }).toEqual({
    status: 200,
    cookie: [
      expect.stringMatching(
        /^__Host-millrace=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; Secure; SameSite=Strict$/,
      ),
    ],
    shown: expect.objectContaining({
      token_id: token.id,
      token_note: 'Phone',
      scopes: ['automation:view'],
      client: '203.0.113.7',
      user_agent: 'Firefox',
      current: true,
    }),
    flows: 200,
    me: answer.json,
    write: 403,
    page: 200,
    health: 200,
  })
})

test('without the setting, under another host, or without TLS there is no way in', async () => {
  const [named, unnamed] = [await anApp(), await startTestApp()]
  const { token } = await aToken(named)
  const { cookie } = await signedIn(named)
  const other = await aToken(unnamed)
  const statuses = {
    unnamed: (await ask(unnamed, 'POST', SIGN_IN, {}, { token: other.token })).status,
    'another host': (
      await ask(named, 'POST', SIGN_IN, { host: 'evil.example', origin: 'https://evil.example' }, { token })
    ).status,
    'a longer host': (await ask(named, 'GET', '/v1/flows', { ...cookie, host: `${HOST}.evil.example` }))
      .status,
    'another port': (await ask(named, 'GET', '/v1/flows', { ...cookie, host: `${HOST}:8080` })).status,
    'another host in X-Forwarded-Host': (
      await ask(named, 'GET', '/v1/flows', { ...cookie, host: 'evil.example', 'x-forwarded-host': HOST })
    ).status,
    'no TLS': (await ask(named, 'POST', SIGN_IN, { 'x-forwarded-proto': 'http' }, { token })).status,
    'TLS unknown': (await ask(named, 'POST', SIGN_IN, { 'x-forwarded-proto': '' }, { token })).status,
    'TLS at one of two': (
      await ask(named, 'POST', SIGN_IN, { 'x-forwarded-proto': 'https, http' }, { token })
    ).status,
    'on loopback': (
      await ask(
        named,
        'POST',
        SIGN_IN,
        {
          host: `127.0.0.1:${named.port}`,
          origin: `http://127.0.0.1:${named.port}`,
          'x-forwarded-proto': '',
          'x-forwarded-for': '',
        },
        { token },
      )
    ).status,
    'the cookie on loopback': (
      await ask(named, 'GET', '/v1/flows', {
        ...cookie,
        host: `127.0.0.1:${named.port}`,
        origin: '',
        'x-forwarded-proto': '',
        'x-forwarded-for': '',
      })
    ).status,
    'the port of https': (await ask(named, 'GET', '/v1/flows', { ...cookie, host: `${HOST}:443` })).status,
    'in capitals': (await ask(named, 'GET', '/v1/flows', { ...cookie, host: HOST.toUpperCase() })).status,
  }
  expect(statuses).toEqual({
    unnamed: 403,
    'another host': 403,
    'a longer host': 403,
    'another port': 403,
    'another host in X-Forwarded-Host': 403,
    'no TLS': 403,
    'TLS unknown': 403,
    'TLS at one of two': 403,
    'on loopback': 403,
    'the cookie on loopback': 401,
    'the port of https': 200,
    'in capitals': 200,
  })
})

test('nothing that only the local session may do works from elsewhere, with any cookie or bearer', async () => {
  const app = await anApp()
  const { cookie } = await signedIn(app)
  const link = await ask(app, 'POST', SIGN_IN, {}, { link: await aLink(app) })
  const local = ROUTES.filter(({ access }) => access === 'session')
  const pathOf = (path: string) => path.replaceAll(/:[a-z_]+/g, '3d0e6a34-3c52-4b0d-9a53-0f2b7d1c9e77')
  const callers: Record<string, [Headers, number]> = {
    token: [cookie, 403],
    link: [cookieOf(link), 403],
    'the local session': [{ authorization: session.authorization }, 401],
    'the local session and a cookie': [{ ...cookie, authorization: session.authorization }, 401],
  }
  for (const [name, [headers, refused]] of Object.entries(callers)) {
    const answers = await Promise.all(
      local.map(async ({ method, path }) => [
        `${method} ${path}`,
        (await ask(app, method, pathOf(path), headers, method === 'GET' ? undefined : {})).status,
      ]),
    )
    const wanted = local.map(({ method, path }) => [`${method} ${path}`, refused])
    expect([name, answers]).toEqual([name, wanted])
  }
  const settings = {
    file_folders: ['/srv'],
    expose_api: true,
    trusted_proxies: ['0.0.0.0/0'],
    proxy_header: 'x-real-ip',
    page_url: 'https://evil.example',
  }
  const changes = await Promise.all(
    Object.entries(settings).map(async ([name, value]) => [
      name,
      (await ask(app, 'PUT', '/v1/settings', cookie, { [name]: value })).status,
    ]),
  )
  expect({
    many: local.length >= 8,
    changes,
    acting: (await ask(app, 'GET', '/v1/flows', { ...cookie, 'millrace-user-id': 'x' })).status,
    code: (await ask(app, 'POST', '/v1/sign-in-codes/exchange', {}, { code: 'x'.repeat(43) })).status,
  }).toEqual({
    many: true,
    changes: Object.keys(settings).map((name) => [name, 403]),
    acting: 403,
    code: 403,
  })
})

test('with expose_api a token works in the header too, but never the local session', async () => {
  const app = await anApp({ expose_api: true })
  const { token } = await aToken(app)
  const statuses = [
    (
      await ask(
        app,
        'POST',
        '/v1/flows',
        { authorization: `Bearer ${token}`, origin: '' },
        { name: 'By a script' },
      )
    ).status,
    (await ask(app, 'GET', '/v1/flows', session)).status,
  ]
  expect(statuses).toEqual([201, 401])
})

test('a write needs the Origin of the app, and no other site gets anything', async () => {
  const app = await anApp()
  const { cookie, token } = await signedIn(app)
  const flow = { name: 'Forged', steps: [] }
  const evil = 'https://evil.example'
  const statuses = {
    'no Origin': (await ask(app, 'POST', '/v1/flows', { ...cookie, origin: '' }, flow)).status,
    'another Origin': (await ask(app, 'POST', '/v1/flows', { ...cookie, origin: evil }, flow)).status,
    'a sibling': (
      await ask(
        app,
        'POST',
        '/v1/flows',
        { ...cookie, origin: 'https://evil.box.example.com', 'sec-fetch-site': 'same-site' },
        flow,
      )
    ).status,
    'without TLS': (await ask(app, 'POST', '/v1/flows', { ...cookie, origin: `http://${HOST}` }, flow))
      .status,
    null: (await ask(app, 'POST', '/v1/flows', { ...cookie, origin: 'null' }, flow)).status,
    'cross-site read': (
      await ask(app, 'GET', '/v1/flows', { ...cookie, origin: '', 'sec-fetch-site': 'cross-site' })
    ).status,
    'signing in for somebody else': (
      await ask(app, 'POST', SIGN_IN, { origin: evil }, { token: token.token })
    ).status,
    'a link opened on another site': (
      await ask(app, 'GET', '/', {
        origin: '',
        accept: 'text/html',
        'sec-fetch-site': 'cross-site',
        'sec-fetch-mode': 'navigate',
        'sec-fetch-dest': 'document',
      })
    ).status,
    'the app itself': (
      await ask(app, 'POST', '/v1/flows', { ...cookie, 'sec-fetch-site': 'same-origin' }, flow)
    ).status,
    'two cookies': (await ask(app, 'GET', '/v1/flows', { cookie: `${cookie.cookie}; ${cookie.cookie}` }))
      .status,
  }
  expect(statuses).toEqual({
    'no Origin': 403,
    'another Origin': 403,
    'a sibling': 403,
    'without TLS': 403,
    null: 403,
    'cross-site read': 403,
    'signing in for somebody else': 403,
    'a link opened on another site': 200,
    'the app itself': 201,
    'two cookies': 401,
  })
})

test('a link signs in once, within 15 minutes, with a token that can be revoked; opening it changes nothing', async () => {
  const app = await anApp()
  const [code, late] = [await aLink(app), await aLink(app)]
  await ask(app, 'GET', `/?link=${code}`, { accept: 'text/html' })
  const [first, second] = [
    await ask(app, 'POST', SIGN_IN, {}, { link: code }),
    await ask(app, 'POST', SIGN_IN, {}, { link: code }),
  ]
  app.clock.advance(15 * 60_000)
  const expired = await ask(app, 'POST', SIGN_IN, {}, { link: late })
  const { token_id: tokenId } = first.json as PageSession
  const before = (await ask(app, 'GET', '/v1/flows', cookieOf(first))).status
  const outlasting = await ask(app, 'POST', '/v1/personal-access-tokens', cookieOf(first), {
    scopes: ALL.slice(0, 1),
    expiration: null,
    note: 'For ever',
  })
  await app.call('DELETE', `/v1/personal-access-tokens/${tokenId}`)
  expect({
    first: [first.status, (first.json as PageSession).token_note],
    second: [second.status, (second.json as { message: string }).message],
    expired: expired.status,
    before,
    outlasting: outlasting.status,
    after: (await ask(app, 'GET', '/v1/flows', cookieOf(first))).status,
  }).toEqual({
    first: [200, 'Signed in with a link'],
    second: [
      401,
      'The sign-in link has been used or is older than 15 minutes; run "millrace sign-in-link" for a new one',
    ],
    expired: 401,
    before: 200,
    outlasting: 403,
    after: 401,
  })
})

test('a session ends with its token: revoked, regenerated or expired; and by itself after 30 days', async () => {
  const app = await anApp()
  const [revoked, renewed, old] = [await signedIn(app), await signedIn(app), await signedIn(app)]
  const short = await aToken(app, ALL, 1)
  const expiring = cookieOf(await ask(app, 'POST', SIGN_IN, {}, { token: short.token }))
  const statusOf = async (cookie: Headers) => (await ask(app, 'GET', '/v1/flows', cookie)).status
  const before = await Promise.all([revoked, renewed, old].map(({ cookie }) => statusOf(cookie)))
  await app.call('DELETE', `/v1/personal-access-tokens/${revoked.token.id}`)
  await app.call('POST', `/v1/personal-access-tokens/${renewed.token.id}/regenerate`, { expiration: null })
  const after = await Promise.all([revoked, renewed, old].map(({ cookie }) => statusOf(cookie)))
  const alive = await statusOf(expiring)
  app.clock.advance(86_400_000)
  const expired = await statusOf(expiring)
  app.clock.advance(29 * 86_400_000)
  const { json } = await app.call('GET', '/v1/page-sessions')
  expect({ before, after, alive, expired, last: await statusOf(old.cookie), listed: json }).toEqual({
    before: [200, 200, 200],
    after: [401, 401, 200],
    alive: 200,
    expired: 401,
    last: 401,
    listed: [],
  })
})

test('sessions are listed, to the user they are of and to the local session, and ended', async () => {
  const app = await anApp()
  const [mine, other] = [await signedIn(app), await signedIn(app, ['automation:view'])]
  const { json } = await app.call('GET', '/v1/page-sessions')
  const own = await ask(app, 'GET', '/v1/page-sessions', other.cookie)
  const idOf = (list: unknown) => (list as PageSession[]).map(({ id, current }) => [id, current])
  const cant = await ask(app, 'DELETE', `/v1/page-sessions/${mine.id}`, other.cookie)
  const ended = await ask(app, 'DELETE', `/v1/page-sessions/${other.id}`, mine.cookie)
  const out = await ask(app, 'POST', '/v1/page-sessions/sign-out', mine.cookie)
  expect({
    listed: idOf(json),
    own: idOf(own.json),
    cant: cant.status,
    ended: ended.status,
    other: (await ask(app, 'GET', '/v1/flows', other.cookie)).status,
    out: [out.status, out.headers['set-cookie']],
    mine: (await ask(app, 'GET', '/v1/flows', mine.cookie)).status,
    token: (await app.call('GET', '/v1/flows', undefined, { authorization: `Bearer ${mine.token.token}` }))
      .status,
  }).toEqual({
    listed: [
      [other.id, false],
      [mine.id, false],
    ],
    own: [
      [other.id, true],
      [mine.id, false],
    ],
    cant: 403,
    ended: 204,
    other: 401,
    out: [204, ['__Host-millrace=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Strict']],
    mine: 401,
    token: 200,
  })
})

test('failed attempts are counted by address and in all; a link still works when all are used up', async () => {
  const app = await anApp()
  const { token } = await aToken(app)
  const code = await aLink(app)
  const from = (address: string) => ({ 'x-forwarded-for': `198.51.100.1, ${address}` })
  const tryOnce = async (address: string, body: object) =>
    (await ask(app, 'POST', SIGN_IN, from(address), body)).status
  const wrong = { token: 'mr_pat_wrong' }
  const ofOne = []
  for (let times = 0; times < 12; times++) ofOne.push(await tryOnce('203.0.113.1', wrong))
  const right = [await tryOnce('203.0.113.1', { token }), await tryOnce('203.0.113.2', { token })]
  const ofMany = []
  for (let times = 0; times < 95; times++) ofMany.push(await tryOnce(`192.0.2.${times}`, wrong))
  const refused = await ask(app, 'POST', SIGN_IN, from('203.0.113.3'), { token })
  const link = await tryOnce('203.0.113.4', { link: code })
  app.clock.advance(5 * 60_000)
  // Each is counted; the log has twenty lines an hour.
  const failed = app.logged.filter(
    ({ message }) => message === 'A sign-in from another computer failed',
  ).length
  expect({
    failed,
    ofOne,
    right,
    ofMany: [
      ofMany.filter((status) => status === 401).length,
      ofMany.filter((status) => status === 429).length,
    ],
    refused: [refused.status, Number(refused.headers['retry-after']) > 0],
    link,
    later: await tryOnce('203.0.113.1', { token }),
  }).toEqual({
    failed: 20,
    ofOne: [...Array.from({ length: 10 }, () => 401), 429, 429],
    right: [429, 200],
    ofMany: [90, 5],
    refused: [429, true],
    link: 200,
    later: 200,
  })
})

test('neither the cookie, nor the link, nor the token is stored or logged', async () => {
  const app = await anApp()
  const code = await aLink(app)
  const { cookie, token } = await signedIn(app)
  await ask(app, 'POST', SIGN_IN, {}, { link: code })
  const copy = join(temporaryFolder(), 'copy.db')
  await app.call('POST', '/v1/database/backup', { path: copy })
  const db = new Database(copy, { readonly: true })
  const stored = JSON.stringify(
    db.prepare('SELECT json_array(hash, token_hash, client, user_agent) FROM page_sessions').pluck().all(),
  )
  db.close()
  const secrets = [cookie.cookie?.split('=')[1] ?? '', token.token, code]
  expect({
    rows: (JSON.parse(stored) as unknown[]).length,
    found: secrets.filter((secret) => `${stored}${JSON.stringify(app.logged)}`.includes(secret)),
    logged: app.logged.map(({ message }) => message),
  }).toEqual({
    rows: 2,
    found: [],
    logged: ['A browser on another computer signed in', 'A browser on another computer signed in'],
  })
})

test('the URL of the app is https and the name of another computer, without more', async () => {
  const app = await startTestApp()
  const urls = [
    'http://box.example.com',
    'https://box.example.com/app',
    'https://ada@box.example.com',
    'https://localhost',
    'https://127.0.0.1:8443',
    'https://',
    'https://box.example.com?x',
    'https://box.example.com:8443',
    'https://box.example.com/',
  ]
  const answers = await Promise.all(
    urls.map(async (page_url) => [page_url, (await app.call('PUT', '/v1/settings', { page_url })).status]),
  )
  expect(answers).toEqual(urls.map((url, at) => [url, at < 7 ? 400 : 200]))
  const link = await (await startTestApp()).call('POST', '/v1/page-sessions/links')
  expect([link.status, (link.json as { message: string }).message]).toEqual([
    409,
    'There is no URL for the link: enter the URL of your proxy in Settings (page_url) or in MILLRACE_PAGE_URL',
  ])
})
