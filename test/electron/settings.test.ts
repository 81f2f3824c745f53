import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDesktop, type Desktop } from '../helpers/desktop.ts'
import { createHome, type Home } from '../helpers/program.ts'
import { runCommand } from '../helpers/run-command.ts'

const STAND_IN = pathToFileURL(join(import.meta.dirname, 'stand-in/register.ts')).href

let home: Home
let app: Desktop
let url: string
beforeAll(async () => {
  home = createHome()
  // Without a tray: there is no reply on the session bus.
  app = startDesktop(home, { buttons: [0] }, { MILLRACE_PORT: '0' })
  await app.called('show')
  url = String((await app.called('loadURL'))[0])
})
afterAll(async () => {
  const misuse = app.calls.find(([call]) => call === 'misuse')
  await app.kill()
  await home.remove()
  if (misuse) throw new Error(`Electron was misused: ${String(misuse[1])}`)
})

const change = (changes: object) => app.act('invoke', 'desktop:change-settings', url, true, changes)

test('everything is off until it is asked for', async () => {
  expect(await app.act('invoke', 'desktop:settings', url, true)).toEqual({
    keep_running: false,
    has_tray: false,
    start_at_login: false,
    spell_check: false,
    downloads_dictionaries: true,
    command: { path: join(home.folder, '.local/bin/millrace'), state: 'absent', on_path: false },
    key: { place: 'keychain', path: join(home.folder, 'config/millrace/master.key'), is_protected: false },
    data_folder: { path: home.dataDir, is_given: false },
  })
  expect(app.calls.filter(([call]) => call === 'setSpellCheckerEnabled')).toEqual([
    ['setSpellCheckerEnabled', false],
  ])
})

test('spelling is checked once the user wants it, and starting with the session is undone as it was set', async () => {
  const entry = join(home.folder, 'config/autostart/millrace.desktop')
  expect(await change({ spell_check: true, start_at_login: true })).toMatchObject({
    spell_check: true,
    start_at_login: true,
  })
  expect(app.calls.filter(([call]) => call === 'setSpellCheckerEnabled').at(-1)).toEqual([
    'setSpellCheckerEnabled',
    true,
  ])
  expect(readFileSync(entry, 'utf8')).toContain('"--hidden"')
  expect(await change({ start_at_login: false })).toMatchObject({ start_at_login: false })
  expect(existsSync(entry)).toBe(false)
})

test('the command talks to the running app, and is removed again', async () => {
  const installed = (await change({ command: true })) as { command: { path: string; state: string } }
  const env = { ...home.env, NODE_OPTIONS: `--import ${STAND_IN}` }
  const { path } = installed.command
  const status = await runCommand(path, ['status', '--json'], { env })
  const wrong = await runCommand(path, ['flow', 'nothing'], { env })
  expect({
    state: installed.command.state,
    status: status.code,
    url: (JSON.parse(status.stdout) as { url: string }).url,
    wrong: [wrong.code, wrong.stderr.includes('unknown command')],
  }).toEqual({ state: 'installed', status: 0, url, wrong: [2, true] })
  expect(await change({ command: false })).toMatchObject({ command: { state: 'absent' } })
  expect(existsSync(path)).toBe(false)
})

test('changes of another form are refused', async () => {
  await expect(change({ start_at_login: 'yes' })).rejects.toThrow('expected boolean')
  await expect(change({ path: '/bin/sh' })).rejects.toThrow('Unrecognized key')
})

test('the data folder is moved to a chosen folder, and used from there by the next start and the command', async () => {
  const chosen = join(home.folder, 'large')
  mkdirSync(join(chosen, 'photos'), { recursive: true })
  await app.act('choose', chosen)
  void app.act('invoke', 'desktop:move-data-folder', url, true)
  const relaunched = await app.called('app.relaunch')
  const doctor = await home.run(['doctor', '--port', '0', '--json'])
  const findings = JSON.parse(doctor.stdout) as readonly { check: string; message: string }[]
  expect({
    end: await app.ended,
    relaunched: relaunched.length,
    asked: (await app.called('ask'))[1],
    old: existsSync(home.dataDir),
    doctor: [doctor.code, findings.find(({ check }) => check === 'data folder')?.message],
  }).toEqual({
    end: 0,
    relaunched: 2,
    asked: `Move the data folder to ${join(chosen, 'Millrace')}?`,
    old: false,
    doctor: [0, join(chosen, 'Millrace')],
  })
})
