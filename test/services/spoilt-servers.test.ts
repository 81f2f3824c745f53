/**
 * Libraries read what servers send in callbacks that nobody waits for. Whatever servers send, only the call fails; the
 * same holds for programs, threads and watched folders, while they are in use and afterwards.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { EventEmitter, once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { gzipSync } from 'node:zlib'
import { FSWatcher } from 'chokidar'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { OpenAuth } from '../../src/main/engine/connector/open-auth.ts'
import { parseJson } from '../../packages/jinja/src/data/json.ts'
import { readOperation } from '../../src/main/engine/sftp/operation.ts'
import { runSftp } from '../../src/main/engine/sftp/run-operation.ts'
import { sendMail } from '../../src/main/services/reaching/sending/mail.ts'
import { createOutgoing } from '../../src/main/services/reaching/sending/outgoing.ts'
import { runMysql } from '../../src/main/services/reaching/databases/mysql.ts'
import { runPostgres } from '../../src/main/services/reaching/databases/postgres.ts'
import type { DatabaseServer } from '../../src/main/services/reaching/databases/server-address.ts'
import { tlsOf } from '../../src/main/services/reaching/databases/server-tls.ts'
import { createSqliteFiles } from '../../src/main/services/reaching/databases/sqlite.ts'
import { createDocuments } from '../../src/main/services/reaching/documents/documents.ts'
import { createThreads } from '../../src/main/services/kit/threads.ts'
import { useMailbox } from '../../src/main/services/reaching/mailboxes/open-mailbox.ts'
import { parseMail } from '../../src/main/services/reaching/mailboxes/parse-mail.ts'
import { runProcess } from '../../src/main/services/reaching/programs/run-process.ts'
import { createScripts } from '../../src/main/services/reaching/step-ports/run-scripts.ts'
import { createFolderKind } from '../../src/main/services/running/triggers/folder-kind.ts'
import { createCloudflared } from '../../src/main/services/serving/tunnel/cloudflared.ts'
import { aMail, startImapServer } from '../helpers/imap-server.ts'
import { startMailServer } from '../helpers/mail-server.ts'
import { startMysqlServer } from '../helpers/mysql-server.ts'
import { startPostgres, type TestPostgres } from '../helpers/postgres.ts'
import { startSftpServer } from '../helpers/sftp-server.ts'
import { randomFrom } from '../helpers/random.ts'
import { type Spoil, startSpoilingProxy } from '../helpers/spoiling-proxy.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'

const KINDS: readonly Spoil[] = ['end', 'flip', 'insert', 'repeat', 'noise']
const uncaught: unknown[] = []
const onUncaught = (error: unknown) => uncaught.push(error)
const outgoing = createOutgoing({
  clock: { now: Date.now, monotonic: () => performance.now() },
  random: Math.random,
  userAgent: 'test',
  ownPorts: () => new Set(),
})
let postgres: TestPostgres

beforeAll(async () => {
  postgres = await startPostgres()
  process.on('uncaughtException', onUncaught)
  process.on('unhandledRejection', onUncaught)
})
afterAll(async () => {
  process.off('uncaughtException', onUncaught)
  process.off('unhandledRejection', onUncaught)
  await Promise.all([postgres.stop(), outgoing.close()])
})

/** Corrupts each kind of `offsets` in turn, and returns how often the call failed. */
async function spoilAll(
  port: number,
  last: number,
  call: (port: number, signal: AbortSignal) => Promise<unknown>,
) {
  const proxy = await startSpoilingProxy(port)
  const next = randomFrom(7)
  const random = () => next(1_000_000) / 1_000_000
  const tally = { calls: 0, failed: 0, uncaught: [] as unknown[] }
  try {
    await call(proxy.port, AbortSignal.timeout(20_000))
    for (let round = 0; round < ROUNDS; round++) {
      const kind = KINDS[round % KINDS.length] ?? 'end'
      proxy.spoil = { kind, from: Math.floor(random() * last), random }
      tally.calls++
      await call(proxy.port, AbortSignal.timeout(400)).catch(() => tally.failed++)
    }
    proxy.spoil = null
    await call(proxy.port, AbortSignal.timeout(20_000))
    await new Promise((resolve) => setImmediate(resolve))
    tally.uncaught.push(...uncaught.splice(0))
    return tally
  } finally {
    await proxy.close()
  }
}

const ROUNDS = 25

const serverAt = (
  kind: 'postgres' | 'mysql',
  port: number,
  tls: DatabaseServer['tls'] = null,
): DatabaseServer => ({
  kind,
  name: '127.0.0.1',
  address: '127.0.0.1',
  port,
  database: 'postgres',
  user: postgres.user,
  password: postgres.password,
  tls,
})

