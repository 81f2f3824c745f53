import { expect, test } from 'vitest'
import { statusOf } from '../helpers/http.ts'
import { startTestApp, type TestApp } from '../helpers/test-app.ts'

async function aUser(app: TestApp, name: string) {
  const { id } = (await app.call('POST', '/v1/users', { name })).json as { id: string }
  return { id, as: { 'millrace-user-id': id } }
}

test('the page acts as the user it names, and by default as the local user', async () => {
  const app = await startTestApp()
  const ann = await aUser(app, 'Ann')
  const me = async (headers = {}) =>
    ((await app.call('GET', '/v1/users/me', undefined, headers)).json as { name: string }).name
  expect({ own: await me(), asAnn: await me(ann.as) }).toEqual({ own: 'Local user', asAnn: 'Ann' })

  const token = { scopes: ['automation'], expiration: null, note: 'Ann’s' }
  const { id, token: value } = (await app.call('POST', '/v1/personal-access-tokens', token, ann.as)).json as {
    id: string
    token: string
  }
  const tokens = async (headers = {}) =>
    (
      (await app.call('GET', '/v1/personal-access-tokens', undefined, headers)).json as { note: string }[]
    ).map(({ note }) => note)
  expect({ own: await tokens(), asAnn: await tokens(ann.as) }).toEqual({ own: [], asAnn: ['Ann’s'] })
  expect(await me({ authorization: `Bearer ${value}` })).toBe('Ann')
  expect((await app.call('DELETE', `/v1/personal-access-tokens/${id}`)).status).toBe(404)

  const connector = (await app.call('POST', '/v1/connectors', { name: 'Shop' })).json as { id: string }
  const auth = {
    connector_id: connector.id,
    name: 'Ann’s',
    auth_type: 'none',
    access: { visibility: 'private', user_ids: [] },
  }
  expect((await app.call('POST', '/v1/connector-auths', auth, ann.as)).status).toBe(201)
  const auths = async (headers = {}) =>
    ((await app.call('GET', '/v1/connector-auths', undefined, headers)).json as unknown[]).length
  expect({ own: await auths(), asAnn: await auths(ann.as) }).toEqual({ own: 0, asAnn: 1 })

  const flow = (await app.call('POST', '/v1/flows', { name: 'Ann’s' }, ann.as)).json as { id: string }
  expect(app.store.flows.ownerOf(flow.id)).toBe(ann.id)
})

test('a response stored under an idempotency key belongs to its user', async () => {
  const app = await startTestApp()
  const ann = await aUser(app, 'Ann')
  const body = { scopes: ['embed'], expiration: null, note: '' }
  const key = { 'idempotency-key': 'one' }
  const mine = await app.call('POST', '/v1/personal-access-tokens', body, key)
  const hers = await app.call('POST', '/v1/personal-access-tokens', body, { ...key, ...ann.as })
  expect({ own: mine.status, asAnn: hers.status }).toEqual({ own: 201, asAnn: 201 })
  expect((mine.json as { id: string }).id).not.toBe((hers.json as { id: string }).id)
})

test('a token only acts as its own user, and nobody acts as an unknown user', async () => {
  const app = await startTestApp()
  const ann = await aUser(app, 'Ann')
  const token = { scopes: ['company'], expiration: null, note: '' }
  const { token: value } = (await app.call('POST', '/v1/personal-access-tokens', token)).json as {
    token: string
  }
  const authorization = `Bearer ${value}`
  const asAnn = await app.call('GET', '/v1/users', undefined, { authorization, ...ann.as })
  expect({ status: asAnn.status, text: asAnn.text }).toEqual({
    status: 403,
    text: expect.stringContaining('Millrace-User-Id'),
  })
  const asNobody = await app.call('GET', '/v1/users', undefined, { 'millrace-user-id': 'nobody' })
  expect({ status: asNobody.status, json: asNobody.json }).toEqual({
    status: 400,
    json: expect.objectContaining({
      error: 'validation',
      data: { 'Millrace-User-Id': ['must name a user'] },
    }),
  })
  await app.call('DELETE', `/v1/users/${ann.id}`)
  expect((await app.call('GET', '/v1/users', undefined, ann.as)).status).toBe(400)
})

test('a stream is rejected for an unknown user, too', async () => {
  const app = await startTestApp()
  const headers = { authorization: 'Bearer the-session-bearer-of-this-test', 'millrace-user-id': 'nobody' }
  expect(await statusOf(app.port, { path: '/v1/events', headers })).toBe(400)
})
