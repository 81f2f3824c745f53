/**
 * Running Millrace as a service: the systemd units and the container, as far as they can be checked without systemd or
 * a container engine.
 */
import { spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { EXIT } from '../../src/main/host/machine/exit-codes.ts'
import { FLAGS } from '../../src/main/host/machine/process-flags.ts'
import { freePort } from '../helpers/free-port.ts'
import { createHome, listening } from '../helpers/program.ts'
import { runCommand } from '../helpers/run-command.ts'
import { snapshot } from '../helpers/temporary-folder.ts'
import { askToEnd, onLinux } from '../helpers/platform.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const UNITS = ['packaging/systemd/millrace.service', 'packaging/systemd/user/millrace.service']

const home = createHome()
afterAll(() => home.remove())

/** `LoadCredential=…` → `[['LoadCredential', '…']]`. */
const entriesOf = (unit: string) =>
  read(unit)
    .split('\n')
    .flatMap((line) => {
      const [, name = '', value = ''] = /^([A-Za-z]+)=(.*)$/.exec(line) ?? []
      return name === '' ? [] : [[name, value] as const]
    })

test('both units start an existing command, and restart it only if that can help', async () => {
  const help = await home.run(['serve', '--help'])
  const found = UNITS.map((unit) => {
    const entries = new Map(entriesOf(unit))
    const [env, program, command, ...options] = (entries.get('ExecStart') ?? '').split(' ')
    return {
      start: [env, program, command],
      unknown: options.filter((option) => !help.stdout.includes(option)),
      type: entries.get('Type'),
      restart: entries.get('Restart'),
      not: entries.get('RestartPreventExitStatus')?.split(' ').map(Number),
      seconds: Number(entries.get('TimeoutStopSec')) > 15,
    }
  })
  const one = {
    start: ['/usr/bin/env', 'millrace', 'serve'],
    unknown: [],
    type: 'exec',
    restart: 'on-failure',
    not: [EXIT.usage, EXIT.portTaken, EXIT.damagedData, EXIT.folderInUse, EXIT.notWritable],
    seconds: true,
  }
  expect(found).toEqual([one, one])
})

test('the system unit passes the key as a credential, and confines the service', () => {
  const entries = new Map(entriesOf(UNITS[0]!))
  const wanted = {
    LoadCredential: 'master-key:/etc/millrace/master.key',
    NoNewPrivileges: 'yes',
    ProtectSystem: 'strict',
    ReadWritePaths: '-/srv/millrace',
    ProtectHome: 'yes',
    PrivateTmp: 'yes',
    CapabilityBoundingSet: '',
    StateDirectory: 'millrace',
    User: 'millrace',
  }
  expect(Object.fromEntries(Object.keys(wanted).map((name) => [name, entries.get(name)]))).toEqual(wanted)
  expect(read('docs/how-to/run-as-a-service.md')).toContain(
    'sudo install -d -o millrace -g millrace -m 700 /srv/millrace\n',
  )
  // V8 compiles code at run time, so it must not be set.
  expect(entries.has('MemoryDenyWriteExecute')).toBe(false)
})

test.runIf(existsSync('/usr/bin/systemd-analyze'))('systemd finds no errors in the units', async () => {
  const results = await Promise.all(
    UNITS.map((unit) => runCommand('systemd-analyze', ['verify', join(ROOT, unit)], { env: home.env })),
  )
  expect(results.map(({ code, stderr }) => [code, stderr])).toEqual([
    [0, ''],
    [0, ''],
  ])
})

/** The instructions of a Containerfile with continued lines joined, without comments. */
const instructions = () =>
  read('packaging/container/Containerfile')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', value = ''] = /^\s*([A-Z]+)\s+(.*)$/.exec(line) ?? []
      return { name, value: value.replaceAll(/\s+/g, ' ').trim() }
    })
const valueOf = (name: string) => instructions().find((one) => one.name === name)?.value ?? ''

