/** Public URLs in the running program, with real parts where possible, and stand-ins for providers. */
import { readFileSync, readdirSync, existsSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect, createServer as createTcpServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import type { Flow } from '../../src/shared/contract/flows.ts'
import type { Tunnel } from '../../src/shared/contract/reach/tunnel.ts'
import type { WebhookRequest } from '../../src/shared/contract/webhooks.ts'
import { freePort } from '../helpers/free-port.ts'
import { callHttp } from '../helpers/http.ts'
import { createHome, type Home, type Served } from '../helpers/program.ts'
import { plantCloudflared, plantNgrok, startSshServer, type SshServer } from '../helpers/tunnel-servers.ts'
import { askToEnd, onLinux, onPosix } from '../helpers/platform.ts'

let home: Home
beforeEach(() => {
  home = createHome()
})
afterEach(() => home.remove())

const portOf = (url: string | null) => Number(new URL(url ?? '').port)

async function call<T>(served: Served, method: string, path: string, body?: unknown): Promise<T> {
  const { json } = await callHttp(portOf(served.url), {
    method,
    path,
    headers: { authorization: `Bearer ${served.bearer}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return json as T
}

const read = (served: Served) => call<Tunnel>(served, 'GET', '/v1/tunnel')

/** Resolves to the tunnel once it is as described. */
async function until(served: Served, matches: (tunnel: Tunnel) => boolean): Promise<Tunnel> {
  let tunnel = await read(served)
  await expect
    .poll(async () => {
      tunnel = await read(served)
      return matches(tunnel)
    })
    .toBe(true)
  return tunnel
}

const isOn = ({ state }: Tunnel) => state === 'on'
const isFailing = ({ state }: Tunnel) => state === 'failing'

async function addFlow(served: Served, isOpen = true): Promise<Flow> {
  const flow = await call<Flow>(served, 'POST', '/v1/flows', {
    name: isOpen ? 'Open' : 'Closed',
    steps: [{ ref_id: 'web1', type: 'webhook', config: { response_body: '{{ web1.n }}' } }],
    settings: { webhook_token_enabled: !isOpen },
  })
  return call<Flow>(served, 'PUT', `/v1/flows/${flow.id}`, { status: 'active' })
}

const send = (publicUrl: string | null, flow: Flow, headers: Record<string, string> = {}) =>
  callHttp(portOf(publicUrl), {
    method: 'POST',
    path: `/v1/flow-webhook/${flow.id}`,
    headers: { 'content-type': 'application/json', ...headers },
    body: '{"n": 7}',
  })

const clientsOf = async (served: Served) =>
  (await call<WebhookRequest[]>(served, 'GET', '/v1/webhook-requests')).map(({ client }) => client)

const overSsh = (server: SshServer) => ({
  provider: 'ssh',
  ssh_host: '127.0.0.1',
  ssh_port: server.port,
  ssh_username: 'ann',
  ssh_bind_port: 0,
  ssh_url: 'http://127.0.0.1:{port}',
})

async function anSshServer(options?: Parameters<typeof startSshServer>[0]): Promise<SshServer> {
  const server = await startSshServer(options)
  onTestFinished(() => server.close().catch(() => undefined))
  return server
}

test('SSH: opens once the host key is accepted, forwards only webhooks, and its URL is shown everywhere', async () => {
  const served = await home.serve()
  const server = await anSshServer()
  const flow = await addFlow(served)
  await addFlow(served, false)
  await call(served, 'POST', '/v1/tunnel/start', { ...overSsh(server), ssh_password: server.password })
  const unknown = await until(served, isFailing)
  await call(served, 'PUT', '/v1/tunnel', { ssh_host_key: unknown.offered_host_key })
  const on = await until(served, ({ test: { ok } }) => ok === true)
  const answer = await send(on.public_url, flow)
  const health = await callHttp(portOf(on.public_url), { path: '/v1/health' })
  const shown = await call<Flow>(served, 'GET', `/v1/flows/${flow.id}`)
  const meta = await call<{ public_url: string }>(served, 'GET', '/v1/meta')
  const status = await home.run(['status', '--json'])
  const off = await call<Tunnel>(served, 'POST', '/v1/tunnel/stop')
  const later = await call<Flow>(served, 'GET', `/v1/flows/${flow.id}`)
  expect({
    unknown: [unknown.problem?.message, unknown.offered_host_key],
    on: [on.state, on.test.answered_at !== null, on.problem],
    exposed: on.exposed.map(({ name, url, protection }) => [
      name,
      url.startsWith(`${on.public_url}/`),
      protection,
    ]),
    answer: [answer.status, answer.text],
    health: [health.status, health.text.includes('ok')],
    shown: [shown.webhook?.public_url, shown.webhook?.url],
    meta: meta.public_url,
    status: (JSON.parse(status.stdout) as { public_url: string }).public_url,
    clients: await clientsOf(served),
    off: [off.state, off.public_url, server.forwarded()],
    later: later.webhook?.public_url,
  }).toEqual({
    unknown: [
      `The host key of 127.0.0.1 is ${server.fingerprint}, which hasn't been accepted yet`,
      server.fingerprint,
    ],
    on: ['on', true, null],
    exposed: expect.arrayContaining([
      ['Open', true, []],
      ['Closed', true, ['token']],
    ]),
    answer: [200, '7'],
    health: [404, false],
    shown: [`${on.public_url}/v1/flow-webhook/${flow.id}`, `${served.url}/v1/flow-webhook/${flow.id}`],
    meta: on.public_url,
    status: on.public_url,
    clients: ['127.0.0.1'],
    off: ['off', null, []],
    later: null,
  })
})

