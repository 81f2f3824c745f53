import { app, type BrowserWindow, powerMonitor } from 'electron'

/** What ends the program: the user, or the system, which nothing here delays or cancels for longer than it takes to stop. */
export interface Ending {
  /** Windows are being closed for good. */
  readonly isEnding: boolean
  readonly isSystemEnding: boolean
  /** Of the program, not of the app: resolves when the data folder is unlocked. */
  readonly stop: () => Promise<void>
  /** The user stays, because of unsaved changes. */
  readonly cancel: () => void
  /** Once the app is ready. */
  watchSystem(): void
  /** Windows only tells its windows that it ends. */
  watchWindow(window: BrowserWindow): void
}

/** If Windows is still there after so long, somebody else cancelled the logout. */
const CANCELLED_AFTER_MS = 30_000

/** @param stop in order: resolves when the data folder is unlocked */
export function createEnding(stop: () => Promise<void>): Ending {
  let state: 'running' | 'quitting' | 'system-ends' = 'running'
  let stopping: Promise<void> | null = null
  let hasStopped = false
  const stopOnce = () =>
    (stopping ??= stop()
      .catch(() => undefined)
      .finally(() => {
        hasStopped = true
      }))

  function endWithSystem(): Promise<void> {
    state = 'system-ends'
    return stopOnce()
  }

  function startOver(): void {
    app.relaunch()
    app.exit(0)
  }

  app.on('before-quit', () => {
    // Preventing this would cancel a logout.
    if (state === 'running') state = 'quitting'
  })
  app.on('will-quit', (event) => {
    if (hasStopped || state === 'system-ends') return
    event.preventDefault()
    void stopOnce().then(() => app.quit())
  })

  return {
    get isEnding() {
      return state !== 'running'
    },
    get isSystemEnding() {
      return state === 'system-ends'
    },
    stop: stopOnce,
    cancel() {
      if (state === 'quitting') state = 'running'
    },
    watchSystem() {
      const onShutdown = (event: { preventDefault(): void }) => {
        // This delays the shutdown until the program has ended, and for a few seconds at most.
        event.preventDefault()
        void endWithSystem().then(() => app.exit(0))
      }
      // Electron's documentation has the event, its types have not.
      powerMonitor.on('shutdown', onShutdown as () => void)
    },
    watchWindow(window) {
      window.on('query-session-end', () => {
        void endWithSystem().then(() => setTimeout(startOver, CANCELLED_AFTER_MS))
      })
      window.on('session-end', () => void endWithSystem())
    },
  }
}
