import { setTimeout as sleep } from 'node:timers/promises'
import { startApplication } from '../application.ts'
import type { Config } from '../config.ts'
import { readLock } from '../store/lock.ts'
import { createLogger } from '../system.ts'
import { createHostClient, type HostClient } from './host-client.ts'

/** A folder without an address in its lock belongs to a host that is starting, or to a command like this one. */
const WAIT_MS = 5_000
const LOOK_EVERY_MS = 50

/**
 * Works with the running Millrace of the folder; without one, opens the folder for as long as the work takes.
 *
 * @param work is told whether the host ends with it
 */
export async function withHost<T>(
  config: Config,
  work: (host: HostClient, endsWithWork: boolean) => Promise<T>,
): Promise<T> {
  const running = await findRunningHost(config.dataDir)
  if (running) return work(running, false)
  const application = await startApplication({
    config: { ...config, port: 0 },
    log: createLogger('error'),
    isCommand: true,
  })
  try {
    return await work(createHostClient(application.url, application.sessionBearer), true)
  } finally {
    await application.stop()
  }
}

/** Null where the folder is free, or stays closed to us: opening it then says why. */
export async function findRunningHost(dataDir: string): Promise<HostClient | null> {
  for (let waited = 0; ; waited += LOOK_EVERY_MS) {
    const lock = readLock(dataDir)
    if (lock === null) return null
    if (lock.port !== null && lock.owner_secret !== null) {
      return createHostClient(`http://127.0.0.1:${lock.port}`, lock.owner_secret)
    }
    if (waited >= WAIT_MS) return null
    await sleep(LOOK_EVERY_MS)
  }
}
