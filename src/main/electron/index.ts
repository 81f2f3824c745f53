/** The desktop app: a window on the same server that the headless host runs. */
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { app } from 'electron'
import { defaultFolders } from '../host/folder/default-folders.ts'
import { IN_APP, setFlags } from '../host/machine/process-flags.ts'
import { useOwnFolder } from './own-folder.ts'

// Sets the flags here instead of restarting with them. A restart would lose a link, and an AppImage or a portable
// program wouldn't survive it.
setFlags()
const folders = defaultFolders(process.platform, process.env, homedir())
useOwnFolder(process.argv.includes(IN_APP) ? join(folders.desktop, 'command') : folders.desktop)
// Windows only shows notifications of a program with this name, which its shortcut has too.
app.setAppUserModelId('dev.millrace.desktop')
if (process.argv.includes(IN_APP)) await runCommand()
else if (app.requestSingleInstanceLock()) {
  // Never caches inside the package, because its signature covers its files.
  if (import.meta.filename.endsWith('.js')) enableCompileCache(join(folders.cache, 'compiled'))
  // Electron becomes ready only after this module has run, so no event is missed.
  const { runDesktop } = await import('./run-desktop.ts')
  void runDesktop()
} else app.quit()

/** Runs the `millrace` command with this program in place of Node. The built host is next to this file. */
async function runCommand(): Promise<void> {
  app.dock?.hide()
  await import(new URL('headless.js', import.meta.url).href)
}
