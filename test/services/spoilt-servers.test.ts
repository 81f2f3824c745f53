/** Libraries read what servers send in callbacks that nobody waits for. Whatever that is, only the call fails. */
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OpenAuth } from '../../src/main/engine/connector/open-auth.ts'
import { parseJson } from '../../src/main/engine/data/json.ts'
import { readOperation } from '../../src/main/engine/sftp/operation.ts'
import { runSftp } from '../../src/main/engine/sftp/run-operation.ts'
import { sendMail } from '../../src/main/services/calls/mail.ts'
import { createOutgoing } from '../../src/main/services/calls/outgoing.ts'
import { runMysql } from '../../src/main/services/databases/mysql.ts'
import { runPostgres } from '../../src/main/services/databases/postgres.ts'
import type { DatabaseServer } from '../../src/main/services/databases/server-address.ts'
import { tlsOf } from '../../src/main/services/databases/server-tls.ts'
import { useMailbox } from '../../src/main/services/mailboxes/open-mailbox.ts'
import { aMail, startImapServer } from '../helpers/imap-server.ts'
import { startMailServer } from '../helpers/mail-server.ts'
import { startMysqlServer } from '../helpers/mysql-server.ts'
import { startPostgres, type TestPostgres } from '../helpers/postgres.ts'
import { startSftpServer } from '../helpers/sftp-server.ts'
import { randomFrom } from '../helpers/random.ts'
import { type Spoil, startSpoilingProxy } from '../helpers/spoiling-proxy.ts'

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

/** Spoils each kind of `offsets` in turn, and says how often the call failed. */
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
