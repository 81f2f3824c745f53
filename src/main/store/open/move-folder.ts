/** Moves the data to another folder, for instance on another disk. */
import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { cp, mkdir, readdir, rmdir } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path'
import { dataFolder, errorCode, makeFolder, syncFile, syncFolder } from '../folder/folder.ts'
import { acquireLock } from '../folder/lock.ts'
import { moveFile, removeFolder } from '../folder/move.ts'
import { ownEntries, removeOwnEntries } from '../folder/own-entries.ts'
import { StoreOpenError } from '../sql/errors.ts'

export interface MoveOptions {
  readonly from: string
  /** The new folder, which doesn't exist yet or is empty. */
  readonly to: string
  /** Makes the next start use the new folder; called once everything is in it, and before the old data is deleted. */
  readonly onCopied: () => void
}

/**
 * Copies everything, then deletes the old data. If it is killed at any time, one of the two folders is complete, and
 * the next start uses that one.
 *
 * @throws StoreOpenError if the folder is in use, has no database, or the new one can't take the data
 */
export async function moveDataFolder({ from, to, onCopied }: MoveOptions): Promise<void> {
  const { database, lock: lockPath } = dataFolder(from)
  if (!existsSync(database)) throw new StoreOpenError('empty', `${from} has no data that could be moved`)
  refuseNested(from, to)
  refuseUsed(to)
  const lock = await acquireLock(lockPath, randomUUID())
  const draft = join(dirname(to), `${basename(to)}.millrace-moving`)
  try {
    // An earlier attempt that was killed may have left it.
    await removeFolder(draft)
    await copy(from, draft)
    if (existsSync(to)) await rmdir(to)
    await moveFile(draft, to)
    syncFolder(dirname(to))
  } catch (error) {
    lock.release()
    await removeFolder(draft).catch(() => undefined)
    throw new StoreOpenError(
      'not_writable',
      `The data can't be moved to ${to} (${errorCode(error)}); it is unchanged in ${from}`,
      { cause: error },
    )
  }
  try {
    onCopied()
  } finally {
    lock.release()
  }
  await removeOwnEntries(from)
}

async function copy(from: string, to: string): Promise<void> {
  makeFolder(dirname(to))
  await mkdir(to, { mode: 0o700 })
  for (const name of ownEntries(from)) {
    // The lock stays with the folder that it locks.
    if (!name.startsWith('millrace.lock'))
      await cp(join(from, name), join(to, name), { recursive: true, preserveTimestamps: true })
  }
  for (const entry of await readdir(to, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) syncFile(join(entry.parentPath, entry.name))
  syncFolder(to)
}

/** @throws StoreOpenError if one of them is inside the other */
function refuseNested(from: string, to: string): void {
  const [source, target] = [realPath(from), realPath(to)]
  if (isInside(source, target) || isInside(target, source))
    throw new StoreOpenError('not_writable', `${to} and the data folder ${from} must not contain each other`)
}

function refuseUsed(to: string): void {
  let entries: readonly string[] = []
  try {
    entries = readdirSync(to)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return
    throw new StoreOpenError('not_writable', `${to} can't be used as a data folder (${errorCode(error)})`)
  }
  if (entries.length > 0)
    throw new StoreOpenError(
      'not_writable',
      `${to} isn't empty; name an empty folder, or one that doesn't exist yet`,
    )
}

/** The path with links resolved, as far as it exists. */
function realPath(path: string): string {
  if (existsSync(path)) return realpathSync(path)
  return dirname(path) === path ? path : join(realPath(dirname(path)), basename(path))
}

/** On Windows and macOS, most disks ignore case. */
function isInside(folder: string, path: string): boolean {
  const way =
    process.platform === 'linux' ? relative(folder, path) : relative(folder.toLowerCase(), path.toLowerCase())
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}
