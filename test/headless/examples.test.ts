/**
 * Every example of docs/reference/cli.md is run as written, by the installed command in a shell, against a real
 * program.
 */
import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readText } from '../../scripts/lib/read-text.ts'
import type { Flow } from '../../src/shared/contract/flows.ts'
import type { FlowRun } from '../../src/shared/contract/flow-runs.ts'
import type { WebhookRequest } from '../../src/shared/contract/webhooks.ts'
import { FLAGS } from '../../src/main/host/machine/process-flags.ts'
import { askToEnd, onLinux } from '../helpers/platform.ts'
import { createHome, type Served } from '../helpers/program.ts'
import { callOrThrow } from '../helpers/served-api.ts'
import { sshKeys } from '../helpers/ssh-keys.ts'
import { freePort } from '../helpers/free-port.ts'
import { plantCloudflared, plantNgrok, startSshServer, type SshServer } from '../helpers/tunnel-servers.ts'

const ROOT = join(import.meta.dirname, '../..')

/** The examples of the commands, in the order of the page. */
const EXAMPLES = [
  ...readText('docs/reference/cli.md').matchAll(/^### `([a-z -]+)`\n([\s\S]*?)(?=^#|^<!-- end)/gm),
].flatMap(([, command = '', section = '']) =>
  [...section.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, code = '']) =>
    code
      .trim()
      .split('\n')
      .map((line) => ({ command, line })),
  ),
)

interface Way {
  /** Replaces what the page can't know, such as IDs. */
  readonly written?: (line: string) => string
  readonly code?: number
  readonly input?: string
  /** What to type when a question appears. */
  readonly typed?: readonly (readonly [question: string, answer: string])[]
  readonly env?: NodeJS.ProcessEnv
  /** Whether it runs until it is told to end; the test then waits for its first line of output. */
  readonly endless?: boolean | 'stderr'
  readonly stdout?: unknown
}

const home = createHome()
const folder = join(home.folder, 'here')
const bin = join(home.folder, 'bin')
let served: Served
let api: Server
let ssh: SshServer
let known: Readonly<
  Record<'token' | 'otherToken' | 'run' | 'failed' | 'broken' | 'request' | 'alarm', string>
>

const ID = '3f0c2a1e-8f5b-4c0a-9d1e-0123456789ab'
const ofRun = (line: string) => line.replace(ID, known.run)
const ofBroken = (line: string) => line.replace(ID, known.broken)
const ofAlarm = (line: string) => line.replace(/\S+$/, known.alarm)
const ofRequest = (line: string) => line.replace(ID, known.request)
const toApi = (line: string) => line.replace('3000', `${apiUrl()}/hook`)
const onAnyPort = { MILLRACE_PORT: '0' }
const inTerminal = (line: string) => `script -qec '${line}' /dev/null`

