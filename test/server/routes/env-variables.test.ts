import { expect, test } from 'vitest'
import type { ConnectorAuthTest } from '../../../src/shared/contract/connector-auths.ts'
import type { EnvVariable } from '../../../src/shared/contract/env-variables.ts'
import { filesWith } from '../../helpers/data-folder.ts'
import { aMasterKey } from '../../helpers/store.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'
import { startTestApp, type TestApp } from '../../helpers/test-app.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'

const VARIABLES = '/v1/env-variables'

async function created<T>(app: TestApp, path: string, body: object): Promise<T> {
  const answer = await app.call('POST', path, body)
  expect({ status: answer.status, text: answer.text }).toEqual({ status: 201, text: expect.any(String) })
  return answer.json as T
}

const aVariable = (app: TestApp, body: object = {}) =>
  created<EnvVariable>(app, VARIABLES, { name: 'shop', type: 'text', value: 'north', ...body })

const listed = async (app: TestApp) => (await app.call('GET', VARIABLES)).json as EnvVariable[]

test('a variable is created, read, listed, changed and deleted', async () => {
  const app = await startTestApp()
  const variable = await aVariable(app)
  const at = new Date(app.clock.now()).toISOString()
  expect(variable).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    name: 'shop',
    type: 'text',
    value: 'north',
    secret: false,
    state: 'ok',
    created_at: at,
    updated_at: at,
  })
  const path = `${VARIABLES}/${variable.id}`
  expect({ one: (await app.call('GET', path)).json, listed: await listed(app) }).toEqual({
    one: variable,
    listed: [variable],
  })
  app.clock.advance(1_000)
  const changed = (await app.call('PUT', path, { ...variable, name: 'store', type: 'list', value: [1] })).json
  const later = new Date(app.clock.now()).toISOString()
  expect(changed).toEqual({ ...variable, name: 'store', type: 'list', value: [1], updated_at: later })
  expect((await app.call('GET', `${VARIABLES}?filter=name,eq,shop`)).json).toEqual([])
  expect((await app.call('DELETE', path)).status).toBe(204)
  const gone = await Promise.all(['GET', 'PUT', 'DELETE'].map((method) => app.call(method, path, {})))
  expect({ statuses: gone.map(({ status }) => status), listed: await listed(app) }).toEqual({
    statuses: [404, 404, 404],
    listed: [],
  })
})

test('numbers and key order are kept as they were sent', async () => {
  const app = await startTestApp()
  const body = '{"name":"odd","type":"object","value":{"b":9007199254740993,"10":1.0,"2":null}}'
  const { text } = await app.call('POST', VARIABLES, body)
  expect(text).toContain('"value":{"b":9007199254740993,"10":1.0,"2":null}')
  const number = await app.call(
    'POST',
    VARIABLES,
    '{"name":"big","type":"number","value":12345678901234567890}',
  )
  expect(number.text).toContain('"value":12345678901234567890')
})

test('an invalid variable is reported field by field, and nothing is stored', async () => {
  const app = await startTestApp()
  const good = { name: 'x', type: 'text', value: 'y' }
  const cases: [object, string][] = [
    [{ name: undefined }, 'name'],
    [{ name: '' }, 'name'],
    [{ name: '1st' }, 'name'],
    [{ name: 'a-b' }, 'name'],
    [{ name: 'é' }, 'name'],
    [{ name: 'x'.repeat(101) }, 'name'],
    ...['webhook', 'item', 'index', 'input', 'auth', 'now', 'page', 'env', 'loop'].map(
      (name): [object, string] => [{ name }, 'name'],
    ),
    [{ name: 'range' }, 'name'],
    [{ name: 'not' }, 'name'],
    [{ name: 'None' }, 'name'],
    [{ type: undefined }, 'type'],
    [{ type: 'boolean' }, 'type'],
    [{ value: undefined }, 'value'],
    [{ value: null }, 'value'],
    [{ value: 5 }, 'value'],
    [{ value: '\ud800' }, 'value'],
    [{ type: 'number', value: '5' }, 'value'],
    [{ type: 'number', value: true }, 'value'],
    [{ type: 'list', value: {} }, 'value'],
    [{ type: 'object', value: [] }, 'value'],
    [{ type: 'object', value: null }, 'value'],
    [{ secret: 'yes' }, 'secret'],
    [{ colour: 'red' }, 'colour'],
  ]
  const answers = await Promise.all(
    cases.map(([change]) => app.call('POST', VARIABLES, { ...good, ...change })),
  )
  expect(answers.map(({ status, json }) => [status, Object.keys((json as { data: object }).data)])).toEqual(
    cases.map(([, field]) => [400, [field]]),
  )
  const ofType = answers[cases.findIndex(([change]) => 'type' in change)]?.json
  expect(ofType).toMatchObject({
    data: { type: ['is required: one of "text", "number", "list", "object"'] },
  })
  expect(await listed(app)).toEqual([])
})

