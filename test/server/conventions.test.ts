import { expect, test } from 'vitest'
import { isItem } from '../../src/shared/contract/base/conventions.ts'
import { ROUTES } from '../../src/shared/contract/routes.ts'
import type { HttpAnswer } from '../helpers/http.ts'
import { startTestApp, type TestApp } from '../helpers/test-app.ts'

const DAY_MS = 86_400_000
const CONNECTORS = '/v1/connectors'
const TOKENS = '/v1/personal-access-tokens'

const idOf = ({ json }: HttpAnswer) => (json as { id: string }).id
const messageOf = ({ json }: HttpAnswer) => (json as { message: string }).message
const aShop = (app: TestApp, name = 'Shop') => app.call('POST', CONNECTORS, { name })
const keyed = (key: string) => ({ 'idempotency-key': key })

/** One body for each route that creates a record. */
async function creations(app: TestApp): Promise<[string, object][]> {
  const shop = idOf(await aShop(app))
  return [
    [TOKENS, { expiration: null, scopes: ['automation'], note: '' }],
    [CONNECTORS, { name: 'Another' }],
    [`${CONNECTORS}/${shop}/copy`, {}],
    ['/v1/connector-actions', { connector_id: shop, name: 'list', method: 'GET', endpoint: '/' }],
    ['/v1/connector-auths', { connector_id: shop, name: 'Main', auth_type: 'none' }],
    ['/v1/env-variables', { name: 'region', type: 'text', value: 'eu' }],
    ['/v1/data-tables', { name: 'people' }],
    ['/v1/users', { name: 'Bob' }],
    ['/v1/teams', { name: 'Sales' }],
    ['/v1/flows', { name: 'Orders' }],
    ['/v1/alarms', { kind: 'notification', events: ['failed'] }],
  ]
}

test('every created record has its URL in Location', async () => {
  const app = await startTestApp()
  for (const [path, body] of await creations(app)) {
    const answer = await app.call('POST', path, body)
    const collection = path.replace(/\/[0-9a-f-]{36}\/copy$/, '')
    expect({ path, status: answer.status, location: answer.headers.location }).toEqual({
      path,
      status: 201,
      location: `${collection}/${idOf(answer)}`,
    })
    if (path === TOKENS) continue // a token is not read by itself
    expect((await app.call('GET', answer.headers.location!)).status).toBe(200)
  }
})

test('single items carry an ETag that stays until the record changes, and If-None-Match saves reading them again', async () => {
  const app = await startTestApp()
  const path = `${CONNECTORS}/${idOf(await aShop(app))}`
  const tagOf = async () => (await app.call('GET', path)).headers.etag!
  const first = await tagOf()
  expect({ first, again: await tagOf() }).toEqual({
    first: expect.stringMatching(/^"[\w-]{27}"$/),
    again: first,
  })
  const unchanged = await app.call('GET', path, undefined, { 'if-none-match': `"x", W/${first}` })
  expect({ status: unchanged.status, text: unchanged.text, etag: unchanged.headers.etag }).toEqual({
    status: 304,
    text: '',
    etag: first,
  })
  const changed = await app.call('PUT', path, { name: 'Store' })
  expect({ etag: changed.headers.etag, isUnchanged: changed.headers.etag === first }).toEqual({
    etag: await tagOf(),
    isUnchanged: false,
  })
  expect((await app.call('GET', path, undefined, { 'if-none-match': first })).status).toBe(200)
})

test("a change with If-Match only happens if the record hasn't changed", async () => {
  const app = await startTestApp()
  const items = ROUTES.filter((route) => route.method === 'PUT' && isItem(route)).map(({ path }) => path)
  const ids = new Map<string, string>()
  for (const [path, body] of await creations(app)) ids.set(path, idOf(await app.call('POST', path, body)))
  const upload = await app.call('POST', '/v1/file-uploads?filename=a.txt', 'a', {
    'content-type': 'text/plain',
  })
  ids.set('/v1/file-uploads', idOf(upload))
  const flow = ids.get('/v1/flows')!
  for (const path of items) {
    const collection = path.replace(/\/:.*$/, '')
    const address = path.replace(':id', path.startsWith('/v1/flows') ? flow : (ids.get(collection) ?? ''))
    const read = await app.call('GET', address)
    const body = path.endsWith('/working-copy')
      ? { steps: [{ title: 'Half' }] }
      : path === '/v1/settings'
        ? { theme: 'dark' }
        : path.endsWith('/forward')
          ? { url: 'http://localhost:3000' }
          : path.startsWith('/v1/alarms')
            ? { events: ['silent'] }
            : { [path.startsWith('/v1/file-uploads') ? 'filename' : 'name']: 'renamed' }
    const put = (tag: string) => app.call('PUT', address, body, { 'if-match': tag })
    const refused = await put('"another"')
    const untouched = await app.call('GET', address)
    const taken = await put(`"another", ${read.headers.etag}`)
    const late = await put(read.headers.etag!)
    expect({
      path,
      refused: refused.status,
      untouched: untouched.json,
      taken: taken.status,
      late: late.status,
    }).toEqual({ path, refused: 412, untouched: read.json, taken: 200, late: 412 })
    expect((refused.json as { error: string }).error).toBe('precondition_failed')
    expect((await put('*')).status).toBe(200)
  }
})

