import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ConnectorAuth, ConnectorAuthTest } from '../../../src/shared/contract/connector-auths.ts'
import type { Flow } from '../../../src/shared/contract/flows.ts'
import type { FlowRunStep } from '../../../src/shared/contract/flow-runs.ts'
import { runSftp } from '../../../src/main/engine/sftp/run-operation.ts'
import { openSocket } from '../../../src/main/engine/request/open-socket.ts'
import { type FlowApp, startFlowApp } from '../../helpers/flow-app.ts'
import {
  hasOpenSsh,
  hostKeyText,
  type SftpServer,
  startOpenSsh,
  startSftpServer,
} from '../../helpers/sftp-server.ts'

const SFTP = '5f0c1a52-6a8e-4a0f-9d55-0d6c5d3f7b10'
const AUTHS = '/v1/connector-auths'

async function created<T>(app: FlowApp, path: string, body: object): Promise<T> {
  const answer = await app.call('POST', path, body)
  expect({ status: answer.status, text: answer.text }).toEqual({ status: 201, text: expect.any(String) })
  return answer.json as T
}

const anAuth = (app: FlowApp, body: object) =>
  created<ConnectorAuth>(app, AUTHS, {
    connector_id: SFTP,
    name: 'Files',
    auth_type: 'username_password',
    ...body,
  })

const withKey = ({ port, path, username, privateKey }: SftpServer) => ({
  api_endpoint: `sftp://${username}@127.0.0.1:${port}${path}`,
  user_input: { private_key: privateKey },
})

/** Runs one action in a separate flow: its output, or why there is none. */
async function act(app: FlowApp, auth: ConnectorAuth, action: string, input: object): Promise<unknown> {
  const step = {
    ref_id: 'files',
    type: 'connector_action',
    config: { connector_id: SFTP, action, auth_id: auth.id, input },
  }
  const flow = await created<Flow>(app, '/v1/flows', { name: 'Files', steps: [step] })
  const answer = await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`, {})
  const { id, error } = answer.json as { id: string; error: { message: string } | null }
  if (error !== null) return error.message
  const steps = (await app.call('GET', `/v1/flow-runs/${id}/steps`)).json as FlowRunStep[]
  return steps[0]?.output
}

const SERVERS = [
  { name: 'an ssh2 server', start: () => startSftpServer() },
  // If OpenSSH isn't installed, only the server above is used.
  ...(hasOpenSsh ? [{ name: 'OpenSSH', start: startOpenSsh }] : []),
]

describe.each(SERVERS)('at $name', ({ start }) => {
  test('files are written, listed, read, moved and deleted', async () => {
    const [app, server] = await Promise.all([startFlowApp(), start()])
    const auth = await anAuth(app, withKey(server))
    const text = 'naïve €\n'
    const bytes = Buffer.from([0, 255, 128, 10])
    expect(await act(app, auth, 'write_file', { path: 'in/deep/a.txt', text })).toEqual({
      path: 'in/deep/a.txt',
      size: 11,
    })
    await act(app, auth, 'write_file', { path: 'in/deep/a.txt', text: 'more', append: true })
    await act(app, auth, 'write_file', { path: 'in/b.bin', base64: bytes.toString('base64') })
    expect(readFileSync(join(server.folder, 'in/deep/a.txt'), 'utf8')).toBe(`${text}more`)
    expect(await act(app, auth, 'list_files', { path: 'in' })).toEqual([
      { name: 'b.bin', path: 'in/b.bin', type: 'file', size: 4, modified_at: expect.stringMatching(/Z$/) },
      {
        name: 'deep',
        path: 'in/deep',
        type: 'folder',
        size: expect.any(Number),
        modified_at: expect.stringMatching(/Z$/),
      },
    ])
    expect(await act(app, auth, 'read_file', { path: 'in/deep/a.txt' })).toMatchObject({
      text: `${text}more`,
      size: 15,
    })
    expect(await act(app, auth, 'read_file', { path: 'in/b.bin', as: 'base64' })).toMatchObject({
      base64: bytes.toString('base64'),
    })
    expect(await act(app, auth, 'read_file', { path: 'in/b.bin' })).toContain(
      "isn't UTF-8 text; read it as base64",
    )
    const kept = (await act(app, auth, 'read_file', { path: 'in/b.bin', as: 'file' })) as { file_id: string }
    expect(kept).toEqual({ filename: 'b.bin', file_id: expect.any(String), size: 4 })
    await act(app, auth, 'write_file', { path: 'copy.bin', file_id: kept.file_id })
    expect(readFileSync(join(server.folder, 'copy.bin'))).toEqual(bytes)
    expect(await act(app, auth, 'move_file', { path: 'copy.bin', to: 'in/b.bin' })).toContain(
      '"in/b.bin" already exists',
    )
    expect(await act(app, auth, 'move_file', { path: 'copy.bin', to: 'in/b.bin', overwrite: true })).toEqual({
      path: 'in/b.bin',
      moved_from: 'copy.bin',
    })
    expect(await act(app, auth, 'delete_file', { path: 'in/b.bin' })).toEqual({
      path: 'in/b.bin',
      deleted: true,
    })
    expect(await act(app, auth, 'delete_file', { path: 'in', recursive: true })).toEqual({
      path: 'in',
      deleted: true,
    })
    expect(await act(app, auth, 'list_files', {})).toEqual([])
    expect(await act(app, auth, 'read_file', { path: 'nothing.txt' })).toMatch(/has no such file or folder/)
  })

  test('the key that a server shows first is kept, and a different one later is rejected', async () => {
    const [app, server] = await Promise.all([startFlowApp(), start()])
    const auth = await anAuth(app, withKey(server))
    const path = `${AUTHS}/${auth.id}`
    await act(app, auth, 'list_files', {})
    const { user_input: pinned } = (await app.call('GET', path)).json as ConnectorAuth
    expect(pinned).toEqual({ host_key: expect.stringMatching(/^SHA256:[\w+/]{43}$/) })
    expect(await act(app, auth, 'list_files', {})).toEqual([])
    await app.call('PUT', path, { user_input: { host_key: `SHA256:${'A'.repeat(43)}` } })
    expect(await act(app, auth, 'list_files', {})).toBe(
      `Step "files": The host key of 127.0.0.1:${server.port} has changed: it was SHA256:${'A'.repeat(43)} and is ${pinned['host_key'] as string} now. Somebody may be intercepting the connection. If the server was reinstalled, clear the host key in the connector auth and try again`,
    )
    await app.call('PUT', path, { user_input: { host_key: '' } })
    expect(await act(app, auth, 'list_files', {})).toEqual([])
  })
})

test('a reinstalled server shows another key, and gets no password', async () => {
  const app = await startFlowApp()
  const first = await startSftpServer({ hostKey: hostKeyText() })
  const auth = await anAuth(app, { api_endpoint: `sftp://ann:${first.password}@127.0.0.1:${first.port}/` })
  expect(await act(app, auth, 'list_files', {})).toEqual([])
  const second = await startSftpServer({ hostKey: hostKeyText() })
  await app.call('PUT', `${AUTHS}/${auth.id}`, {
    api_endpoint: `sftp://ann:${first.password}@127.0.0.1:${second.port}/`,
  })
  expect(await act(app, auth, 'list_files', {})).toContain('has changed: it was')
})

