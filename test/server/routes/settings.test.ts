import { expect, test } from 'vitest'
import { DEFAULT_SETTINGS } from '../../../src/shared/contract/settings.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'
import { startTestApp } from '../../helpers/test-app.ts'

const SETTINGS = '/v1/settings'

test('settings begin as they come, change in part, and are there after a restart', async () => {
  const dataDir = temporaryFolder()
  const first = await startTestApp({ store: { dataDir } })
  const before = await first.call('GET', SETTINGS)
  const changed = await first.call('PUT', SETTINGS, { theme: 'dark', webhook_rate_limit_requests: null })
  first.store.close()
  const app = await startTestApp({ store: { dataDir } })
  const expected = { ...DEFAULT_SETTINGS, theme: 'dark', webhook_rate_limit_requests: null }
  expect({
    statusBefore: before.status,
    before: before.json,
    status: changed.status,
    changed: changed.json,
    read: (await app.call('GET', SETTINGS)).json,
  }).toEqual({ statusBefore: 200, before: DEFAULT_SETTINGS, status: 200, changed: expected, read: expected })
})

test('what was read can be sent back; what is no setting, or no value of one, is named', async () => {
  const app = await startTestApp()
  const roundTrip = await app.call('PUT', SETTINGS, (await app.call('GET', SETTINGS)).json)
  const bodies: [object, string][] = [
    [{ theme: 'blue' }, 'theme'],
    [{ theme: null }, 'theme'],
    [{ body_limit_bytes: 1 }, 'body_limit_bytes'],
    [{ webhook_body_limit_bytes: 1e12 }, 'webhook_body_limit_bytes'],
    [{ webhook_rate_limit_requests: 0 }, 'webhook_rate_limit_requests'],
    [{ webhook_rate_limit_seconds: null }, 'webhook_rate_limit_seconds'],
    [{ concurrent_runs: '10' }, 'concurrent_runs'],
    [{ expose_api: 'yes' }, 'expose_api'],
    [{ colour: 'red' }, 'colour'],
  ]
  const answers = await Promise.all(bodies.map(([body]) => app.call('PUT', SETTINGS, body)))
  expect({
    status: roundTrip.status,
    answers: answers.map(({ status, json }) => [status, Object.keys((json as { data: object }).data)]),
  }).toEqual({ status: 200, answers: bodies.map(([, field]) => [400, [field]]) })
  expect((await app.call('GET', SETTINGS)).json).toEqual(DEFAULT_SETTINGS)
})

test('a change takes effect with the next request', async () => {
  const app = await startTestApp()
  const proxied = () => app.call('GET', SETTINGS, undefined, { 'x-forwarded-for': '203.0.113.7' })
  const large = () => app.call('PUT', SETTINGS, `{"theme":"dark"${' '.repeat(100_000)}}`)
  const before = [(await proxied()).status, (await large()).status]
  await app.call('PUT', SETTINGS, { expose_api: true, body_limit_bytes: 65_536 })
  expect({ before, proxied: (await proxied()).status, large: (await large()).status }).toEqual({
    before: [403, 200],
    proxied: 200,
    large: 413,
  })
})

test('what the start was told goes before what is stored', async () => {
  const app = await startTestApp({ settings: { webhook_rate_limit_requests: 7 } })
  const changed = await app.call('PUT', SETTINGS, { webhook_rate_limit_requests: 9, theme: 'light' })
  expect(changed.json).toMatchObject({ webhook_rate_limit_requests: 7, theme: 'light' })
})
