import { setTimeout as sleep } from 'node:timers/promises'
import { stopRoute } from '../../../shared/contract/host.ts'
import type { Config } from '../../host/config.ts'
import { EXIT, type ExitCode, HostError } from '../../host/machine/exit-codes.ts'
import { readLock } from '../../store/index.ts'
import type { CommandContext } from '../support/command-context.ts'
import type { Output } from '../support/output.ts'
import { findRunningHost } from '../support/with-host.ts'

/** Longer than a clean stop takes (`STOP_WITHIN_MS` in serve.ts). */
const ENDS_WITHIN_MS = 20_000
const LOOK_EVERY_MS = 50

export async function stopProgram({ config, output }: CommandContext): Promise<ExitCode> {
  const { dataDir } = config
  const pid = await stopRunning(config, output)
  if (pid === null)
    output.answer(
      { stopped: false, data_dir: dataDir },
      `Millrace isn't running with the data folder ${dataDir}`,
    )
  else output.answer({ stopped: true, data_dir: dataDir, pid }, `Millrace (process ${pid}) has stopped`)
  return EXIT.ok
}

/**
 * Asks the running Millrace to stop, and waits until it has released the data folder.
 *
 * @returns its process ID, or null if none runs
 */
export async function stopRunning({ dataDir }: Config, output: Output): Promise<number | null> {
  const host = await findRunningHost(dataDir)
  const lock = await readLock(dataDir)
  if (lock === null) return null
  if (host === null) {
    throw new HostError(
      EXIT.folderInUse,
      `Process ${lock.pid} has ${dataDir} open, but isn't listening: it is still starting, or is a short command; try again in a moment`,
    )
  }
  await host.call(stopRoute)
  const giveUpAt = performance.now() + ENDS_WITHIN_MS
  while ((await readLock(dataDir))?.boot_id === lock.boot_id) {
    if (performance.now() > giveUpAt) {
      throw new HostError(
        EXIT.failed,
        `Millrace was asked to stop, but process ${lock.pid} is still running after ${ENDS_WITHIN_MS / 1000} seconds`,
      )
    }
    output.progress({ text: 'Waiting for Millrace to stop' })
    await sleep(LOOK_EVERY_MS)
  }
  return lock.pid
}
