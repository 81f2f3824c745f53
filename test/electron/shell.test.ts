import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startDesktop, type Desktop } from '../helpers/desktop.ts'
import { onLinux } from '../helpers/platform.ts'
import { createHome, type Home } from '../helpers/program.ts'
import type { StandInOptions } from './stand-in/base.ts'

const FLOW = '0199d6f0-7c1a-7000-8000-000000000001'

/**
 * Stands in for the session bus of a Linux desktop, which the program asks whether there is a tray, or waits on until
 * something is written to a pipe. `isThere` says whether there is a tray from the start.
 */
function putTray(home: Home, isThere: boolean): NodeJS.ProcessEnv {
  const bin = join(home.folder, 'bin')
  mkdirSync(bin, { recursive: true })
  const pipe = join(bin, 'comes')
  if (onLinux && !existsSync(pipe)) execFileSync('mkfifo', [pipe])
  const gdbus = `#!/bin/sh
case $1 in
  call) echo '(${isThere},)' ;;
  wait) read comes < '${pipe}'; $comes ;;
esac
`
  writeFileSync(join(bin, 'gdbus'), gdbus, { mode: 0o755 })
  return { PATH: `${bin}:${process.env.PATH}` }
}

const endWait = (home: Home, comes: boolean) =>
  appendFile(join(home.folder, 'bin/comes'), `${String(comes)}\n`)

async function start(home: Home, options: StandInOptions, args: readonly string[] = []): Promise<Desktop> {
  const hasTray = options.hasTray ?? true
  const app = startDesktop(home, options, { MILLRACE_PORT: '0', ...putTray(home, hasTray) }, args)
  await app.called('loadURL')
  return app
}

function refuseMisuse(app: Desktop): void {
  const misuse = app.calls.find(([call]) => call === 'misuse')
  if (misuse) throw new Error(`Electron was misused: ${String(misuse[1])}`)
}

const preferencesOf = (home: Home): unknown =>
  JSON.parse(readFileSync(join(home.folder, 'config/millrace-desktop/desktop.json'), 'utf8'))

