/**
 * Renames and deletes files. On Windows neither works while a virus scanner, an indexer or a reader has the file open,
 * which doesn't last long, so both are retried for a while there.
 */
import { renameSync, rmSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

export async function moveFile(from: string, to: string): Promise<void> {
  await untilFree(() => rename(from, to))
}

/**
 * Blocks the program while another program holds the file, so only use it for files that are written at quiet times.
 */
export function moveFileSync(from: string, to: string): void {
  untilFreeSync(() => renameSync(from, to))
}

/** Does nothing if the file doesn't exist. */
export async function removeFile(path: string): Promise<void> {
  await untilFree(() => rm(path, { force: true }))
}

/** Does nothing if the file doesn't exist. */
export function removeFileSync(path: string): void {
  untilFreeSync(() => rmSync(path, { force: true }))
}

/** Deletes a folder with its content; does nothing if it doesn't exist. */
export async function removeFolder(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: FIRST_PAUSE_MS })
}

const MOST_MS = 5_000
const MOST_BLOCKED_MS = 1_000
const FIRST_PAUSE_MS = 5
const LONGEST_PAUSE_MS = 200

/** Does work on a file; if another program holds the file, retries until it is free or the time is over. */
export async function untilFree<T>(
  work: () => Promise<T>,
  platform: NodeJS.Platform = process.platform,
  mostMs = MOST_MS,
): Promise<T> {
  const giveUpAt = performance.now() + mostMs
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      return await work()
    } catch (error) {
      if (!isHeld(error, platform) || performance.now() + pause > giveUpAt) throw error
    }
    await sleep(pause)
  }
}

export function untilFreeSync<T>(
  work: () => T,
  platform: NodeJS.Platform = process.platform,
  mostMs = MOST_BLOCKED_MS,
): T {
  const giveUpAt = performance.now() + mostMs
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      return work()
    } catch (error) {
      if (!isHeld(error, platform) || performance.now() + pause > giveUpAt) throw error
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pause)
  }
}

/** On other systems, these errors don't go away by themselves. */
function isHeld(error: unknown, platform: NodeJS.Platform): boolean {
  return platform === 'win32' && HELD.has(String((error as NodeJS.ErrnoException).code))
}

const HELD: ReadonlySet<string> = new Set(['EPERM', 'EACCES', 'EBUSY'])
