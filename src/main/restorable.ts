/** The program as one that can put a backup in the place of its database: it stops for that, and starts again by itself. */
import { startApplication, type Application, type ApplicationOptions } from './application.ts'
import type { FailureNotice } from './services/runs/failure-notices.ts'
import { storedJson } from './services/kit/json-codec.ts'
import { restoreBackup } from './store/index.ts'

/**
 * As `startApplication`; the address and the session stay the same over a restore.
 *
 * @throws HostError where the port is taken, StoreOpenError where the folder cannot be opened
 */
export async function startRestorable(options: ApplicationOptions): Promise<Application> {
  const { config, log } = options
  const listeners: ((notice: FailureNotice) => void)[] = []
  let restoring: Promise<void> | null = null
  let current = await start(options)

  function start(given: ApplicationOptions): Promise<Application> {
    return startApplication({
      ...given,
      onRestore(path) {
        // A second wish for the time in which the first is being fulfilled is the same one, made twice.
        restoring ??= restore(path).finally(() => (restoring = null))
      },
    })
  }

  async function restore(file: string): Promise<void> {
    const { url, sessionBearer } = current
    await current.stop()
    try {
      await restoreBackup({ dataDir: config.dataDir, file, now: Date.now(), json: storedJson })
    } catch (error) {
      log.error({ err: error, file }, 'The backup was not restored; Millrace continues with its present data')
    }
    current = await start({
      ...options,
      config: { ...config, port: Number(new URL(url).port) },
      sessionBearer,
    })
    for (const listener of listeners) current.onFailure(listener)
  }

  return {
    get url() {
      return current.url
    },
    get sessionUrl() {
      return current.sessionUrl
    },
    signInUrl: () => current.signInUrl(),
    sessionBearer: current.sessionBearer,
    onFailure(listener) {
      listeners.push(listener)
      current.onFailure(listener)
    },
    async stop() {
      await restoring
      await current.stop()
    },
  }
}
