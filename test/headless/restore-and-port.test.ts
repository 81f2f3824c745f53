import { readdirSync, writeFileSync } from 'node:fs'
import { watch } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { SAID_HEADER } from '../../src/shared/contract/base/conventions.ts'
import { readLock } from '../../src/main/store/folder/lock.ts'
import { freePort } from '../helpers/free-port.ts'
import { createHome, type Home, type Served } from '../helpers/program.ts'
import { askToEnd } from '../helpers/platform.ts'
import { startThirdPartyApi } from '../helpers/third-party-api.ts'

let home: Home
beforeEach(() => {
  home = createHome()
})
afterEach(() => home.remove())

test('a backup is restored while the program runs: it starts again at the same URL, and the session stays valid', async () => {
  const served = await home.serve({ args: ['--port', String(await freePort())] })
  const call = callerOf(served)
  const backup = join(home.folder, 'backup.db')
  await call('POST', '/v1/flows', { name: 'Before' })
  await call('POST', '/v1/database/backup', { path: backup })
  await call('POST', '/v1/flows', { name: 'After' })
  const names = async () =>
    ((await call('GET', '/v1/flows?sort=created_at')).body as { name: string }[]).map(({ name }) => name)
  expect(await names()).toEqual(['Receive an order', 'Before', 'After'])

  writeFileSync(join(home.folder, 'other.db'), 'no database')
  expect({
    relative: await call('POST', '/v1/database/restore', { path: 'backup.db' }),
    gone: await call('POST', '/v1/database/restore', { path: join(home.folder, 'gone.db') }),
    other: await call('POST', '/v1/database/restore', { path: join(home.folder, 'other.db') }),
    names: await names(),
  }).toMatchObject({
    relative: {
      status: 400,
      body: { data: { path: [expect.stringContaining('must be an absolute path, got "')] } },
    },
    gone: {
      status: 409,
      body: {
        message: expect.stringContaining("gone.db doesn't exist; nothing was restored"),
        said: { params: { why: { key: "doesn't exist" } } },
      },
    },
    other: { status: 409, body: { message: expect.stringContaining('nothing was restored') } },
    names: ['Receive an order', 'Before', 'After'],
  })

  const started = nextStart(home)
  expect(await call('POST', '/v1/database/restore', { path: backup })).toEqual({
    status: 202,
    body: { path: backup },
  })
  await started
  expect({
    names: await names(),
    kept: readdirSync(home.dataDir).filter((name) => name.startsWith('millrace.db.replaced-')).length,
    listed: (await readLock(home.dataDir))?.port,
  }).toEqual({ names: ['Receive an order', 'Before'], kept: 1, listed: Number(new URL(served.url).port) })
  askToEnd(served.process)
  expect(await served.ended).toBe(0)
})

