/** Credentials of databases, mail servers and SFTP are tested by logging in there. */
import { createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { ConnectorAuth, ConnectorAuthTest } from '../../../src/shared/contract/connector-auths.ts'
import {
  IMAP_CONNECTOR_ID,
  SMTP_CONNECTOR_ID,
  SQL_CONNECTOR_ID,
} from '../../../src/shared/contract/connectors.ts'
import { freePort } from '../../helpers/free-port.ts'
import { startImapServer } from '../../helpers/imap-server.ts'
import { startMailServer } from '../../helpers/mail-server.ts'
import { hasMariadb, startMariadb, type TestMariadb } from '../../helpers/mariadb.ts'
import { startPostgres, type TestPostgres } from '../../helpers/postgres.ts'
import { selfSigned } from '../../helpers/self-signed.ts'
import { hostKeyText, startSftpServer } from '../../helpers/sftp-server.ts'
import { startTestApp, type TestApp } from '../../helpers/test-app.ts'

const SFTP_CONNECTOR_ID = '5f0c1a52-6a8e-4a0f-9d55-0d6c5d3f7b10'
const AUTHS = '/v1/connector-auths'

/** Returns the message of each test, of which the last uses the stored credentials, and what is recorded about it. */
async function createTester(connector_id: string, good: object) {
  const app = await startTestApp()
  const body = { connector_id, name: 'Main', auth_type: 'username_password', ...good }
  const { json } = await app.call('POST', AUTHS, body)
  const auth = json as ConnectorAuth
  const path = `${AUTHS}/${auth.id}`
  const seen: string[] = []
  async function test(changes?: object): Promise<string> {
    const answer = await app.call('POST', `${path}/test`, changes && { changes })
    seen.push(answer.text)
    const { ok, status, message } = answer.json as ConnectorAuthTest
    expect(answer.status).toBe(200)
    expect(status).toBe(null)
    return `${ok ? 'ok' : 'failed'}: ${message}`
  }
  return { app, auth, path, seen, test, noted: () => notedOf(app, auth.id) }
}

async function notedOf(app: TestApp, id: string): Promise<unknown> {
  const uses = (await app.call('GET', `${AUTHS}/uses`)).json as { auth_id: string; last_test_ok: unknown }[]
  return uses.find(({ auth_id: authId }) => authId === id)?.last_test_ok
}

/** A server that accepts connections and sends nothing. */
async function startSilentServer(): Promise<number> {
  const server = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as { port: number }).port
}

const login = (server: TestPostgres | TestMariadb) => ({
  username: server.user,
  password: server.password,
  api_endpoint: server.url,
})

describe('PostgreSQL', () => {
  let server: TestPostgres
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.stop())

  test('stored and typed credentials are tested, and what is wrong is said', async () => {
    const tester = await createTester(SQL_CONNECTOR_ID, login(server))
    const { port } = new URL(server.url)
    const results = {
      stored: await tester.test(),
      tls: await tester.test({ api_endpoint: `${server.url}?sslmode=require` }),
      noted: await tester.noted(),
      password: await tester.test({ password: 'planted-wrong' }),
      database: await tester.test({ api_endpoint: server.url.replace(/postgres$/, 'nowhere') }),
      certificate: await tester.test({ api_endpoint: `${server.url}?sslmode=verify-full` }),
      refused: await tester.test({
        api_endpoint: `postgres://127.0.0.1:${await freePort()}/x`,
        password: 'x',
      }),
      name: await tester.test({ api_endpoint: 'postgres://db.invalid/x', password: 'x' }),
      protocol: await tester.test({
        api_endpoint: `postgres://127.0.0.1:${await startSilentServer()}/x`,
        password: 'x',
      }),
      url: await tester.test({ api_endpoint: '' }),
      notedThen: await tester.noted(),
    }
    expect(results).toEqual({
      stored: expect.stringMatching(
        new RegExp(
          `^ok: Signed in to the database "postgres" on 127.0.0.1:${port} as "ann", without TLS; the server is PostgreSQL \\d`,
        ),
      ),
      tls: expect.stringContaining('as "ann", with TLS'),
      noted: true,
      password: `failed: The database server 127.0.0.1:${port} rejected the login: password authentication failed for user "ann"; check the username and the password`,
      database: `failed: The database server 127.0.0.1:${port} rejected the login: database "nowhere" does not exist; check the database at the end of the URL, and that this user can use it`,
      certificate:
        "failed: The certificate of the database server 127.0.0.1 isn't trusted: self-signed certificate; enter the certificate of its authority in the connector auth, or add ?sslmode=require to the URL to encrypt without checking it",
      refused: expect.stringMatching(
        /^failed: Can't use the database server 127.0.0.1:\d+: the connection was refused; check the port, and that the server is running/,
      ),
      name: "failed: The database server db.invalid wasn't found; check its name",
      protocol: expect.stringMatching(
        /^failed: Can't use .*: the server there isn't PostgreSQL; check the port/,
      ),
      url: 'failed: Invalid database URL; write it as postgres://host:5432/database or mysql://host:3306/database',
      notedThen: true,
    })
    // The stored credentials are unchanged, and only a test of them decides what is recorded.
    expect((await tester.app.call('GET', tester.path)).json).toEqual(tester.auth)
    await tester.app.call('PUT', tester.path, { password: 'planted-wrong' })
    await tester.test()
    expect(await tester.noted()).toBe(false)
    expect(tester.seen.join()).not.toMatch(/planted|battery/)
  })
})

