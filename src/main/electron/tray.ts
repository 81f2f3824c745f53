import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Menu, nativeImage, Tray } from 'electron'
import { DESKTOP_DIR } from '../host/machine/paths.ts'
import type { Words } from './words.ts'

export interface TrayActions {
  readonly show: () => void
  readonly quit: () => void
}

export type AppTray = ReturnType<typeof openTray>

/** Call this only if `hasTray` returns true, because users couldn't reach a program whose tray isn't shown. */
export function openTray(words: Words, actions: TrayActions) {
  // The caller's reference keeps the tray alive, because it disappears once it is garbage-collected.
  const tray = new Tray(trayImage())
  const setWords = ({ open, quit }: Words) =>
    tray.setContextMenu(
      Menu.buildFromTemplate([
        { label: open, click: actions.show },
        { type: 'separator' },
        { label: quit, click: actions.quit },
      ]),
    )
  tray.setToolTip('Millrace')
  setWords(words)
  // On macOS a click opens the menu.
  if (process.platform !== 'darwin') tray.on('click', actions.show)
  return {
    /** Updates the labels after the language has changed. */
    setWords,
  }
}

/** macOS paints a template in the color of its menu bar, which follows wallpaper and theme. */
function trayImage(): Electron.NativeImage {
  const isMac = process.platform === 'darwin'
  const image = nativeImage.createFromPath(join(DESKTOP_DIR, isMac ? 'trayTemplate.png' : 'tray.png'))
  if (isMac) image.setTemplateImage(true)
  return image
}

/**
 * Whether there is a tray. Windows and macOS always have one. On Linux, the tray is a desktop program that owns a
 * name on the session bus. Electron doesn't report whether that program is running, so this asks the bus; no reply
 * means no tray.
 *
 * @param waitSeconds at login, where that program may start after this one
 */
export async function hasTray(waitSeconds = 0): Promise<boolean> {
  if (process.platform !== 'linux') return true
  const wait = ['wait', '--session', `--timeout=${waitSeconds}`, WATCHER]
  const timeout = waitSeconds * 1_000 + ASK_WITHIN_MS
  try {
    const { stdout } = await promisify(execFile)('gdbus', waitSeconds > 0 ? wait : ASK, { timeout })
    return waitSeconds > 0 || stdout.includes('true')
  } catch {
    return false
  }
}

const WATCHER = 'org.kde.StatusNotifierWatcher'
const ASK = [
  'call',
  '--session',
  '--dest=org.freedesktop.DBus',
  '--object-path=/org/freedesktop/DBus',
  '--method=org.freedesktop.DBus.NameHasOwner',
  WATCHER,
]
const ASK_WITHIN_MS = 2_000
