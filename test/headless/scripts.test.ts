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

  test('a Node too old gets a sentence instead of a syntax error', async () => {
    const asNode = (old: string) =>
      `data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"${old}"}})`
    const guard = join(ROOT, 'scripts/require-node.mjs')
    const ends = await Promise.all(
      ['20.20.2', '22.17.0', '22.18.0', '24.0.0'].map((old) =>
        runCommand(process.execPath, ['--import', asNode(old), '--import', guard, '--eval', '0']),
      ),
    )
    expect(ends.map(({ code }) => code)).toEqual([1, 1, 0, 0])
    expect(ends[0]?.stderr).toMatch(/^Millrace needs Node 22\.18 or newer, and this is 20\.20\.2\./)
  })
})