const WAYS: Readonly<Record<string, Way>> = {
  millrace: { endless: true, env: onAnyPort },
  'millrace start --port 0 --no-open': { endless: true },
  'millrace serve --port 0 --no-open': { endless: true },
  'millrace serve --webhook-listen 127.0.0.1:4750': {
    endless: true,
    env: onAnyPort,
    written: (line) => line.replace('4750', '0'),
  },
  'millrace open --no-open': { stdout: expect.stringContaining('#') },
  'millrace sign-in-link': { stdout: expect.stringContaining('https://box.example.com/') },
  'millrace token revoke b2a4a8f0-52a5-4f5f-9b58-6d7f8d3a7b11': {
    written: (line) => line.replace(/\S+$/, known.otherToken),
  },
  'millrace flow import order.json': { stdout: expect.stringContaining('Imported "An order" as a draft') },
  'millrace flow pull flows --watch': { endless: true, written: (line) => line.replace('flows', 'others') },
  'millrace flow push flows --url https://millrace.example.com --force': {
    written: (line) => line.replace('https://millrace.example.com', served.url),
  },
  'millrace run tail --flow "Receive an order"': { endless: true },
  [`millrace flow test flows --record ${ID} --name "An order with two items"`]: {
    written: ofRun,
    stdout: expect.stringContaining('an-order-with-two-items.json'),
  },
  'millrace flow test flows': { stdout: expect.stringContaining('1 passed, 0 failed') },
  [`millrace run show ${ID} --steps`]: { written: ofRun },
  [`millrace run export ${ID} --out run.json`]: { written: ofRun },
  [`millrace run export ${ID} --har --out run.har`]: { written: ofRun },
  [`millrace run replay ${ID} --version 4`]: {
    written: ofRun,
    stdout: expect.stringContaining('version 4'),
  },
  [`millrace run resume ${ID}`]: { written: (line) => line.replace(ID, known.failed) },
  [`millrace run resolve ${ID} --note "The password was renewed"`]: { written: ofBroken },
  [`millrace run reopen ${ID}`]: { written: ofBroken },
  'millrace alarm test b2a4a8f0-52a5-4f5f-9b58-6d7f8d3a7b11': { written: ofAlarm },
  'millrace alarm delete b2a4a8f0-52a5-4f5f-9b58-6d7f8d3a7b11': { written: ofAlarm },
  'millrace webhook tail --json': { endless: true },
  [`millrace webhook replay ${ID} --to 3000`]: { written: (line) => toApi(ofRequest(line)) },
  'millrace webhook replay --since 2h --flow "Receive an order" --to 3000': {
    written: (line) => toApi(line),
  },
  [`millrace webhook replay ${ID}`]: { written: ofRequest, stdout: expect.stringContaining('version 5') },
  'millrace forward 3000 --path /hooks/stripe': { endless: 'stderr' },
  'millrace forward http://localhost:8080/in --flow "Receive an order" --respond flow': { endless: 'stderr' },
  'millrace tunnel start --provider cloudflared --off-after 60': {
    stdout: expect.stringContaining('https://quiet-river-'),
  },
  'millrace tunnel start --provider ngrok --token-file ngrok.token': {
    stdout: expect.stringContaining('http://127.0.0.1:'),
  },
  'millrace tunnel start --provider ssh --ssh ada@example.com --key-file ~/.ssh/id_ed25519 --bind :8080 --url http://example.com:8080':
    {
      written: (line) => line.replace('ada@example.com', `ann@127.0.0.1:${ssh.port}`),
      // The server's host key has to be accepted first.
      code: 1,
      stdout: expect.stringContaining(`The host key of 127.0.0.1 is`),
    },
  'millrace tunnel status': { code: 1, stdout: 'The public URL is off\n' },
  'millrace tunnel status --json': { code: 1 },
  'MILLRACE_TOKEN=mr_pat_… millrace mcp': {
    endless: true,
    written: (line) => line.replace('mr_pat_…', known.token),
    input: `${JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    })}\n`,
  },
  'millrace paginate --config pagination.json --url https://api.example.test/orders > orders.jsonl': {
    written: (line) => line.replace('https://api.example.test', apiUrl()),
  },
  'millrace key protect': { input: 'a long passphrase\n' },
  'millrace key unprotect': { env: { MILLRACE_PASSPHRASE: 'a long passphrase' } },
  'millrace backup ~/millrace-encrypted --passphrase': {
    written: inTerminal,
    typed: [
      ['Passphrase: ', 'a long passphrase\n'],
      ['Again: ', 'a long passphrase\n'],
    ],
  },
  'millrace move /mnt/large/millrace': { written: (line) => line.replace('/mnt', home.folder) },
  'millrace uninstall': { written: inTerminal, typed: [['login item?', 'y\n']] },
  'millrace figures': {
    env: { LANG: 'C.UTF-8' },
    written: inTerminal,
    stdout: expect.stringContaining('█'),
  },
  'millrace logs --follow': { endless: true },
  'millrace completion powershell | Out-String | Invoke-Expression': {
    written: (line) => line.replace(/ \|.*/, ''),
  },
}

/** These open the folder themselves, or require that nobody else has it open. */
const WITHOUT_HOST = ['start', 'serve', 'key protect', 'key unprotect', 'restore', 'move', 'uninstall']

const isIn = (commands: readonly string[], { command }: { readonly command: string }) =>
  commands.includes(command)
const ORDER = [
  ...EXAMPLES.filter((one) => !isIn([...WITHOUT_HOST, 'stop'], one)),
  ...EXAMPLES.filter((one) => isIn(['stop'], one)),
  ...EXAMPLES.filter((one) => isIn(WITHOUT_HOST, one)),
]

const apiUrl = () => `http://127.0.0.1:${(api.address() as AddressInfo).port}`