test('a name can only be used once', async () => {
  const app = await startTestApp()
  const [first, second] = [await aVariable(app), await aVariable(app, { name: 'other' })]
  const taken = [
    await app.call('POST', VARIABLES, { name: 'shop', type: 'text', value: '' }),
    await app.call('PUT', `${VARIABLES}/${second.id}`, { name: 'shop' }),
    await app.call('PUT', `${VARIABLES}/${first.id}`, { name: 'shop' }),
    await app.call('POST', VARIABLES, { name: 'Shop', type: 'text', value: '' }),
  ]
  expect(taken.map(({ status }) => status)).toEqual([409, 409, 200, 201])
})

test('the value of a secret one is never returned, and stays until another is sent', async () => {
  const app = await startTestApp()
  const secret = await aVariable(app, { value: 'planted-secret-1', secret: true })
  const path = `${VARIABLES}/${secret.id}`
  const stored = () => app.store.envVariables.values().map(({ value }) => value)
  expect({ value: secret.value, secret: secret.secret }).toEqual({ value: null, secret: true })
  const kept = await app.call('PUT', path, { ...secret, name: 'key' })
  expect({ status: kept.status, json: kept.json, stored: stored() }).toEqual({
    status: 200,
    json: { ...secret, name: 'key' },
    stored: ['planted-secret-1'],
  })
  const shown = await app.call('PUT', path, { secret: false })
  expect({ status: shown.status, data: (shown.json as { data: unknown }).data }).toEqual({
    status: 400,
    data: { value: ["must be sent again: secrets can't be read back"] },
  })
  const other = await app.call('PUT', path, { type: 'number' })
  expect({ status: other.status, stored: stored() }).toEqual({ status: 400, stored: ['planted-secret-1'] })
  await app.call('PUT', path, { value: 'planted-secret-2' })
  expect(stored()).toEqual(['planted-secret-2'])
  const texts = [kept, shown, other, await app.call('GET', path), await app.call('GET', VARIABLES)]
  expect(texts.filter(({ text }) => text.includes('planted'))).toEqual([])
  const opened = await app.call('PUT', path, { secret: false, value: 'open' })
  expect(opened.json).toMatchObject({ secret: false, value: 'open' })
  expect(filesWith(app.store.dataDir, 'planted')).toEqual([])
})

test("a secret that can't be decrypted says so, and is entered again or deleted", async () => {
  const dataDir = temporaryFolder()
  const before = await startTestApp({ store: { dataDir } })
  const { id } = await aVariable(before, { value: 'hidden', secret: true })
  before.store.close()
  const app = await startTestApp({ store: { dataDir, masterKey: aMasterKey(2) } })
  const path = `${VARIABLES}/${id}`
  expect((await app.call('GET', path)).json).toMatchObject({ value: null, state: 'needs_reentry' })
  const renamed = await app.call('PUT', path, { name: 'key' })
  const entered = await app.call('PUT', path, { secret: false, value: 'again' })
  expect({ renamed: renamed.status, entered: entered.status, json: entered.json }).toEqual({
    renamed: 400,
    entered: 200,
    json: expect.objectContaining({ name: 'shop', value: 'again', state: 'ok' }),
  })
})

test("calls read the newest values by bare name, and don't show secret ones", async () => {
  const app = await startTestApp()
  const api = await startThirdPartyApi((request, response) => response.end(`asked for ${request.target}`))
  const variable = await aVariable(app, { name: 'shop_url', value: `${api.url}/north` })
  await aVariable(app, { name: 'tenant', type: 'object', value: { key: 'planted-tenant' }, secret: true })
  const connector = await created<{ id: string }>(app, '/v1/connectors', {
    name: 'Shop',
    base_domain: '{{ shop_url }}',
    test_action: 'check',
  })
  await created(app, '/v1/connector-actions', {
    connector_id: connector.id,
    name: 'check',
    method: 'GET',
    endpoint: 'me',
    query: { tenant: '{{ tenant.key }}' },
  })
  const auth = { connector_id: connector.id, name: 'Main', auth_type: 'none' }
  const { id } = await created<{ id: string }>(app, '/v1/connector-auths', auth)
  const call = async () =>
    (await app.call('POST', `/v1/connector-auths/${id}/test`)).json as ConnectorAuthTest
  const first = await call()
  await app.call('PUT', `${VARIABLES}/${variable.id}`, { value: `${api.url}/south` })
  const second = await call()
  await app.call('DELETE', `${VARIABLES}/${variable.id}`)
  const third = await call()
  expect(api.received.map(({ target }) => target)).toEqual([
    '/north/me?tenant=planted-tenant',
    '/south/me?tenant=planted-tenant',
  ])
  expect({ first: first.ok, second: second.ok, third: third.ok }).toEqual({
    first: true,
    second: true,
    third: false,
  })
  expect(JSON.stringify([first, second, third])).not.toContain('planted')
})
