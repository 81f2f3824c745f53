import { app, type BrowserWindow, powerMonitor } from 'electron'
import { relaunch } from './relaunch.ts'

/** Ends the program for the user or the system. The system is never delayed for longer than stopping takes. */
export interface Ending {
  /** Whether windows are being closed for good. */
  readonly isEnding: boolean
  readonly isSystemEnding: boolean
  /** Stops the server, not the app. Resolves when the data folder is unlocked. */
  readonly stop: () => Promise<void>
  /** Called when the user cancels because of unsaved changes. */
  readonly cancel: () => void
  /** Called once the app is ready. */
  watchSystem(): void
  /** Called for each window, because Windows reports its shutdown only to windows. */
  watchWindow(window: BrowserWindow): void
}

/** If Millrace is still running after this time, another program has cancelled the Windows logout. */
const CANCELLED_AFTER_MS = 30_000

/** @param stop stops the server in order; resolves when the data folder is unlocked */
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
        // Delays the shutdown until the program has stopped, but only for a few seconds.
        event.preventDefault()
        void endWithSystem().then(() => app.exit(0))
      }
      // Electron documents this event, but its types don't have it.
      powerMonitor.on('shutdown', onShutdown as () => void)
    },
    watchWindow(window) {
      window.on('query-session-end', () => {
        void endWithSystem().then(() => setTimeout(relaunch, CANCELLED_AFTER_MS))
      })
      window.on('session-end', () => void endWithSystem())
    },
  }
}