describe.skipIf(!hasMariadb)('MariaDB', () => {
  let server: TestMariadb
  beforeAll(async () => {
    server = await startMariadb({ tls: selfSigned('127.0.0.1') })
  })
  afterAll(() => server.stop())

  test('stored and typed credentials are tested, and what is wrong is said', async () => {
    const tester = await createTester(SQL_CONNECTOR_ID, login(server))
    expect({
      stored: await tester.test(),
      password: await tester.test({ password: 'planted-wrong' }),
      database: await tester.test({ api_endpoint: server.url.replace(/shop$/, 'nowhere') }),
      without: await tester.test({ api_endpoint: server.url.replace(/shop$/, '') }),
      tls: await tester.test({ api_endpoint: `${server.url}?sslmode=require` }),
      certificate: await tester.test({ api_endpoint: `${server.url}?sslmode=verify-full` }),
      refused: await tester.test({ api_endpoint: `mysql://127.0.0.1:${await freePort()}/x`, password: 'x' }),
      name: await tester.test({ api_endpoint: 'mysql://db.invalid/x', password: 'x' }),
    }).toEqual({
      stored: expect.stringMatching(
        /^ok: Signed in to the database "shop" on 127.0.0.1:\d+ as "ann", without TLS; the server is .*MariaDB/,
      ),
      password: expect.stringMatching(
        /rejected the login: Access denied .*; check the username and the pass/,
      ),
      database: expect.stringMatching(
        /rejected the login: Unknown database 'nowhere'; check the database at/,
      ),
      without: expect.stringMatching(/^ok: Signed in without a database on 127.0.0.1/),
      tls: expect.stringMatching(/^ok: .* with TLS/),
      certificate: expect.stringMatching(
        /^failed: The certificate of the database server 127.0.0.1 isn't trusted: self-signed certificate; enter/,
      ),
      refused: expect.stringMatching(/^failed: Can't use the .*: the connection was refused; check the port/),
      name: "failed: The database server db.invalid wasn't found; check its name",
    })
    expect(tester.seen.join()).not.toMatch(/planted|battery/)
  })
})

test('credentials of a server for email are tested without sending one', async () => {
  const server = await startMailServer()
  const good = { username: 'ann', password: 'right', api_endpoint: server.url }
  const tester = await createTester(SMTP_CONNECTOR_ID, good)
  expect({
    stored: await tester.test(),
    noted: await tester.noted(),
    none: await tester.test({ auth_type: 'none', username: '' }),
    password: await tester.test({ password: 'planted-wrong' }),
    refused: await tester.test({ api_endpoint: `smtp://127.0.0.1:${await freePort()}`, password: 'x' }),
    name: await tester.test({ api_endpoint: 'smtp://mail.invalid', password: 'x' }),
    scheme: await tester.test({ api_endpoint: server.url.replace('smtp:', 'smtps:'), password: 'right' }),
    protocol: await tester.test({
      api_endpoint: `smtp://127.0.0.1:${await startSilentServer()}`,
      password: 'x',
    }),
    url: await tester.test({ api_endpoint: '' }),
    sent: server.received,
  }).toEqual({
    stored: expect.stringMatching(/^ok: Signed in to the mail server 127.0.0.1:\d+ as "ann"$/),
    noted: true,
    none: expect.stringMatching(/^ok: Connected to the mail server 127.0.0.1:\d+ without a login$/),
    password: expect.stringMatching(
      /^failed: The mail server 127.0.0.1 rejected the login: .*wrong password; check the username and the pass/,
    ),
    refused: expect.stringMatching(
      /^failed: Can't use the mail server .*: the connection was refused; check the port/,
    ),
    name: "failed: The mail server mail.invalid wasn't found; check its name",
    scheme: expect.stringMatching(/^failed: Can't use the mail server .*; check the port and the scheme/),
    protocol: expect.stringMatching(/^failed: Can't use the mail server 127.0.0.1:\d+: /),
    url: expect.stringMatching(/^failed: Invalid mail server URL; write it as smtp:\/\//),
    sent: [],
  })
  expect(tester.seen.join()).not.toContain('planted')
})

test('credentials of a mailbox are tested by opening the inbox', async () => {
  const server = await startImapServer()
  const secure = await startImapServer({ tls: { ...selfSigned('127.0.0.1'), begins: 'at once' } })
  onTestFinished(async () => void (await Promise.all([server.close(), secure.close()])))
  const good = { username: 'ann', password: 'right', api_endpoint: server.url }
  const tester = await createTester(IMAP_CONNECTOR_ID, good)
  expect({
    stored: await tester.test(),
    noted: await tester.noted(),
    password: await tester.test({ password: 'planted-wrong' }),
    refused: await tester.test({ api_endpoint: `imap://127.0.0.1:${await freePort()}`, password: 'x' }),
    certificate: await tester.test({ api_endpoint: secure.url, password: 'right' }),
    scheme: await tester.test({ api_endpoint: server.url.replace('imap:', 'imaps:'), password: 'right' }),
    url: await tester.test({ api_endpoint: '' }),
  }).toEqual({
    stored: expect.stringMatching(
      /^ok: Signed in to the mail server 127.0.0.1:\d+ as "ann"; the inbox has 0 emails$/,
    ),
    noted: true,
    password: expect.stringMatching(
      /^failed: The mail server 127.0.0.1 rejected the login: .*; check the username/,
    ),
    refused: expect.stringMatching(/^failed: Can't use the mail server .*: the connection was refused/),
    certificate: expect.stringMatching(/^failed: The certificate of the mail server 127.0.0.1 isn't trusted/),
    scheme: expect.stringMatching(/^failed: Can't use the mail server .*; check the port and the scheme/),
    url: expect.stringMatching(/^failed: Invalid mailbox URL; write it as imaps:\/\//),
  })
  expect(tester.seen.join()).not.toContain('planted')
})

test('credentials of SFTP are tested where they are typed for, and no key of a server is stored by that', async () => {
  const [server, other] = await Promise.all([startSftpServer(), startSftpServer({ hostKey: hostKeyText() })])
  const good = { username: 'ann', password: server.password, api_endpoint: `sftp://127.0.0.1:${server.port}` }
  const tester = await createTester(SFTP_CONNECTOR_ID, good)
  const elsewhere = { api_endpoint: `sftp://127.0.0.1:${other.port}` }
  const typed = await tester.test({ ...elsewhere, password: other.password })
  const hostKey = async () =>
    ((await tester.app.call('GET', tester.path)).json as ConnectorAuth).user_input['host_key']
  const before = await hostKey()
  const kept = await tester.app.call('POST', `${tester.path}/test`, { changes: elsewhere })
  expect({
    typed,
    before,
    kept: kept.status,
    stored: await tester.test(),
    after: await hostKey(),
    noted: await tester.noted(),
    moved: await tester.test({ ...elsewhere, password: other.password }),
    password: await tester.test({ password: 'planted-wrong' }),
    refused: await tester.test({ api_endpoint: `sftp://127.0.0.1:${await freePort()}`, password: 'x' }),
    name: await tester.test({ api_endpoint: 'sftp://files.invalid', password: 'x' }),
  }).toEqual({
    typed: 'ok: "SFTP" accepted the login and the call of "list_files"',
    before: undefined,
    kept: 400,
    stored: 'ok: "SFTP" accepted the login and the call of "list_files"',
    after: expect.stringMatching(/^SHA256:/),
    noted: true,
    moved: expect.stringMatching(
      /^failed: The host key of 127.0.0.1:\d+ has changed: it was .* clear the host key/,
    ),
    password: expect.stringMatching(
      /^failed: 127.0.0.1:\d+ rejected the login; check the username and the password or key$/,
    ),
    refused: expect.stringMatching(/^failed: can't reach 127.0.0.1:\d+ \(ECONNREFUSED\)/),
    name: 'failed: files.invalid: host not found; check the name and your network',
  })
  expect(tester.seen.join()).not.toContain('planted')
})

test('a URL of SFTP, of a mailbox or of a database works with any connector', async () => {
  const [sftp, imap] = await Promise.all([startSftpServer(), startImapServer()])
  onTestFinished(() => imap.close())
  const app = await startTestApp()
  const connector = { name: 'Shop', base_domain: 'https://api.example.com', test_action: 'me' }
  const { id } = (await app.call('POST', '/v1/connectors', connector)).json as { id: string }
  const tested = async (api_endpoint: string) => {
    const body = { connector_id: id, name: 'Main', auth_type: 'username_password', api_endpoint }
    const auth = (await app.call('POST', AUTHS, body)).json as ConnectorAuth
    return (await app.call('POST', `${AUTHS}/${auth.id}/test`)).json
  }
  expect([
    await tested(`sftp://ann:${sftp.password}@127.0.0.1:${sftp.port}`),
    await tested(imap.url.replace('//', '//ann:right@')),
  ]).toMatchObject([
    { ok: true, message: '"Shop" accepted the login and the call of "list"' },
    { ok: true, message: expect.stringContaining('Signed in to the mail server') as string },
  ])
})