test('SSH: reconnects to a server that was down, unless its key has changed', async () => {
  const served = await home.serve()
  const port = await freePort()
  const first = await startSshServer({ port })
  await call(served, 'POST', '/v1/tunnel/start', {
    ...overSsh(first),
    ssh_private_key: first.privateKey,
    ssh_host_key: first.fingerprint,
  })
  await until(served, isOn)
  await first.close()
  const lost = await until(served, isFailing)
  const other = await startSshServer({ port })
  const changed = await until(served, ({ offered_host_key: key }) => key === other.fingerprint)
  await other.close()
  const again = await anSshServer({ port, hostKey: first.hostKey })
  await call(served, 'PUT', '/v1/tunnel', { ssh_password: again.password, ssh_private_key: null })
  const on = await until(served, isOn)
  const refused = await call<Tunnel>(served, 'PUT', '/v1/tunnel', { ssh_password: 'wrong' }).then(() =>
    until(served, isFailing),
  )
  expect({
    lost: [lost.problem?.message, lost.retry_at !== null, lost.public_url],
    changed: changed.problem?.message,
    on: on.state,
    refused: refused.problem,
  }).toEqual({
    lost: [
      expect.stringMatching(/^(The connection to 127\.0\.0\.1:\d+ was lost|127\.0\.0\.1:\d+: )/),
      true,
      null,
    ],
    changed: `The host key of 127.0.0.1 has changed: it was ${first.fingerprint} and is ${other.fingerprint} now`,
    on: 'on',
    refused: {
      message: '127.0.0.1 rejected the login for ann',
      hint: 'Check the user, and the password or key',
    },
  })
})

test('SSH: the URL that a service prints after login is the public one', async () => {
  const served = await home.serve()
  const server = await anSshServer({
    greeting: (port) =>
      `Welcome to localhost.run!\r\nhttps://admin.localhost.run/\r\n\u001b[32mann.lhr.test tunneled with tls termination, http://127.0.0.1:${port}\u001b[0m\r\n`,
  })
  await call(served, 'POST', '/v1/tunnel/start', {
    ...overSsh(server),
    ssh_url: null,
    ssh_password: server.password,
    ssh_host_key: server.fingerprint,
  })
  const on = await until(served, isOn)
  expect(on.public_url).toBe(`http://127.0.0.1:${server.forwarded()[0]}`)
})

