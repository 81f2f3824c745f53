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

  test('npm run check:release refuses placeholders for the addresses of the project', async () => {
    const { code, stdout } = await runCommand(process.execPath, commandOf('check:release'), { cwd: ROOT })
    expect({ code, stdout }).toEqual({
      code: 1,
      stdout: expect.stringMatching(
        /^README\.md:\d+: git clone .*^SECURITY\.md:.*^package\.json:.* places have /ms,
      ),
    })
  })

  test('npm start without a window says so in one line, and opens the app in the browser', async () => {
    const child = spawn(process.execPath, [...commandOf('start'), '--port', '0', '--no-open'], {
      cwd: ROOT,
      env: home.env,
    })
    const served = await listening(child)
    const page = await fetch(served.url)
    await home.run(['stop'])
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

  const OLD = 'Millrace needs Node 24 or newer, and this is'
  const BROUGHT = 'Run "npm ci", which brings it along.'
  const install = (platform: string) =>
    `Install it from nodejs.org: "npm ci" brings none along for ${platform}.`

  /** Runs it on a Node that claims another version and platform. */
  const endOn = (node: string, platform: string, arch: string, command: readonly string[]) => {
    const pretended = { versions: { node }, platform, arch }
    const change = `data:text/javascript,for (const [name, value] of Object.entries(${JSON.stringify(pretended)}))
      Object.defineProperty(process, name, { value })`
    return runCommand(process.execPath, ['--import', change, ...command], { cwd: ROOT, env: home.env })
  }

  test('a Node that is too old gets a sentence that says where to get the right one, instead of a syntax error', async () => {
    const guard = ['--import', './scripts/require-node.mjs', '--eval', '0']
    const ends = await Promise.all([
      endOn('20.20.2', 'linux', 'x64', guard),
      endOn('20.20.2', 'linux', 'arm64', guard),
      endOn('22.18.0', 'win32', 'x64', guard),
      endOn('22.18.0', 'win32', 'arm64', guard),
      endOn('20.20.2', 'darwin', 'arm64', guard),
      endOn('20.20.2', 'darwin', 'x64', guard),
      endOn('24.0.0', 'darwin', 'arm64', guard),
      endOn('26.1.0', 'linux', 'x64', guard),
    ])
    expect(ends.map(({ code, stderr }) => [code, stderr])).toEqual([
      [1, `${OLD} 20.20.2. ${BROUGHT}\n`],
      [1, `${OLD} 20.20.2. ${BROUGHT}\n`],
      [1, `${OLD} 22.18.0. ${BROUGHT}\n`],
      [1, `${OLD} 22.18.0. ${install('win32-arm64')}\n`],
      [1, `${OLD} 20.20.2. ${install('darwin-arm64')}\n`],
      [1, `${OLD} 20.20.2. ${install('darwin-x64')}\n`],
      [0, ''],
      [0, ''],
    ])
  })

  test.each(['start', 'serve', 'dev', 'test', 'millrace', 'build'])(
    'npm run %s prints that sentence at once, and does nothing else',
    async (name) => {
      const end = await endOn('22.18.0', 'darwin', 'arm64', commandOf(name))
      expect(end).toEqual({
        code: 1,
        signal: null,
        stdout: '',
        stderr: `${OLD} 22.18.0. ${install('darwin-arm64')}\n`,
      })
    },
  )

  test('the first guide names the platforms without a bundled Node', () => {
    expect(readFileSync(join(ROOT, 'docs/getting-started.md'), 'utf8').replaceAll(/\s+/g, ' ')).toContain(
      'Node 20.20 or newer on Linux and on Windows with an x64 processor. On macOS and on Windows with an ARM processor you need Node 24.',
    )
  })

  test('a bundled Node exists for the listed platforms', () => {
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
