/** A separate, real MariaDB, if one is installed, because no package contains one. */
import { execFile, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createConnection } from 'mysql2/promise'
import { freePort } from './free-port.ts'
import type { SelfSigned } from './self-signed.ts'

const SERVER = ['/usr/sbin/mariadbd', '/usr/local/bin/mariadbd'].find((path) => existsSync(path))
const INSTALL = ['/usr/bin/mariadb-install-db', '/usr/local/bin/mariadb-install-db'].find((path) =>
  existsSync(path),
)
export const hasMariadb = SERVER !== undefined && INSTALL !== undefined

export interface TestMariadb {
  /** `mysql://127.0.0.1:…/shop`, without the login. */
  readonly url: string
  readonly port: number
  readonly user: string
  readonly password: string
  /** Runs a statement as the library does on its own. */
  query(text: string): Promise<Record<string, unknown>[]>
  stop(): Promise<void>
}

interface MariadbOptions {
  readonly tls?: SelfSigned
  /** The authority whose certificates clients can have. */
  readonly clientAuthority?: string
}

/** Takes a few seconds to start, so start it once per test file. */
export async function startMariadb({ tls, clientAuthority }: MariadbOptions = {}): Promise<TestMariadb> {
  if (SERVER === undefined || INSTALL === undefined) throw new Error('MariaDB is not installed')
  const dir = mkdtempSync(join(tmpdir(), 'millrace-mariadb-'))
  const port = await freePort()
  const asRoot = process.getuid?.() === 0 ? ['--user=root'] : []
  const data = join(dir, 'data')
  // Several servers at once would take each other's temporary tables.
  const env = { ...process.env, TMPDIR: dir }
  const install = ['--auth-root-authentication-method=normal', '--skip-test-db', ...asRoot]
  await promisify(execFile)(INSTALL, ['--no-defaults', `--datadir=${data}`, ...install], { env })
  const init = join(dir, 'init.sql')
  writeFileSync(
    init,
    // One statement per line.
    `CREATE DATABASE shop;\nCREATE USER ann@'%' IDENTIFIED BY '${PASSWORD}';\nGRANT ALL ON *.* TO ann@'%';\n`,
  )
  for (const [name, text] of Object.entries({ ...tls, authority: clientAuthority ?? '' }))
    writeFileSync(join(dir, name), text)
  const server = spawn(
    SERVER,
    [
      '--no-defaults',
      `--datadir=${data}`,
      `--port=${port}`,
      '--bind-address=127.0.0.1',
      `--socket=${join(dir, 'socket')}`,
      `--init-file=${init}`,
      `--pid-file=${join(dir, 'pid')}`,
      '--skip-name-resolve',
      '--innodb-flush-log-at-trx-commit=0',
      ...(clientAuthority === undefined ? [] : [`--ssl-ca=${join(dir, 'authority')}`]),
      ...(tls === undefined ? [] : [`--ssl-cert=${join(dir, 'cert')}`, `--ssl-key=${join(dir, 'key')}`]),
      ...asRoot,
    ],
    { stdio: 'ignore', env },
  )
  const exited = new Promise<void>((resolve) => server.once('exit', () => resolve()))
  const connect = () =>
    createConnection({
      host: '127.0.0.1',
      port,
      user: 'ann',
      password: PASSWORD,
      database: 'shop',
      disableEval: true,
    })
  for (let tries = 0; ; tries++) {
    if (server.exitCode !== null || tries > 1_200) {
      server.kill('SIGKILL')
      throw new Error(`MariaDB didn't start (${server.exitCode})`)
    }
    const isUp = await connect().then(
      (one) => one.end().then(() => true),
      () => false,
    )
    if (isUp) break
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  const client = await connect()
  return {
    url: `mysql://127.0.0.1:${port}/shop`,
    port,
    user: 'ann',
    password: PASSWORD,
    async query(text) {
      const [rows] = await client.query(text)
      return Array.isArray(rows) ? (rows as Record<string, unknown>[]) : []
    },
    async stop() {
      client.destroy()
      server.kill()
      await exited
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

const PASSWORD = 'right horse battery'