test('a tunnel opens again after the program is killed, and stays off if it was switched off', async () => {
  const server = await anSshServer()
  const first = await home.serve()
  const flow = await addFlow(first)
  await call(first, 'POST', '/v1/tunnel/start', {
    ...overSsh(server),
    ssh_password: server.password,
    ssh_host_key: server.fingerprint,
  })
  await until(first, isOn)
  first.process.kill('SIGKILL')
  await first.ended
  const second = await home.serve()
  const on = await until(second, isOn)
  const answer = await send(on.public_url, flow)
  const stored = readdirSync(home.dataDir)
    .filter((name) => name.startsWith('millrace.db'))
    .map((name) => readFileSync(join(home.dataDir, name), 'latin1'))
    .join('')
  await call(second, 'POST', '/v1/tunnel/stop')
  askToEnd(second.process)
  await second.ended
  const third = await home.serve()
  expect({
    answer: answer.status,
    stored: stored.includes(server.password),
    shown: JSON.stringify(on).includes(server.password),
    secrets: on.secrets,
    third: (await read(third)).state,
  }).toEqual({ answer: 200, stored: false, shown: false, secrets: { ssh_password: true }, third: 'off' })
})

test.runIf(onLinux)(
  'cloudflared: five callers have five rate limits, none can spoof another, and it ends with the program',
  async () => {
    const port = await freePort()
    const { path, started } = plantCloudflared(home.folder, port)
    const env = { PATH: `${path}:${process.env.PATH}`, MILLRACE_WEBHOOK_RATE_LIMIT: '2/300' }
    const served = await home.serve({ env })
    const flow = await addFlow(served)
    await call(served, 'POST', '/v1/tunnel/start', { provider: 'cloudflared' })
    const on = await until(served, isOn)
    const url = `http://127.0.0.1:${port}`
    await expect
      .poll(() =>
        callHttp(port, { path: '/' }).then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .toBe(404)
    const callers = [1, 2, 3, 4, 5].map((number) => `203.0.113.${number}`)
    const five = []
    for (const caller of callers) {
      const sent = []
      for (let time = 0; time < 3; time++)
        sent.push((await send(url, flow, { 'x-test-caller': caller })).status)
      five.push(sent)
    }
    const pretending = await send(url, flow, {
      'x-test-caller': '203.0.113.1',
      'cf-connecting-ip': '198.51.100.1',
      'x-forwarded-for': '198.51.100.1',
    })
    const lines = readFileSync(started, 'utf8').trim().split('\n')
    const [{ pid, args }] = lines.map((line) => JSON.parse(line)) as [{ pid: number; args: string[] }]
    process.kill(pid, 'SIGHUP')
    const failing = await until(served, isFailing)
    const again = await until(served, isOn)
    const clients = new Set(await clientsOf(served))
    const next = JSON.parse(readFileSync(started, 'utf8').trim().split('\n').at(-1)!) as { pid: number }
    served.process.kill('SIGKILL')
    await served.ended
    await expect.poll(() => isAlive(next.pid)).toBe(false)
    expect({
      url: on.public_url,
      args,
      five,
      pretending: pretending.status,
      failing: failing.problem?.message,
      again: again.public_url,
      clients: [...clients].toSorted(),
    }).toEqual({
      url: `https://quiet-river-${pid}.trycloudflare.com`,
      args: ['tunnel', '--no-autoupdate', '--url', expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/)],
      five: callers.map(() => [200, 200, 429]),
      pretending: 429,
      failing:
        'cloudflared exited (1): ERR Failed to serve tunnel connection error="no more connections active"',
      again: `https://quiet-river-${next.pid}.trycloudflare.com`,
      clients: callers,
    })
  },
)

function isAlive(pid: number): boolean {
  if (!existsSync(`/proc/${pid}/stat`)) return false
  // A process that nobody has waited for is dead, too.
  return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
}

