import { setTimeout as sleep } from 'node:timers/promises'
import { startApplication, type Application } from '../../host/application.ts'
import type { Config } from '../../host/config.ts'
import { EXIT, HostError } from '../../host/machine/exit-codes.ts'
import { readLock, StoreOpenError } from '../../store/index.ts'
import { createLogger } from '../../host/machine/system.ts'
import { unlockKey } from '../../host/unlock-key.ts'
import { askPassphrase } from './ask-passphrase.ts'
import { createHostClient, type HostClient } from './host-client.ts'

/** Time that a command waits for a starting host, or for another command to release the folder. */
const WAIT_MS = 10_000
const LOOK_EVERY_MS = 50

/**
 * Uses the folder's running Millrace; if there is none, opens the folder for the duration of the work.
 *
 * @param work gets an argument that says whether the host ends when the work does
 */
export async function withHost<T>(
  config: Config,
  work: (host: HostClient, endsWithWork: boolean) => Promise<T>,
): Promise<T> {
  const host = await findOrStart(config)
  if (!('stop' in host)) return work(host, false)
  try {
    return await work(createHostClient(host.url, host.sessionBearer), true)
  } finally {
    await host.stop()
  }
}

/** Null if nobody has the folder open, or the process that does hasn't published a URL. */
export async function findRunningHost(dataDir: string): Promise<HostClient | null> {
  const giveUpAt = performance.now() + WAIT_MS
  for (;;) {
    const lock = await readLock(dataDir)
    if (lock === null) return null
    if (lock.port !== null && lock.owner_secret !== null) {
      return createHostClient(`http://127.0.0.1:${lock.port}`, lock.owner_secret)
    }
    if (performance.now() > giveUpAt) return null
    await sleep(LOOK_EVERY_MS)
  }
}

/** @throws HostError if Millrace isn't running on the folder */
export async function requireRunningHost({ dataDir }: Config): Promise<HostClient> {
  const host = await findRunningHost(dataDir)
  if (host !== null) return host
  const message = `Millrace isn't running with the data folder ${dataDir}; start it with "millrace start"`
  throw new HostError(EXIT.failed, message)
}

async function findOrStart(config: Config): Promise<HostClient | Application> {
  const giveUpAt = performance.now() + WAIT_MS
  for (;;) {
    const running = await findRunningHost(config.dataDir)
    if (running) return running
    try {
      return await startApplication({
        config: { ...(await unlockKey(config, askPassphrase)), port: 0 },
        log: createLogger('error'),
        isCommand: true,
        onLockedKey: (why) => process.stderr.write(`millrace: ${why}\n`),
      })
    } catch (error) {
      // Another process opened the folder first, so the next attempt finds it.
      const isLocked = error instanceof StoreOpenError && error.kind === 'locked'
      if (!isLocked || performance.now() > giveUpAt) throw error
      await sleep(LOOK_EVERY_MS)
    }
  }
}
