/** Code that works on one system only is either avoided, or marked with `test/helpers/platform.ts`. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCommand } from '../helpers/run-command.ts'

const ROOT = join(import.meta.dirname, '../..')
const FILES = globSync('{test,packages/*/test,scripts,bench}/**/*.{ts,tsx,mjs}', { cwd: ROOT }).map((path) =>
  path.replaceAll('\\', '/'),
)

/** Wrong everywhere: on Windows, a path from a URL begins with `/C:`, and a `.cmd` can't be started without a shell. */
const NEVER = [
  /\bimport\.meta\.url\)\.pathname|\b(?:script|module|fixture)\.pathname/,
  /\b(?:npm|npx)\.cmd\b/,
]

/** Allowed if the file says which systems have it. */
const NAMED = [
  /'SIG(?:TERM|INT|HUP|USR[12]|STOP|CONT)'/,
  /\.mode & 0o|chmodSync\(/,
  /['"`]\/(?:proc|dev)\//,
  /\(\s*'(?:sh|bash|mkfifo|prlimit|ps|mount|umount|script)'/,
  /\b127\.0\.0\.[2-9]\b/,
]
const NAMES = /helpers\/platform\.ts'|\bplatform\b.*'(?:win32|linux)'|existsSync\(['"`]?\/?(?:proc|status)/

/** These files contain them as data, or are only used by tests that name the system. */
const ALLOWED: Readonly<Record<string, string>> = {
  'test/crash/fixtures/jumping-clock.ts': 'loaded by clock.test.ts',
  'packages/jinja/test/template/hostile-templates.ts': 'text of templates',
  'test/helpers/curl-beside.ts': 'used by tests for POSIX',
  'test/helpers/platform.ts': 'the helper itself',
  'test/helpers/sftp-server.ts': 'used where there is an OpenSSH server',
  'test/helpers/temporary-folder.ts': 'compares modes with modes',
  'test/helpers/tunnel-servers.ts': 'used by tests that name the system',
  'test/server/gates/guard.test.ts': 'text of a header',
  'test/store/backup/backup.test.ts': 'no test of modes',
  'bench/lib/program.ts': 'benchmarks are for Linux',
  'bench/sink.ts': 'benchmarks are for Linux',
  'scripts/dev.ts': 'forwards what there is',
}

function faultsIn(path: string, text: string): readonly string[] {
  const never = NEVER.flatMap((pattern) => pattern.exec(text)?.[0] ?? [])
  const named = NAMES.test(text) || path in ALLOWED ? [] : NAMED.flatMap((one) => one.exec(text)?.[0] ?? [])
  return [...never, ...named].map((found) => `${path}: ${found}`)
}

test('tests and scripts run on Windows and macOS, or name the systems they run on', () => {
  const sources = FILES.filter((path) => !path.endsWith('architecture/portable.test.ts'))
  expect(sources.flatMap((path) => faultsIn(path, readFileSync(join(ROOT, path), 'utf8')))).toEqual([])
  expect(Object.keys(ALLOWED).filter((path) => !FILES.includes(path))).toEqual([])
})

test('code that works on one system only is found', () => {
  expect(
    [
      "spawn(node, [new URL('./a.ts', import.meta.url).pathname])",
      "runCommand('npm.cmd', ['ci'])",
      "child.kill('SIGTERM')",
      'expect(statSync(path).mode & 0o777).toBe(0o600)',
      "readFileSync('/proc/1/status')",
      "run('sh', ['-c', script])",
      "connect(port, '127.0.0.2')",
      "import { onPosix } from '../helpers/platform.ts'\ntest.runIf(onPosix)('…', () => child.kill('SIGTERM'))",
    ].map((text) => faultsIn('test/planted.ts', text).length),
  ).toEqual([1, 1, 1, 1, 1, 1, 1, 0])
})

test('no two file names differ only in case: Windows and macOS would keep one of them', async () => {
  const { stdout } = await runCommand('git', ['ls-files', '-z'], { cwd: ROOT })
  const paths = stdout.split('\0').filter(Boolean)
  const twins = Map.groupBy(paths, (path) => path.toLowerCase())
  expect({
    many: paths.length > 1_000,
    twins: [...twins.values()].filter(({ length }) => length > 1),
  }).toEqual({ many: true, twins: [] })
})

test('every file is checked out with LF, however git is configured', async () => {
  const names = ['README.md', 'src/main/host/machine/paths.ts', '.ci/run', 'packaging/desktop/installer.nsh']
  const { stdout } = await runCommand('git', ['check-attr', 'text', 'eol', '--', ...names], { cwd: ROOT })
  expect(stdout.split('\n').filter(Boolean).toSorted()).toEqual(
    names.flatMap((name) => [`${name}: eol: lf`, `${name}: text: auto`]).toSorted(),
  )
})