test('a password in its field overrides an old one in the URL', async () => {
  const [app, server] = await Promise.all([startFlowApp(), startSftpServer()])
  const auth = await anAuth(app, {
    api_endpoint: `sftp://ann:of-last-year@127.0.0.1:${server.port}/`,
    password: server.password,
  })
  expect(await act(app, auth, 'list_files', {})).toEqual([])
})

test("the specification's URL works, and its password is shown nowhere", async () => {
  const [app, server] = await Promise.all([startFlowApp(), startSftpServer()])
  mkdirSync(join(server.folder, 'orders'))
  writeFileSync(join(server.folder, 'orders/1.csv'), 'id\n1\n')
  const auth = await anAuth(app, {
    api_endpoint: `sftp://ann:${server.password}@127.0.0.1:${server.port}/orders`,
  })
  expect(auth.api_endpoint).toBe(`sftp://ann:***@127.0.0.1:${server.port}/orders`)
  expect(await act(app, auth, 'list_files', {})).toMatchObject([{ name: '1.csv', size: 5 }])
  const tested = (await app.call('POST', `${AUTHS}/${auth.id}/test`)).json as ConnectorAuthTest
  expect(tested).toMatchObject({
    ok: true,
    message: '"SFTP" accepted the login and the call of "list_files"',
    http: [
      {
        request: { method: 'LIST', url: `sftp://ann@127.0.0.1:${server.port}/orders/` },
        response: { status: 0 },
      },
    ],
  })
  await app.call('PUT', `${AUTHS}/${auth.id}`, {
    api_endpoint: `sftp://ann:planted-wrong-one@127.0.0.1:${server.port}/orders`,
  })
  const refused = await app.call('POST', `${AUTHS}/${auth.id}/test`)
  expect(refused.json).toMatchObject({ ok: false, message: expect.stringContaining('rejected the login') })
  const seen = [
    refused.text,
    (await app.call('GET', '/v1/flow-run-steps')).text,
    JSON.stringify(app.logged),
  ].join('')
  expect(seen).not.toContain('planted')
})