test('the container is built from the packed file on a pinned Node, and runs as an unprivileged user', () => {
  const { name, version, engines } = JSON.parse(read('package.json')) as {
    name: string
    version: string
    engines: { node: string }
  }
  const [source = ''] = valueOf('COPY').split(' ')
  const [, major, rest] =
    /^docker\.io\/library\/node:(\d+)\.(\d+\.\d+)-trixie-slim$/.exec(valueOf('FROM')) ?? []
  expect({
    copies: instructions().filter((one) => one.name === 'COPY' || one.name === 'ADD').length,
    source: new RegExp(`^${source.replaceAll('.', '\\.').replace('*', '.*')}$`).test(
      `${name}-${version}.tgz`,
    ),
    node: `>=${major}` === engines.node && rest !== undefined,
    user: valueOf('USER'),
    volume: [valueOf('VOLUME'), /MILLRACE_DATA_DIR=(\S+)/.exec(valueOf('ENV'))?.[1]],
    owner: valueOf('RUN').includes('chown node:node /data /files'),
    start: [...JSON.parse(valueOf('ENTRYPOINT')), ...JSON.parse(valueOf('CMD'))] as unknown,
    secrets: instructions().filter(({ value }) => /MASTER_KEY/.test(value)),
  }).toEqual({
    copies: 1,
    source: true,
    node: true,
    user: 'node',
    volume: ['["/data", "/files"]', '/data'],
    owner: true,
    start: ['millrace', 'serve', '--no-open', '--no-link'],
    secrets: [],
  })
})

test('the compose file makes the container read-only, drops its privileges, and keeps its key out of the environment', () => {
  const {
    services: { millrace, caddy },
    secrets,
  } = parse(read('packaging/container/compose.yaml')) as {
    services: Record<'millrace' | 'caddy', Record<string, unknown>>
    secrets: unknown
  }
  expect({
    millrace: {
      build: millrace.build,
      read_only: millrace.read_only,
      cap_drop: millrace.cap_drop,
      volumes: millrace.volumes,
      secrets: millrace.secrets,
      key: (millrace.environment as Record<string, string>).MILLRACE_MASTER_KEY_FILE,
      grace: millrace.stop_grace_period,
    },
    caddy: [caddy.network_mode, (caddy.volumes as string[])[0]?.split(':')[0]],
    secrets,
  }).toEqual({
    millrace: {
      build: { context: '../..', dockerfile: 'packaging/container/Containerfile' },
      read_only: true,
      cap_drop: ['ALL'],
      volumes: ['data:/data', 'files:/files'],
      secrets: ['master-key'],
      key: '/run/secrets/master-key',
      grace: '20s',
    },
    caddy: ['service:millrace', './Caddyfile'],
    secrets: { 'master-key': { file: 'master.key' } },
  })
  expect(existsSync(join(ROOT, 'packaging/container/Caddyfile'))).toBe(true)
})

const KEY = '5a'.repeat(32)
const NOBODY = 65_534
/** As in the container: files owned by another user, and one folder of the service's own. */
const asUser = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
const program = join(home.folder, 'program')
const data = join(home.folder, 'data-volume')
const keyFile = join(home.folder, 'master-key')

beforeAll(() => {
  for (const part of ['package.json', 'bin', 'out', 'resources'])
    cpSync(join(ROOT, part), join(program, part), { recursive: true })
  mkdirSync(join(program, 'node_modules'))
  for (const name of readdirSync(join(ROOT, 'node_modules')).filter((one) => /^better-sqlite3$/.test(one)))
    symlinkSync(join(ROOT, 'node_modules', name), join(program, 'node_modules', name))
  mkdirSync(data, { mode: 0o700 })
  writeFileSync(keyFile, `${KEY}\n`, { mode: 0o600 })
  chmodSync(home.folder, 0o755)
  if ('uid' in asUser) for (const path of [data, keyFile]) chownSync(path, NOBODY, NOBODY)
  lock(program)
})
afterAll(() => lock(program, 0o755))

function lock(folder: string, mode = 0o555): void {
  chmodSync(folder, mode)
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) lock(join(folder, entry.name), mode)
}

