import { spawn } from 'node:child_process'
import { app } from 'electron'

/**
 * The file that the user started, if this program runs from a folder that is unpacked for each start and disappears
 * afterwards, as with an AppImage and the portable Windows program.
 */
export function outerProgram(): string | null {
  const { APPIMAGE, PORTABLE_EXECUTABLE_FILE } = process.env
  return (app.isPackaged && (APPIMAGE || PORTABLE_EXECUTABLE_FILE)) || null
}

/** Restarts the app. The data folder has to be unlocked. */
export function relaunch(): void {
  const outer = outerProgram()
  if (outer === null) app.relaunch()
  else {
    // Electron's own relaunch starts a helper from the folder that disappears, so the helper ends with it.
    app.releaseSingleInstanceLock()
    spawn(outer, process.argv.slice(1), { detached: true, stdio: 'ignore' }).unref()
  }
  app.exit(0)
}
