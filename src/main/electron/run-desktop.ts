import { app, dialog, session, type BrowserWindow } from 'electron'
import type { Application } from '../application.ts'
import { readConfig } from '../config.ts'
import { EXIT, exitCodeOf } from '../exit-codes.ts'
import { startRestorable } from '../restorable.ts'
import { startOnFreePort } from '../port.ts'
import { createLogger } from '../system.ts'
import { answerPage } from './answer-page.ts'
import { guardContents, guardSession } from './guards.ts'
import { createKeychainKey } from './keychain-key.ts'
import { showFailure } from './show-failure.ts'
import { readStartArguments } from './start-arguments.ts'
import { openWindow } from './window.ts'

/** Runs the app until it quits. A second start shows the window of the first. */
export async function runDesktop(): Promise<void> {
  const log = createLogger('warn')
  process.on('uncaughtException', (error) => {
    log.error({ err: error }, 'Millrace ends: an error nobody expected')
    app.exit(EXIT.internal)
  })
  let application: Application | null = null
  let window: BrowserWindow | null = null
  const isOwn = (url: string) => application !== null && originOf(url) === application.url

  app.on('web-contents-created', (_event, contents) => guardContents(contents, isOwn))
  const showWindow = () => {
    if (window?.isMinimized()) window.restore()
    window?.focus()
  }
  app.on('second-instance', showWindow)
  app.on('window-all-closed', () => app.quit())
  stopBeforeQuit(() => application)

  await app.whenReady()
  try {
    const config = readConfig({ arguments: readStartArguments(process.argv) })
    // Read once: programs started from here don't inherit it.
    delete process.env.MILLRACE_MASTER_KEY
    guardSession(session.defaultSession, isOwn)
    const masterKey = await createKeychainKey(config)
    application = await startOnFreePort(config.port, (port) =>
      startRestorable({
        config: { ...config, port },
        log,
        keepLog: log.keep,
        onStop: () => app.quit(),
        ...(masterKey && { masterKey }),
      }),
    )
    answerPage({ isOwn, sessionBearer: application.sessionBearer, dataDir: config.dataDir })
    application.onFailure((notice) => showFailure(notice, showWindow))
    window = await openWindow(application.url, { wantedPort: config.port })
  } catch (error) {
    dialog.showErrorBox('Millrace cannot start', error instanceof Error ? error.message : String(error))
    await application?.stop()
    app.exit(exitCodeOf(error))
  }
}

/** Quitting waits until the server has stopped properly. */
function stopBeforeQuit(running: () => Application | null): void {
  let hasStopped = false
  app.on('before-quit', (event) => {
    const application = running()
    if (hasStopped || application === null) return
    event.preventDefault()
    void application.stop().finally(() => {
      hasStopped = true
      app.quit()
    })
  })
}

function originOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).origin : null
}
