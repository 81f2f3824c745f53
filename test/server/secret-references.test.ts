/**
 * Secrets that are kept elsewhere, read when they are used by stand-ins for the vaults' own programs; and attempts to
 * misuse them.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { ConnectorAuth, ConnectorAuthTest } from '../../src/shared/contract/connector-auths.ts'
import { SCOPES } from '../../src/shared/contract/base/scopes.ts'
import { type Connector, HTTP_CONNECTOR_ID } from '../../src/shared/contract/connectors.ts'
import type { RunQuestion } from '../../src/shared/contract/reach/questions.ts'
import type { FlowRun } from '../../src/shared/contract/flow-runs.ts'
import type { Settings } from '../../src/shared/contract/settings.ts'
import { type FlowApp, type FlowAppOptions, realClock, startFlowApp } from '../helpers/flow-app.ts'
import { callHttp, type HttpAnswer } from '../helpers/http.ts'
import { onLinux, onPosix } from '../helpers/platform.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { startThirdPartyApi, type ThirdPartyApi } from '../helpers/third-party-api.ts'

/** It has characters that programs escape in different ways. */
const OP = 'secret+of/1password='
const REFERENCE = 'op://Work/Shop/credential'
/** What a program prints must not appear anywhere. */
const SAID = 'what-the-vault-printed'

/** What each stand-in does with its arguments, according to the documentation of the original. */
const STAND_INS: Readonly<Record<string, string>> = {
  op: `if (existsSync(join(folder, 'locked'))) fail('[ERROR] You are not currently signed in. ${SAID}')
    if (existsSync(join(folder, 'broken'))) fail('${SAID} ${OP}')
    if (existsSync(join(folder, 'long'))) { stdout('x'.repeat(70_000)); process.exit(0) }
    if (existsSync(join(folder, 'bytes'))) { process.stdout.write(Buffer.from([0xff, 0xfe, 0x41])); process.exit(0) }
    if (args[0] !== 'read' || args[1] !== '--no-newline') fail('wrong arguments')
    if (args[2] !== '${REFERENCE}') fail('"Gone" isn\\'t an item in the "Work" vault ${SAID}')
    while (existsSync(join(folder, 'slow'))) await new Promise((resolve) => setTimeout(resolve, 5))
    stdout(existsSync(join(folder, 'now')) ? readFileSync(join(folder, 'now'), 'utf8') : '${OP}')`,
  bw: `if (!args.includes('--nointeraction')) fail('? Master password: ')
    if (args[0] !== 'get' || args[2] !== 'Shop') fail('Not found.')
    if (args[1] === 'password') stdout('secret-of-bitwarden')
    else stdout(JSON.stringify({ fields: [{ name: 'token', value: 'own-field-of-bitwarden' }] }))`,
  pass: `if (args[0] !== 'show' || args[1] !== 'work/shop') fail('Error: ' + args[1] + ' is not in the password store.')
    stdout('secret-of-pass\\nlogin: ann\\n')`,
  'secret-tool': `if (args.join(' ') !== 'lookup service shop account ann') fail('')
    stdout('secret-of-the-keychain')`,
  security: `if (args.join(' ') !== 'find-generic-password -s shop -a ann -w') fail('could not be found')
    stdout('secret-of-the-mac\\n')`,
}

interface World {
  readonly app: FlowApp
  readonly api: ThirdPartyApi
  readonly folder: string
  readonly programs: Settings['programs']
  readonly asked: () => string[]
}

/** An API that repeats the credentials of each call, as text or as a program would escape them in JSON and XML. */
const startEcho = () =>
  startThirdPartyApi(({ headers, target }, response) => {
    const sent = headers.authorization ?? ''
    response.setHeader('Content-Type', 'application/json')
    response.setHeader('X-Repeated', sent.replaceAll(/[^\u0020-\u007e]/g, ''))
    const text = JSON.stringify({ sent, target })
    if (target.startsWith('/escaped'))
      response.end(text.replaceAll('/', '\\/').replaceAll('+', '\\u002B').replaceAll('=', '\\u003d'))
    else if (target.startsWith('/wide')) {
      response.setHeader('Content-Type', 'text/plain; charset=utf-16le')
      response.end(Buffer.from(sent, 'utf16le'))
    } else if (target.startsWith('/xml')) {
      response.setHeader('Content-Type', 'application/xml')
      response.end(`<sent>${sent.replaceAll('+', '&#43;').replaceAll('=', '&#x3D;')}</sent>`)
    } else response.end(text)
  })

