/**
 * `npm run smoke -- PROGRAM`: starts an installed or packaged Millrace on an empty folder, and uses what depends on the
 * system: native code, worker threads, cryptography, files. PROGRAM is the desktop app, or `bin/millrace.js` of the package.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import ssh2 from 'ssh2'
import type { HostClient } from '../src/main/headless/support/host-client.ts'
import { findRunningHost } from '../src/main/headless/support/with-host.ts'
import type { RouteRequest } from '../src/shared/contract/base/route.ts'
import { createConnectorAuthRoute, testConnectorAuthRoute } from '../src/shared/contract/connector-auths.ts'
import { planImportRoute } from '../src/shared/contract/connector-imports.ts'
import { restoreBackupRoute, writeBackupRoute } from '../src/shared/contract/data-folder.ts'
import { examineRoute } from '../src/shared/contract/doctor.ts'
import { createFlowRoute, deleteFlowRoute, readFlowRoute, type Flow } from '../src/shared/contract/flows.ts'
import { stopRoute } from '../src/shared/contract/host.ts'

/** The time limit for steps that would never end. */
const HANGS_MS = 60_000
/** The ID of the SFTP connector in the catalogue. */
const SFTP_ID = '5f0c1a52-6a8e-4a0f-9d55-0d6c5d3f7b10'

const FLOW: RouteRequest<typeof createFlowRoute>['body'] = {
  name: 'Sum',
  status: 'active',
  steps: [
    {
      ref_id: 'web1',
      type: 'webhook',
      config: { async: false, response_body: '{"sum": {{ added.sum }} }' },
    },
    {
      ref_id: 'added',
      type: 'code',
      config: { source: 'return { sum: input.web1.numbers.reduce((a, b) => a + b, 0) }' },
    },
  ],
}
const OPENAPI = `openapi: 3.1.0
info: { title: Orders, version: '1' }
servers: [{ url: https://api.example.com }]
paths:
  /orders:
    get:
      operationId: list_orders
      responses: { '200': { description: OK } }
`

const program = process.argv[2]
if (program === undefined) throw new Error('Name the program: npm run smoke -- PROGRAM')
const folder = mkdtempSync(join(tmpdir(), 'millrace-smoke-'))
const dataDir = join(folder, 'data')
const isScript = program.endsWith('.js')
const HOME = { HOME: folder, USERPROFILE: folder, LOCALAPPDATA: join(folder, 'local') }
const child = spawn(
  isScript ? process.execPath : resolve(program),
  [...(isScript ? [program, '--no-open'] : []), '--port', '0', '--data-dir', dataDir],
  // The desktop app needs the keychain of the real home.
  { stdio: ['ignore', 'ignore', 'inherit'], ...(isScript && { env: { ...process.env, ...HOME } }) },
)
const ended = once(child, 'exit') as Promise<[code: number | null, signal: string | null]>

let host: HostClient
let flow: Flow
try {
  await step('starts', async () => {
    host = await running()
  })
  await step('a webhook runs a flow with code and a template', async () => {
    flow = await host.call(createFlowRoute, { body: FLOW })
    assert.deepEqual(await callWebhook(), { sum: 6 })
  })
  await step('a worker thread reads an OpenAPI document in YAML', async () => {
    const { file } = await host.call(planImportRoute, { body: { source: OPENAPI } })
    assert.deepEqual([file.connector.name, file.actions.length], ['Orders', 1])
  })
  await step('SFTP: key exchange, login and a list', async () => {
    const server = await serveSftp()
    const { id } = await host.call(createConnectorAuthRoute, {
      body: {
        connector_id: SFTP_ID,
        name: 'Files',
        auth_type: 'username_password',
        api_endpoint: `sftp://ann:secret@127.0.0.1:${(server.address() as AddressInfo).port}/`,
      },
    })
    const { ok, message } = await host.call(testConnectorAuthRoute, { params: { id } })
    server.close()
    assert.ok(ok, message)
  })
  const backup = join(folder, 'backup.db')
  await step('a backup is written', () => host.call(writeBackupRoute, { body: { path: backup } }))
  await step('the backup is restored', async () => {
    await host.call(deleteFlowRoute, { params: { id: flow.id } })
    await host.call(restoreBackupRoute, { body: { path: backup } })
    await until(() => isThere(flow.id))
    assert.deepEqual(await callWebhook(), { sum: 6 })
  })
  const { findings } = await host!.call(examineRoute)
  const makesCode = findings.some(({ reason }) => reason === 'makes_code')
  process.stdout.write(`eval ${makesCode ? 'works: the flags are not in effect' : 'fails, as it should'}\n`)
  const quit = async () => {
    await host.call(stopRoute)
    assert.deepEqual(await ended, [0, null])
  }
  await step('quits', quit, true)
} finally {
  child.kill('SIGKILL')
  await ended
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

async function step(name: string, work: () => Promise<unknown>, ends = false): Promise<void> {
  const late = async () => {
    await sleep(HANGS_MS, undefined, { ref: false })
    throw new Error(`${name}: not within ${HANGS_MS / 1_000} seconds`)
  }
  const gone = async () => {
    const [code, signal] = await ended
    throw new Error(`${name}: the program ended with ${code ?? signal}`)
  }
  await Promise.race([work(), late(), ...(ends ? [] : [gone()])])
  process.stdout.write(`ok: ${name}\n`)
}

async function running(): Promise<HostClient> {
  for (;;) {
    const found = await findRunningHost(dataDir)
    if (found !== null) return found
    await sleep(50)
  }
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(50)
}

/** Also returns false while the program restarts or runs with another secret. */
async function isThere(id: string): Promise<boolean> {
  host = await running()
  return host.call(readFlowRoute, { params: { id } }).then(
    () => true,
    () => false,
  )
}

async function callWebhook(): Promise<unknown> {
  const response = await fetch(`${host.url}/v1/flow-webhook/${flow.id}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${String(flow.webhook?.token)}` },
    body: JSON.stringify({ numbers: [1, 2, 3] }),
  })
  assert.equal(response.status, 200)
  return response.json()
}

/** Accepts anybody who knows the password, and has one empty folder. */
async function serveSftp(): Promise<ssh2.Server> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const hostKey = privateKey.export({ type: 'pkcs1', format: 'pem' })
  const server = new ssh2.Server({ hostKeys: [hostKey] }, (client) => {
    client.on('error', () => {})
    client.on('authentication', (request) => {
      if (request.method === 'password' && request.password === 'secret') request.accept()
      else request.reject(['password'])
    })
    client.on('session', (accept) => {
      accept().on('sftp', (acceptSftp) => {
        const sftp = acceptSftp()
        const { OK, EOF } = ssh2.utils.sftp.STATUS_CODE
        const here = {
          filename: '/',
          longname: '/',
          attrs: { mode: 0o40_755, uid: 0, gid: 0, size: 0, atime: 0, mtime: 0 },
        }
        sftp.on('REALPATH', (id) => sftp.name(id, [here]))
        sftp.on('STAT', (id) => sftp.attrs(id, here.attrs))
        sftp.on('LSTAT', (id) => sftp.attrs(id, here.attrs))
        sftp.on('OPENDIR', (id) => sftp.handle(id, Buffer.alloc(4)))
        sftp.on('READDIR', (id) => sftp.status(id, EOF))
        sftp.on('CLOSE', (id) => sftp.status(id, OK))
      })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}
