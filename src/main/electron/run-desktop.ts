import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { app, type BrowserWindow, dialog, nativeTheme, session, shell } from 'electron'
import type { Application } from '../host/application.ts'
import { type Config, readConfig } from '../host/config.ts'
import { EXIT, exitCodeOf, HostError } from '../host/machine/exit-codes.ts'
import { startOnFreePort } from '../host/machine/tcp-port.ts'
import { IN_APP, STAGES_FILE } from '../host/machine/process-flags.ts'
import { startRestorable } from '../host/restorable.ts'
import { createLogger, type ProgramLog } from '../host/machine/system.ts'
import { unlockKey } from '../host/unlock-key.ts'
import { answerPage } from './answer-page.ts'
import { watchPage } from './crash.ts'
import { applySpelling, createDesktopSettings, followProgram, isStartedByLogin } from './desktop-settings.ts'
import { createEnding } from './ending.ts'
import { guardContents, guardSession } from './guards.ts'
import { changePassphrase, createPassphraseWindow } from './key-passphrase.ts'
import { createKeychainKey, hasKeychain } from './keychain-key.ts'
import { createFolderMove } from './folder-move.ts'
import { followLinks } from './follow-links.ts'
import { addContextMenu, setApplicationMenu } from './menu.ts'
import { groupNotices } from './group-notices.ts'
import { announceUpdate, showNotice } from './notices.ts'
import { createOpener } from './opener.ts'
import { requireApart } from './own-folder.ts'
import { lookAfterSleep, stayAwakeWhileBusy } from './power.ts'
import { openPreferences } from './preferences.ts'
import { outerProgram } from './relaunch.ts'
import { readStartArguments } from './start-arguments.ts'
import { type AppTray, hasTray, openTray } from './tray.ts'
import { askBeforeUnload, bringToFront, createWindow, hideInsteadOfClosing } from './window.ts'
import { createUpdates } from './updates.ts'
import { type Words, wordsIn } from './words.ts'