test('of concurrent changes based on the same version, exactly one happens', async () => {
  const app = await startTestApp()
  const path = `${CONNECTORS}/${idOf(await aShop(app))}`
  const { etag } = (await app.call('GET', path)).headers
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      app.call('PUT', path, { name: `Shop ${index}` }, { 'if-match': etag! }),
    ),
  )
  const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b)
  expect(statuses).toEqual([200, ...Array.from({ length: 7 }, () => 412)])
})

test('an item is deleted under If-Match only while it is unchanged; other errors come first', async () => {
  const app = await startTestApp()
  const path = `${CONNECTORS}/${idOf(await aShop(app))}`
  const { etag } = (await app.call('GET', path)).headers
  await app.call('PUT', path, { name: 'Store' })
  const builtIn = (await app.call('GET', `${CONNECTORS}?filter=name,eq,GitHub`)).json as { id: string }[]
  const remove = (address: string, tag: string) => app.call('DELETE', address, undefined, { 'if-match': tag })
  const missing = `${CONNECTORS}/7c9e6679-7425-40de-944b-e07fc1f90ae7`
  expect({
    stale: (await remove(path, etag!)).status,
    missing: (await remove(missing, '"x"')).status,
    builtIn: (await remove(`${CONNECTORS}/${builtIn[0]!.id}`, '"x"')).status,
    invalid: (await app.call('PUT', path, { name: 5 }, { 'if-match': '"x"' })).status,
    deleted: (await remove(path, (await app.call('GET', path)).headers.etag!)).status,
    gone: (await app.call('GET', path)).status,
  }).toEqual({ stale: 412, missing: 404, builtIn: 409, invalid: 400, deleted: 204, gone: 404 })
})

test('a run is deleted under If-Match only while it is unchanged', async () => {
  const app = await startTestApp()
  const step = { ref_id: 'one', type: 'set', config: { values: { a: 1 } } }
  const flow = idOf(await app.call('POST', '/v1/flows', { name: 'Orders', steps: [step] }))
  const path = `/v1/flow-runs/${idOf(await app.call('POST', `/v1/flows/${flow}/run?wait=true`, {}))}`
  const remove = (tag: string) => app.call('DELETE', path, undefined, { 'if-match': tag })
  expect({ refused: (await remove('"x"')).status, kept: (await app.call('GET', path)).status }).toEqual({
    refused: 412,
    kept: 200,
  })
  expect((await remove((await app.call('GET', path)).headers.etag!)).status).toBe(204)
})

test('a flow gets a new webhook token, or an older version back, under If-Match only while it is unchanged', async () => {
  const app = await startTestApp()
  const steps = [{ ref_id: 'web1', type: 'webhook' }]
  const path = `/v1/flows/${idOf(await app.call('POST', '/v1/flows', { name: 'Orders', steps }))}`
  await app.call('PUT', path, { steps: [...steps, { ref_id: 'one', type: 'set', config: { values: {} } }] })
  for (const change of [`${path}/webhook-token`, `${path}/versions/1/restore`]) {
    const before = await app.call('GET', path)
    const under = (tag: string) => app.call('POST', change, undefined, { 'if-match': tag })
    const refused = await under('"x"')
    const untouched = await app.call('GET', path)
    const taken = await under(before.headers.etag!)
    const late = await under(before.headers.etag!)
    expect({
      change,
      refused: refused.status,
      untouched: untouched.text,
      taken: taken.status,
      late: late.status,
    }).toEqual({ change, refused: 412, untouched: before.text, taken: 200, late: 412 })
  }
})

test('a token, which has no ETag, is neither regenerated nor revoked under If-Match', async () => {
  const app = await startTestApp()
  const made = await app.call('POST', TOKENS, { expiration: null, scopes: ['automation'], note: '' })
  const { id, token } = made.json as { id: string; token: string }
  const under = { 'if-match': '"x"' }
  const refused = [
    await app.call('POST', `${TOKENS}/${id}/regenerate`, { expiration: null }, under),
    await app.call('DELETE', `${TOKENS}/${id}`, undefined, under),
  ]
  const still = await app.call('GET', TOKENS, undefined, { authorization: `Bearer ${token}` })
  expect([...refused, still].map(({ status }) => status)).toEqual([412, 412, 200])
})

