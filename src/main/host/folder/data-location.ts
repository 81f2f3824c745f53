/**
 * The place that the data folder was moved to, stored in a file next to the configuration, so that every host finds
 * it.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import type { DefaultFolders } from './default-folders.ts'
import { EXIT, HostError } from '../machine/exit-codes.ts'
import { makeFolder, moveFileSync, removeFileSync } from '../../store/index.ts'

type Folders = Pick<DefaultFolders, 'config' | 'data'>

export const locationFile = ({ config }: Pick<Folders, 'config'>): string => join(config, 'data-folder')

/**
 * Null if the data is in the default folder.
 *
 * @throws HostError `notWritable` if the folder isn't there: an empty one in its place would look like lost data
 */
export function readDataLocation(folders: Folders): string | null {
  const file = locationFile(folders)
  const folder = readIfThere(file)
  if (folder === null) return null
  if (isAbsolute(folder) && existsSync(join(folder, 'millrace.db'))) return folder
  throw new HostError(
    EXIT.notWritable,
    `The data folder was moved to ${folder}, which now has no data; connect its disk, or delete ${file} to use ${folders.data} again`,
  )
}

/** @throws the system's error if the file can't be written */
export function writeDataLocation(folders: Folders, folder: string): void {
  const file = locationFile(folders)
  if (folder === folders.data) return removeFileSync(file)
  makeFolder(folders.config)
  writeFileSync(`${file}.new`, `${folder}\n`, { mode: 0o600 })
  moveFileSync(`${file}.new`, file)
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
