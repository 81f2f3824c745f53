/** The data folder: where its files are, and who may read them. */
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

export interface DataFolder {
  readonly dir: string
  readonly database: string
  /** A new database grows under this name and is renamed when it is whole, so a crash leaves no half of one. */
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

/** Makes the folder where it is missing (0700) and makes sure that it can be written. */
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

/** Makes the folder and those above it, for their owner alone. Node's own way never ends where none can be made, in /proc. */
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
 * Takes the rights of everybody else away. A folder with the sticky bit (`/tmp`) is shared on purpose and stays as it
 * is: what lies in it is private by its own mode.
 */
export function makePrivate({ dir, database }: DataFolder): void {
  const { mode } = statSync(dir)
  if ((mode & 0o1000) === 0 && (mode & 0o077) !== 0) changeMode(dir, 0o700)
  for (const file of [database, `${database}-wal`]) {
    const found = statSync(file, { throwIfNoEntry: false })
    if (found && (found.mode & 0o077) !== 0) changeMode(file, 0o600)
  }
}

/** Some file systems (FAT, network shares) know no modes; that is no reason not to start. */
function changeMode(path: string, mode: number): void {
  try {
    chmodSync(path, mode)
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'ENOSYS'].includes(errorCode(error))) throw error
  }
}

/** Makes a rename or a new name in a folder survive a power cut. Windows does so by itself and cannot be asked to. */
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
