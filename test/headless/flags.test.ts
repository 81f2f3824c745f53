/** Every way to start the program without a window gives it the same flags, memory settings, signals and exit codes. */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FLAGS } from '../../src/main/host/machine/process-flags.ts'
import { createHome, listening, type Home } from '../helpers/program.ts'
import { runCommand } from '../helpers/run-command.ts'
import { readProgramFinding } from '../helpers/served-api.ts'
import { askToEnd, onLinux, onPosix } from '../helpers/platform.ts'

const ROOT = join(import.meta.dirname, '../..')
const SCRIPT = ['--import', './scripts/require-node.mjs']

let home: Home
beforeEach(() => {
  home = createHome()
})
afterEach(() => home.remove())

const start = (args: readonly string[]) =>
  listening(spawn(process.execPath, [...args, '--port', '0', '--no-open'], { cwd: ROOT, env: home.env }))

test.runIf(onLinux).each([
  ['the installed command', ['bin/millrace.js']],
  ['a service that runs the program itself', ['out/main/headless.js', 'serve']],
  ['npm run serve', [...SCRIPT, 'scripts/serve.ts']],
  ['npm run millrace', [...SCRIPT, 'scripts/millrace.ts', 'start']],
])('%s starts Millrace with every flag, in the same process', async (_way, args) => {
  const served = await start(args)
  const { stdout: command } = await runCommand('ps', ['-o', 'args=', '-p', String(served.process.pid)])
  const environment = readFileSync(`/proc/${served.process.pid}/environ`, 'utf8').split('\0')
  const finding = await readProgramFinding(served.url, served.bearer)
  askToEnd(served.process)
  expect({
    finding,
    missing: FLAGS.filter((flag) => !command.split(/\s/).includes(flag)),
    memory: environment.filter((one) => one.startsWith('MALLOC_')).toSorted(),
    end: await served.ended,
    stderr: served.stderr(),
    isFree: !existsSync(join(home.dataDir, 'millrace.lock')),
  }).toEqual({
    finding: ['ok', null],
    missing: [],
    memory: ['MALLOC_ARENA_MAX=2', 'MALLOC_TRIM_THRESHOLD_=131072'],
    end: 0,
    stderr: '',
    isFree: true,
  })
})

test('the installed command has the exit code, input and output of the program', async () => {
  const run = (args: readonly string[], input = '') =>
    runCommand(process.execPath, ['bin/millrace.js', ...args], { cwd: ROOT, env: home.env, input })
  const [wrong, checked] = await Promise.all([run(['swerve']), run(['token', 'check'], 'no token\n')])
  expect({ wrong, checked }).toMatchObject({
    wrong: { code: 2, stdout: '', stderr: expect.stringContaining("unknown command 'swerve'") },
    checked: { code: 1 },
  })
})

test('millrace without arguments starts Millrace, or prints the URL of a running one', async () => {
  const served = await start(['bin/millrace.js'])
  const again = await runCommand(process.execPath, ['bin/millrace.js', '--no-open'], {
    cwd: ROOT,
    env: home.env,
  })
  askToEnd(served.process)
  expect({ again, end: await served.ended }).toEqual({
    again: { code: 0, signal: null, stdout: expect.stringContaining(`${served.url}/#session=`), stderr: '' },
    end: 0,
  })
})

test.runIf(onPosix)(
  'on Windows the console stops the program, and the launcher waits for it to exit',
  async () => {
    // Like Windows, where no process can replace itself, and "kill" ends a process before it can do anything.
    const windows = `data:text/javascript,import { ChildProcess } from 'node:child_process';
    Object.defineProperty(process, 'platform', { value: 'win32' });
    ChildProcess.prototype.kill = function () { process.kill(this.pid, 'SIGKILL') }`
    const served = await start(['--import', windows, ...SCRIPT, 'scripts/serve.ts'])
    const lock = join(home.dataDir, 'millrace.lock')
    const { pid } = JSON.parse(readFileSync(lock, 'utf8')) as { pid: number }
    served.process.kill('SIGINT')
    process.kill(pid, 'SIGINT')
    expect({
      isOther: pid !== served.process.pid,
      end: await served.ended,
      isFree: !existsSync(lock),
    }).toEqual({
      isOther: true,
      end: 0,
      isFree: true,
    })
  },
)

test('a Node that is too old gets a sentence that names the required version', async () => {
  const old = `data:text/javascript,
    Object.defineProperty(process, 'versions', { value: { node: '20.20.2' } })`
  const end = await runCommand(process.execPath, ['--import', old, 'bin/millrace.js'], { cwd: ROOT })
  expect(end).toMatchObject({
    code: 1,
    stdout: '',
    stderr:
      'Millrace needs Node 24 or newer, and this is 20.20.2. Install a newer one from nodejs.org, then try again.\n',
  })
})
