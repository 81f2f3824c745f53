import { expect, test } from 'vitest'
import type { ConnectorAuth } from '../../../src/shared/contract/connector-auths.ts'
import type { Team } from '../../../src/shared/contract/teams.ts'
import type { User } from '../../../src/shared/contract/users.ts'
import type { Caller } from '../../../src/main/services/kit/caller.ts'
import { startTestApp, type TestApp } from '../../helpers/test-app.ts'

const USERS = '/v1/users'
const TEAMS = '/v1/teams'
const NOBODY = '7c9e6679-7425-40de-944b-e07fc1f90ae7'

async function created<T>(app: TestApp, path: string, body: object): Promise<T> {
  const answer = await app.call('POST', path, body)
  expect({ status: answer.status, text: answer.text }).toEqual({ status: 201, text: expect.any(String) })
  return answer.json as T
}

const aUser = (app: TestApp, body: object = {}) => created<User>(app, USERS, { name: 'Bob', ...body })
const read = async <T>(app: TestApp, path: string) => (await app.call('GET', path)).json as T
const actAs = ({ id: userId }: User): Caller => ({ kind: 'session', userId, scopes: [], tokenId: null })

async function tokenOf(app: TestApp, user: User): Promise<{ readonly authorization: string }> {
  const body = { scopes: ['automation', 'connector_auth'], expiration: null, note: '' }
  return { authorization: `Bearer ${(await app.services.tokens.create(actAs(user), body)).token}` }
}

test('the person at this machine always exists, and others are added, changed and deleted', async () => {
  const app = await startTestApp()
  const local = app.store.users.local()
  expect(await read(app, USERS)).toEqual([local])
  const bob = await aUser(app, { email: 'bob@example.test' })
  expect(bob).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    name: 'Bob',
    email: 'bob@example.test',
    role: 'member',
    created_at: new Date(app.clock.now()).toISOString(),
  })
  const path = `${USERS}/${bob.id}`
  expect({ one: await read(app, path), found: await read(app, `${USERS}?filter=name,like,b%25`) }).toEqual({
    one: bob,
    found: [bob],
  })
  const renamed = await app.call('PUT', path, { ...bob, name: 'Robert' })
  expect({ status: renamed.status, json: renamed.json }).toEqual({
    status: 200,
    json: { ...bob, name: 'Robert' },
  })
  expect((await app.call('DELETE', path)).status).toBe(204)
  const gone = await Promise.all(['GET', 'PUT', 'DELETE'].map((method) => app.call(method, path, {})))
  expect({ statuses: gone.map(({ status }) => status), left: await read(app, USERS) }).toEqual({
    statuses: [404, 404, 404],
    left: [local],
  })
})

test('the user of this machine is never deleted, and so never the last one', async () => {
  const app = await startTestApp()
  const { id } = app.store.users.local()
  const answer = await app.call('DELETE', `${USERS}/${id}`)
  expect({ status: answer.status, message: (answer.json as { message: string }).message }).toEqual({
    status: 409,
    message: '"Local user" is the user of this machine and can\'t be deleted; change the name instead',
  })
})

test('a user is deleted with their tokens and private auths; what others can see stays with them', async () => {
  const app = await startTestApp()
  const [bob, eve] = [await aUser(app), await aUser(app, { name: 'Eve' })]
  const as = await tokenOf(app, bob)
  const { id: connectorId } = await created<{ id: string }>(app, '/v1/connectors', { name: 'Shop' })
  const auth = { connector_id: connectorId, name: 'Main', auth_type: 'none' }
  const own = { ...auth, access: { visibility: 'private' } }
  const { json: bobs } = await app.call('POST', '/v1/connector-auths', own, as)
  const shared = await created<ConnectorAuth>(app, '/v1/connector-auths', {
    ...auth,
    access: { visibility: 'selected', user_ids: [eve.id, bob.id] },
  })
  const team = await created<Team>(app, TEAMS, { name: 'Sales', user_ids: [bob.id, eve.id] })
  const whileThere = (await app.call('GET', '/v1/connector-auths', undefined, as)).status
  await app.call('DELETE', `${USERS}/${bob.id}`)
  const path = `/v1/connector-auths/${shared.id}`
  expect({
    whileThere,
    acting: (await app.call('GET', '/v1/connector-auths', undefined, as)).status,
    auth: (await app.call('GET', `/v1/connector-auths/${(bobs as ConnectorAuth).id}`)).status,
    userIds: (await read<ConnectorAuth>(app, path)).access.user_ids,
    saved: (await app.call('PUT', path, { access: (await read<ConnectorAuth>(app, path)).access })).status,
    teamUserIds: (await read<Team>(app, `${TEAMS}/${team.id}`)).user_ids,
  }).toEqual({
    whileThere: 200,
    acting: 401,
    auth: 404,
    userIds: [eve.id],
    saved: 200,
    teamUserIds: [eve.id],
  })
})

