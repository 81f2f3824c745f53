import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
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
  // There is no tray, because there is no reply on the session bus.
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
    check_updates: false,
    update: { status: 'none', version: null, message: null },
    key: { place: 'keychain', path: join(home.folder, 'config/millrace/master.key'), is_protected: false },
    data_folder: { path: home.dataDir, is_given: false },
  })
  expect(app.calls.filter(([call]) => call === 'setSpellCheckerEnabled')).toEqual([
    ['setSpellCheckerEnabled', false],
  ])
})

test('spelling is checked if the user wants it, and start at login can be undone', async () => {
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

test('malformed changes are rejected', async () => {
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
    relaunched: 1,
    asked: `Move the data folder to ${join(chosen, 'Millrace')}?`,
    old: false,
    doctor: [0, join(chosen, 'Millrace')],
  })
})

/** The real updater looks for updates and installs them; the new version is a script. */
test('an update is announced, waits for runs and for the user, and is installed after a backup', async () => {
  const other = createHome()
  const marker = join(other.folder, 'started')
  const installer = `#!/bin/sh\necho new > ${marker}.new && mv ${marker}.new ${marker}\n`
  const requests: string[] = []
  const held: ServerResponse[] = []
  const server = createServer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?')
    if (path === '/held') {
      held.push(response)
      return
    }
    requests.push(path)
    if (path === '/latest-linux.yml') response.end(descriptionOf(installer))
    else if (path === '/millrace-9.9.9-linux-x64.AppImage') response.end(installer)
    else response.writeHead(404).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const source = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const resources = join(other.folder, 'resources')
  mkdirSync(resources)
  writeFileSync(
    join(resources, 'app-update.yml'),
    `provider: generic\nurl: ${source}\nupdaterCacheDirName: updates\n`,
  )
  const program = join(other.folder, 'millrace-0.1.0-linux-x64.AppImage')
  writeFileSync(program, 'the old one')

  const old = startDesktop(
    other,
    { isPackaged: true, resources },
    { MILLRACE_PORT: '0', APPIMAGE: program, XDG_CACHE_HOME: join(other.folder, 'cache') },
  )
  const page = String((await old.called('loadURL'))[0])
  const settings = (change?: object) =>
    old.act(
      'invoke',
      change ? 'desktop:change-settings' : 'desktop:settings',
      page,
      true,
      change,
    ) as Promise<{
      update: { status: string; version: string | null; message: string | null }
      command: { path: string }
    }>
  const reaches = async (status: string) => {
    for (;;) {
      const { update } = await settings()
      if (update.status === status) return update
      if (update.status === 'failed') throw new Error(String(update.message))
    }
  }
  const before = [(await settings()).update.status, requests.length]
  const { command } = await settings({ command: true })
  await settings({ check_updates: true })
  const [notice] = await old.called('notify')
  const available = await reaches('available')
  const looked = [...requests]

  const api = async (path: string, body: object) => {
    const bearer = await old.act('invoke', 'desktop:session-bearer', page, true)
    const headers = { Authorization: `Bearer ${String(bearer)}`, 'Content-Type': 'application/json' }
    const response = await fetch(`${page}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    return (await response.json()) as { id: string }
  }
  const rest = { ref_id: 'call', type: 'rest', config: { method: 'GET', url: `${source}/held` } }
  const { id } = await api('/v1/flows', { name: 'Long', steps: [rest] })
  const run = api(`/v1/flows/${id}/run`, {})
  await settings({ update: 'install' })
  const waiting = await reaches('waiting')
  const backups = () =>
    readdirSync(join(other.dataDir, 'backups')).filter((name) => name.endsWith('-update.db'))
  const early = [existsSync(join(other.dataDir, 'backups')) ? backups() : [], existsSync(marker)]
  for (const response of held) response.end('{}')
  await run.catch(() => undefined)
  const end = await old.ended
  const present = join(other.folder, 'millrace-9.9.9-linux-x64.AppImage')
  expect({
    before,
    notice,
    available,
    looked,
    waiting: waiting.status,
    early,
    end,
    misuse: old.calls.find(([call]) => call === 'misuse'),
    backups: backups().length,
    isFree: !existsSync(join(other.dataDir, 'millrace.lock')),
    programs: [existsSync(program), readFileSync(present, 'utf8') === installer],
    command: readFileSync(command.path, 'utf8').includes(present),
  }).toEqual({
    before: ['idle', 0],
    notice: {
      title: 'Millrace 9.9.9 is available',
      body: 'You can install it in Settings.',
      silent: true,
    },
    available: { status: 'available', version: '9.9.9', message: null },
    looked: ['/latest-linux.yml'],
    waiting: 'waiting',
    early: [[], false],
    end: 0,
    misuse: undefined,
    backups: 1,
    isFree: true,
    programs: [false, true],
    command: true,
  })
  while (!existsSync(marker)) await setImmediate()
  server.close()
  await other.remove()
})

/** The file that electron-builder writes next to a package. */
function descriptionOf(program: string): string {
  const sha512 = createHash('sha512').update(program).digest('base64')
  const file = 'millrace-9.9.9-linux-x64.AppImage'
  return `version: 9.9.9
files:
  - url: ${file}
    sha512: ${sha512}
    size: ${program.length}
path: ${file}
sha512: ${sha512}
releaseDate: '2026-01-01T00:00:00.000Z'
`
}

test('a moved AppImage is started from its own file, once the folder and the lock of the instance are free', async () => {
  const chosen = join(home.folder, 'elsewhere')
  const started = join(home.folder, 'started')
  const appImage = join(home.folder, 'millrace.AppImage')
  mkdirSync(chosen)
  writeFileSync(
    appImage,
    `#!/bin/sh\nprintf '%s ' "$@" > '${started}.new' && mv '${started}.new' '${started}'\n`,
    { mode: 0o755 },
  )
  await app.kill()
  app = startDesktop(home, { isPackaged: true, buttons: [0] }, { MILLRACE_PORT: '0', APPIMAGE: appImage }, [
    '--port',
    '0',
  ])
  url = String((await app.called('loadURL'))[0])
  await app.called('show')
  await app.act('choose', chosen)
  void app.act('invoke', 'desktop:move-data-folder', url, true).catch(() => undefined)
  await app.called('app.releaseSingleInstanceLock')
  const end = await app.ended
  await expect.poll(() => existsSync(started), { timeout: 20_000 }).toBe(true)
  expect({ end, arguments: readFileSync(started, 'utf8'), relaunched: app.count('app.relaunch') }).toEqual({
    end: 0,
    // A packaged program has no script before its arguments.
    arguments: expect.stringMatching(/ --port 0 $/),
    relaunched: 0,
  })
})