async function aWorld(names: readonly string[] = ['op'], options: FlowAppOptions = {}): Promise<World> {
  const folder = temporaryFolder()
  const api = await startEcho()
  const programs = names.map((name) => {
    const path = join(folder, `${name}.mjs`)
    writeFileSync(
      path,
      `#!${process.execPath}
      import { appendFileSync, existsSync, readFileSync } from 'node:fs'
      import { join } from 'node:path'
      const folder = ${JSON.stringify(folder)}
      const args = process.argv.slice(2)
      const fail = (text) => { process.stderr.write(text); process.exit(1) }
      const stdout = (text) => process.stdout.write(text)
      appendFileSync(join(folder, 'asked'), ${JSON.stringify(name)} + ' ' + args.join(' ') + '\\n')
      ${STAND_INS[name]}`,
    )
    chmodSync(path, 0o755)
    return {
      name,
      path,
      arguments: [],
      folder: null,
      environment: [],
      step_environment: [],
      for_secrets: true,
    }
  })
  const app = await startFlowApp(options)
  await set(app, { programs })
  const log = join(folder, 'asked')
  return {
    app,
    api,
    folder,
    programs,
    asked: () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []),
  }
}

async function set(app: FlowApp, settings: Partial<Settings>): Promise<void> {
  const { status, text } = await app.call('PUT', '/v1/settings', settings)
  if (status !== 200) throw new Error(text)
}

const BODY = { connector_id: HTTP_CONNECTOR_ID, name: 'Shop', auth_type: 'bearer' }

const anAuth = (app: FlowApp, reference: string, more: object = {}) =>
  app.call('POST', '/v1/connector-auths', { ...BODY, references: { auth_token: reference }, ...more })

const idOf = (answer: HttpAnswer) => (answer.json as { id: string }).id