test('a path never leaves the folder of the URL, and input is validated', async () => {
  const [app, server] = await Promise.all([startFlowApp(), startSftpServer()])
  mkdirSync(join(server.folder, 'mine'))
  writeFileSync(join(server.folder, 'other.txt'), 'secret of others')
  const auth = await anAuth(app, {
    api_endpoint: `sftp://ann:${server.password}@127.0.0.1:${server.port}/mine`,
  })
  const outcomes = await Promise.all([
    act(app, auth, 'read_file', { path: '../other.txt' }),
    act(app, auth, 'read_file', { path: '/a/../../other.txt' }),
    act(app, auth, 'move_file', { path: 'x', to: '../y' }),
    act(app, auth, 'write_file', { path: 'x', text: 'a', base64: 'Yg==' }),
    act(app, auth, 'read_file', { path: '' }),
    act(app, auth, 'read_file', { path: 'x', as: 'picture' }),
  ])
  expect(outcomes).toEqual([
    'Step "files": The path "../other.txt" is outside of the folder /mine of the URL',
    'Step "files": The path "/a/../../other.txt" is outside of the folder /mine of the URL',
    'Step "files": The path "../y" is outside of the folder /mine of the URL',
    'Step "files": Use only one of "text", "base64" and "file_id"',
    'Step "files": "path" must not be empty',
    'Step "files": "as" is "picture", but must be text, base64 or file',
  ])
})

describe('limits', () => {
  const call = (server: Pick<SftpServer, 'port' | 'password'>, signal?: AbortSignal) => ({
    address: {
      host: '127.0.0.1',
      port: server.port,
      username: 'ann',
      password: server.password,
      privateKey: '',
      passphrase: '',
      root: '',
    },
    operation: { operation: 'read', path: 'big.txt', as: 'text' } as const,
    hostKey: '',
    pin: () => Promise.resolve(),
    signal,
  })
  const ports = (limits: object, own: readonly number[] = []) => ({
    openSocket: (host: string, port: number, { timeoutMs }: { timeoutMs: number }) =>
      openSocket(host, port, { timeoutMs, ownPorts: () => new Set(own) }),
    readFile: () => null,
    keepFile: () => Promise.reject(new Error('nothing is kept')),
    limits,
  })

  test('of size and time end a call with a sentence; so does leaving', async () => {
    const [server, silent] = await Promise.all([startSftpServer(), startSftpServer({ silent: true })])
    writeFileSync(join(server.folder, 'big.txt'), 'x'.repeat(2_000))
    await expect(runSftp(call(server), ports({ fileBytes: 1_000 }))).rejects.toThrow(
      'exceeds the limit of 1000 bytes',
    )
    await expect(runSftp(call(silent), ports({ wholeMs: 200 }))).rejects.toMatchObject({ code: 'timeout' })
    await expect(runSftp(call(silent, AbortSignal.timeout(100)), ports({}))).rejects.toMatchObject({
      code: 'cancelled',
    })
  })

  test('of destination: metadata addresses and the program itself are blocked', async () => {
    const server = await startSftpServer()
    await expect(runSftp(call(server), ports({}, [server.port]))).rejects.toThrow('is Millrace itself')
    const metadata = { ...call(server), address: { ...call(server).address, host: '169.254.169.254' } }
    await expect(runSftp(metadata, ports({}))).rejects.toThrow('never called')
  })
})

test("only algorithms of both OpenSSL and BoringSSL are offered, and one of only one of them isn't accepted", async () => {
  const [app, server] = await Promise.all([
    startFlowApp(),
    startSftpServer({ ciphers: ['chacha20-poly1305@openssh.com'] }),
  ])
  const auth = await anAuth(app, withKey(server))
  const checked = await app.call('POST', `${AUTHS}/${auth.id}/test`, {})
  const { ok, message } = checked.json as ConnectorAuthTest
  expect([ok, message]).toEqual([false, expect.stringContaining('no matching')])
})