describe('the desktop app around its page', () => {
  let home: Home
  let app: Desktop
  let url: string
  beforeAll(async () => {
    home = createHome()
    app = await start(home, { isPackaged: true })
    await app.called('show')
    url = String((await app.called('loadURL'))[0])
  })
  afterAll(async () => {
    refuseMisuse(app)
    await app.kill()
    await home.remove()
  })

  async function api(path: string, body: object, method: 'POST' | 'PUT' = 'POST') {
    const bearer = await app.act('invoke', 'desktop:session-bearer', url, true)
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${String(bearer)}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    return (await response.json()) as { id: string }
  }
  /** The path that the page was navigated to. */
  async function opens(work: () => Promise<unknown>): Promise<unknown> {
    const before = app.count('send')
    await work()
    return (await app.calledAfter('send', before))[1]
  }

  test('links opened before the page is ready wait for it', async () => {
    await app.act('openLink', `millrace://flow/${FLOW}`)
    const take = () => app.act('invoke', 'desktop:take-path', url, true)
    expect([await take(), await take()]).toEqual([`/open-link?flow=${FLOW}`, null])
  })

  test('links lead to a screen that asks, and others are ignored', async () => {
    const shown = app.count('focus')
    const second = (link: string) => opens(() => app.act('startAgain', ['/opt/millrace', '--hidden', link]))
    expect([
      await opens(() => app.act('openLink', `millrace://flow/${FLOW.toUpperCase()}/`)),
      await second(`millrace://import?url=${encodeURIComponent('https://example.test/a?b=c&d')}`),
    ]).toEqual([`/open-link?flow=${FLOW}`, '/open-link?import=https%3A%2F%2Fexample.test%2Fa%3Fb%3Dc%26d'])
    expect(app.count('focus')).toBeGreaterThan(shown)

    const sent = app.count('send')
    for (const link of [
      'millrace://flow/../settings',
      'millrace://flow/1?x',
      'millrace://import?url=file:///etc/passwd',
      'millrace://import?url=javascript:alert(1)',
      'millrace://import',
      'millrace://settings/',
      'https://example.test/',
      `millrace://import?url=https://example.test/${'a'.repeat(5_000)}`,
    ])
      await app.act('openLink', link)
    expect(app.count('send')).toBe(sent)
    expect(await app.called('app.setAsDefaultProtocolClient')).toEqual(['millrace'])
  })

  test('a failed run is one notification, which opens the run; the next ones of the flow wait', async () => {
    const { id } = await api('/v1/flows', {
      name: 'Orders',
      steps: [{ ref_id: 'broken', type: 'stop', config: { status: 'error' } }],
    })
    const run = (await api(`/v1/flows/${id}/run`, {})) as unknown as { id?: string; flow_run_id?: string }
    expect(await app.called('notify')).toEqual([{ title: 'A flow run failed', body: 'Orders', silent: true }])
    await api(`/v1/flows/${id}/run`, {})
    expect({
      opened: await opens(() => app.act('clickNotification')),
      count: app.count('notify'),
    }).toEqual({ opened: `/runs/${run.id ?? run.flow_run_id}`, count: 1 })
    await app.act('failNotification')
  })

  test("the system doesn't suspend the app while runs are in progress", async () => {
    expect(await app.called('powerSaveBlocker.start')).toEqual(['prevent-app-suspension'])
  })

  test('schedules that were due during sleep run on wake-up', async () => {
    await app.act('power', 'resume')
    expect((await fetch(`${url}/v1/health`)).status).toBe(200)
  })

  test('the menu opens the screens, has shortcuts, and is in the language of the settings', async () => {
    expect({
      settings: await opens(() => app.act('chooseInMenu', 'Settings')),
      keys: await app.act('keysOf', 'Settings'),
      new: await opens(() => app.act('chooseInMenu', 'New flow')),
      runs: [await app.act('keysOf', 'Runs'), await opens(() => app.act('chooseInMenu', 'Runs'))],
      folder: await app.act('chooseInMenu', 'Show data folder').then(() => app.called('shell.openPath')),
    }).toEqual({
      settings: '/settings',
      keys: 'CommandOrControl+,',
      new: '/flows?create=true',
      runs: ['CommandOrControl+3', '/runs'],
      folder: [home.dataDir],
    })

    await api('/v1/settings', { language: 'de', theme: 'dark' }, 'PUT')
    expect(await opens(() => app.act('chooseInMenu', 'Einstellungen'))).toBe('/settings')
    expect(app.calls.findLast(([call]) => call === 'nativeTheme.themeSource')).toEqual([
      'nativeTheme.themeSource',
      'dark',
    ])
    await api('/v1/settings', { language: 'en' }, 'PUT')
  })

  test('a misspelled word is corrected from its context menu, and text fields can cut, copy and paste', async () => {
    const editFlags = { canCut: true, canCopy: true, canPaste: true, canSelectAll: true }
    await app.act('contextMenu', {
      isEditable: true,
      editFlags,
      misspelledWord: 'recieve',
      dictionarySuggestions: ['receive'],
    })
    await app.act('chooseInContext', 'receive')
    expect([await app.called('popup'), await app.called('replaceMisspelling')]).toEqual([
      [['receive', 'Add to dictionary', null, 'cut', 'copy', 'paste', null, 'selectAll']],
      ['receive'],
    ])
  })

  test('a crashed page is replaced by one with a reload button, while the program continues', async () => {
    const loads = app.count('loadURL')
    await app.act('crashPage', 'oom')
    const [page] = (await app.calledAfter('loadURL', loads)) as [string]
    const html = decodeURIComponent(page.slice(page.indexOf(',')))
    expect({
      isData: page.startsWith('data:text/html'),
      link: /<a href="([^"]+)">Reload/.exec(html)?.[1],
      policy: html.includes("default-src 'none'"),
      leaves: await app.act('navigate', 'will-frame-navigate', `${url}/`),
      health: (await fetch(`${url}/v1/health`)).status,
    }).toEqual({ isData: true, link: url, policy: true, leaves: false, health: 200 })
    await app.act('crashPage', 'clean-exit')
    expect(app.count('loadURL')).toBe(loads + 1)
  })

  test('an unresponsive page is reloaded if the user wants it', async () => {
    await app.act('windowEvent', 'unresponsive')
    await app.called('ask')
    await app.act('windowEvent', 'responsive')
    expect(app.count('forcefullyCrashRenderer')).toBe(0)
  })
})