beforeAll(async () => {
  const { path } = plantCloudflared(home.folder, await freePort())
  plantNgrok(join(home.dataDir, 'packages'), await freePort())
  ssh = await startSshServer()
  api = await startApi()
  const command = [process.execPath, ...FLAGS, join(ROOT, 'out/main/headless.js')].map((word) => `'${word}'`)
  writeFileSync(join(bin, 'millrace'), `#!/bin/sh\nexec ${command.join(' ')} "$@"\n`)
  chmodSync(join(bin, 'millrace'), 0o755)
  served = await home.serve({ env: { PATH: `${path}:${process.env.PATH}` } })
  await fill()
})
afterAll(async () => {
  api.close()
  await ssh.close()
  await home.remove()
})

test('every command has an example on the page, and every exception here belongs to one', () => {
  const lines = EXAMPLES.map(({ line }) => line)
  expect({
    many: EXAMPLES.length > 60,
    unknown: Object.keys(WAYS).filter((line) => !lines.includes(line)),
  }).toEqual({ many: true, unknown: [] })
})

test.runIf(onLinux).for(ORDER.map(({ line }) => line))('%s', async (line) => {
  const { written, code = 0, env, ...way }: Way = WAYS[line] ?? {}
  const text = written?.(line) ?? line
  const result = await run(text, way, {
    ...home.env,
    ...env,
    MILLRACE_TOKEN: known.token,
    PATH: `${bin}:${process.env.PATH}`,
  })
  const some = expect.any(String) as unknown
  const promised = result.code === code ? { stdout: some, ...way, stderr: some } : { stdout: '', stderr: '' }
  expect({ text, ...result }).toEqual({
    text,
    code,
    stdout: promised.stdout,
    stderr: promised.stderr,
  })
})

/** The code is also 0 for a command that runs until the signal of Ctrl+C ends it. */
function run(line: string, { input = '', typed = [], endless = false }: Way, env: NodeJS.ProcessEnv) {
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    const child = spawn('bash', ['-c', endless === false ? line : `exec env ${line}`], { cwd: folder, env })
    const printed = { stdout: '', stderr: '' }
    child.stderr.on('data', (chunk: Buffer) => {
      printed.stderr += chunk.toString()
      if (endless === 'stderr') askToEnd(child)
    })
    child.stdout.on('data', (chunk: Buffer) => {
      printed.stdout += chunk.toString()
      if (endless === true) askToEnd(child)
      const [[question, answer] = []] = questions
      if (question === undefined || !printed.stdout.includes(question)) return
      questions.shift()
      child.stdin.write(answer)
    })
    const questions = [...typed]
    child.stdin.on('error', () => undefined)
    child.stdin.write(input)
    if (endless === false && typed.length === 0) child.stdin.end()
    child.once('close', (code, signal) => resolve({ code: signal === 'SIGTERM' ? 0 : code, ...printed }))
  })
}

const SIGN_IN: Readonly<Record<string, object>> = {
  '/code': {
    device_code: 'planted',
    user_code: 'WDJB-MJHT',
    verification_uri: 'https://api.example.test/device',
    expires_in: 600,
    interval: 1,
  },
  '/token': { access_token: 'planted', token_type: 'Bearer', expires_in: 3_600 },
}

/** A list of two pages, a flow's step that works at the second attempt, and a sign-in whose code is entered at once. */
function startApi(): Promise<Server> {
  let wasAsked = false
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://127.0.0.1')
    const isRefused = pathname === '/shaky' && !wasAsked
    wasAsked ||= isRefused
    const page = Number(searchParams.get('page') ?? 1)
    response.writeHead(isRefused ? 400 : 200, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify(SIGN_IN[pathname] ?? (page > 2 ? [] : [{ id: page }])))
  })
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
}