test('a deletion reveals nothing that was hidden, and no flow loses its auth unless forced', async () => {
  const app = await startTestApp()
  const [bob, eve] = [await aUser(app), await aUser(app, { name: 'Eve' })]
  const [asBob, asEve] = [await tokenOf(app, bob), await tokenOf(app, eve)]
  const { id: connectorId } = await created<{ id: string }>(app, '/v1/connectors', { name: 'Shop' })
  const auth = async (access: object) => {
    const body = { connector_id: connectorId, name: 'Main', auth_type: 'none', access }
    return ((await app.call('POST', '/v1/connector-auths', body, asBob)).json as ConnectorAuth).id
  }
  const secret = await auth({ visibility: 'private' })
  const withEve = await auth({ visibility: 'selected', user_ids: [eve.id] })
  const alone = await auth({ visibility: 'selected', user_ids: [bob.id] })
  const open = await auth({ visibility: 'account' })
  const config = { connector_id: connectorId, action: 'list', auth_id: secret }
  const steps = [{ ref_id: 'call', type: 'connector_action', config }]
  await app.call('POST', '/v1/flows?import=true', { name: 'Uses it', steps })
  const kept = await app.call('DELETE', `${USERS}/${bob.id}`)
  expect({ status: kept.status, text: kept.text }).toEqual({
    status: 409,
    text: expect.stringContaining('Uses it'),
  })
  expect((await app.call('DELETE', `${USERS}/${bob.id}?force=true`)).status).toBe(204)
  const seen = async (id: string, as?: { readonly authorization: string }) =>
    (await app.call('GET', `/v1/connector-auths/${id}`, undefined, as)).status
  expect({
    secret: [await seen(secret), await seen(secret, asEve)],
    withEve: [await seen(withEve), await seen(withEve, asEve)],
    alone: [await seen(alone), await seen(alone, asEve)],
    open: [await seen(open), await seen(open, asEve)],
  }).toEqual({ secret: [404, 404], withEve: [404, 200], alone: [404, 404], open: [200, 200] })
})

test('an invalid user is reported field by field, and an email address belongs to one user', async () => {
  const app = await startTestApp()
  const bob = await aUser(app, { email: 'bob@example.test' })
  const eve = await aUser(app, { name: 'Eve' })
  const cases: [object, string][] = [
    [{ name: undefined }, 'name'],
    [{ name: ' ' }, 'name'],
    [{ name: 'x'.repeat(201) }, 'name'],
    [{ email: 'nobody' }, 'email'],
    [{ email: null }, 'email'],
    [{ role: 'emperor' }, 'role'],
    [{ colour: 'red' }, 'colour'],
  ]
  const answers = await Promise.all(
    cases.map(([change]) => app.call('POST', USERS, { name: 'x', ...change })),
  )
  expect(answers.map(({ status, json }) => [status, Object.keys((json as { data: object }).data)])).toEqual(
    cases.map(([, field]) => [400, [field]]),
  )
  expect({
    created: (await app.call('POST', USERS, { name: 'Other', email: 'BOB@example.test' })).status,
    changed: (await app.call('PUT', `${USERS}/${eve.id}`, { email: 'bob@example.test' })).status,
    unchanged: (await app.call('PUT', `${USERS}/${bob.id}`, { email: 'bob@example.test' })).status,
    users: (await read<User[]>(app, USERS)).length,
  }).toEqual({ created: 409, changed: 409, unchanged: 200, users: 3 })
})

test('a team is created, read, changed and deleted; its members keep their order', async () => {
  const app = await startTestApp()
  const [bob, eve] = [await aUser(app), await aUser(app, { name: 'Eve' })]
  const team = await created<Team>(app, TEAMS, { name: 'Sales', user_ids: [eve.id, bob.id] })
  const at = new Date(app.clock.now()).toISOString()
  expect(team).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    name: 'Sales',
    user_ids: [eve.id, bob.id],
    created_at: at,
    updated_at: at,
  })
  const path = `${TEAMS}/${team.id}`
  expect({ one: await read(app, path), listed: await read(app, TEAMS) }).toEqual({
    one: team,
    listed: [team],
  })
  app.clock.advance(1_000)
  const updated_at = new Date(app.clock.now()).toISOString()
  expect((await app.call('PUT', path, { ...team, user_ids: [bob.id] })).json).toEqual({
    ...team,
    user_ids: [bob.id],
    updated_at,
  })
  expect((await app.call('PUT', path, { name: 'Support' })).json).toMatchObject({ user_ids: [bob.id] })
  expect({
    takenName: (await app.call('POST', TEAMS, { name: 'Support' })).status,
    unknownUser: (await app.call('POST', TEAMS, { name: 'x', user_ids: [NOBODY] })).status,
    twice: (await app.call('PUT', path, { user_ids: [bob.id, bob.id] })).status,
    nameless: (await app.call('POST', TEAMS, {})).status,
  }).toEqual({ takenName: 409, unknownUser: 400, twice: 400, nameless: 400 })
  expect((await app.call('DELETE', path)).status).toBe(204)
  expect({ status: (await app.call('GET', path)).status, left: await read(app, TEAMS) }).toEqual({
    status: 404,
    left: [],
  })
  expect((await app.call('GET', `${USERS}/${bob.id}`)).status).toBe(200)
})

test('a name without visible characters is rejected', async () => {
  const app = await startTestApp()
  const names = ['\u200b', '\u00ad\u2060', '\u3164', '\ufe0f', '\u2800', '\u200e \u200f', '\u{e0041}']
  const answers = await Promise.all(names.map((name) => app.call('POST', USERS, { name })))
  expect(answers.map(({ status, json }) => [status, (json as { data: unknown }).data])).toEqual(
    names.map(() => [400, { name: ["can't be blank"] }]),
  )
  const shown = ['👩‍🚒', 'ﷺ', 'ا‌ب', '$']
  expect(await Promise.all(shown.map(async (name) => (await aUser(app, { name })).name))).toEqual(shown)
})
