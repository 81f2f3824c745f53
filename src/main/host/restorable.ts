/** A program that can replace its database with a backup: it stops, restores and starts again by itself. */
import { startApplication, type Application, type ApplicationOptions } from './application.ts'
import { storedJson } from '../services/kit/json-codec.ts'
import { restoreBackup } from '../store/index.ts'

/**
 * Like `startApplication`; URL and session survive a restore.
 *
 * @throws HostError if the port is taken, StoreOpenError if the folder can't be opened
 */
export async function startRestorable(options: ApplicationOptions): Promise<Application> {
  const { config, log } = options
  const followers: ((application: Application) => void)[] = []
  let restoring: Promise<void> | null = null
  let current = await start(options)

  function start(given: ApplicationOptions): Promise<Application> {
    return startApplication({
      ...given,
      onRestore(path, passphrase) {
        // A second request during a restore joins the first.
        restoring ??= restore(path, passphrase).finally(() => (restoring = null))
      },
    })
  }

  async function restore(file: string, passphrase: string | null): Promise<void> {
    const { url, webhookUrl, sessionBearer } = current
    const { webhookListen } = config
    let dataKeys: readonly Uint8Array[] = []
    await current.stop()
    try {
      const options = { dataDir: config.dataDir, file, passphrase, now: Date.now(), json: storedJson }
      dataKeys = (await restoreBackup(options)).keys
    } catch (error) {
      log.error({ err: error, file }, 'The backup was not restored; Millrace continues with its current data')
    }
    current = await start({
      ...options,
      config: {
        ...config,
        port: portOf(url),
        webhookListen:
          webhookListen === null || webhookUrl === null
            ? webhookListen
            : { ...webhookListen, port: portOf(webhookUrl) },
      },
      sessionBearer,
      dataKeys,
    })
    for (const follow of followers) follow(current)
  }

  /** Also after a restore. */
  function follow(follower: (application: Application) => void): void {
    followers.push(follower)
    follower(current)
  }

  return {
    get url() {
      return current.url
    },
    get webhookUrl() {
      return current.webhookUrl
    },
    get sessionUrl() {
      return current.sessionUrl
    },
    signInUrl: () => current.signInUrl(),
    sessionBearer: current.sessionBearer,
    get dataDir() {
      return current.dataDir
    },
    onFailure: (listener) => follow((application) => application.onFailure(listener)),
    onBusy: (listener) => follow((application) => application.onBusy(listener)),
    onSettings: (listener) => follow((application) => application.onSettings(listener)),
    backUp: () => current.backUp(),
    look: () => current.look(),
    async stop() {
      await restoring
      await current.stop()
    },
  }
}

/** 80 is not written in a URL. */
const portOf = (url: string) => Number(new URL(url).port || 80)
