/**
 * The package that `npm pack` creates, installed into an empty folder and used there. Its dependencies come from the
 * project's own node_modules, packed again, so that neither the network nor a filled npm cache is needed.
 */
import { spawn } from 'node:child_process'
import { globSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Flow } from '../../src/shared/contract/flows.ts'
import { createHome, listening } from '../helpers/program.ts'
import { runNpm } from '../helpers/npm.ts'
import { runCommand } from '../helpers/run-command.ts'
import { callOrThrow, readProgramFinding } from '../helpers/served-api.ts'

const ROOT = join(import.meta.dirname, '../..')
const MB = 1_000_000

interface Packed {
  readonly name: string
  readonly filename: string
  readonly size: number
  readonly files: readonly { readonly path: string }[]
}

const home = createHome()
/** The Node that runs the test comes first on the PATH, as it would for users who install the package. */
const env = {
  ...home.env,
  NODE_COMPILE_CACHE: '',
  XDG_CACHE_HOME: join(home.folder, 'cache of the user'),
  PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH ?? ''}`,
}
const packages = join(home.folder, 'packages')
const folder = join(home.folder, 'an empty folder')
const installed = join(folder, 'node_modules')
/** Windows can't start the command without a shell, so the script that it names runs there. */
const [millrace, ...before] =
  process.platform === 'win32'
    ? [process.execPath, join(installed, 'millrace/bin/millrace.js')]
    : [join(installed, '.bin/millrace')]
let packed: readonly Packed[]
let asInstalled: readonly string[]

beforeAll(async () => {
  mkdirSync(packages)
  mkdirSync(folder)
  const needed = Object.keys(lockedFor('better-sqlite3')).map((name) => `./node_modules/${name}`)
  // The build already exists, and other tests use it at the same time.
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', packages, '.', ...needed]
  packed = Object.values(JSON.parse(await npm(ROOT, pack)) as Record<string, Packed>)
  const [own, ...others] = packed.map(({ name, filename }) => [name, join(packages, filename)] as const)
  const overrides = Object.fromEntries(others.map(([name, file]) => [name, `file:${file}`]))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, overrides }))
  await npm(folder, ['install', '--no-audit', '--no-fund', String(own?.[1])])
  asInstalled = filesIn(installed)
})
afterAll(() => home.remove())

async function npm(cwd: string, args: readonly string[]): Promise<string> {
  const offline = { npm_config_offline: 'true', npm_config_cache: join(home.folder, 'cache') }
  const { code, stdout, stderr } = await runNpm(args, { cwd, env: { ...env, ...offline } })
  if (code !== 0) throw new Error(`npm ${args.join(' ')} ended with ${code}: ${stderr}`)
  return stdout
}

/** A package of the lockfile and all its dependencies, by name. */
function lockedFor(name: string): Record<string, true> {
  const { packages: locked } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { readonly dependencies?: Record<string, string> }>
  }
  const below = Object.keys(locked[`node_modules/${name}`]?.dependencies ?? {})
  return Object.assign({ [name]: true as const }, ...below.map((one) => lockedFor(one)))
}

/** Every file of the folder, with the time of its last change. */
const filesIn = (path: string) =>
  globSync('**/*', { cwd: path }).map((name) => `${name} ${statSync(join(path, name)).mtimeMs}`)

const run = (...args: string[]) => runCommand(millrace, [...before, ...args], { cwd: folder, env })

test('the package has the built program, and no sources, tests, source maps or native code', () => {
  const paths = packed[0]?.files.map(({ path }) => path) ?? []
  const MEANT =
    /^(?:package\.json|LICENSE|README\.md|bin\/millrace\.js|resources\/(?:(?:connectors|samples)\/[\w-]+\.json|desktop\/[\w@]+\.png)|docs\/(?:(?:explain|how-to|reference)\/)?[\w-]+\.md|out\/(?:main|preload|renderer)\/.+)$/
  const NOT_MEANT = /\.(?:map|ts|tsx|node|stamp)$|compile-cache|node_modules|(?:^|\/)tests?\//
  expect({
    strange: paths.filter((path) => !MEANT.test(path) || NOT_MEANT.test(path)),
    missing: [
      'bin/millrace.js',
      'out/main/headless.js',
      'out/main/index.js',
      'out/main/history-thread.js',
      'out/main/import-worker.js',
      'out/main/script-worker.js',
      'out/main/n8n-runtime.js',
      'out/main/quickjs.wasm',
      'out/main/openapi.json',
      'out/main/THIRD-PARTY-NOTICES.md',
      'out/renderer/THIRD-PARTY-NOTICES.md',
      'out/preload/index.cjs',
      'out/renderer/index.html',
      'resources/samples/receive-an-order.json',
      'docs/reference/pagination.md',
    ].filter((path) => !paths.includes(path)),
    builds: (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest).scripts.prepack,
  }).toEqual({ strange: [], missing: [], builds: 'npm run build' })
})

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>
}

test('the package is under 6.5 MB, and under 60 MB installed: with one copy of SQLite and nothing else', () => {
  const bytes = globSync('**/*', { cwd: installed })
    .map((path) => statSync(join(installed, path)))
    .reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0)
  expect({
    packedIsSmall: (packed[0]?.size ?? Infinity) < 6.5 * MB,
    installedIsSmall: bytes < 60 * MB,
    packages: readdirSync(installed).filter((name) => !name.startsWith('.')),
    nested: globSync('*/node_modules', { cwd: installed }),
  }).toEqual({
    packedIsSmall: true,
    installedIsSmall: true,
    packages: ['better-sqlite3', 'millrace', 'node-addon-api'],
    nested: [],
  })
})

test('npx and the command itself run it', async () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
  const byNpx = await npm(folder, ['exec', '--', 'millrace', '--version'])
  expect({ byNpx, itself: await run('--version') }).toMatchObject({
    byNpx: `${version}\n`,
    itself: { code: 0, stdout: `${version}\n`, stderr: '' },
  })
})

test('the notices have the licence of every package that the build bundles, with its text', () => {
  // Source maps, which stay out of the package, name every file that a bundle was made from.
  const bundled = globSync('out/{main,renderer}/**/*.map', { cwd: ROOT }).flatMap((map) => {
    const { sources } = JSON.parse(readFileSync(join(ROOT, map), 'utf8')) as { sources: readonly string[] }
    return sources.flatMap((source) => {
      // Code that a package has copied into its own files has its own license.
      const own = source.replace(/\/dist\/node_modules\/.*/, '')
      const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(own)?.[1]
      return name === undefined ? [] : [`${map.split(/[\\/]/)[1]}: ${name}`]
    })
  })
  const noticed = ['main', 'renderer'].flatMap((part) =>
    readFileSync(join(installed, 'millrace/out', part, 'THIRD-PARTY-NOTICES.md'), 'utf8')
      .split(/^## (?=\S+ - \d)/m)
      .filter((notice) => /copyright|permission/i.test(notice))
      .map((notice) => `${part}: ${notice.split(' ', 1)[0]}`),
  )
  expect({
    without: [...new Set(bundled)].filter((name) => !noticed.includes(name)),
    some: ['main: express', 'main: undici', 'renderer: react'].filter((name) => !bundled.includes(name)),
    fonts: noticed.filter((name) => name.includes('@fontsource')),
  }).toEqual({
    without: [],
    some: [],
    fonts: ['renderer: @fontsource-variable/inter', 'renderer: @fontsource-variable/jetbrains-mono'],
  })
})

test('a sample imported by the installed command answers its webhook over HTTP, and nothing is written next to the program', async () => {
  const dataDir = join(home.folder, 'my data')
  const served = await listening(
    spawn(millrace, [...before, '--port', '0', '--no-open', '--data-dir', dataDir], { cwd: folder, env }),
  )
  const imported = await run('flow', 'import', 'sample:receive-an-order', '--json', '--data-dir', dataDir)
  const { flow } = JSON.parse(imported.stdout) as { flow: Flow }
  const { webhook } = await callOrThrow<Flow>(served, 'GET', `/v1/flows/${flow.id}`)
  const answer = await fetch(`${served.url}/v1/flow-webhook/${flow.id}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${String(webhook?.token)}` },
    body: JSON.stringify({ order_id: 'A-1042', email: 'grace.moreau@example.test' }),
  })
  const page = await fetch(served.url)
  const flags = await readProgramFinding(served.url, served.bearer)
  const { status, body } = { status: answer.status, body: await answer.json() }
  const stopped = await run('stop', '--data-dir', dataDir)
  expect({
    status,
    body,
    page: page.status,
    flags,
    stopped: stopped.code,
    end: await served.ended,
    stderr: served.stderr(),
    written: filesIn(installed).filter((file) => !asInstalled.includes(file)),
    cachesCompiledCode:
      globSync('**/compiled/*/*', { cwd: join(home.folder, 'cache of the user') }).length > 0,
  }).toEqual({
    status: 200,
    body: {
      order_id: 'A-1042',
      known_customer: true,
      message: 'Welcome back, Grace Moreau',
      contacts_searched: 64,
    },
    page: 200,
    flags: ['ok', null],
    stopped: 0,
    end: 0,
    stderr: '',
    written: [],
    cachesCompiledCode: true,
  })
})

test("the smoke test that CI runs on each platform's packages passes with the installed package", async () => {
  const program = join(installed, 'millrace/bin/millrace.js')
  const { code, stdout, stderr } = await runCommand(
    process.execPath,
    [join(ROOT, 'scripts/smoke.ts'), program],
    { env },
  )
  expect({ code, lines: stdout.trimEnd().split('\n'), stderr }).toEqual({
    code: 0,
    lines: [
      'ok: starts',
      'ok: a webhook runs a flow with code and a template',
      'ok: a worker thread reads an OpenAPI document in YAML',
      'ok: SFTP: key exchange, login and a list',
      'ok: a backup is written',
      'ok: the backup is restored',
      'eval fails, as it should',
      'ok: quits',
    ],
    stderr: '',
  })
})

test('the SBOM of a release names what is bundled and what is loaded, and nothing else', async () => {
  const { code, stdout, stderr } = await runCommand(process.execPath, ['scripts/sbom.ts'], { cwd: ROOT })
  if (code !== 0) throw new Error(stderr)
  const { components } = JSON.parse(stdout) as { components: readonly { readonly name: string }[] }
  const bundled = ['main', 'renderer'].flatMap((part) => {
    const notices = readFileSync(join(ROOT, 'out', part, 'THIRD-PARTY-NOTICES.md'), 'utf8')
    return [...notices.matchAll(/^## (\S+) - /gm)].map(([, name]) => name)
  })
  expect(new Set(components.map(({ name }) => name))).toEqual(
    new Set([...bundled, ...Object.keys(lockedFor('better-sqlite3')), 'electron']),
  )
})