async function runWith({ app, api }: World, auth: HttpAnswer, path = '/me') {
  const config = { auth_id: idOf(auth), url: `${api.url}${path}` }
  const { flow } = await app.addFlow([
    { ref_id: 'web1', type: 'webhook' },
    { ref_id: 'call', type: 'rest', config },
    { ref_id: 'copy', type: 'set', config: { values: { all: '{{ call | tojson }}' } } },
  ])
  const run = (await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`, {})).json as FlowRun
  return { flow, run }
}

/** Runs a flow with one call that uses this auth, and returns what the API received, or why there was no call. */
async function called(world: World, auth: HttpAnswer, path?: string): Promise<string> {
  const before = world.api.received.length
  const { run } = await runWith(world, auth, path)
  const { headers } = world.api.received[before] ?? {}
  return headers === undefined ? String(run.error?.message) : String(headers.authorization)
}

/** Everything about these runs that somebody can request, and the database itself. */
async function everythingOf({ app }: World, runs: readonly { id: string }[]): Promise<string> {
  const answers = await Promise.all(
    runs.flatMap(({ id }) =>
      ['', '/steps', '/results', '/answer', '/compare', '/outcomes'].map((end) =>
        app.call('GET', `/v1/flow-runs/${id}${end}`),
      ),
    ),
  )
  const stored = readdirSync(app.store.dataDir)
    .filter((name) => name.startsWith('millrace.db'))
    .map((name) => readFileSync(join(app.store.dataDir, name), 'latin1'))
  return [...answers.map(({ text }) => text), JSON.stringify(app.logged), ...stored].join('\n')
}

async function restarted(world: World, dataDir: string): Promise<World> {
  world.app.services.runtime.beginStop()
  await world.app.services.runtime.stop({ graceMs: 2_000 })
  world.app.store.close()
  return { ...world, app: await startFlowApp({ dataDir }) }
}

async function aToken(app: FlowApp) {
  const body = { expiration: null, scopes: SCOPES, note: '' }
  const { token } = (await app.call('POST', '/v1/personal-access-tokens', body)).json as { token: string }
  return (method: string, path: string, sent?: object) =>
    callHttp(app.port, {
      method,
      path: `/v1/${path}`,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
    })
}

test.runIf(onPosix).each([
  [REFERENCE, ['op'], OP],
  ['bw:Shop', ['bw'], 'secret-of-bitwarden'],
  ['bw:Shop/token', ['bw'], 'own-field-of-bitwarden'],
  ['pass:work/shop', ['pass'], 'secret-of-pass'],
  ['keychain:shop/ann', ['secret-tool'], 'secret-of-the-keychain'],
  ['keychain:shop/ann', ['security', 'secret-tool'], 'secret-of-the-mac'],
])('%s is read when it is used, by %j, and shown and stored nowhere', async (reference, programs, secret) => {
  const world = await aWorld(programs)
  const { app } = world
  const auth = await anAuth(app, reference)
  expect(auth.json).toMatchObject({ secrets: {}, references: { auth_token: reference }, state: 'ok' })
  expect(world.asked()).toEqual([])
  expect(await called(world, auth)).toBe(`Bearer ${secret}`)
  expect(await called(world, auth)).toBe(`Bearer ${secret}`)
  expect(world.asked()).toHaveLength(1)
  const { text } = await app.call('GET', `/v1/flow-runs/${app.runs()[0]?.id}/steps`)
  expect(text).toContain('Bearer ***')
  const tried = await app.call('POST', `/v1/connector-auths/${idOf(auth)}/test`, {
    url: `${world.api.url}/me`,
  })
  expect(tried.json).toMatchObject({ ok: true })
  expect(tried.text).not.toContain(secret)
  expect((await everythingOf(world, app.runs())).includes(secret)).toBe(false)
})

test.runIf(onPosix).each(['/me', '/escaped', '/wide', '/xml'])(
  'what %s repeats of it gets into no data of the run, as whoever does not know it sees',
  async (path) => {
    const dataDir = temporaryFolder()
    const world = await aWorld(['op'], { dataDir })
    const { run } = await runWith(world, await anAuth(world.app, REFERENCE), path)
    expect(run.error).toBeNull()
    const all = await everythingOf(await restarted(world, dataDir), [run])
    const forms = [OP, OP.replaceAll('+', String.raw`\u002B`), [...OP].join('\0'), '1password']
    expect([all.includes('***'), forms.filter((form) => all.includes(form))]).toEqual([true, []])
  },
)

test.runIf(onPosix)(
  'a webhook that returns what the API repeated returns it without the secret',
  async () => {
    const world = await aWorld()
    const auth_id = idOf(await anAuth(world.app, REFERENCE))
    const hook = await world.app.addFlow([
      { ref_id: 'web1', type: 'webhook' },
      { ref_id: 'call', type: 'rest', config: { auth_id, url: `${world.api.url}/me` } },
      { ref_id: 'now', type: 'respond', config: { body: '{{ call | tojson }}' } },
    ])
    const answer = await world.app.trigger(hook, { body: {} })
    expect(answer.status).toBe(200)
    expect(answer.text).toContain('Bearer ***')
    expect(answer.text).not.toContain('1password')
  },
)

test.runIf(onPosix)(
  'after a restart, old runs, replays and runs that go on do not show it, although the vault is locked',
  async () => {
    const dataDir = temporaryFolder()
    const world = await aWorld(['op'], { dataDir })
    const auth_id = idOf(await anAuth(world.app, REFERENCE))
    const copy = { ref_id: 'copy', type: 'set', config: { values: { all: '{{ call | tojson }}' } } } as const
    const { flow } = await world.app.addFlow([
      { ref_id: 'web1', type: 'webhook' },
      { ref_id: 'call', type: 'rest', config: { auth_id, url: `${world.api.url}/me` } },
      {
        ref_id: 'ask',
        type: 'ask_person',
        config: { question: 'Go on?' },
        cases: [{ label: 'Yes', steps: [] }],
      },
      copy,
    ])
    const started = await world.app.call('POST', `/v1/flows/${flow.id}/run`, {})
    const { flow_run_id: parked } = started.json as { flow_run_id: string }
    await world.app.until((run) => run.id === parked && run.asks === true && run.parked_until !== undefined)
    writeFileSync(join(world.folder, 'locked'), '')
    const again = await restarted(world, dataDir)
    const [question] = (await again.app.call('GET', `/v1/flow-runs/${parked}/questions`))
      .json as RunQuestion[]
    await callHttp(again.app.port, {
      method: 'POST',
      path: new URL(question?.url ?? '').pathname,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: '_choice=Yes',
    })
    const run = await again.app.until(({ id, finished_at: at }) => id === parked && at !== null)
    expect(run.error).toBeNull()
    await again.app.call('POST', `/v1/flow-runs/${parked}/rerun`, { from: 'copy' })
    await again.app.call('POST', '/v1/flow-runs/replay', { ids: [parked], version: 'recorded' })
    await again.app.until(({ error }) => error?.message.includes('"op" is locked') === true)
    await again.app.until(() => again.app.runs().every(({ finished_at: at }) => at !== null))
    const all = await everythingOf(again, again.app.runs())
    expect([all.includes('Bearer ***'), all.includes('1password')]).toEqual([true, false])
  },
)

test.runIf(onPosix)(
  'it is read again when its time is over, at each use if that is 0, and after changes',
  async () => {
    let now = 0
    const clock = { ...realClock, monotonic: () => performance.now() + now }
    const world = await aWorld(['op'], { clock })
    const { app } = world
    await set(app, { secret_cache_seconds: 60 })
    const auth = await anAuth(app, REFERENCE)
    const reads = async (change: () => unknown) => {
      await called(world, auth)
      const before = world.asked().length
      await change()
      await called(world, auth)
      return world.asked().length - before
    }
    expect({
      nothing: await reads(() => undefined),
      time: await reads(() => (now += 61_000)),
      settings: await reads(() => set(app, { theme: 'dark' })),
      programs: await reads(() => set(app, { programs: [...world.programs] })),
      auth: await reads(() => app.call('PUT', `/v1/connector-auths/${idOf(auth)}`, { name: 'Renamed' })),
    }).toEqual({ nothing: 0, time: 1, settings: 1, programs: 1, auth: 1 })
    await set(app, { secret_cache_seconds: 0 })
    expect([await reads(() => undefined), await reads(() => undefined)]).toEqual([1, 1])
  },
)

test.runIf(onPosix)(
  'a read that is under way when its program is taken away ends, and its result is used for nothing',
  async () => {
    const world = await aWorld()
    const auth = await anAuth(world.app, REFERENCE)
    writeFileSync(join(world.folder, 'slow'), '')
    const running = called(world, auth)
    await expect.poll(() => world.asked().length).toBe(1)
    await set(world.app, { programs: [] })
    expect(await running).toContain('Settings, Programs has no "op" that is only for secrets')
    rmSync(join(world.folder, 'slow'))
    expect(await called(world, auth)).toContain('Settings, Programs has no "op" that is only for secrets')
    expect(world.api.received).toEqual([])
  },
)

test.runIf(onPosix)('a reference that is taken away while it is read is sent nowhere', async () => {
  const world = await aWorld()
  const auth = await anAuth(world.app, REFERENCE)
  writeFileSync(join(world.folder, 'slow'), '')
  const running = called(world, auth)
  await expect.poll(() => world.asked().length).toBe(1)
  await world.app.call('PUT', `/v1/connector-auths/${idOf(auth)}`, { auth_token: 'another-token-for-it' })
  rmSync(join(world.folder, 'slow'))
  expect(await running).toBe('Bearer another-token-for-it')
})

test.runIf(onPosix).each([
  [REFERENCE, ['op'], 'locked', '"op" is locked; unlock it or sign in to it on this computer'],
  [REFERENCE, ['op'], 'broken', '"op" failed with exit code 1; run it in a terminal'],
  [REFERENCE, ['op'], 'long', 'the value from "op" is longer than 64 KiB'],
  [REFERENCE, ['op'], 'bytes', 'the value from "op" isn\'t text'],
  ['op://Work/Gone/credential', ['op'], null, '"op" has nothing at "op://Work/Gone/credential"'],
  [REFERENCE, [], null, 'Settings, Programs has no "op" that is only for secrets'],
  ['keychain:shop/bob', ['secret-tool'], null, '"secret-tool" has nothing at "keychain:shop/bob"'],
])(
  '%s with %j, %s, is refused in a sentence without its output',
  async (reference, programs, state, said) => {
    const world = await aWorld(programs)
    if (state !== null) writeFileSync(join(world.folder, state), '')
    const auth = await anAuth(world.app, reference)
    const message = await called(world, auth)
    expect(message).toContain('"auth_token" of the connector auth "Shop" can\'t be read: ')
    expect(message).toContain(said)
    expect(world.api.received).toEqual([])
    const tried = await world.app.call('POST', `/v1/connector-auths/${idOf(auth)}/test`, {
      url: world.api.url,
    })
    const all = `${tried.text}${await everythingOf(world, world.app.runs())}`
    expect([all.includes(SAID), all.includes(OP)]).toEqual([false, false])
  },
)

test.runIf(onLinux)(
  'files are only read if they are regular, small, of this user and closed to others',
  async () => {
    const folder = temporaryFolder()
    const file = (name: string, content: string | Buffer, mode = 0o600) => {
      const path = join(folder, name)
      writeFileSync(path, content)
      chmodSync(path, mode)
      return path
    }
    const good = file('good', 'secret-of-a-file\n')
    symlinkSync(good, join(folder, 'link'))
    symlinkSync('/proc/self/environ', join(folder, 'environ'))
    mkdirSync(join(folder, 'sub'))
    const world = await aWorld([])
    const outcome = async (path: string) => called(world, await anAuth(world.app, `file:${path}`))
    expect(await outcome(good)).toBe('Bearer secret-of-a-file')
    expect(await outcome(join(folder, 'link'))).toBe('Bearer secret-of-a-file')
    const data = join(world.app.store.dataDir, 'millrace.db')
    const mine = process.getuid?.() ?? 0
    const refused = {
      world: [file('world', 'secret-for-everybody', 0o644), 'is open to others'],
      group: [file('group', 'secret-of-the-group', 0o620), 'is open to others'],
      big: [file('big', 'x'.repeat(65_537)), 'is longer than 64 KiB'],
      binary: [file('binary', Buffer.from([0xff, 0x00, 0x80])), "isn't text"],
      empty: [file('empty', '\n'), 'has nothing at'],
      folder: [join(folder, 'sub'), "isn't a regular file"],
      none: [join(folder, 'none'), "can't be opened (ENOENT)"],
      environ: [join(folder, 'environ'), "Millrace doesn't read secrets from there"],
      device: ['/dev/zero', "Millrace doesn't read secrets from there"],
      database: [data, "Millrace doesn't read secrets from there"],
      ...(mine === 0 ? {} : { passwd: ['/etc/passwd', 'belongs to another user'] }),
    }
    for (const [name, [path = '', said]] of Object.entries(refused))
      expect({ [name]: await outcome(path) }).toEqual({
        [name]: expect.stringContaining(said ?? '') as string,
      })
  },
)

test.runIf(onPosix)('only the environment variables of the settings are read', async () => {
  process.env['MILLRACE_TEST_SECRET'] = 'secret-of-the-environment'
  onTestFinished(() => void delete process.env['MILLRACE_TEST_SECRET'])
  const world = await aWorld([])
  const auth = await anAuth(world.app, 'env:MILLRACE_TEST_SECRET')
  const refusal = "isn't listed in Settings, Secrets from vaults"
  expect(await called(world, auth)).toContain(refusal)
  await set(world.app, { secret_environment: ['MILLRACE_TEST_SECRET'] })
  expect(await called(world, auth)).toBe('Bearer secret-of-the-environment')
  expect(await called(world, await anAuth(world.app, 'env:PATH'))).toContain(refusal)
  await set(world.app, { secret_environment: [] })
  expect(await called(world, auth)).toContain(refusal)
})

const LOOKS = ['file:/etc/hostname', 'env:PATH', REFERENCE, 'pass:work/shop', '\\pass:work/shop']

test.runIf(onPosix).each(LOOKS)(
  'a secret that looks like %j is that secret, whoever stored it',
  async (text) => {
    const world = await aWorld(['op', 'pass'])
    const asToken = await aToken(world.app)
    for (const auth of [
      await world.app.call('POST', '/v1/connector-auths', { ...BODY, auth_token: text }),
      await asToken('POST', 'connector-auths', { ...BODY, auth_token: text }),
    ]) {
      expect(auth.json).not.toHaveProperty('references')
      expect(await called(world, auth)).toBe(`Bearer ${text}`)
    }
    expect(world.asked()).toEqual([])
  },
)

test.runIf(onPosix)('no way but the app and the owner can say what is read', async () => {
  const world = await aWorld()
  const { app } = world
  const asToken = await aToken(app)
  const references = { auth_token: 'file:/etc/hostname' }
  const plain = idOf(await app.call('POST', '/v1/connector-auths', { ...BODY, auth_token: 'a-token-of-it' }))
  const kept = idOf(await anAuth(app, REFERENCE))
  const exported = (await app.call('GET', `/v1/flows/${(await app.addFlow([])).flow.id}/export`))
    .json as object
  const playground = {
    key: 'a',
    connector_id: '00000000-0000-4000-8000-000000000001',
    name: 'x',
    auth_type: 'bearer',
    references,
  }
  const inFile = { ...exported, setup: { connector_auths: [playground] } }
  const attempts: Record<string, HttpAnswer> = {
    create: await asToken('POST', 'connector-auths', { ...BODY, references }),
    'create with both': await asToken('POST', 'connector-auths', { ...BODY, auth_token: 'x', references }),
    change: await asToken('PUT', `connector-auths/${plain}`, { references }),
    'change of another': await asToken('PUT', `connector-auths/${kept}`, { references }),
    'another field': await asToken('PUT', `connector-auths/${kept}`, {
      references: { auth_token: REFERENCE, password: REFERENCE },
    }),
    inherited: await asToken('PUT', `connector-auths/${plain}`, { references: { constructor: 'env:PATH' } }),
    test: await asToken('POST', `connector-auths/${plain}/test`, {
      url: world.api.url,
      changes: { references },
    }),
    'test of a new one': await asToken('POST', 'connector-auths/test', {
      auth: { ...BODY, references },
      url: world.api.url,
    }),
    'column name': await asToken('POST', 'connector-auths', { ...BODY, secret_references: references }),
    'flow file': await asToken('POST', 'flows/import', inFile),
    'flow file in the app': await app.call('POST', '/v1/flows/import', inFile),
    'planned flow file': await app.call('POST', '/v1/flows/import/plan', { content: JSON.stringify(inFile) }),
    'Git sync': await asToken('PUT', `flow-sources/${plain}`, { name: 'x', steps: [], references }),
    connector: await asToken('POST', 'connectors', { name: 'x', references }),
    programs: await asToken('PUT', 'settings', { programs: [] }),
    environment: await asToken('PUT', 'settings', { secret_environment: ['PATH'] }),
    time: await asToken('PUT', 'settings', { secret_cache_seconds: 86_400 }),
  }
  const outcomes = Object.entries(attempts).map(([name, { status }]) => [name, status >= 400 && status < 500])
  expect(Object.fromEntries(outcomes)).toEqual(
    Object.fromEntries(Object.keys(attempts).map((name) => [name, true])),
  )
  const stored = (await app.call('GET', '/v1/connector-auths')).json as ConnectorAuth[]
  expect(stored.map(({ id, references: found }) => [id, found])).toEqual(
    stored.map(({ id }) => [id, id === kept ? { auth_token: REFERENCE } : undefined]),
  )
  expect(world.asked()).toEqual([])

  // MCP tools are called with a token, too, so they don't offer references.
  const tools = await asToken('POST', 'mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' })
  expect(tools.text).not.toContain('references')
})

test.runIf(onPosix)(
  'a token that sends back what it read changes nothing, and replaces no secret with it',
  async () => {
    const world = await aWorld()
    const auth = await anAuth(world.app, REFERENCE)
    const path = `connector-auths/${idOf(auth)}`
    const asToken = await aToken(world.app)
    const read = (await asToken('GET', path)).json as ConnectorAuth
    expect((await asToken('PUT', path, { ...read, name: 'Renamed' })).json).toMatchObject({
      name: 'Renamed',
      references: { auth_token: REFERENCE },
    })
    // A reference that is sent back unchanged doesn't count as entered again.
    expect(await asToken('PUT', path, { ...read, api_endpoint: world.api.url })).toMatchObject({
      status: 400,
    })
    const literal = await asToken('PUT', path, { ...read, auth_token: 'file:/etc/hostname' })
    expect(literal.json).not.toHaveProperty('references')
    expect(await called(world, literal)).toBe('Bearer file:/etc/hostname')
    expect(world.asked()).toEqual([])
  },
)

test.runIf(onPosix)('it is sent to no other origin than when it was entered', async () => {
  const world = await aWorld()
  const { app, api } = world
  const elsewhere = await startEcho()
  const connector = (await app.call('POST', '/v1/connectors', { name: 'Shop', base_domain: api.url }))
    .json as Connector
  const auth = await anAuth(app, REFERENCE, { connector_id: connector.id, api_endpoint: api.url })
  const path = `connector-auths/${idOf(auth)}`
  const asToken = await aToken(app)
  const read = (await asToken('GET', path)).json as ConnectorAuth
  for (const body of [
    { api_endpoint: elsewhere.url },
    { ...read, api_endpoint: elsewhere.url },
    { references: read.references, auth_type: 'basic_auth', api_endpoint: elsewhere.url },
  ])
    expect(await asToken('PUT', path, body)).toMatchObject({ status: 400 })
  const tried = await asToken('POST', `${path}/test`, {
    url: '/me',
    changes: { api_endpoint: elsewhere.url },
  })
  expect(tried.status).toBe(400)
  await app.call('PUT', `/v1/${path}`, { references: { auth_token: REFERENCE }, api_endpoint: '' })
  const moved = await asToken('PUT', `connectors/${connector.id}`, { base_domain: elsewhere.url })
  expect(moved.status).toBe(400)
  await asToken('PUT', `connectors/${connector.id}?reentry=true`, { base_domain: elsewhere.url })
  expect(((await app.call('GET', `/v1/${path}`)).json as ConnectorAuth).state).toBe('needs_reentry')
  expect(await called(world, auth)).toContain('must be entered again')
  const direct = await app.addFlow([
    { ref_id: 'web1', type: 'webhook' },
    { ref_id: 'call', type: 'rest', config: { auth_id: idOf(auth), url: `${elsewhere.url}/me` } },
  ])
  await app.call('POST', `/v1/flows/${direct.flow.id}/run?wait=true`, {})
  expect([world.asked(), elsewhere.received]).toEqual([[], []])
})

test.runIf(onPosix)('what a reference can be for, and what it replaces', async () => {
  const { app } = await aWorld()
  const put = async (id: string, body: object) => {
    const { status, json } = await app.call('PUT', `/v1/connector-auths/${id}`, body)
    const { secrets, references, data } = json as ConnectorAuth & { data?: object }
    return status === 200 ? { secrets, references } : Object.keys(data ?? {})
  }
  const connector_id = idOf(await app.call('POST', '/v1/connectors', { name: 'Shop' }))
  const id = idOf(
    await app.call('POST', '/v1/connector-auths', { ...BODY, connector_id, auth_token: 'a-token-of-it' }),
  )
  const elsewhere = { references: { auth_token: REFERENCE } }
  expect({
    set: await put(id, elsewhere),
    type: await put(id, { auth_type: 'oauth2' }),
    certificate: await put(id, { auth_type: 'client_certificate' }),
    endpoint: await put(id, { api_endpoint: 'sftp://files.example.com' }),
    both: await put(id, { ...elsewhere, auth_token: 'x' }),
    cleared: await put(id, { auth_token: '' }),
    again: await put(id, elsewhere),
    removed: await put(id, { references: { auth_token: null } }),
    refresh: await put(id, { references: { refresh_token: REFERENCE } }),
    shown: await put(id, { references: { 'user_input.region': REFERENCE } }),
    proto: await put(id, { references: { 'user_input.__proto__/secret/x': REFERENCE } }),
    form: await put(id, { references: { auth_token: 'https://example.com' } }),
    option: await put(id, { references: { auth_token: 'pass:--clip' } }),
    up: await put(id, { references: { auth_token: 'pass:work/../other' } }),
    relative: await put(id, { references: { auth_token: 'file:secrets/token' } }),
    line: await put(id, { references: { auth_token: 'pass:work\nshop' } }),
    nested: await put(id, { references: { 'user_input.oauth/secret': REFERENCE } }),
  }).toEqual({
    set: { secrets: {}, references: { auth_token: REFERENCE } },
    type: ['references.auth_token'],
    certificate: ['references.auth_token'],
    endpoint: ['references.auth_token'],
    both: ['references.auth_token'],
    cleared: { secrets: {}, references: undefined },
    again: { secrets: {}, references: { auth_token: REFERENCE } },
    removed: { secrets: {}, references: undefined },
    refresh: ['references.refresh_token'],
    shown: ['references.user_input.region'],
    proto: ['references.user_input.__proto__/secret/x'],
    form: ['references.auth_token'],
    option: ['references.auth_token'],
    up: ['references.auth_token'],
    relative: ['references.auth_token'],
    line: ['references.auth_token'],
    nested: { secrets: {}, references: { 'user_input.oauth/secret': REFERENCE } },
  })
})

test.runIf(onPosix)(
  'steps do not run a program that is for secrets, and secrets are not read with one for steps',
  async () => {
    const world = await aWorld()
    const { app } = world
    const { flow } = await app.addFlow([
      { ref_id: 'it', type: 'run_program', config: { program: 'op', arguments: ['read', REFERENCE] } },
    ])
    const run = (await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`)).json as FlowRun
    expect(run.error?.message).toContain("only for reading secrets, so steps can't run it")
    await set(app, { programs: world.programs.map((program) => ({ ...program, for_secrets: false })) })
    expect(await called(world, await anAuth(app, REFERENCE))).toContain(
      'has no "op" that is only for secrets',
    )
    expect(world.asked()).toEqual([])
  },
)

