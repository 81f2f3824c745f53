import { expect, test } from 'vitest'
import type { Clock, SendRequest } from '../../../src/main/engine/ports.ts'
import { createTunnelService, type TunnelHost } from '../../../src/main/services/serving/tunnel/tunnel.ts'
import { saidBy } from '../../../src/renderer/lib/i18n.ts'
import { createMessageTranslator } from '../../../src/renderer/lib/message-translator.ts'
import { germanOfProgram } from '../../../src/renderer/locales/de/index.ts'
import { tunnelUrlIn } from '../../../src/main/services/serving/tunnel/ssh.ts'
import { type Said, withSaid } from '../../../src/shared/contract/base/message.ts'
import type { Tunnel } from '../../../src/shared/contract/reach/tunnel.ts'
import { aStore } from '../../helpers/store.ts'
import { startTestApp } from '../../helpers/test-app.ts'
import { createProgramSender } from '../../../src/main/services/reaching/sending/to-program.ts'
import { logInto, testRandom } from '../../helpers/test-server.ts'

/** A clock that the test moves. Sleepers wake when their time has come. */
function handClock() {
  let now = Date.parse('2026-03-01T12:00:00Z')
  const sleepers = new Set<{ readonly until: number; readonly wake: () => void }>()
  const pauses: number[] = []
  const clock: Clock = { now: () => now, monotonic: () => now }
  return {
    clock,
    pauses,
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        pauses.push(ms)
        const sleeper = { until: now + ms, wake: resolve }
        sleepers.add(sleeper)
        signal?.addEventListener('abort', () => {
          sleepers.delete(sleeper)
          reject(signal.reason as Error)
        })
      }),
    async advance(ms: number) {
      now += ms
      for (const sleeper of sleepers)
        if (sleeper.until <= now) {
          sleepers.delete(sleeper)
          sleeper.wake()
        }
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

async function aTunnel(options: { host?: TunnelHost; sendRequest?: SendRequest } = {}) {
  const time = handClock()
  const store = await aStore({ clock: time.clock })
  const states: unknown[] = []
  const host: TunnelHost = options.host ?? {
    open: async () => ({ url: 'http://127.0.0.1:4999', close: async () => {} }),
  }
  const create = () =>
    createTunnelService({
      store,
      events: { emit: ({ noun, state, public_url: url }) => states.push([noun, state, url]) },
      outgoing: {
        clock: time.clock,
        sleep: time.sleep,
        sendRequest: options.sendRequest ?? (() => Promise.reject(new Error('not reachable'))),
        openSocket: () => Promise.reject(new Error('host not found')),
        localPrograms: createProgramSender(() => new Set()),
      },
      random: testRandom,
      log: logInto([]),
      host,
      baseUrl: () => 'http://127.0.0.1:4747',
      savedUrl: () => null,
    })
  return { time, states, create, tunnel: create() }
}

/** The tunnel as read by a caller other than the page. */
const asRead = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

const OWN = { provider: 'own', own_url: 'https://hooks.example.com' } as const

test('what is wrong and what to do are in German by their keys', async () => {
  const { tunnel } = await aTunnel()
  await tunnel.start({ provider: 'ngrok' })
  await expect.poll(() => tunnel.read().state).toBe('failing')
  const { problem } = withSaid(tunnel.read())
  await tunnel.stop()
  const said = saidBy(problem ?? {})
  const translate = createMessageTranslator(germanOfProgram)
  expect([problem, translate('(no key)', said), translate('(no key)', said?.params['hint'] as Said)]).toEqual(
    [
      expect.objectContaining({
        message: 'The ngrok authtoken is missing',
        hint: 'Copy it from the ngrok dashboard',
      }),
      'Das Authtoken von ngrok fehlt',
      'Kopieren Sie es aus dem Dashboard von ngrok',
    ],
  )
})

test('turns off at its time, even if that passed while the program was off', async () => {
  const { time, tunnel, create } = await aTunnel()
  const started = await tunnel.start({ ...OWN, off_after_minutes: 60 })
  await expect.poll(() => tunnel.read().state).toBe('on')
  await time.advance(59 * 60_000)
  const before = tunnel.read().state
  await time.advance(60_000)
  await expect.poll(() => tunnel.read().state).toBe('off')
  const again = create()
  again.resume()
  const afterwards = again.read().state
  await tunnel.start({ off_after_minutes: 10 })
  await tunnel.close()
  await time.advance(11 * 60_000)
  const late = create()
  late.resume()
  await time.advance(0)
  await expect.poll(() => late.read().state).toBe('off')
  expect({ ends: started.ends_at, before, afterwards }).toEqual({
    ends: '2026-03-01T13:00:00.000Z',
    before: 'on',
    afterwards: 'off',
  })
})

test('retries forever, after pauses that grow to a minute', async () => {
  const { time, tunnel } = await aTunnel()
  await tunnel.start({ provider: 'ssh', ssh_host: 'example.com', ssh_username: 'ada' })
  for (let round = 0; round < 8; round++) {
    await expect.poll(() => time.pauses.length).toBe(round + 1)
    await time.advance(time.pauses.at(-1)!)
  }
  const { state, problem } = asRead(tunnel.read())
  await tunnel.close()
  expect({ pauses: time.pauses.slice(0, 8), state, problem }).toEqual({
    pauses: [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000],
    state: 'failing',
    problem: {
      message: 'example.com:22: host not found',
      hint: 'Check the address of the SSH server and your network',
    },
  })
})

test('is tested through its URL every minute, and shows when it last responded', async () => {
  let isUp = false
  const urls: string[] = []
  const { time, tunnel, states } = await aTunnel({
    async sendRequest({ url }) {
      urls.push(url)
      const body = isUp ? (tunnel.proofAt(new URL(url).pathname) ?? '') : 'Welcome to my router'
      return { status: 200, headers: [], body: Buffer.from(body), url, wireBytes: 0, durationMs: 1 }
    },
  })
  await tunnel.start(OWN)
  await expect.poll(() => tunnel.read().test.ok).toBe(false)
  const wrong = asRead(tunnel.read().test)
  isUp = true
  await time.advance(5_000)
  await expect.poll(() => tunnel.read().test.ok).toBe(true)
  const right = asRead(tunnel.read().test)
  isUp = false
  await time.advance(60_000)
  await expect.poll(() => tunnel.read().test.ok).toBe(false)
  const lost = asRead(tunnel.read().test)
  await tunnel.stop()
  expect({
    wrong,
    right,
    lost,
    apart: new Set(urls).size,
    proof: tunnel.proofAt(new URL(urls[0] ?? '').pathname),
    states: [states[0], states.at(-1)],
  }).toEqual({
    wrong: { ok: false, answered_at: null, message: 'another server responds at this URL (200)' },
    right: { ok: true, answered_at: '2026-03-01T12:00:05.000Z', message: null },
    lost: {
      ok: false,
      answered_at: '2026-03-01T12:00:05.000Z',
      message: 'another server responds at this URL (200)',
    },
    apart: 3,
    proof: null,
    states: [
      ['tunnel', 'starting', null],
      ['tunnel', 'off', null],
    ],
  })
})

test('a port in use is named', async () => {
  const { tunnel } = await aTunnel({
    host: { open: () => Promise.reject(Object.assign(new Error('taken'), { code: 'EADDRINUSE' })) },
  })
  await tunnel.start({ ...OWN, local_port: 4750 })
  await expect.poll(() => tunnel.read().state).toBe('failing')
  const { problem } = asRead(tunnel.read())
  await tunnel.close()
  expect(problem).toEqual({
    message: "Port 4750 of this computer can't be opened (EADDRINUSE)",
    hint: 'Choose another local port, or none',
  })
})

test('another SSH server has no accepted host key yet, and secrets can be removed', async () => {
  const { tunnel } = await aTunnel()
  const hostKey = `SHA256:${'a'.repeat(43)}`
  await tunnel.change({ ssh_host: 'a.example', ssh_host_key: hostKey, ssh_password: 'x', ngrok_token: 'y' })
  const same = await tunnel.change({ ssh_host: 'a.example', ssh_username: 'ann' })
  const other = await tunnel.change({ ssh_host: 'b.example', ssh_password: null })
  expect({
    same: [same.settings.ssh_host_key, same.secrets],
    other: [other.settings.ssh_host_key, other.secrets],
  }).toEqual({
    same: [hostKey, { ssh_password: true, ngrok_token: true }],
    other: [null, { ngrok_token: true }],
  })
})

test('requests are not copied to Millrace itself', async () => {
  const { tunnel } = await aTunnel()
  await tunnel.start({ ...OWN, local_port: 4750 })
  await expect.poll(() => tunnel.read().state).toBe('on')
  const ports = [4747, 4750, 4999, 3000]
  const answers = []
  for (const port of ports)
    answers.push(
      await tunnel.change({ copy_port: port }).then(
        ({ settings }) => settings.copy_port,
        (error: { code: string; data: unknown }) => [error.code, error.data],
      ),
    )
  await tunnel.close()
  const refused = [
    'validation',
    { copy_port: ['is a port of Millrace itself; choose the port of another program'] },
  ]
  expect(answers).toEqual([refused, refused, refused, 3000])
})

test('the URL is found in what services print after login', () => {
  expect([
    tunnelUrlIn('\u001b[32mForwarding HTTP traffic from https://ann.serveo.net\r\n\u001b[0m'),
    tunnelUrlIn(
      'Docs: https://localhost.run/docs/\r\n\r\nab12.lhr.life tunneled with tls termination, https://ab12.lhr.life\r\n',
    ),
    tunnelUrlIn('ab12.lhr.life tunneled with tls termination, https://ab12.lhr.li'),
    tunnelUrlIn('Welcome! See https://example.com/help\r\n'),
  ]).toEqual(['https://ann.serveo.net', 'https://ab12.lhr.life', null, null])
})

test('only the app and the command line of the owner change it, never a token; a token with company reads it', async () => {
  const app = await startTestApp()
  const { json } = await app.call('POST', '/v1/personal-access-tokens', {
    scopes: ['automation', 'company', 'connector_auth', 'connectors', 'dashboard', 'embed'],
    expiration: null,
    note: '',
  })
  const token = { authorization: `Bearer ${(json as { token: string }).token}` }
  await app.call('PUT', '/v1/tunnel', { ngrok_token: 'planted-ngrok-token' })
  const read = await app.call('GET', '/v1/tunnel', undefined, token)
  const statuses = [
    (await app.call('PUT', '/v1/tunnel', { provider: 'own' }, token)).status,
    (await app.call('POST', '/v1/tunnel/start', {}, token)).status,
    (await app.call('POST', '/v1/tunnel/stop', undefined, token)).status,
  ]
  const commandOnly = await app.call('POST', '/v1/tunnel/start')
  expect({
    statuses,
    read: [read.status, (read.json as Tunnel).secrets, read.text.includes('planted')],
    commandOnly: commandOnly.status,
  }).toEqual({ statuses: [403, 403, 403], read: [200, { ngrok_token: true }, false], commandOnly: 409 })
})
