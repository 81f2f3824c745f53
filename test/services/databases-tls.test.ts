/** Databases whose certificates come from their own authority, tested with real servers over TLS. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { englishOf } from '../../src/shared/contract/base/message.ts'
import type { OpenAuth } from '../../src/main/engine/connector/open-auth.ts'
import { dictionaryOf } from '../../packages/jinja/src/data/value.ts'
import { tryDatabase } from '../../src/main/services/reaching/databases/try-database.ts'
import { hasMariadb, startMariadb, type TestMariadb } from '../helpers/mariadb.ts'
import { startPostgres, type TestPostgres } from '../helpers/postgres.ts'
import { type SelfSigned, selfSigned } from '../helpers/self-signed.ts'

type Server = TestPostgres | TestMariadb

/** Created once per file: the server's certificate, a stranger's, one for another address, and a client's. */
const [own, strange, elsewhere, client] = [
  selfSigned('127.0.0.1'),
  selfSigned('127.0.0.1'),
  selfSigned('192.0.2.1'),
  selfSigned('192.0.2.2'),
] as const

const outcome = (server: Server, mode: string, input: Readonly<Record<string, string>> = {}) =>
  tryDatabase(
    {
      id: 'a',
      connector_id: 'c',
      auth_type: 'username_password',
      auth_token: '',
      auth_details: '',
      username: server.user,
      password: server.password,
      api_endpoint: `${server.url}${mode}`,
      user_input: dictionaryOf(Object.entries(input)),
    } as OpenAuth,
    { timeoutMs: 30_000, signal: new AbortController().signal },
  ).then(englishOf, (error: unknown) => (error as Error).message)

const works = expect.stringMatching(/^Signed in .* with TLS;/) as string
const untrusted = expect.stringMatching(/^The certificate of .* isn't trusted: /) as string

/** Tries what `verify-full` and `verify-ca` promise. */
async function modesOf(start: (tls: SelfSigned) => Promise<Server>) {
  const server = await start(own)
  const moved = await start(elsewhere)
  try {
    const ca_certificate = own.cert
    return {
      unknown: await outcome(server, '?sslmode=verify-full'),
      full: await outcome(server, '?sslmode=verify-full', { ca_certificate }),
      byDefault: await outcome(server, '', { ca_certificate }),
      bundle: await outcome(server, '', { ca_certificate: `${client.cert}${own.cert}` }),
      stranger: await outcome(server, '?sslmode=verify-full', { ca_certificate: strange.cert }),
      requireStranger: await outcome(server, '?sslmode=require', { ca_certificate: strange.cert }),
      require: await outcome(moved, '?sslmode=require'),
      otherHost: await outcome(moved, '?sslmode=verify-full', { ca_certificate: elsewhere.cert }),
      anyHost: await outcome(moved, '?sslmode=verify-ca', { ca_certificate: elsewhere.cert }),
      otherAuthority: await outcome(moved, '?sslmode=verify-ca', { ca_certificate }),
      noPem: await outcome(server, '', { ca_certificate: 'own.pem' }),
      keyAlone: await outcome(server, '', { private_key: client.key }),
      wrongKey: await outcome(server, '', { client_certificate: client.cert, private_key: own.key }),
    }
  } finally {
    await Promise.all([server.stop(), moved.stop()])
  }
}

const MODES = {
  unknown: untrusted,
  full: works,
  byDefault: works,
  bundle: works,
  stranger: untrusted,
  requireStranger: untrusted,
  require: works,
  otherHost: untrusted,
  anyHost: works,
  otherAuthority: untrusted,
  noPem: expect.stringContaining(
    "The CA certificate of the connector auth isn't a PEM certificate",
  ) as string,
  keyAlone: expect.stringContaining('a private key without its client certificate') as string,
  wrongKey: expect.stringContaining("The private key of the connector auth can't be used") as string,
}

it('PostgreSQL is checked with the authority of the auth, as sslmode says', async () => {
  expect(await modesOf((tls) => startPostgres({ tls }))).toEqual(MODES)
})

it.skipIf(!hasMariadb)('MariaDB is checked with the authority of the auth, as sslmode says', async () => {
  expect(await modesOf((tls) => startMariadb({ tls }))).toEqual(MODES)
})

describe('a server that asks for a client certificate', () => {
  let server: TestPostgres
  beforeAll(async () => {
    server = await startPostgres({ tls: own, clientAuthority: client.cert })
  })
  afterAll(() => server.stop())

  it('gets it, and another or none is refused', async () => {
    const ca_certificate = own.cert
    const pair = ({ cert, key }: SelfSigned) => ({
      ca_certificate,
      client_certificate: cert,
      private_key: key,
    })
    expect({
      right: await outcome(server, '', pair(client)),
      bound: await outcome(server, '?channel_binding=require', pair(client)),
      none: await outcome(server, '', { ca_certificate }),
      other: await outcome(server, '', pair(strange)),
    }).toEqual({
      right: works,
      bound: works,
      none: expect.stringContaining('client certificate'),
      other: expect.stringMatching(/^(?:Can't use the database server|The certificate)/),
    })
  })
})

it.skipIf(!hasMariadb)('a client certificate is asked for by MariaDB, too', async () => {
  const server = await startMariadb({ tls: own, clientAuthority: client.cert })
  try {
    const pair = { ca_certificate: own.cert, client_certificate: client.cert, private_key: client.key }
    await server.query("CREATE USER bob@'%' IDENTIFIED BY 'x' REQUIRE X509")
    const bob = { ...server, user: 'bob', password: 'x' }
    expect({
      right: await outcome(
        { ...bob, url: server.url.replace('/shop', '/') },
        '?ssl-mode=VERIFY_IDENTITY',
        pair,
      ),
      none: await outcome(bob, '', { ca_certificate: own.cert }),
    }).toEqual({ right: works, none: expect.stringContaining('rejected the login') })
  } finally {
    await server.stop()
  }
})

it('a server without TLS gets no password, and what to do is said', async () => {
  const server = await startPostgres({ tls: null })
  try {
    expect(await outcome(server, '?sslmode=verify-full')).toContain(
      "it doesn't offer TLS; add ?sslmode=disable",
    )
  } finally {
    await server.stop()
  }
})
