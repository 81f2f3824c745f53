import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ApiCall } from '../../../src/shared/contract/logs.ts'
import type { IssuedToken } from '../../../src/shared/contract/tokens.ts'
import { startTestApp, type TestApp } from '../../helpers/test-app.ts'

const listed = async (app: TestApp, query = '') =>
  ((await app.call('GET', `/v1/calls${query}`)).json as { entries: ApiCall[] }).entries

test('the calls just before the end are kept', async () => {
  const app = await startTestApp()
  await app.call('GET', '/v1/flows')
  await app.call('GET', '/v1/flows')
  app.services.calls.close()
  const [name = ''] = readdirSync(join(app.store.dataDir, 'logs'))
  expect(readFileSync(join(app.store.dataDir, 'logs', name), 'utf8')).toContain('"route":"/v1/flows"')
})

test('each call of the API is listed with who, what, status and time, but no body, query or id', async () => {
  const app = await startTestApp()
  const { json } = await app.call('POST', '/v1/personal-access-tokens', {
    expiration: null,
    scopes: ['automation'],
    note: 'Nightly export',
  })
  const { id, token } = json as IssuedToken
  const asToken = { authorization: `Bearer ${token}` }
  await app.call('GET', '/v1/flows?filter=name,like,hidden-query', undefined, asToken)
  await app.call('GET', '/v1/flows/7c9e6679-7425-40de-944b-e07fc1f90ae7', undefined, asToken)
  await app.call('PUT', '/v1/settings', { theme: 'dark' }, asToken)
  await app.call('PUT', '/v1/settings', { public_url: 'hidden-body' })
  await app.call('GET', '/v1/flows', undefined, { authorization: 'Bearer wrong' })
  await expect.poll(async () => (await listed(app)).length).toBe(6)
  const calls = await listed(app)
  const folder = join(app.store.dataDir, 'logs')
  const stored = readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('')
  expect({
    calls: calls.map((call) => [call.method, call.route, call.status, call.caller, call.token_note]),
    ids: [...new Set(calls.map(({ token_id: tokenId }) => tokenId))],
    leaks: ['hidden', '7c9e6679', token].filter((text) => stored.includes(text)),
  }).toEqual({
    calls: [
      ['GET', '/v1/flows', 401, 'unknown', null],
      ['PUT', '/v1/settings', 400, 'app', null],
      ['PUT', '/v1/settings', 403, 'token', 'Nightly export'],
      ['GET', '/v1/flows/:id', 404, 'token', 'Nightly export'],
      ['GET', '/v1/flows', 200, 'token', 'Nightly export'],
      ['POST', '/v1/personal-access-tokens', 201, 'app', null],
    ],
    ids: [null, id],
    leaks: [],
  })
  const [newest] = calls
  expect({
    failed: (await listed(app, '?failed=true')).length,
    byToken: (await listed(app, '?caller=token')).length,
    route: (await listed(app, '?route=put%20/v1/SET')).length,
    next: (await listed(app, `?after=${newest?.id}&per_page=2`)).map(({ status }) => status),
    newer: await listed(app, `?newer_than=${newest?.id}`),
  }).toEqual({ failed: 4, byToken: 3, route: 2, next: [400, 403], newer: [] })
})

test('only the app and the command line can read them', async () => {
  const app = await startTestApp()
  const scopes = ['automation', 'company', 'connector_auth', 'connectors']
  const { json } = await app.call('POST', '/v1/personal-access-tokens', {
    expiration: null,
    scopes,
    note: '',
  })
  const headers = { authorization: `Bearer ${(json as IssuedToken).token}` }
  const answers = [
    await app.call('GET', '/v1/calls', undefined, headers),
    await app.call('GET', '/v1/logs', undefined, headers),
    await app.call('GET', '/v1/calls'),
    await app.call('GET', '/v1/logs'),
  ]
  expect(answers.map(({ status }) => status)).toEqual([403, 403, 200, 200])
})