const statements = [
  { statement: 'SELECT i, $1::text AS t FROM generate_series(1, 2000) i', parameters: ['x'] },
  { statement: 'SELECT $1::int[] AS list', parameters: [[1, 2]] },
]

describe('a server whose words are spoilt', () => {
  it.each([null, 'require' as const])(
    'fails a statement on PostgreSQL (TLS: %j)',
    async (mode) => {
      const tls = mode && tlsOf(mode, '127.0.0.1', true, authAt(''))
      const {
        calls,
        failed,
        uncaught: errors,
      } = await spoilAll(Number(new URL(postgres.url).port), 3_000, (port, signal) =>
        runPostgres(serverAt('postgres', port, tls), {
          statements,
          inTransaction: true,
          timeoutMs: 1_000_000,
          signal,
          takeRows: async () => {},
        }),
      )
      expect({ calls, hasFailed: failed > 0, errors }).toEqual({ calls: ROUNDS, hasFailed: true, errors: [] })
    },
    120_000,
  )

  it('fails a statement on MySQL', async () => {
    const server = await startMysqlServer((_, session) => session.writeOk())
    const {
      calls,
      failed,
      uncaught: errors,
    } = await spoilAll(Number(new URL(server.url).port), 250, (port, signal) =>
      runMysql(serverAt('mysql', port), {
        statements: [],
        inTransaction: true,
        timeoutMs: 1_000_000,
        signal,
        takeRows: async () => {},
      }),
    )
    await server.close()
    expect({ calls, hasFailed: failed > 0, errors }).toEqual({ calls: ROUNDS, hasFailed: true, errors: [] })
  }, 120_000)

  it('fails the reading of a mailbox', async () => {
    const server = await startImapServer()
    server.deliver(aMail({ text: 'x'.repeat(2_000) }))
    const {
      calls,
      failed,
      uncaught: errors,
    } = await spoilAll(server.port, 3_500, (port, signal) =>
      useMailbox(
        { auth: authAt(`imap://127.0.0.1:${port}`), mailbox: 'INBOX', readOnly: true },
        signal,
        async ({ client }) => client.fetchOne('*', { uid: true, envelope: true, source: true }),
      ),
    )
    await server.close()
    expect({ calls, hasFailed: failed > 0, errors }).toEqual({ calls: ROUNDS, hasFailed: true, errors: [] })
  }, 120_000)

  it('fails the sending of an email', async () => {
    const server = await startMailServer()
    const {
      calls,
      failed,
      uncaught: errors,
    } = await spoilAll(Number(new URL(server.url).port), 300, (port, signal) =>
      sendMail(
        {
          auth: authAt(`smtp://127.0.0.1:${port}`),
          from: 'a@example.test',
          to: ['b@example.test'],
          cc: [],
          bcc: [],
          replyTo: null,
          subject: 'Hello',
          text: 'Hi',
          html: '',
          messageId: '<1@example.test>',
          attachments: [],
        },
        signal,
      ),
    )
    expect({ calls, hasFailed: failed > 0, errors }).toEqual({ calls: ROUNDS, hasFailed: true, errors: [] })
  }, 120_000)

  it('fails the listing of an SFTP folder', async () => {
    const server = await startSftpServer()
    const {
      calls,
      failed,
      uncaught: errors,
    } = await spoilAll(server.port, 2_500, (port, signal) =>
      runSftp(
        {
          address: {
            host: '127.0.0.1',
            port,
            username: server.username,
            password: server.password,
            privateKey: '',
            passphrase: '',
            root: '',
          },
          operation: readOperation(parseJson('{"operation": "list", "path": "/"}')),
          hostKey: '',
          pin: async () => {},
          signal,
        },
        { openSocket: outgoing.openSocket, readFile: () => null, keepFile: async () => null },
      ),
    )
    expect({ calls, hasFailed: failed > 0, errors }).toEqual({ calls: ROUNDS, hasFailed: true, errors: [] })
  }, 120_000)
})

