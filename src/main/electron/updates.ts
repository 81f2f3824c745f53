/**
 * Announces newer versions of the app, and installs them once the user wants it, no run is in progress and a
 * backup is taken.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { app } from 'electron'
import type { AppUpdater } from 'electron-updater'
import type { DesktopSettings } from '../../shared/desktop/settings.ts'
import type { Application } from '../host/application.ts'
import type { Log } from '../services/kit/ports.ts'
import type { PreferencesFile } from './preferences.ts'

export interface UpdatesHost {
  readonly preferences: PreferencesFile
  readonly log: Log
  readonly application: Pick<Application, 'onBusy' | 'backUp'>
  /** Tells the user about a new version. */
  readonly announce: (version: string) => void
  /** Stops the server; resolves when the data folder is unlocked. */
  readonly stop: () => Promise<void>
  /** Called when the program has a new path. */
  readonly onMoved: (path: string) => void
}

type State = DesktopSettings['update']

const FIRST_LOOK_MS = 60_000
const LOOK_EVERY_MS = 24 * 60 * 60 * 1_000

/** The file in which a package names its source of updates. Packages that are not published lack it. */
const sourceFile = () => join(process.resourcesPath, 'app-update.yml')

export function createUpdates(host: UpdatesHost) {
  const { preferences, log, application } = host
  const hasSource = app.isPackaged && existsSync(sourceFile())
  let state: State = { status: hasSource ? 'idle' : 'none', version: null, message: null }
  let loaded: Promise<AppUpdater> | null = null
  let timer: NodeJS.Timeout | undefined
  let isBusy = false
  let onIdle: (() => void) | null = null
  application.onBusy((busy) => {
    isBusy = busy
    if (!busy) onIdle?.()
  })

  const become = (status: State['status'], version = state.version, message: string | null = null) => {
    state = { status, version, message }
  }
  const fail = (error: unknown) => {
    const message = error instanceof Error ? error.message : String(error)
    log.warn({ err: error }, 'An update failed')
    become('failed', state.version, message.split('\n', 1)[0] ?? '')
  }

  async function look(): Promise<void> {
    if (!hasSource || !['idle', 'current', 'failed', 'available'].includes(state.status)) return
    become('looking')
    try {
      const updater = await (loaded ??= loadUpdater(host))
      const found = await updater.checkForUpdates()
      if (found?.isUpdateAvailable !== true) return become('current', null)
      const { version } = found.updateInfo
      become('available', version)
      if (preferences.current().announced_update === version) return
      preferences.set({ announced_update: version })
      host.announce(version)
    } catch (error) {
      fail(error)
    }
  }

  async function install(): Promise<void> {
    if (state.status !== 'available' || loaded === null) return
    try {
      const updater = await loaded
      become('downloading')
      await updater.downloadUpdate()
      become('waiting')
      await untilIdle()
      // The user may have cancelled in the meantime.
      if (stateNow().status !== 'waiting') return
      become('installing')
      await application.backUp()
      await host.stop()
      updater.quitAndInstall(true, true)
    } catch (error) {
      fail(error)
    }
  }
  const stateNow = (): State => state

  function untilIdle(): Promise<void> {
    if (!isBusy) return Promise.resolve()
    return new Promise((resolve) => {
      onIdle = () => {
        onIdle = null
        resolve()
      }
    })
  }

  /** Checks for updates once a day, if the user has enabled it. */
  function schedule(afterMs: number): void {
    clearTimeout(timer)
    if (!hasSource || !preferences.current().check_updates) return
    timer = setTimeout(() => {
      void look()
      schedule(LOOK_EVERY_MS)
    }, afterMs).unref()
  }
  schedule(FIRST_LOOK_MS)

  return {
    state: (): State => state,
    look,
    install,
    /** Cancels the installation while it waits for runs to finish. */
    cancel() {
      if (state.status !== 'waiting') return
      become('available')
      onIdle?.()
    },
    /** Called when the user has turned the daily check on or off. */
    changed() {
      schedule(LOOK_EVERY_MS)
      if (preferences.current().check_updates) void look()
    },
  }
}

export type Updates = ReturnType<typeof createUpdates>

async function loadUpdater({ log, onMoved }: UpdatesHost): Promise<AppUpdater> {
  const { default: updaters } = await import('electron-updater')
  const updater = updaters.autoUpdater
  updater.autoDownload = false
  updater.autoInstallOnAppQuit = false
  updater.logger = {
    info: () => {},
    warn: (message: unknown) => log.warn({ detail: String(message) }, 'Warning from the updater'),
    error: () => {}, // Not logged here, because errors are also thrown.
  }
  updater.on('error', () => {})
  updater.on('appimage-filename-updated', onMoved)
  return updater
}
