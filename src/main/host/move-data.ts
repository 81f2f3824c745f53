/** Moves the data folder for both hosts, and stores its new location. */
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Config, keyFileOf } from './config.ts'
import { writeDataLocation } from './folder/data-location.ts'
import { defaultFolders } from './folder/default-folders.ts'
import { EXIT, HostError } from './machine/exit-codes.ts'
import { moveDataFolder } from '../store/index.ts'

/**
 * Millrace must not be running on it. An argument or a variable of the environment that names the folder is not changed:
 * the user has to do that.
 *
 * @throws HostError, StoreOpenError if the data couldn't be moved and stays in its old folder
 */
export async function moveData(config: Config, folder: string): Promise<void> {
  const folders = defaultFolders(process.platform, process.env, homedir())
  const to = resolve(folder)
  for (const other of [folders.config, folders.cache, folders.desktop])
    if (contains(to, other) || contains(other, to))
      throw usage(`${to} and ${other} must not contain each other`)
  if (keyFileOf(to, folders, process.platform) !== config.keyFile)
    throw usage(`From ${to}, Millrace wouldn't find the key to the stored credentials; choose another folder`)
  await moveDataFolder({
    from: config.dataDir,
    to,
    onCopied: () => config.dataDirIsGiven || writeDataLocation(folders, to),
  })
}

/** Case is ignored, as by most disks of Windows and macOS. */
function contains(folder: string, path: string): boolean {
  return join(path, '/').toLowerCase().startsWith(join(folder, '/').toLowerCase())
}

const usage = (message: string) => new HostError(EXIT.usage, message)