describe('an HTTP server', () => {
  const get = (url: string, signal?: AbortSignal) =>
    outgoing.sendRequest({ method: 'GET', url, headers: [], body: null }, signal && { signal })

  it('whose words are spoilt fails the call', async () => {
    const body = gzipSync(JSON.stringify(Array.from({ length: 5_000 }, (_, at) => ({ at }))))
    const server = createHttpServer((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip', connection: 'close' })
      response.write(body.subarray(0, 4_000))
      response.end(body.subarray(4_000))
    })
    const {
      calls,
      failed,
      uncaught: errors,
    } = await spoilAll(await listen(server), 300, (port, signal) => get(`http://127.0.0.1:${port}/`, signal))
    expect({ calls, hasFailed: failed > 0, errors }).toEqual({ calls: ROUNDS, hasFailed: true, errors: [] })
    server.closeAllConnections()
    server.close()
  }, 120_000)

  it.each([
    [
      'sends more after its response',
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n\r\n',
    ],
    [
      'switches protocols unasked',
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n',
    ],
    ['sends no HTTP', '\0\x16\x03'],
    ['says nothing but 100', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ])('that %s and resets the connection fails at most that call', async (_, words) => {
    const sockets: Socket[] = []
    const server = createServer((socket) => {
      sockets.push(socket)
      socket.on('error', () => {})
      socket.once('data', () => socket.write(words, () => setImmediate(() => socket.resetAndDestroy())))
    })
    const url = `http://127.0.0.1:${await listen(server)}/`
    await get(url, AbortSignal.timeout(5_000)).catch(() => {})
    await Promise.all(sockets.map(async (socket) => socket.closed || (await once(socket, 'close'))))
    await nextTurn()
    expect(uncaught.splice(0)).toEqual([])
    server.close()
  })

  it('whose connection a library throws over loses that connection only', async () => {
    const server = createHttpServer((_, response) => response.end('ok'))
    const url = `http://127.0.0.1:${await listen(server)}/`
    const onSocket = (message: unknown) => {
      const { socket } = message as { socket: Socket }
      socket.once('readable', () => {
        throw new Error('unreadable')
      })
    }
    subscribe('net.client.socket', onSocket)
    const call = get(url)
    await expect(call.finally(() => unsubscribe('net.client.socket', onSocket))).rejects.toThrow('unreadable')
    expect(await get(url)).toMatchObject({ status: 200 })
    expect(uncaught.splice(0)).toEqual([])
    server.closeAllConnections()
    server.close()
  })
})

describe('an error that nobody waits for', () => {
  const limits = { timeoutMs: 20_000, signal: new AbortController().signal }
  const aProgram = (script: string, input = '') =>
    runProcess({
      path: process.execPath,
      arguments: ['-e', script],
      folder: temporaryFolder(),
      environment: {},
      input,
      mostBytes: 1_000,
      graceMs: 100,
      ...limits,
    })

  it.each<[string, () => Promise<unknown>]>([
    ['a program', () => aProgram('process.stdin.resume()')],
    ['a program that closes its input', () => aProgram('process.stdin.destroy()', 'x'.repeat(10_000_000))],
    [
      'a tunnel',
      async () => {
        const folder = temporaryFolder()
        writeFileSync(
          join(folder, 'cloudflared'),
          '#!/bin/sh\necho https://a.trycloudflare.com\nexec sleep 60\n',
          {
            mode: 0o755,
          },
        )
        const stop = new AbortController()
        const environment = { ...process.env, PATH: `${folder}:${process.env['PATH']}` }
        await createCloudflared({ token: undefined, url: null, environment }).run({
          localPort: 1,
          signal: stop.signal,
          onUrl: () => setImmediate(() => stop.abort()),
        })
      },
    ],
    [
      'the process of a SQLite file',
      async () => {
        const files = createSqliteFiles()
        const statements = [{ statement: 'CREATE TABLE t (a)', parameters: [] }]
        const file = { path: join(temporaryFolder(), 'a.db'), name: 'a.db', create: true }
        try {
          await files.run({ ...file, statements, inTransaction: false, takeRows: async () => {}, ...limits })
        } finally {
          await files.close()
        }
      },
    ],
    [
      'the thread of a document',
      async () => {
        const documents = createDocuments()
        try {
          await documents.convert('<p>a</p>', 'markdown', limits.signal)
        } finally {
          await documents.close()
        }
      },
    ],
    [
      'the thread of a script',
      async () => {
        const scripts = createScripts()
        try {
          await scripts.run({ source: 'return 1', runtime: 'javascript' }, {} as never, limits.signal)
        } finally {
          await scripts.close()
        }
      },
    ],
    [
      'the thread of an email',
      async () => {
        // This ends a thread that an earlier test left running.
        await parseMail(Buffer.from(`Subject: a\r\n\r\n${'b'.repeat(1_100_000)}`))
        await parseMail(Buffer.from('Subject: a\r\n\r\nb'))
      },
    ],
    [
      'a connection',
      async () => {
        const server = createServer((socket) => socket.on('error', () => {}))
        await outgoing.openSocket('127.0.0.1', await listen(server), { timeoutMs: 10_000 })
        server.close()
      },
    ],
    [
      'a call',
      async () => {
        const server = createHttpServer((_, response) => response.end('ok'))
        const url = `http://127.0.0.1:${await listen(server)}/`
        await outgoing.sendRequest({ method: 'GET', url, headers: [], body: null })
        server.close()
      },
    ],
  ])(
    'of %s ends nothing else',
    async (_, use) => {
      const opened: EventEmitter[] = []
      const escaped: unknown[] = []
      /** It runs twice, because a listener may already be there after the first time. */
      const failAll = () => {
        for (const one of [...opened, ...opened].filter(isThere)) {
          try {
            one.emit('error', new Error('nobody waits'))
          } catch {
            escaped.push(one.constructor.name)
          }
        }
      }
      const isThere = (one: EventEmitter) =>
        !('closed' in one && one.closed) && !(one instanceof Worker && one.threadId < 0)
      const keep = (one: unknown) => {
        const { stdio = [] } = one as { readonly stdio?: readonly unknown[] }
        opened.push(...[one, ...stdio].filter((each) => each instanceof EventEmitter))
      }
      const onChild = (message: unknown) => keep((message as { process: unknown }).process)
      const onWorker = (message: unknown) => keep((message as { worker: unknown }).worker)
      const onSocket = (message: unknown) => keep((message as { socket: unknown }).socket)
      subscribe('child_process', onChild)
      subscribe('worker_threads', onWorker)
      subscribe('net.client.socket', onSocket)
      try {
        await use()
        failAll()
        const second = use().catch(() => {})
        await nextTurn()
        await nextTurn()
        failAll()
        await second
        await nextTurn()
      } finally {
        unsubscribe('child_process', onChild)
        unsubscribe('worker_threads', onWorker)
        unsubscribe('net.client.socket', onSocket)
      }
      expect({ hasOpened: opened.length > 0, escaped, uncaught: uncaught.splice(0) }).toEqual({
        hasOpened: true,
        escaped: [],
        uncaught: [],
      })
    },
    60_000,
  )

  it('of a watched folder is logged, whatever listens to it', async () => {
    const watchers: FSWatcher[] = []
    const add = vi.spyOn(FSWatcher.prototype, 'add').mockImplementation(function (this: FSWatcher) {
      watchers.push(this)
      return this
    })
    const warnings: unknown[] = []
    const kind = createFolderKind({
      folders: { list: async () => [], admitFolder: async () => temporaryFolder() },
      clock: { now: Date.now },
      log: { warn: (fields: unknown) => warnings.push(fields) },
    })
    const watch = kind.watch?.('f', { path: 'inbox' }, {
      onSign: () => {
        throw new Error('sign')
      },
    } as never)
    await vi.waitFor(() => expect(watchers).toHaveLength(1))
    watchers[0]?.emit('error', new Error('nobody waits'))
    watchers[0]?.emit('all', 'add', 'a')
    watch?.close()
    add.mockRestore()
    expect(warnings).toMatchObject([{ err: { message: 'nobody waits' } }, { err: { message: 'sign' } }])
    expect(uncaught.splice(0)).toEqual([])
  })

  it('of a thread that ends between two uses costs neither', async () => {
    const scripts = createThreads(
      () =>
        new Worker(`require('node:worker_threads').parentPort.once('message', () => process.exit(1))`, {
          eval: true,
        }),
      1,
    )
    await scripts.lend(async (worker) => {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      worker.postMessage('end')
      await once(worker, 'exit')
      return { result: worker.threadId, isSpent: false }
    })
    const alive = await scripts.lend(async (worker) => ({ result: worker.threadId > 0, isSpent: false }))
    await scripts.close()
    expect(alive).toBe(true)
  })
})

async function listen(server: Pick<Server, 'listen' | 'address'>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

it('a library that throws while it reads a socket ends that connection only', async () => {
  const server = createServer((socket) => socket.write('hello'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const socket = await outgoing.openSocket('127.0.0.1', port, { timeoutMs: 10_000 })
  const ended = once(socket, 'error')
  socket.on('data', () => {
    throw new Error('unreadable')
  })
  expect(await ended).toEqual([new Error('unreadable')])
  expect(uncaught.splice(0)).toEqual([])
  server.close()
})

describe('a database server that goes away', () => {
  it('fails a statement on MySQL at once, with the reason', async () => {
    const server = await startMysqlServer((_, session) => session.stream.destroy())
    const call = runMysql(serverAt('mysql', Number(new URL(server.url).port)), {
      statements: [{ statement: 'SELECT 1', parameters: [] }],
      inTransaction: false,
      timeoutMs: 1_000_000,
      signal: new AbortController().signal,
      takeRows: async () => {},
    })
    await expect(call).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('Connection lost') as string,
    })
    await server.close()
  })
})

const authAt = (endpoint: string): OpenAuth =>
  ({
    id: 'a',
    connector_id: 'c',
    auth_type: 'username_password',
    auth_token: '',
    auth_details: '',
    username: 'ann',
    password: 'right',
    api_endpoint: endpoint,
    user_input: {},
  }) as unknown as OpenAuth