test('a creation repeated under its Idempotency-Key gets the first response and happens once', async () => {
  const app = await startTestApp()
  for (const [path, body] of await creations(app)) {
    const collection = path.replace(/\/[0-9a-f-]{36}\/copy$/, '')
    const count = async () => Number((await app.call('GET', collection)).headers['x-total-count'])
    const before = await count()
    const first = await app.call('POST', path, body, keyed('k-1' + path))
    app.clock.advance(DAY_MS - 1)
    const again = await app.call('POST', path, body, keyed('k-1' + path))
    const { token, ...record } = first.json as { token?: string }
    const replayed = [first, again].map(({ headers }) => headers['idempotent-replayed'])
    expect({
      path,
      status: again.status,
      replayed,
      location: again.headers.location,
      count: await count(),
    }).toEqual({
      path,
      status: 201,
      replayed: [undefined, 'true'],
      location: first.headers.location,
      count: before + 1,
    })
    expect(again.json).toEqual(record)
    expect(token !== undefined).toBe(path === TOKENS)
  }
})

test('a key belongs to one request for 24 hours, and each caller has separate keys', async () => {
  const app = await startTestApp()
  const scopes = { expiration: null, scopes: ['connectors'], note: '' }
  const { token } = (await app.call('POST', TOKENS, scopes)).json as { token: string }
  const other = { ...keyed('a'), authorization: `Bearer ${token}` }
  const create = (name: string, headers: Record<string, string>) =>
    app.call('POST', CONNECTORS, { name }, headers)
  const first = await create('Shop', keyed('a'))
  const otherBody = await create('Store', keyed('a'))
  const elsewhere = await app.call('POST', '/v1/users', { name: 'Shop' }, keyed('a'))
  const others = await create('Shop', other)
  app.clock.advance(DAY_MS)
  const nextDay = await create('Store', keyed('a'))
  expect([first, otherBody, elsewhere, others, nextDay].map(({ status }) => status)).toEqual([
    201, 409, 409, 201, 201,
  ])
  expect(new Set([first, others, nextDay].map(idOf)).size).toBe(3)
  expect(messageOf(otherBody)).toContain('"a" was used for another request')
  await app.services.housekeeping.runOnce()
  expect(app.store.idempotencyKeys.get(`${app.store.users.local().id} session`, 'a')).not.toBeNull()
  app.clock.advance(DAY_MS + 1)
  await app.services.housekeeping.runOnce()
  expect(app.store.idempotencyKeys.get(`${app.store.users.local().id} session`, 'a')).toBeNull()
})

test('concurrent requests under one key are one request', async () => {
  const app = await startTestApp()
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => app.call('POST', TOKENS, TOKEN, keyed('at-once'))),
  )
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201))
  expect(new Set(answers.map(idOf)).size).toBe(1)
  expect(answers.filter(({ text }) => text.includes('mr_pat_'))).toHaveLength(1)
  expect((await app.call('GET', TOKENS)).json).toHaveLength(1)
})

const TOKEN = { expiration: null, scopes: ['automation'], note: '' }

test('a rejected request can be corrected and sent under the same key', async () => {
  const app = await startTestApp()
  const create = (body: object) => app.call('POST', '/v1/teams', body, keyed('mend'))
  await app.call('POST', '/v1/teams', { name: 'Taken' })
  const statuses = []
  for (const body of [{}, { name: 'Taken' }, { name: 'Free' }, { name: 'Free' }]) {
    statuses.push((await create(body)).status)
  }
  expect(statuses).toEqual([400, 409, 201, 201])
})

test("an invalid key is rejected by name, and one whose request was interrupted isn't repeated blindly", async () => {
  const app = await startTestApp()
  const create = (key: string) => app.call('POST', '/v1/teams', { name: 'Sales' }, keyed(key))
  const refused = await Promise.all([' ', 'x'.repeat(256), 'two words'].map(create))
  expect(refused.map(({ status, json }) => [status, (json as { data: object }).data])).toEqual(
    refused.map(() => [400, { 'Idempotency-Key': [expect.any(String)] }]),
  )
  const caller = `${app.store.users.local().id} session`
  const sealed = app.store.idempotencyKeys
  await app.call('POST', '/v1/teams', { name: 'First' }, keyed('cut'))
  const { fingerprint } = sealed.get(caller, 'cut')!
  await app.store.write(() =>
    sealed.put({ caller, key: 'cut', fingerprint: fingerprint!, answer: null, createdAt: app.clock.now() }),
  )
  const cut = await app.call('POST', '/v1/teams', { name: 'First' }, keyed('cut'))
  expect({ status: cut.status, message: messageOf(cut) }).toEqual({
    status: 409,
    message: expect.stringContaining('was interrupted'),
  })
})
