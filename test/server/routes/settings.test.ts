import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Route } from '../../../src/shared/contract/base/route.ts'
import { ROUTES } from '../../../src/shared/contract/routes.ts'
import { DEFAULT_SETTINGS, type Settings, settings } from '../../../src/shared/contract/settings.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'
import { startTestApp } from '../../helpers/test-app.ts'

const SETTINGS = '/v1/settings'

test('settings have defaults, change in part, and survive a restart', async () => {
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

test('a response can be sent back; unknown settings and invalid values are named', async () => {
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
    [{ trusted_proxies: ['10.0.0.0/33'] }, 'trusted_proxies[0]'],
    [{ proxy_header: 'X-Real-IP' }, 'proxy_header'],
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

test('the time limit of a template is a setting that applies from the next one on', async () => {
  const app = await startTestApp()
  const template = '{% for i in range(100000) %}{{ i * i }}{% endfor %}'
  const render = async (limit: number) => {
    await app.call('PUT', SETTINGS, { template_time_limit_ms: limit })
    const { status, json } = await app.call('POST', '/v1/templates/render', { template, context: {} })
    return [status, (json as { message?: string }).message ?? null]
  }
  // A preview gets half of the time limit.
  const [short, long] = [await render(20), await render(10_000)]
  expect({ short, long, kept: app.services.settings.current().template_time_limit_ms }).toEqual({
    short: [400, expect.stringContaining('rendering may take at most 10 milliseconds')],
    long: [200, null],
    kept: 10_000,
  })
})

test('startup options override stored settings', async () => {
  const app = await startTestApp({ settings: { webhook_rate_limit_requests: 7 } })
  const changed = await app.call('PUT', SETTINGS, { webhook_rate_limit_requests: 9, theme: 'light' })
  expect(changed.json).toMatchObject({ webhook_rate_limit_requests: 7, theme: 'light' })
})

test('what opens this machine is changed only by the page: no token, whatever its scopes', async () => {
  const app = await startTestApp()
  const scopes = ['automation', 'company', 'connector_auth', 'connectors', 'dashboard', 'embed']
  const { json } = await app.call('POST', '/v1/personal-access-tokens', {
    scopes,
    expiration: null,
    note: '',
  })
  const token = { authorization: `Bearer ${(json as { token: string }).token}` }
  const asked = Object.entries(settings.shape).map(async ([name]) => {
    const value = OTHER_VALUES[name as keyof Settings]
    const { status } = await app.call('PUT', SETTINGS, { [name]: value }, token)
    return [name, status] as const
  })
  const refused = (await Promise.all(asked)).filter(([, status]) => status === 403).map(([name]) => name)
  const stored = (await app.call('GET', SETTINGS)).json as Settings
  const unchanged = await app.call('PUT', SETTINGS, { ...stored, theme: 'light' }, token)
  expect({
    refused: refused.toSorted(),
    file_folders: stored.file_folders,
    expose_api: stored.expose_api,
    unchanged: [unchanged.status, (unchanged.json as Settings).theme],
  }).toEqual({
    refused: [
      'alarm_mail',
      'alarms',
      'event_hook',
      'expose_api',
      'file_folders',
      'mcp_server',
      'page_url',
      'programs',
      'proxy_header',
      'public_url',
      'secret_cache_seconds',
      'secret_environment',
      'trusted_proxies',
    ],
    file_folders: [],
    expose_api: false,
    unchanged: [200, 'light'],
  })
})

test('a path on this machine is accepted only from the page, wherever a body has one', () => {
  const takesPath = ({ body }: Route) =>
    body !== undefined &&
    /"(?:[a-z_]+_)?(?:path|file|folder|dir|directory)s?":\{/.test(
      JSON.stringify(z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' })),
    )
  const routes: readonly Route[] = ROUTES
  expect(
    routes.filter(takesPath).map(({ method, path, access }) => [`${method} ${path}`, access]),
  ).toMatchObject([
    // This has its own rule, above.
    ['POST /v1/plugins', 'session'],
    ['PUT /v1/settings', expect.anything()],
    ['POST /v1/database/backup', 'session'],
    ['POST /v1/database/restore', 'session'],
  ])
})

test('a backup never replaces a key file, by whatever name', async () => {
  const folder = temporaryFolder()
  const keyFile = join(folder, 'master.key')
  writeFileSync(keyFile, 'the key')
  symlinkSync(folder, join(folder, 'home'))
  mkdirSync(join(folder, 'sub'))
  symlinkSync(join(folder, 'sub'), join(folder, 'deeper'))
  const app = await startTestApp({ keyFiles: [keyFile] })
  const paths = [keyFile, join(folder, 'home', 'master.key'), `${folder}/deeper/../master.key`]
  for (const path of paths) {
    const answer = await app.call('POST', '/v1/database/backup', { path, overwrite: true })
    expect([answer.status, answer.json]).toMatchObject([
      400,
      { data: { path: [`is in ${keyFile}, where backups can't be written; choose another file`] } },
    ])
  }
  expect(readFileSync(keyFile, 'utf8')).toBe('the key')
})

test('folders that are closed to flows are rejected, however they are spelled', async () => {
  const folder = temporaryFolder()
  const keyFile = join(folder, 'master.key')
  writeFileSync(keyFile, 'the key')
  const app = await startTestApp({ keyFiles: [keyFile] })
  const { dataDir } = app.store
  for (const [name, target] of Object.entries({ data: dataDir, key: keyFile, proc: '/proc', home: folder })) {
    symlinkSync(target, join(folder, name))
  }
  const closed = [
    dataDir,
    `${dataDir}/`,
    join(dataDir, 'files'),
    join(dataDir, 'not-yet', 'there'),
    `${folder}/../${basename(folder)}/data`,
    join(folder, 'home', 'data', 'backups'),
    keyFile,
    join(folder, 'key'),
    ...(process.platform === 'linux'
      ? [
          '/proc',
          '/proc/self/cwd/..',
          '/proc/1/',
          '//proc',
          '/sys/kernel',
          '/dev/shm',
          '/usr/../dev',
          join(folder, 'proc'),
        ]
      : []),
  ]
  const answers = []
  for (const path of closed) {
    const { status, json } = await app.call('PUT', SETTINGS, { file_folders: [folder, path] })
    answers.push([path, status, Object.keys((json as { data: object }).data ?? {})])
  }
  const open = await app.call('PUT', SETTINGS, { file_folders: [folder, join(folder, 'not-yet-there')] })
  expect({ answers, open: open.status }).toEqual({
    answers: closed.map((path) => [path, 400, ['file_folders[1]']]),
    open: 200,
  })
})

/** For each setting, a value that isn't its default. */
const OTHER_VALUES: Settings = {
  webhook_rate_limit_requests: 10,
  webhook_rate_limit_seconds: 10,
  webhook_body_limit_bytes: 10_000,
  body_limit_bytes: 100_000,
  file_limit_bytes: 10_000,
  file_folders: ['/srv/in'],
  programs: [
    { name: 'x', path: '/bin/x', arguments: [], folder: null, environment: [], step_environment: [] },
  ],
  secret_environment: ['SHOP_TOKEN'],
  secret_cache_seconds: 60,
  concurrent_runs: 3,
  pagination_max_pages: 10,
  pagination_max_empty_pages: 10,
  when_in_doubt: 'fail',
  template_time_limit_ms: 500,
  history_limit_mb: 100,
  search_index: false,
  public_url: 'https://hooks.example.com',
  expose_api: true,
  trusted_proxies: ['10.0.0.2'],
  proxy_header: 'x-real-ip',
  alarms: { ...DEFAULT_SETTINGS.alarms, on_missed: true },
  alarm_mail: { auth_id: '7c9e6679-7425-40de-944b-e07fc1f90ae7', from: null },
  event_hook: { events: ['failed'], flow_id: null, url: 'https://alerts.example.com' },
  page_url: 'https://box.example.com',
  mcp_server: true,
  theme: 'dark',
  language: 'de',
}
