/** The data folder: the paths of its files and their permissions. */
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { StoreOpenError, unwritable } from '../sql/errors.ts'
import { keepOthersOut } from './access.ts'

export interface DataFolder {
  readonly dir: string
  readonly database: string
  /**
   * A new database is built under this name and renamed once it is complete, so a crash never leaves half a database.
   */
  readonly newDatabase: string
  readonly lock: string
  readonly reserve: string
  readonly backups: string
}

export function dataFolder(dir: string): DataFolder {
  return {
    dir,
    database: join(dir, 'millrace.db'),
    newDatabase: join(dir, 'millrace.db.new'),
    lock: join(dir, 'millrace.lock'),
    reserve: join(dir, 'millrace.reserve'),
    backups: join(dir, 'backups'),
  }
}

/** Creates the folder if it is missing (0700) and checks that it is writable. */
export function prepareFolder(dir: string): void {
  try {
    makeFolder(dir)
    accessSync(dir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (cause) {
    const isFile = statSync(dir, { throwIfNoEntry: false })?.isFile() ?? false
    const remedy = '; choose another one with --data-dir or correct its permissions'
    if (!isFile) throw unwritable(`The data folder ${dir}`, errorCode(cause), remedy, cause)
    throw new StoreOpenError('not_writable', `The data folder ${dir} is a file${remedy}`, { cause })
  }
}

/**
 * Creates the folder and its parents with owner-only permissions. Node's recursive mkdir loops forever in /proc, where
 * no folder can be created.
 */
export function makeFolder(dir: string): void {
  if (existsSync(dir)) return
  const parent = dirname(dir)
  if (parent !== dir) makeFolder(parent)
  try {
    mkdirSync(dir, { mode: 0o700 })
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  }
}

/**
 * Removes everybody else's permissions. A folder with the sticky bit (`/tmp`) is shared on purpose and left unchanged,
 * because the files in it are private by their own mode.
 */
export function makePrivate({ dir, database }: DataFolder): void {
  if (process.platform === 'win32') return keepOthersOut(dir)
  const { mode } = statSync(dir)
  if ((mode & 0o1000) === 0 && (mode & 0o077) !== 0) changeMode(dir, 0o700)
  for (const file of [database, `${database}-wal`]) {
    const found = statSync(file, { throwIfNoEntry: false })
    if (found && (found.mode & 0o077) !== 0) changeMode(file, 0o600)
  }
}

/** Some file systems (FAT, network shares) have no modes; Millrace still starts there. */
function changeMode(path: string, mode: number): void {
  try {
    chmodSync(path, mode)
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'ENOSYS'].includes(errorCode(error))) throw error
  }
}

/** Makes the content of a file survive a power failure; Windows needs a writable handle for that. */
export function syncFile(path: string): void {
  const handle = openSync(path, 'r+')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/**
 * Makes a rename or a new file in a folder survive a power failure. Windows does so by itself and has no call for it.
 */
export function syncFolder(dir: string): void {
  if (process.platform === 'win32') return
  const handle = openSync(dir, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}