describe('the end of the desktop app', () => {
  let home: Home
  let app: Desktop
  beforeEach(() => {
    home = createHome()
  })
  afterEach(async () => {
    refuseMisuse(app)
    await app.kill()
    await home.remove()
  })
  const isUnlocked = () => !existsSync(join(home.dataDir, 'millrace.lock'))
  /** Ending the program leaves no time for a reply. */
  const act = (...action: Parameters<Desktop['act']>) => app.act(...action).catch(() => undefined)

  test('closing the window asks once whether to keep running; after a yes it only hides the window', async () => {
    app = await start(home, { buttons: [0] })
    await app.called('show')
    await app.act('closeWindow')
    const question = await app.called('ask')
    await app.called('hide')
    await app.act('closeWindow')
    await app.calledAfter('hide', 1)
    const url = String((await app.called('loadURL'))[0])
    expect({
      question: question[1],
      asked: app.count('ask'),
      remembered: preferencesOf(home),
      health: (await fetch(`${url}/v1/health`)).status,
    }).toEqual({
      question: 'Keep Millrace running in the tray?',
      asked: 1,
      remembered: expect.objectContaining({ keep_running: true }),
      health: 200,
    })
    const shown = app.count('show')
    await app.act('clickTray')
    await app.calledAfter('show', shown)
    void act('chooseInTray', 'Quit Millrace')
    expect({ end: await app.ended, unlocked: isUnlocked() }).toEqual({ end: 0, unlocked: true })
  })

  test("after a no the app quits properly, and doesn't ask again", async () => {
    app = await start(home, { buttons: [1] })
    await app.called('show')
    void act('closeWindow')
    expect({ end: await app.ended, remembered: preferencesOf(home), unlocked: isUnlocked() }).toEqual({
      end: 0,
      remembered: expect.objectContaining({ keep_running: false }),
      unlocked: true,
    })
    app = await start(home, {})
    await app.called('show')
    void act('closeWindow')
    expect({ end: await app.ended, asked: app.count('ask') }).toEqual({ end: 0, asked: 0 })
  })

  test('without a tray, closing quits, and a hidden start shows the window', async () => {
    app = await start(home, { hasTray: false }, ['--hidden'])
    await endWait(home, false)
    await app.called('show')
    void act('closeWindow')
    expect({ end: await app.ended, calls: app.count('ask') + app.count('tray') }).toEqual({
      end: 0,
      calls: 0,
    })
  })

  test('started at login, it is only in the tray until it is opened', async () => {
    app = await start(home, {}, ['--hidden'])
    await app.called('tray')
    expect(app.count('show')).toBe(0)
    await app.act('chooseInTray', 'Open Millrace')
    await app.called('show')
  })

  test.runIf(onLinux)(
    'a tray that starts after the login is found, and the window stays hidden',
    async () => {
      app = await start(home, { hasTray: false }, ['--hidden'])
      await endWait(home, true)
      await app.called('tray')
      expect(app.count('show')).toBe(0)
      await app.act('chooseInTray', 'Open Millrace')
      await app.called('show')
    },
  )

  test.runIf(onLinux)('a tray that starts later is found when the window closes', async () => {
    app = await start(home, { hasTray: false, buttons: [0] })
    await app.called('show')
    putTray(home, true)
    await app.act('closeWindow')
    await app.called('hide')
    await app.act('clickTray')
    await app.calledAfter('show', 1)
    await app.act('closeWindow')
    await app.calledAfter('hide', 1)
    expect({ trays: app.count('tray'), asked: app.count('ask') }).toEqual({ trays: 1, asked: 1 })
  })

  test('quitting with unsaved changes asks first, and can be cancelled', async () => {
    app = await start(home, { buttons: [1, 0] })
    await app.called('show')
    await app.act('changePage')
    await app.act('quit')
    const url = String((await app.called('loadURL'))[0])
    expect([await app.called('ask'), (await fetch(`${url}/v1/health`)).status]).toEqual([
      [['Leave', 'Stay'], 'Leave without saving your changes?'],
      200,
    ])
    void act('quit')
    expect(await app.ended).toBe(0)
  })

  test('on shutdown of the system it stops properly, asks nothing and cancels nothing', async () => {
    app = await start(home, {})
    await app.called('show')
    await app.act('changePage')
    const delays = app.act('power', 'shutdown')
    expect({
      delays: await delays,
      end: await app.ended,
      unlocked: isUnlocked(),
      asked: app.count('ask'),
    }).toEqual({
      delays: true,
      end: 0,
      unlocked: true,
      asked: 0,
    })
  })

  test("when Windows ends the session, it stops at once and doesn't delay the shutdown", async () => {
    app = await start(home, {})
    await app.called('show')
    expect(await app.act('windowEvent', 'query-session-end')).toBe(false)
    await expect.poll(isUnlocked).toBe(true)
    void act('quit')
    expect(await app.ended).toBe(0)
  })

  test("the data folder is never the window's folder, whatever its case", async () => {
    const folder = join(home.folder, 'config/Millrace-Desktop/data')
    app = startDesktop(home, {}, {}, ['--data-dir', folder])
    const [, message] = await app.called('dialog.showErrorBox')
    expect({ message, end: await app.ended }).toEqual({
      message: expect.stringContaining(`The data folder ${folder}`),
      end: 2,
    })
  })

  test('the window opens where it was, if that is on a screen', async () => {
    const bounds = { x: 2000, y: 100, width: 900, height: 700 }
    const second = { x: 1920, y: 0, width: 1920, height: 1080 }
    const first = { x: 0, y: 0, width: 1920, height: 1080 }
    const placeAt = async (screens: StandInOptions['screens'] & object) => {
      app = await start(home, { screens, buttons: [1] })
      await app.called('show')
      const [{ x, y, width, height }] = (await app.called('BrowserWindow')) as [Electron.Rectangle]
      return { x, y, width, height }
    }
    expect(await placeAt([first, second])).toEqual({ width: 1280, height: 820 })
    await app.act('place', bounds)
    void act('closeWindow')
    await app.ended
    expect(await placeAt([first, second])).toEqual(bounds)
    await app.kill()
    expect(await placeAt([first])).toEqual({ width: 900, height: 700 })
  })
})