/** Runs the app until it quits. A second start shows the window of the first. */
export async function runDesktop(): Promise<void> {
  const log = createLogger('warn')
  process.on('uncaughtException', (error) => {
    log.error({ err: error }, 'Millrace stops because of an unexpected error')
    app.exit(EXIT.internal)
  })
  let application: Application | null = null
  let window: BrowserWindow | null = null
  let tray: AppTray | null = null
  let words = wordsIn('system', app.getLocale())
  const isOwn = (url: string) => application !== null && originOf(url) === application.url
  const show = () => window !== null && bringToFront(window)
  const showDataFolder = async () => {
    const problem = await shell.openPath(application?.dataDir ?? '')
    if (problem) throw new Error(problem)
  }

  app.on('web-contents-created', (_event, contents) => guardContents(contents, isOwn))
  const opener = createOpener(show)
  followLinks(process.argv, opener.open)
  app.on('second-instance', show)
  app.on('activate', show)
  // The app doesn't quit when its only window was the one that asks for the passphrase.
  app.on('window-all-closed', () => window !== null && app.quit())
  const ending = createEnding(async () => application?.stop())

  await app.whenReady()
  const report = reportStages()
  report('ready')
  ending.watchSystem()
  try {
    requireSandbox()
    const start = readStartArguments(process.argv)
    const config = readConfig({ arguments: start })
    // Removed after reading, so that programs started from here don't inherit it.
    delete process.env.MILLRACE_MASTER_KEY
    requireApart(config.dataDir, app.getPath('userData'))
    guardSession(session.defaultSession, isOwn)
    const preferences = openPreferences(join(app.getPath('userData'), 'desktop.json'), log)
    application = await startServer(config, log, words)
    report('served')
    const { url, sessionBearer } = application
    const host = { words: () => words, open: opener.open, log }
    const updates = createUpdates({
      preferences,
      log,
      application,
      announce: (version) => announceUpdate(version, host),
      stop: ending.stop,
      onMoved: followProgram,
    })
    const settings = createDesktopSettings({
      updates,
      preferences,
      config,
      hasKeychain: await hasKeychain(),
      hasTray: () => tray !== null,
    })
    const moveDataFolder = createFolderMove({
      config,
      words: () => words,
      window: () => window,
      stop: ending.stop,
    })
    answerPage({
      isOwn,
      sessionBearer,
      showDataFolder,
      moveDataFolder,
      changePassphrase: (change) => changePassphrase(config.keyFile, change),
      takePath: opener.takePending,
      settings,
    })
    applySpelling(preferences)

    application.onFailure(groupNotices((notice) => showNotice(notice, host)))
    lookAfterSleep(application)
    stayAwakeWhileBusy(application)
    const findTray = async (waitSeconds?: number) => {
      if (tray === null && (await hasTray(waitSeconds)))
        tray ??= openTray(words, { show, quit: () => app.quit() })
      return tray !== null
    }
    const isHidden = start.hidden || isStartedByLogin()
    await findTray()
    application.onSettings(({ theme, language }) => {
      nativeTheme.themeSource = theme
      words = wordsIn(language, app.getLocale())
      setApplicationMenu(words, { open: opener.open, showDataFolder: () => void showDataFolder() })
      tray?.setWords(words)
    })

    window = createWindow({
      preferences,
      words: host.words,
      isShown: !isHidden,
      url,
      wantedPort: config.port,
    })
    hideInsteadOfClosing(window, {
      ...host,
      preferences,
      findTray,
      isEnding: () => ending.isEnding,
      quit: () => app.quit(),
    })
    askBeforeUnload(window, {
      ...host,
      leavesUnasked: () => ending.isSystemEnding,
      onStay: ending.cancel,
    })
    addContextMenu(window.webContents, host.words)
    watchPage(window, { ...host, url: () => application?.url ?? url })
    ending.watchWindow(window)
    opener.watch(window)
    await window.loadURL(url)
    report('shown')
    // Without a tray, a hidden window couldn't be reached.
    if (isHidden && !(await findTray(TRAY_AFTER_LOGIN_SECONDS)) && !ending.isEnding) show()
  } catch (error) {
    dialog.showErrorBox('Millrace cannot start', error instanceof Error ? error.message : String(error))
    await application?.stop()
    app.exit(exitCodeOf(error))
  }
}

const TRAY_AFTER_LOGIN_SECONDS = 20

/** Reports the stages of the start to `npm start`, which opens the browser if no page appears. */
function reportStages(): (stage: 'ready' | 'served' | 'shown') => void {
  const file = process.env[STAGES_FILE]
  // Programs started from here must not inherit it.
  delete process.env[STAGES_FILE]
  return (stage) => file && appendFileSync(file, `${stage}\n`)
}

/** The launcher of an AppImage adds the switch itself on systems that don't let programs create user namespaces. */
function requireSandbox(): void {
  if (!app.commandLine.hasSwitch('no-sandbox')) return
  throw new HostError(
    EXIT.failed,
    `Millrace was started with --no-sandbox, and never opens a page without the sandbox. Start it without this option. If this system doesn't allow user namespaces, like Ubuntu since 23.10, install the deb package, which brings the AppArmor profile, or open Millrace in the browser with "${outerProgram() ?? process.execPath} ${IN_APP} start"`,
  )
}

async function startServer(given: Config, log: ProgramLog, words: Words): Promise<Application> {
  const masterKey = await createKeychainKey(given)
  const config = masterKey === null ? await unlock(given, words) : given
  return startOnFreePort(config.port, (port) =>
    startRestorable({
      config: { ...config, port },
      log,
      keepLog: log.keep,
      onStop: () => app.quit(),
      ...(masterKey && { masterKey }),
    }),
  )
}

async function unlock(config: Config, words: Words): Promise<Config> {
  const window = createPassphraseWindow(words)
  try {
    return await unlockKey(config, window.ask)
  } finally {
    window.close()
  }
}

function originOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).origin : null
}