test.runIf(onPosix)(
  'an auth is tested with what its reference stands for before it is stored, and nothing of that is kept',
  async () => {
    const { app, api, asked } = await aWorld(['pass'])
    const auth = { ...BODY, references: { auth_token: 'pass:work/shop' } }
    const test = () => app.call('POST', '/v1/connector-auths/test', { auth, url: `${api.url}/me` })
    const tried = await test()
    expect((tried.json as ConnectorAuthTest).ok).toBe(true)
    expect(tried.text).not.toContain('secret-of-pass')
    expect(api.received[0]?.headers.authorization).toBe('Bearer secret-of-pass')
    await test()
    expect(asked()).toHaveLength(2)
    const stored = idOf(
      await app.call('POST', '/v1/connector-auths', { ...BODY, auth_token: 'a-token-of-it' }),
    )
    const changes = { references: { auth_token: 'pass:work/shop' } }
    await app.call('POST', `/v1/connector-auths/${stored}/test`, { url: `${api.url}/me`, changes })
    expect(api.received[2]?.headers.authorization).toBe('Bearer secret-of-pass')
    expect((await app.call('GET', `/v1/connector-auths/${stored}`)).json).not.toHaveProperty('references')
  },
)

test.runIf(onPosix)(
  'it signs requests, says when it ends, is found by its flows, and leaves no file',
  async () => {
    const world = await aWorld()
    const { app, folder } = world
    const ends = 2_000_000_000
    const claims = Buffer.from(JSON.stringify({ exp: ends })).toString('base64url')
    writeFileSync(join(folder, 'now'), `header-of-it.${claims}.signature`)
    const auth = await anAuth(app, REFERENCE)
    const { flow } = await runWith(world, auth)
    const read = (await app.call('GET', `/v1/connector-auths/${idOf(auth)}`)).json as ConnectorAuth
    expect(read.token_expires_at).toBe(new Date(ends * 1_000).toISOString())
    const uses = (await app.call('GET', '/v1/connector-auths/uses')).json as {
      auth_id: string
      flows: object[]
    }[]
    expect(uses.find(({ auth_id: id }) => id === read.id)?.flows).toEqual([{ id: flow.id, name: flow.name }])
    const exported = await Promise.all([
      app.call('GET', `/v1/flows/${flow.id}/export`),
      app.call('GET', `/v1/connectors/${HTTP_CONNECTOR_ID}/export`),
    ])
    for (const { text } of exported)
      expect([text.includes('op://'), text.includes(claims)]).toEqual([false, false])

    rmSync(join(folder, 'now'))
    await set(app, { theme: 'dark' })
    const basic = await app.call('POST', '/v1/connector-auths', {
      ...BODY,
      auth_type: 'username_password',
      username: 'ann',
      references: { password: REFERENCE },
    })
    expect(await called(world, basic)).toBe(`Basic ${Buffer.from(`ann:${OP}`).toString('base64')}`)
    const steps = await Promise.all(app.runs().map(({ id }) => app.call('GET', `/v1/flow-runs/${id}/steps`)))
    expect(steps.map(({ text }) => text).join()).not.toContain(Buffer.from(`ann:${OP}`).toString('base64'))
  },
)
