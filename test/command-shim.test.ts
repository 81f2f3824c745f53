import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { installShim, readShim, removeShim, shimPath } from '../src/main/host/machine/command-shim.ts'
import { loginEntryPath, writeLoginEntry } from '../src/main/host/machine/login-entry.ts'
import { modeOf, onPosix } from './helpers/platform.ts'
import { runCommand } from './helpers/run-command.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'millrace-shim-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

describe('the command of the desktop app', () => {
  test.runIf(onPosix)(
    'starts the program with its arguments, whatever characters are in its path',
    async () => {
      const path = shimPath('linux', {}, home)
      const script = join(home, `it's $HOME "here".js`)
      writeFileSync(script, 'console.log(JSON.stringify(process.argv.slice(2)))')
      installShim(path, [process.execPath, script, '--cli'], 'linux')
      const { stdout } = await runCommand(path, ['flow', 'run', 'a b', "it's"], { env: {} })
      expect({
        args: JSON.parse(stdout) as unknown,
        mode: modeOf(path),
        found: readShim(path, { PATH: `/usr/bin:${dirname(path)}` }),
        notFound: readShim(path, { PATH: '/usr/bin' }).onPath,
      }).toEqual({
        args: ['--cli', 'flow', 'run', 'a b', "it's"],
        mode: '755',
        found: { path: join(home, '.local/bin/millrace'), state: 'installed', onPath: true },
        notFound: false,
      })
      removeShim(path)
      expect(readShim(path, {}).state).toBe('absent')
    },
  )

  test('on Windows is a batch file in a folder on the PATH', () => {
    const path = shimPath('win32', { LOCALAPPDATA: join(home, 'Local') }, home)
    installShim(path, [String.raw`C:\Users\100%\Millrace.exe`, '--cli'], 'win32')
    expect([path.replaceAll('\\', '/').slice(home.length), readFileSync(path, 'utf8').split('\r\n')]).toEqual(
      [
        '/Local/Microsoft/WindowsApps/millrace.cmd',
        [
          '@echo off',
          expect.stringMatching(/^rem /),
          String.raw`"C:\Users\100%%\Millrace.exe" "--cli" %*`,
          '',
        ],
      ],
    )
  })

  test('never replaces or removes a file that another program made', () => {
    const path = shimPath('linux', {}, home)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, '#!/bin/sh\necho mine\n')
    const refused = `${path} belongs to another program; rename it first`
    expect(() => installShim(path, ['/opt/millrace'], 'linux')).toThrow(refused)
    expect(() => removeShim(path)).toThrow(refused)
    expect([readShim(path, {}).state, readFileSync(path, 'utf8')]).toEqual([
      'foreign',
      '#!/bin/sh\necho mine\n',
    ])
  })
})

test('the autostart entry is quoted as desktops read it', () => {
  const path = loginEntryPath({ XDG_CONFIG_HOME: join(home, 'config') }, home)
  writeLoginEntry(path, [String.raw`/opt/a "b" $c\d 50%/millrace`, '--hidden'])
  expect(readFileSync(path, 'utf8').split('\n')).toContain(
    String.raw`Exec="/opt/a \\"b\\" \\$c\\\\d 50%%/millrace" "--hidden"`,
  )
})