test('flows of a backup with a passphrase run elsewhere with their credentials, restored in the app and by the command', async () => {
  const orders = await startThirdPartyApi(({ headers }, response) => {
    response.setHeader('Content-Type', 'application/json')
    const isKnown =
      headers.authorization === 'Bearer the-token-of-the-shop' && headers['x-key'] === 'the-secret-key'
    response.writeHead(isKnown ? 200 : 401).end(JSON.stringify({ isKnown }))
  })
  const call = callerOf(await home.serve())
  const make = async (path: string, body: object) =>
    ((await call('POST', path, body)).body as { id: string }).id
  const connector_id = await make('/v1/connectors', { name: 'Shop', base_domain: orders.url })
  const auth = { connector_id, name: 'Mine', auth_type: 'bearer', auth_token: 'the-token-of-the-shop' }
  const auth_id = await make('/v1/connector-auths', auth)
  await make('/v1/env-variables', { name: 'shop_key', type: 'text', value: 'the-secret-key', secret: true })
  const config = { url: `${orders.url}/orders`, headers: { 'X-Key': '{{ shop_key }}' }, auth_id }
  await make('/v1/flows', { name: 'Orders', steps: [{ ref_id: 'orders', type: 'rest', config }] })
  const file = join(home.folder, 'whole.backup')
  const passphrase = 'correct horse battery staple'
  const words = join(home.folder, 'passphrase.txt')
  writeFileSync(words, `${passphrase}\n`)
  const written = await home.run(['backup', file, '--passphrase-file', words])
  const short = await call('POST', '/v1/database/backup', { path: `${file}2`, passphrase: 'short' })
  expect({ written, short }).toMatchObject({
    written: { code: 0, stderr: expect.stringContaining('If you lose the passphrase, nobody can read it') },
    short: { status: 400, body: { data: { passphrase: ['must have at least 12 characters'] } } },
  })

  const [byApp, byCommand] = [createHome(), createHome()]
  onTestFinished(() => Promise.all([byApp.remove(), byCommand.remove()]).then(() => undefined))
  const there = callerOf(await byApp.serve())
  const restore = (given: object) => there('POST', '/v1/database/restore', { path: file, ...given })
  expect([await restore({}), await restore({ passphrase: 'another passphrase' })]).toMatchObject([
    { status: 409, body: { message: expect.stringContaining('has a passphrase') } },
    { status: 409, body: { message: expect.stringContaining("The passphrase doesn't open") } },
  ])
  const started = nextStart(byApp)
  expect((await restore({ passphrase })).status).toBe(202)
  await started
  const without = await byCommand.run(['restore', file])
  const restored = await byCommand.run(['restore', file, '--passphrase-file', '-'], {}, passphrase)
  const runs = await Promise.all([byApp, byCommand].map((one) => one.run(['flow', 'run', 'Orders'])))
  expect({ without, restored: restored.code, runs: runs.map(({ code }) => code) }).toMatchObject({
    without: { code: 1, stderr: expect.stringContaining('has a passphrase; nothing was restored') },
    restored: 0,
    runs: [0, 0],
  })
  expect(orders.received.length).toBe(2)
})

test('the port is changed while the program runs, and the next start keeps it', async () => {
  const served = await home.serve()
  const call = callerOf(served)
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  const { port: takenPort } = taken.address() as AddressInfo
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const before = Number(new URL(served.url).port)
  expect({
    before: (await call('GET', '/v1/port')).body,
    taken: await call('PUT', '/v1/port', { port: takenPort }),
    tooHigh: await call('PUT', '/v1/port', { port: 70_000 }),
    saved: await call('PUT', '/v1/port', { port }),
  }).toMatchObject({
    before: { port: before, url: served.url, saved: null, is_given: true },
    taken: {
      status: 400,
      body: { data: { port: [`${takenPort} is in use by another program; choose another one`] } },
    },
    tooHigh: { status: 400 },
    saved: { status: 200, body: { port, url, saved: port } },
  })
  taken.close()
  const moved = callerOf({ ...served, url })
  expect({
    meta: (await moved('GET', '/v1/meta')).body,
    webhook: (await moved('GET', '/v1/flows')).body,
    lock: (await readLock(home.dataDir))?.port,
    before: await fetch(`${served.url}/v1/meta`).catch((error: Error) => error.message),
  }).toMatchObject({
    meta: { url },
    webhook: [{ webhook: { url: expect.stringMatching(`^${url}/`) } }],
    lock: port,
    before: 'fetch failed',
  })

  askToEnd(served.process)
  await served.ended
  const again = await home.serve({ args: [] })
  const { body } = await callerOf(again)('GET', '/v1/port')
  expect({ url: again.url, body }).toEqual({ url, body: { port, url, saved: port, is_given: false } })
})

interface Answer {
  readonly status: number
  readonly body: unknown
}

function callerOf({ url, bearer }: Pick<Served, 'url' | 'bearer'>) {
  const headers = {
    Authorization: `Bearer ${bearer}`,
    'Content-Type': 'application/json',
    Connection: 'close',
    [SAID_HEADER]: '1', // As the page does.
  }
  const call = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const response = await fetch(url + path, { method, headers, body: body ? JSON.stringify(body) : null })
    return { status: response.status, body: await response.json() }
  }
  return call
}

/** Resolves once the lock file contains the URL of another start of the program. */
async function nextStart({ dataDir }: Home): Promise<void> {
  const before = (await readLock(dataDir))?.owner_secret
  for await (const _ of watch(dataDir)) {
    const lock = await readLock(dataDir)
    if (lock !== null && lock.port !== null && lock.owner_secret !== before) return
  }
}
