import { join } from 'node:path'
import { BrowserWindow, dialog, nativeTheme } from 'electron'
import type { PreferencesFile } from './preferences.ts'
import { LEAST_SIZE, rememberPlace, restorePlace } from './window-place.ts'
import { fill, type Words } from './words.ts'

export interface WindowOptions {
  readonly preferences: PreferencesFile
  readonly words: () => Words
  /** False if the window stays hidden until the user opens it. */
  readonly isShown: boolean
  /** The URL of the page. The window's title says if its port isn't the requested one. */
  readonly url: string
  readonly wantedPort: number
}

/** The background until the page is loaded, the same as in the page's stylesheet. */
const BACKGROUND = { light: '#f6f8fa', dark: '#0c121a' }

/** Settings that limit what pages of the app can do. */
export const SAFE_PAGE = {
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
}

/** Creates the window for the page, which isn't loaded yet. */
export function createWindow(options: WindowOptions): BrowserWindow {
  const { preferences, words, isShown, url, wantedPort } = options
  const window = new BrowserWindow({
    ...restorePlace(preferences),
    ...LEAST_SIZE,
    show: false,
    autoHideMenuBar: true,
    title: 'Millrace',
    backgroundColor: nativeTheme.shouldUseDarkColors ? BACKGROUND.dark : BACKGROUND.light,
    webPreferences: {
      preload: join(import.meta.dirname, '../preload/index.cjs'),
      ...SAFE_PAGE,
      spellcheck: true,
    },
  })
  const { port, host } = new URL(url)
  if (Number(port) !== wantedPort && wantedPort !== 0) {
    window.on('page-title-updated', (event, title) => {
      event.preventDefault()
      window.setTitle(fill(words().portTaken, { title, host, port: wantedPort }))
    })
  }
  // Shown with its first frame, so that nothing flashes.
  if (isShown)
    window.once('ready-to-show', () => {
      if (preferences.current().window?.maximized === true) window.maximize()
      window.show()
    })
  rememberPlace(window, preferences)
  return window
}

export function bringToFront(window: BrowserWindow): void {
  if (window.isMinimized()) window.restore()
  window.show()
  window.focus()
}

export interface CloseRules {
  readonly preferences: PreferencesFile
  readonly words: () => Words
  /** Asks the system again, because a tray may start after Millrace. */
  readonly findTray: () => Promise<boolean>
  readonly isEnding: () => boolean
  readonly quit: () => void
}

/**
 * With a tray, closing can hide the window: the user is asked the first time, and the choice is remembered.
 * Without a tray, closing quits.
 */
export function hideInsteadOfClosing(window: BrowserWindow, rules: CloseRules): void {
  const { preferences, words, findTray, isEnding, quit } = rules
  let isClosing = false

  async function hideOrQuit(): Promise<void> {
    if (!(await findTray())) quit()
    else if (preferences.current().keep_running === true) window.hide()
    else await ask()
  }

  async function ask(): Promise<void> {
    const { keepRunning, keepRunningDetail, keep, quit: quitLabel, cancel } = words()
    const { response } = await dialog.showMessageBox(window, {
      type: 'question',
      message: keepRunning,
      detail: keepRunningDetail,
      buttons: [keep, quitLabel, cancel],
      defaultId: 0,
      cancelId: 2,
    })
    if (response === 2) return
    preferences.set({ keep_running: response === 0 })
    if (response === 0) window.hide()
    else quit()
  }

  window.on('close', (event) => {
    if (isEnding() || preferences.current().keep_running === false) return
    event.preventDefault()
    if (isClosing) return
    isClosing = true
    void hideOrQuit().finally(() => {
      isClosing = false
    })
  })
}

/** Asks the user, because in Electron a page with unsaved changes would just stay open. */
export function askBeforeUnload(
  window: BrowserWindow,
  { words, leavesUnasked, onStay }: { words: () => Words; leavesUnasked: () => boolean; onStay: () => void },
): void {
  window.webContents.on('will-prevent-unload', (event) => {
    const { unsaved, leave, stay } = words()
    const leaves =
      leavesUnasked() ||
      dialog.showMessageBoxSync(window, {
        type: 'question',
        message: unsaved,
        buttons: [leave, stay],
        defaultId: 1,
        cancelId: 1,
      }) === 0
    // In this event, `preventDefault` lets the page unload.
    if (leaves) event.preventDefault()
    else onStay()
  })
}