test.runIf(onLinux)(
  'it starts, is healthy and stops in time if only the data folder is writable',
  async () => {
    const port = await freePort()
    const before = Object.keys(snapshot(program))
    const env = {
      PATH: process.env.PATH,
      HOME: '/nonexistent',
      NODE_ENV: 'production',
      MILLRACE_DATA_DIR: data,
      MILLRACE_MASTER_KEY_FILE: keyFile,
      MILLRACE_PORT: String(port),
    }
    const [, ...args] = [...JSON.parse(valueOf('ENTRYPOINT')), ...JSON.parse(valueOf('CMD'))] as string[]
    const child = spawn(process.execPath, [...FLAGS, join(program, 'bin/millrace.js'), ...args], {
      env,
      cwd: data,
      ...asUser,
    })
    let stdout = ''
    let stderr = ''
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
    const ended = new Promise((resolve) => child.once('close', (code, signal) => resolve(signal ?? code)))
    await new Promise<void>((resolve, reject) => {
      child.stdout.on('data', (chunk: Buffer) => {
        stdout += chunk.toString()
        if (stdout.includes('\n')) resolve()
      })
      void ended.then((end) => reject(new Error(`ended with ${String(end)}: ${stdout}${stderr}`)))
    })
    const [, ...health] = JSON.parse(valueOf('HEALTHCHECK').replace(/^.* CMD /, '')) as string[]
    const healthy = await runCommand(process.execPath, health, { env })
    const environment = readFileSync(`/proc/${child.pid}/environ`, 'utf8')
    askToEnd(child)
    const end = await ended
    const unhealthy = await runCommand(process.execPath, health, { env })
    expect({
      stdout,
      stderr,
      healthy: healthy.code,
      end,
      unhealthy: unhealthy.code,
      written: Object.keys(snapshot(program)).filter((path) => !before.includes(path)),
      data: existsSync(join(data, 'millrace.db')),
      keyShown: [environment, stdout, stderr].filter((text) => text.includes(KEY)),
    }).toEqual({
      stdout: `Millrace is listening on http://127.0.0.1:${port}\n`,
      stderr: '',
      healthy: 0,
      end: 0,
      unhealthy: 1,
      written: [],
      data: true,
      keyShown: [],
    })
  },
)

const REFUSED = { mode: 0o700 }
/** As in the guide: another user's command, and a key that only the service can read. */
function asService(folder: string, env: NodeJS.ProcessEnv = {}) {
  const closed = join(folder, 'closed')
  mkdirSync(join(closed, 'credentials'), { recursive: true, ...REFUSED })
  writeFileSync(join(closed, 'credentials/master-key'), `${KEY}\n`, REFUSED)
  chmodSync(join(closed, 'credentials'), 0)
  const data = join(folder, 'state')
  mkdirSync(data, { recursive: true, mode: 0o700 })
  // Nothing can be created next to the data folder.
  if ('uid' in asUser) chownSync(data, NOBODY, NOBODY)
  chmodSync(folder, 0o555)
  const environment = { PATH: process.env.PATH, HOME: '/nonexistent', MILLRACE_DATA_DIR: data, ...env }
  const start = (args: readonly string[], extra: NodeJS.ProcessEnv = {}) =>
    spawn(process.execPath, [...FLAGS, join(program, 'bin/millrace.js'), ...args], {
      env: { ...environment, ...extra },
      cwd: data,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...asUser,
    })
  async function run(args: readonly string[], extra: NodeJS.ProcessEnv = {}) {
    const child = start(args, extra)
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
    const code = await new Promise((resolve) => child.once('close', resolve))
    return { code, output }
  }
  return { start, run, credentials: join(closed, 'credentials') }
}

test.runIf(onLinux)('the key of a service is no reason for false alarms, stacks or restarts', async () => {
  const folder = join(home.folder, 'service')
  mkdirSync(folder)
  const { start, run, credentials } = asService(folder)
  const unreadable = await run(['serve', '--no-open', '--port', '0'], { CREDENTIALS_DIRECTORY: credentials })
  const stopped = await run(['flow', 'list'])
  const served = await listening(start(['serve', '--no-open', '--port', '0'], { MILLRACE_MASTER_KEY: KEY }))
  const running = await run(['doctor'])
  askToEnd(served.process)
  await served.ended
  const afterwards = await run(['doctor'])
  chmodSync(credentials, 0o700)
  chmodSync(folder, 0o755)
  expect({ unreadable, stopped, running, afterwards }).toEqual({
    unreadable: {
      code: EXIT.usage,
      output: `millrace: The credential master-key is ${join(credentials, 'master-key')}, which the user that runs Millrace can't read\n`,
    },
    stopped: {
      code: 0,
      output: expect.stringMatching(
        /^millrace: Stored credentials stay locked.*\(EACCES\).*MILLRACE_MASTER_KEY_FILE\n/,
      ),
    },
    running: { code: 0, output: expect.stringMatching(/^ok +master key: in use by the running Millrace$/m) },
    afterwards: { code: 0, output: expect.stringContaining('If a service gets the key from another file') },
  })
  expect(stopped.output).not.toContain(' at ')
})