/** What the examples talk about: files, flows, runs, credentials. */
async function fill(): Promise<void> {
  const call = <T>(method: string, path: string, body?: unknown) => callOrThrow<T>(served, method, path, body)
  await call('PUT', '/v1/settings', { page_url: 'https://box.example.com', mcp_server: true })
  const steps = (version: number) => [
    { ref_id: 'web1', type: 'webhook', config: { response_body: `{"version": "version ${version}"}` } },
  ]
  // The flow created at the first start doesn't have five versions.
  for (const { id } of await call<Flow[]>('GET', '/v1/flows')) await call('DELETE', `/v1/flows/${id}`)
  const flow = await call<Flow>('POST', '/v1/flows', { name: 'Receive an order', steps: steps(1) })
  for (const version of [2, 3, 4, 5]) await call('PUT', `/v1/flows/${flow.id}`, { steps: steps(version) })
  await fetch(flow.webhook!.url, {
    method: 'POST',
    headers: { Authorization: `Bearer ${flow.webhook!.token}`, 'Content-Type': 'application/json' },
    body: '{"order_id": "A-1"}',
  })
  const [request] = await call<WebhookRequest[]>('GET', '/v1/webhook-requests')
  const shaky = await call<Flow>('POST', '/v1/flows', {
    name: 'Shaky',
    steps: [{ ref_id: 'call', type: 'rest', config: { method: 'GET', url: `${apiUrl()}/shaky` } }],
  })
  const failed = await call<FlowRun>('POST', `/v1/flows/${shaky.id}/run?wait=true`, {})
  const made = { expiration: null, scopes: ['automation', 'connectors'], note: 'for examples' }
  const token = await call<{ token: string }>('POST', '/v1/personal-access-tokens', made)
  const other = await call<{ id: string }>('POST', '/v1/personal-access-tokens', made)
  const connector = await call<{ id: string }>('POST', '/v1/connectors', {
    name: 'Orders',
    base_domain: apiUrl(),
  })
  await call('POST', '/v1/connector-actions', {
    connector_id: connector.id,
    name: 'list_orders',
    title: 'List orders',
    method: 'GET',
    endpoint: '/orders',
  })
  await call('PUT', `/v1/connectors/${connector.id}`, { test_action: 'list_orders' })
  await call('POST', '/v1/connector-auths', {
    connector_id: connector.id,
    name: 'GitHub of the team',
    auth_type: 'bearer',
    auth_token: 'planted',
  })
  const { id: lobbyId } = await call<{ id: string }>('POST', '/v1/connectors', {
    name: 'Lobby',
    base_domain: apiUrl(),
    auth_config: {
      auth_types: ['oauth2'],
      grant_type: 'device_code',
      device_authorization_url: `${apiUrl()}/code`,
      access_url: `${apiUrl()}/token`,
      client_id: 'lobby',
    },
  })
  await call('POST', '/v1/connector-auths', {
    connector_id: lobbyId,
    name: 'Television of the lobby',
    auth_type: 'oauth2',
  })
  const alarm = await call<{ id: string }>('POST', '/v1/alarms', {
    kind: 'notification',
    events: ['failed'],
  })
  const broken = await call<Flow>('POST', '/v1/flows', {
    name: 'Broken',
    steps: [{ ref_id: 'never', type: 'set', config: { values: { a: '{{ 1 / 0 }}' } } }],
  })
  const { id: brokenRun } = await call<FlowRun>('POST', `/v1/flows/${broken.id}/run?wait=true`, {})
  known = {
    broken: brokenRun,
    alarm: alarm.id,
    token: token.token,
    otherToken: other.id,
    run: request!.flow_run_id!,
    failed: failed.id,
    request: request!.id,
  }
  for (const name of [folder, join(home.folder, '.ssh'), join(home.folder, '.zfunc')]) mkdirSync(name)
  mkdirSync(join(home.folder, '.config/fish/completions'), { recursive: true })
  const order = await call<{ flows: object[] }>('GET', `/v1/flows/${flow.id}/export`)
  const files = {
    'order.json': JSON.stringify({
      ...order,
      flows: order.flows.map((one) => ({ ...one, name: 'An order' })),
    }),
    'input.json': '{"name": "ada", "seats": "2"}',
    'token.txt': token.token,
    'ngrok.token': 'planted-ngrok-token',
    'pagination.json': JSON.stringify({ query: '{"page": {{ page + 1 }}}' }),
    'openapi.yaml': `openapi: 3.0.3\ninfo: { title: Orders again, version: '1' }\nservers: [{ url: '${apiUrl()}' }]\npaths:\n  /orders:\n    get: { operationId: listOrders, responses: { '200': { description: OK } } }\n`,
    '../.ssh/id_ed25519': sshKeys().private,
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
}