test.runIf(onPosix)(
  'cloudflared: a named tunnel gets its token without exposing it, and a missing program is named',
  async () => {
    const port = await freePort()
    const missing = await home.serve({ env: { PATH: '/nowhere' } })
    await call(missing, 'POST', '/v1/tunnel/start', { provider: 'cloudflared' })
    const without = await until(missing, isFailing)
    askToEnd(missing.process)
    await missing.ended
    const { path, started } = plantCloudflared(home.folder, port)
    const served = await home.serve({ env: { PATH: `${path}:${process.env.PATH}` } })
    const url = `http://127.0.0.1:${port}`
    await call(served, 'PUT', '/v1/tunnel', { cloudflared_url: url, cloudflared_token: 'wrong' })
    const wrong = await until(served, isFailing)
    await call(served, 'PUT', '/v1/tunnel', { cloudflared_token: 'planted-cloudflare-token' })
    const on = await until(served, ({ test: { ok } }) => ok === true)
    const last = JSON.parse(readFileSync(started, 'utf8').trim().split('\n').at(-1)!) as { args: string[] }
    expect({
      without: without.problem,
      wrong: wrong.problem?.message,
      on: on.public_url,
      args: last.args,
    }).toEqual({
      without: {
        message: 'cloudflared is not on the PATH',
        hint: expect.stringMatching(
          /^Install it (?:with|as) .*cloudflare.*, or choose another kind of tunnel$/,
        ),
      },
      wrong: 'cloudflared exited (1): ERR Provided Tunnel token is not valid.',
      on: url,
      args: ['tunnel', '--no-autoupdate', 'run', '--url', expect.any(String)],
    })
  },
)

test('ngrok: says how to install it, opens with the token, identifies callers and reconnects when cut', async () => {
  const served = await home.serve()
  const flow = await addFlow(served)
  const port = await freePort()
  await call(served, 'POST', '/v1/tunnel/start', { provider: 'ngrok', ngrok_token: 'wrong-ngrok-token' })
  const missing = await until(served, isFailing)
  plantNgrok(join(home.dataDir, 'packages'), port)
  await call(served, 'PUT', '/v1/tunnel', {})
  const refused = await until(served, isFailing)
  await call(served, 'PUT', '/v1/tunnel', { ngrok_token: 'planted-ngrok-token' })
  const on = await until(served, ({ test: { ok } }) => ok === true)
  const answers = [
    await send(on.public_url, flow, { 'x-test-caller': '203.0.113.1' }),
    await send(on.public_url, flow, { 'x-test-caller': '203.0.113.2', 'x-forwarded-for': '198.51.100.1' }),
  ]
  await callHttp(port, { path: '/cut' }).catch(() => undefined)
  const cut = await until(served, ({ since }) => since !== on.since)
  const again = await until(served, isOn)
  expect({
    missing: missing.problem,
    refused: refused.problem?.message,
    answers: answers.map(({ status }) => status),
    clients: (await clientsOf(served)).toSorted(),
    cut: cut.problem?.message ?? 'back already',
    again: again.public_url,
  }).toEqual({
    missing: {
      message: 'The package @ngrok/ngrok is not installed',
      hint: `Install it with: npm install --prefix "${join(home.dataDir, 'packages')}" @ngrok/ngrok`,
    },
    refused: 'ngrok refused the connection: failed to connect session',
    answers: [200, 200],
    clients: ['203.0.113.1', '203.0.113.2'],
    cut: expect.stringMatching(/^(The connection to ngrok was lost|back already)$/),
    again: on.public_url,
  })
})

/** Passes connections on to a port that is free until the program takes it. */
async function aProxy(): Promise<{ readonly url: string; readonly localPort: number }> {
  const localPort = await freePort()
  const proxy = createTcpServer((caller) => {
    const own = connect(localPort, '127.0.0.1')
    own.on('error', () => caller.destroy())
    caller.on('error', () => own.destroy())
    caller.pipe(own).pipe(caller)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void proxy.close())
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, localPort }
}

test('a custom URL leads to a fixed port, where its proxy identifies callers', async () => {
  const served = await home.serve()
  const flow = await addFlow(served)
  const { url, localPort } = await aProxy()
  await call(served, 'POST', '/v1/tunnel/start', {
    provider: 'own',
    own_url: url,
    own_header: 'x-real-ip',
    local_port: localPort,
  })
  const on = await until(served, ({ test: { ok } }) => ok === true)
  const answer = await send(url, flow, { 'x-real-ip': '203.0.113.9', 'x-forwarded-for': '198.51.100.1' })
  expect({
    on: [on.public_url, portOf(on.local_url)],
    answer: answer.status,
    clients: await clientsOf(served),
  }).toEqual({
    on: [url, localPort],
    answer: 200,
    clients: ['203.0.113.9'],
  })
})

