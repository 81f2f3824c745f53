import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createHome, listening, type Home } from '../helpers/program.ts'
import { runCommand } from '../helpers/run-command.ts'

const ROOT = join(import.meta.dirname, '../..')
const { scripts, version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>
  version: string
}

describe('the scripts', () => {
  let home: Home
  beforeEach(() => {
    home = createHome()
  })
  afterEach(() => home.remove())

  /** What `npm run NAME` runs, without npm. */
  const commandOf = (name: string) => (scripts[name] ?? '').split(' ').slice(1)

  test('npm start without a window says so in one line, and runs the same app for the browser', async () => {
    const child = spawn(process.execPath, [...commandOf('start'), '--port', '0', '--no-open'], {
      cwd: ROOT,
      env: home.env,
    })
    const served = await listening(child)
    const page = await fetch(served.url)
    child.kill('SIGTERM')
    expect({ lines: served.stdout().split('\n'), page: page.status, end: await served.ended }).toEqual({
      lines: [
        expect.stringMatching(/^(Electron|There is no display).*, so Millrace opens in your browser\.$/),
        `Millrace is listening on ${served.url}`,
        served.sessionUrl,
        '',
      ],
      page: 200,
      end: 0,
    })
  })

  test('npm run millrace is the command, arguments and exit code included', async () => {
    const run = (...args: string[]) =>
      runCommand(process.execPath, [...commandOf('millrace'), ...args], { cwd: ROOT, env: home.env })
    const [versionEnd, wrong] = await Promise.all([run('--version'), run('swerve')])
    expect({ versionEnd, wrong }).toMatchObject({
      versionEnd: { code: 0, stdout: `${version}\n` },
      wrong: { code: 2, stdout: '' },
    })
  })

  test('a Node that is too old gets a sentence instead of a syntax error, which says where to get the right one', async () => {
    const guard = join(ROOT, 'scripts/require-node.mjs')
    const endOn = (node: string, platform: string, arch: string) => {
      const process = { versions: { node }, platform, arch }
      const change = `data:text/javascript,for (const [name, value] of Object.entries(${JSON.stringify(process)}))
        Object.defineProperty(process, name, { value })`
      return runCommand(globalThis.process.execPath, ['--import', change, '--import', guard, '--eval', '0'])
    }
    const ends = await Promise.all([
      endOn('20.20.2', 'linux', 'x64'),
      endOn('22.18.0', 'win32', 'x64'),
      endOn('20.20.2', 'darwin', 'arm64'),
      endOn('22.18.0', 'win32', 'arm64'),
      endOn('24.0.0', 'darwin', 'arm64'),
      endOn('26.1.0', 'linux', 'x64'),
    ])
    expect(ends.map(({ code, stderr }) => [code, stderr])).toEqual([
      [1, 'Millrace needs Node 24 or newer, and this is 20.20.2. Run "npm ci", which brings it along.\n'],
      [1, 'Millrace needs Node 24 or newer, and this is 22.18.0. Run "npm ci", which brings it along.\n'],
      [
        1,
        expect.stringMatching(
          /this is 20\.20\.2\. "npm ci" brings none along for darwin-arm64: install Node 24\./,
        ),
      ],
      [
        1,
        expect.stringMatching(
          /this is 22\.18\.0\. "npm ci" brings none along for win32-arm64: install Node 24\./,
        ),
      ],
      [0, ''],
      [0, ''],
    ])
  })

  test('the bundled Node exists for the platforms that are named', () => {
    const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')
    const { optionalDependencies } = JSON.parse(read('tools/node24/package.json')) as {
      optionalDependencies: Record<string, string>
    }
    const named = /BROUGHT_ALONG = \[(.*)\]/.exec(read('scripts/require-node.mjs'))?.[1] ?? ''
    const packages = [...named.matchAll(/'([^']+)'/g)].map(
      ([, one = '']) => `node-${one.replace('win32', 'win')}`,
    )
    expect(packages.toSorted()).toEqual(Object.keys(optionalDependencies).toSorted())
  })
})
