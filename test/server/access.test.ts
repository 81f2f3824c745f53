import { expect, test } from 'vitest'
import type { Access } from '../../src/shared/contract/base/route.ts'
import { ROUTES, STREAM_ROUTES } from '../../src/shared/contract/routes.ts'
import { SCOPES } from '../../src/shared/contract/base/scopes.ts'
import type { IssuedToken } from '../../src/shared/contract/tokens.ts'
import { sendBytes, statusOf } from '../helpers/http.ts'
import { startTestApp, type TestApp } from '../helpers/test-app.ts'

const ALL_ROUTES = [...ROUTES, ...STREAM_ROUTES]

async function tokenWith(app: TestApp, scopes: readonly string[], expiration: number | null = null) {
  const body = { scopes, expiration, note: '' }
  return (await app.call('POST', '/v1/personal-access-tokens', body)).json as IssuedToken
}

/** An ID that no record has. A caller with access gets 404, 400 or 200 there, never 401 or 403. */
const addressOf = (path: string) => path.replaceAll(/:[a-z_]+/g, '7c9e6679-7425-40de-944b-e07fc1f90ae7')

function ask(app: TestApp, route: (typeof ALL_ROUTES)[number], authorization: string): Promise<number> {
  const { method, path } = route
  return statusOf(app.port, { method, path: addressOf(path), headers: { authorization }, body: 'not JSON' })
}

const GUARDED = ALL_ROUTES.filter(({ access }) => access !== 'open')

/** Sends the requests one after the other on one connection, without waiting for responses. */
async function askInOneGo(
  app: TestApp,
  routes: readonly (typeof ALL_ROUTES)[number][],
  authorization: string,
): Promise<number[]> {
  const requests = routes.map(({ method, path }, at) => {
    const end = at === routes.length - 1 ? 'Connection: close\r\n' : ''
    return `${method} ${addressOf(path)} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${authorization}\r\n${end}\r\n`
  })
  const answers = await sendBytes(app.port, requests.join(''))
  return [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
}

/** The specification's table, written out by hand: which scope lets a token do what. */
const READERS: Record<string, string[]> = {
  flows: ['automation'],
  flow_runs: ['automation'],
  connector_auths: ['automation', 'connector_auth'],
  connectors: ['connectors'],
  env_variables: ['automation', 'company'],
  data_tables: ['automation', 'company'],
  file_uploads: ['automation', 'company'],
  users: ['company'],
  teams: ['company'],
  settings: ['company'],
}
const CHANGERS: Record<string, string[]> = {
  flows: ['automation'],
  flow_runs: ['automation'],
  connector_auths: ['connector_auth'],
  connectors: ['connectors'],
  env_variables: ['company'],
  data_tables: ['company'],
  file_uploads: ['company'],
  users: ['company'],
  teams: ['company'],
  settings: ['company'],
}

function isAllowed(access: Access, scope: string): boolean {
  const [name = '', extension = ''] = scope.split(':')
  if (access === 'open' || access === 'any-token' || access === 'list-tokens') return true
  if (access === 'session') return false
  if (access === 'manage-tokens') return extension !== 'view' && extension !== 'webhook_run'
  if (extension === 'webhook_run') return false
  const { entity, operation } = access
  if (operation === 'read') return READERS[entity]?.includes(name) ?? false
  const mayChange = CHANGERS[entity]?.includes(name) ?? false
  return mayChange && extension !== 'view' && (operation !== 'delete' || extension === '')
}

test('every route accepts every spelling of a scope that covers it, and no other', async () => {
  const app = await startTestApp()
  const spellings = new Set([...SCOPES, ...SCOPES.map((scope) => scope.replace(':', '.')), 'webhook_run'])
  const seen: string[] = []
  const expected: string[] = []
  for (const spelling of spellings) {
    const scope = spelling === 'webhook_run' ? 'automation:webhook_run' : spelling.replace('.', ':')
    const { token } = await tokenWith(app, [spelling])
    const authorization = `Bearer ${token}`
    // The event stream never ends.
    const [ending, endless] = [ALL_ROUTES.slice(0, -1), ALL_ROUTES.at(-1)!]
    const statuses = await askInOneGo(app, ending, authorization)
    statuses.push(await ask(app, endless, authorization))
    for (const [at, route] of ALL_ROUTES.entries()) {
      const name = `${spelling}: ${route.method} ${route.path}`
      const status = statuses[at]
      seen.push(`${name} is ${status === 403 ? 'refused' : 'allowed'}${status === 401 ? ' but unknown' : ''}`)
      expected.push(`${name} is ${isAllowed(route.access, scope) ? 'allowed' : 'refused'}`)
    }
  }
  expect(spellings.size).toBe(33)
  expect(seen).toEqual(expected)
})

test('every route but the open ones rejects a caller without a valid token', async () => {
  const app = await startTestApp()
  const { token: living } = await tokenWith(app, ['automation'])
  const credentials = {
    none: '',
    wrong: `Bearer mr_pat_${'A'.repeat(54)}`,
    'not even formed': 'Bearer secret',
    'another scheme': `Basic ${living}`,
  }
  const refusals = await Promise.all(
    Object.entries(credentials).flatMap(([name, authorization]) =>
      GUARDED.map(async (route) => `${name}: ${await ask(app, route, authorization)}`),
    ),
  )
  expect(new Set(refusals)).toEqual(new Set(Object.keys(credentials).map((name) => `${name}: 401`)))
  const open = ALL_ROUTES.filter(({ access }) => access === 'open')
  // A route that takes a body rejects its absence; nothing before that rejects the request.
  expect(await Promise.all(open.map((route) => ask(app, route, '')))).toEqual(
    open.map((route) => ('body' in route ? 400 : 200)),
  )
})

test('every route rejects every scope once its token is no longer valid, for any reason', async () => {
  const app = await startTestApp()
  const dead: [name: string, authorization: string][] = []
  for (const scope of SCOPES) {
    const [expired, regenerated, revoked] = [
      await tokenWith(app, [scope], 1),
      await tokenWith(app, [scope]),
      await tokenWith(app, [scope]),
    ]
    await app.call('POST', `/v1/personal-access-tokens/${regenerated.id}/regenerate`, { expiration: null })
    await app.call('DELETE', `/v1/personal-access-tokens/${revoked.id}`)
    for (const [way, { token }] of Object.entries({ expired, regenerated, revoked }))
      dead.push([`${scope}, ${way}`, `Bearer ${token}`])
  }
  app.clock.advance(2 * 86_400_000)
  const faults: string[] = []
  for (const [name, authorization] of dead) {
    const statuses = await askInOneGo(app, GUARDED, authorization)
    for (const [at, { method, path }] of GUARDED.entries())
      if (statuses[at] !== 401) faults.push(`${name}: ${method} ${path} is ${statuses[at]}`)
  }
  expect({ faults, deadTokens: dead.length }).toEqual({ faults: [], deadTokens: SCOPES.length * 3 })
})
