import { createServer, type AddressInfo } from 'node:net'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startDesktop, type Desktop } from '../helpers/desktop.ts'
import { createHome, type Home } from '../helpers/program.ts'
import { readProgramFinding } from '../helpers/served-api.ts'
import type { StandInOptions } from './stand-in/base.ts'

describe('the desktop app', () => {
  let home: Home
  let desktop: Desktop | null = null
  beforeEach(() => {
    home = createHome()
  })
  afterEach(async () => {
    const misuse = desktop?.calls.find(([call]) => call === 'misuse')
    await desktop?.kill()
    await home.remove()
    desktop = null
    if (misuse) throw new Error(`Electron was misused: ${String(misuse[1])}`)
  })

  async function start(
    options: StandInOptions = {},
    env: NodeJS.ProcessEnv = {},
    args: readonly string[] = [],
  ): Promise<Desktop> {
    desktop = startDesktop(home, options, { MILLRACE_PORT: '0', ...env }, args)
    await desktop.called('show')
    return desktop
  }
  /** What Diagnostics reports about the program itself. */
  async function programFinding(app: Desktop): Promise<readonly [state: string, reason: string | null]> {
    const url = await urlOf(app)
    const bearer = String(await app.act('invoke', 'desktop:session-bearer', url, true))
    return readProgramFinding(url, bearer)
  }
  const urlOf = async (app: Desktop) => String((await app.called('loadURL'))[0])

  test('opens one window on the page it serves, sandboxed and cut off from Node', async () => {
    const app = await start()
    const url = await urlOf(app)
    const [options] = (await app.called('BrowserWindow')) as [{ webPreferences: Record<string, unknown> }]
    const { preload, ...preferences } = options.webPreferences
    expect({
      page: (await fetch(url)).status,
      calls: app.calls.map(([call]) => call),
      folder: await app.called('app.setPath'),
      preferences,
      preload: existsSync(String(preload)),
    }).toEqual({
      page: 200,
      calls: [
        'app.setPath',
        'app.setAppUserModelId',
        'setSpellCheckerEnabled',
        'nativeTheme.themeSource',
        'BrowserWindow',
        'loadURL',
        'show',
      ],
      folder: ['userData', join(home.folder, 'config/millrace-desktop')],
      preferences: {
        sandbox: true,
        contextIsolation: true,
        nodeIntegration: false,
        nodeIntegrationInWorker: false,
        nodeIntegrationInSubFrames: false,
        webSecurity: true,
        allowRunningInsecureContent: false,
        experimentalFeatures: false,
        webviewTag: false,
        navigateOnDragDrop: false,
        spellcheck: true,
      },
      preload: true,
    })
  })

  test('without its flags starts all the same, in one process, and Diagnostics says which one is missing', async () => {
    desktop = startDesktop(
      home,
      { isPackaged: true },
      { APPIMAGE: '/opt/millrace.AppImage' },
      ['--port', '0'],
      [],
    )
    await desktop.called('show')
    expect({
      relaunched: desktop.count('app.relaunch'),
      finding: await programFinding(desktop),
    }).toEqual({ relaunched: 0, finding: ['warning', 'makes_code'] })
  })

  test('keeps the link that starts it, also without flags', async () => {
    desktop = startDesktop(
      home,
      { firstLink: 'millrace://flow/0199d6f0-7c1a-7000-8000-000000000001' },
      { MILLRACE_PORT: '0' },
      [],
      [],
    )
    await desktop.called('show')
    expect(await desktop.act('invoke', 'desktop:take-path', await urlOf(desktop), true)).toBe(
      '/open-link?flow=0199d6f0-7c1a-7000-8000-000000000001',
    )
  })

  test('tells npm start when Electron works and when the page is there', async () => {
    const file = join(home.folder, 'stages')
    const app = await start({}, { MILLRACE_STAGES_FILE: file })
    await expect.poll(() => readFileSync(file, 'utf8')).toBe('ready\nserved\nshown\n')
    expect(await programFinding(app)).toEqual(['ok', null])
  })

  test('opens nothing without the sandbox, and says what to do', async () => {
    const app = startDesktop(home, {}, { MILLRACE_PORT: '0' }, ['--no-sandbox'])
    const [, message] = await app.called('dialog.showErrorBox')
    expect({ message, end: await app.ended, windows: app.count('BrowserWindow') }).toEqual({
      message: expect.stringMatching(/--no-sandbox.*AppArmor profile.* --cli start"$/),
      end: 1,
      windows: 0,
    })
  })

  test('with its flags starts at once, and Diagnostics finds them in force', async () => {
    const app = await start()
    expect(await programFinding(app)).toEqual(['ok', null])
  })

  test('takes port and folder from its arguments, before the environment', async () => {
    const folder = join(home.folder, 'elsewhere')
    const app = await start({}, { MILLRACE_PORT: 'none' }, ['--port', '0', `--data-dir=${folder}`])
    expect({
      status: (await fetch(await urlOf(app))).status,
      hasDatabase: existsSync(join(folder, 'millrace.db')),
    }).toEqual({ status: 200, hasDatabase: true })
  })

  test('gives the session only to its own page in the main frame', async () => {
    const app = await start()
    const url = await urlOf(app)
    const ask = (origin: string, isMainFrame: boolean) =>
      app.act('invoke', 'desktop:session-bearer', origin, isMainFrame).catch((error: Error) => error.message)
    const bearer = await ask(url, true)
    const settings = await fetch(`${url}/v1/settings`, {
      headers: { Authorization: `Bearer ${String(bearer)}` },
    })
    const refused = "desktop:session-bearer is for Millrace's own page"
    expect({
      settings: settings.status,
      others: await Promise.all([
        ask(url, false),
        ask('null', true),
        ask('gone', true),
        ask('http://127.0.0.1:1', true),
        ask(`${url}.evil.test`, true),
        ask('file://', true),
      ]),
    }).toEqual({ settings: 200, others: Array.from({ length: 6 }, () => refused) })
  })

  test('shows the data folder when its page asks for it', async () => {
    const app = await start()
    await app.act('invoke', 'desktop:show-data-folder', await urlOf(app), true)
    expect(await app.called('shell.openPath')).toEqual([home.dataDir])
  })

  test('stays on its own page: links to the web open in the browser, anything else is blocked', async () => {
    const app = await start()
    const url = await urlOf(app)
    const prevented = {
      own: await app.act('navigate', 'will-frame-navigate', `${url}/flows/1`),
      web: await app.act('navigate', 'will-frame-navigate', 'https://example.test/a'),
      redirect: await app.act('navigate', 'will-redirect', 'http://example.test/b'),
      otherPort: await app.act('navigate', 'will-frame-navigate', 'http://127.0.0.1:1/'),
      file: await app.act('navigate', 'will-frame-navigate', 'file:///etc/passwd'),
      program: await app.act('navigate', 'will-frame-navigate', 'ms-msdt:/id'),
      script: await app.act('navigate', 'will-frame-navigate', 'javascript:alert(1)'),
      webview: await app.act('attachWebview'),
    }
    const windows = await Promise.all(
      ['https://example.test/c', `${url}/flows`, 'file:///etc/passwd', 'not an address'].map((address) =>
        app.act('openWindow', address),
      ),
    )
    expect({
      prevented,
      windows,
      opened: app.calls.filter(([call]) => call === 'shell.openExternal').map(([, address]) => address),
    }).toEqual({
      prevented: {
        own: false,
        web: true,
        redirect: true,
        otherPort: true,
        file: true,
        program: true,
        script: true,
        webview: true,
      },
      windows: Array.from({ length: 4 }, () => ({ action: 'deny' })),
      opened: [
        'https://example.test/a',
        'http://example.test/b',
        'http://127.0.0.1:1/',
        'https://example.test/c',
        `${url}/flows`,
      ],
    })
  })

  test('continues if the system has no browser to open', async () => {
    const app = await start({ openFails: true })
    await app.act('openWindow', 'https://example.test/')
    await app.called('shell.openExternal')
    expect((await fetch(await urlOf(app))).status).toBe(200)
  })

  test('permits only writing to the clipboard, and only its own page', async () => {
    const app = await start()
    const url = await urlOf(app)
    const ask = (permission: string, origin: string) =>
      Promise.all([
        app.act('requestPermission', permission, `${origin}/flows`),
        app.act('checkPermission', permission, origin),
      ])
    expect({
      copy: await ask('clipboard-sanitized-write', url),
      copyElsewhere: await ask('clipboard-sanitized-write', 'https://example.test'),
      others: await Promise.all(
        ['clipboard-read', 'media', 'geolocation', 'notifications', 'openExternal', 'unknown'].map(
          (permission) => ask(permission, url),
        ),
      ),
      device: await app.act('checkDevice'),
    }).toEqual({
      copy: [true, true],
      copyElsewhere: [false, false],
      others: Array.from({ length: 6 }, () => [false, false]),
      device: false,
    })
  })

  test('takes the next free port if the default one is taken, and says so in the title', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as AddressInfo
    const app = await start({}, { MILLRACE_PORT: String(port) })
    const url = new URL(await urlOf(app))
    const prevented = await app.act('setPageTitle', 'Flows')
    other.close()
    expect({ isOther: Number(url.port) > port, prevented, title: await app.called('setTitle') }).toEqual({
      isOther: true,
      prevented: true,
      title: [`Flows – ${url.host}, because port ${port} is taken`],
    })
  })

  test('leaves the title to the page if the port is the default one', async () => {
    const app = await start()
    expect(await app.act('setPageTitle', 'Flows')).toBe(false)
  })

  test("a second start shows the first one's window and exits", async () => {
    const app = await start()
    await app.act('minimize')
    await app.act('startAgain')
    await app.called('focus')
    expect(app.calls.map(([call]) => call).slice(-3)).toEqual(['restore', 'show', 'focus'])

    const second = startDesktop(home, { isFirstInstance: false }, { MILLRACE_PORT: '0' })
    expect({ end: await second.ended, calls: second.calls.map(([call]) => call) }).toEqual({
      end: 0,
      calls: ['app.setPath', 'app.setAppUserModelId', 'app.quit'],
    })
  })

  test('exits with its window, once the server has stopped properly', async () => {
    const app = await start()
    await app.act('closeWindow').catch(() => {})
    expect({
      end: await app.ended,
      quits: app.calls.filter(([call]) => call === 'app.quit').length,
      isFree: !existsSync(join(home.dataDir, 'millrace.lock')),
      stderr: app.stderr(),
    }).toEqual({ end: 0, quits: 2, isFree: true, stderr: '' })
  })

  test.each([
    ['with a keychain keeps no key in a file', {}, false],
    ['without a keychain keeps its key in a file, as headless', { hasKeychain: false }, true],
    ['takes a key that Electron has in its sources for no keychain', { keychain: 'basic_text' }, true],
  ])('%s', async (_title, options, hasKeyFile) => {
    await start(options)
    expect(existsSync(join(home.folder, 'config', 'millrace', 'master.key'))).toBe(hasKeyFile)
  })

  test('without a keychain a passphrase protects the key: it asks before anything starts, and again if it was wrong', async () => {
    const unprotected = await start({ keychain: 'basic_text' })
    const url = await urlOf(unprotected)
    const change = (current: string | null, next: string | null) =>
      unprotected.act('invoke', 'desktop:change-passphrase', url, true, { current, next })
    await change(null, 'correct horse')
    const refusal = await change('wrong', null).catch((error: Error) => error.message)
    const settings = await unprotected.act('invoke', 'desktop:settings', url, true)
    await unprotected.act('closeWindow').catch(() => {})
    await unprotected.ended

    const app = startDesktop(home, { keychain: 'basic_text' }, { MILLRACE_PORT: '0' })
    const [page] = await app.called('loadURL')
    const isWaiting = !existsSync(join(home.dataDir, 'millrace.lock'))
    const unlock = (passphrase: string) => app.act('invoke', 'desktop:unlock', 'null', true, passphrase)
    const wrong = await unlock('wrong')
    const right = await unlock('correct horse')
    const [loaded] = await app.calledAfter('loadURL', 1)
    expect({
      refusal,
      key: (settings as { key: object }).key,
      page: decodeURIComponent(String(page)).includes('Stored credentials are locked'),
      isWaiting,
      answers: [wrong, right],
      status: (await fetch(String(loaded))).status,
      afterwards: await unlock('correct horse').catch((error: Error) => error.message),
    }).toEqual({
      refusal: "That isn't the current passphrase",
      key: { place: 'file', path: join(home.folder, 'config/millrace/master.key'), is_protected: true },
      page: true,
      isWaiting: true,
      answers: [false, true],
      status: 200,
      afterwards: 'electron stand-in: nothing answers "desktop:unlock"',
    })
    await app.kill()
  })

  test('starts even if the keychain has lost its key', async () => {
    const first = await start()
    await first.act('closeWindow').catch(() => {})
    await first.ended
    const second = await start({ keychainForgot: true })
    expect((await fetch(await urlOf(second))).status).toBe(200)
  })

  test("shows a dialog with the reason why it can't start, and exits with the matching code", async () => {
    const served = await home.serve()
    const app = startDesktop(home, {}, { MILLRACE_PORT: '0' })
    const [title, message] = await app.called('dialog.showErrorBox')
    expect({ title, message, end: await app.ended }).toEqual({
      title: 'Millrace cannot start',
      message: expect.stringContaining(`(process ${served.process.pid}`),
      end: 75,
    })
  })

  test("exits with a dialog if its page can't be loaded, and unlocks the folder", async () => {
    const app = startDesktop(home, { loadFails: true }, { MILLRACE_PORT: '0' })
    const [, message] = await app.called('dialog.showErrorBox')
    expect({
      message,
      end: await app.ended,
      isFree: !existsSync(join(home.dataDir, 'millrace.lock')),
    }).toEqual({
      message: expect.stringContaining('ERR_FAILED'),
      end: 70,
      isFree: true,
    })
  })
})