test("a copy of each request is sent to a local port; a failure there doesn't affect the caller", async () => {
  const received: unknown[] = []
  const local = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.on('end', () => {
      const { method, url, headers } = request
      received.push([method, url, headers['x-shop'], headers.host, text])
      response.writeHead(500).end()
    })
  })
  await new Promise<void>((resolve) => local.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void local.close())
  const { port: copyPort } = local.address() as AddressInfo
  const served = await home.serve()
  const flow = await addFlow(served)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const own = { provider: 'own', own_url: url, local_port: port, copy_port: copyPort }
  await call(served, 'POST', '/v1/tunnel/start', own)
  await until(served, isOn)
  const first = await send(url, flow, { 'x-shop': 'seven' })
  const copied = await until(served, ({ copies }) => copies.sent === 1)
  await call(served, 'PUT', '/v1/tunnel', { copy_port: await freePort() })
  await until(served, isOn)
  const second = await send(url, flow)
  const failed = await until(served, ({ copies }) => copies.failed === 1)
  expect({
    answers: [first.status, second.status],
    received,
    copied: copied.copies,
    failed: failed.copies,
  }).toEqual({
    answers: [200, 200],
    received: [['POST', `/v1/flow-webhook/${flow.id}`, 'seven', `127.0.0.1:${copyPort}`, '{"n": 7}']],
    copied: { sent: 1, failed: 0, message: null },
    failed: { sent: 0, failed: 1, message: expect.stringMatching(/^Nobody listens on 127\.0\.0\.1:\d+$/) },
  })
})

test('the command line starts, shows and stops the tunnel', async () => {
  const served = await home.serve()
  await addFlow(served)
  const { url, localPort } = await aProxy()
  const args = ['tunnel', 'start', '--provider', 'own', '--url', url, '--local-port', String(localPort)]
  const started = await home.run([...args, '--off-after', '30'])
  await until(served, ({ test: { ok } }) => ok === true)
  const shown = await home.run(['tunnel', 'status'])
  const stopped = await home.run(['tunnel', 'stop'])
  const off = await home.run(['tunnel', 'status', '--json'])
  const wrong = await home.run(['tunnel', 'start', '--provider', 'smoke'])
  const failing = await home.run(['tunnel', 'start', '--provider', 'ngrok'])
  const noUrl = await home.run(['tunnel', 'status'])
  expect({
    started: [started.code, started.stdout],
    shown: [shown.code, shown.stdout.split('\n')],
    stopped: [stopped.code, stopped.stdout],
    off: [off.code, (JSON.parse(off.stdout) as Tunnel).state],
    wrong: [wrong.code, wrong.stderr],
    failing: [failing.code, failing.stdout],
    noUrl: [noUrl.code, noUrl.stdout.split('\n').slice(1)],
  }).toEqual({
    started: [0, `${url}\n`],
    shown: [
      0,
      [
        expect.stringMatching(/^http:\S+ since \S+Z, until \S+Z$/),
        expect.stringMatching(/^Last response at \S+Z$/),
        'Others can reach:',
        expect.stringMatching(/^ {2}http:\S+\/v1\/flow-webhook\/\S+ {2}.* \((open to anyone|token)\)$/),
        expect.stringMatching(/^ {2}http:\S+\/v1\/flow-webhook\/\S+ {2}.* \((open to anyone|token)\)$/),
        '',
      ],
    ],
    stopped: [0, 'The public URL is off\n'],
    off: [1, 'off'],
    wrong: [2, 'millrace: --provider is "smoke", but must be one of cloudflared, ngrok, ssh, own\n'],
    failing: [
      1,
      expect.stringMatching(
        /^No public URL: The ngrok authtoken is missing\. Copy it from the ngrok dashboard\. Next try at \S+\n$/,
      ),
    ],
    noUrl: [
      1,
      ['Once there is one, others can reach:', '  Open (open to anyone)', '  Receive an order (token)', ''],
    ],
  })
})
