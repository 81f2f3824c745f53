/** The entries that Millrace has in a data folder, which can also contain other programs' files. */
import { readdirSync } from 'node:fs'
import { rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from './folder.ts'
import { removeFolder } from './move.ts'

const NAMES: ReadonlySet<string> = new Set([
  'backups',
  'files',
  'logs',
  'packages',
  'port',
  'records',
  'rejected',
])

/** Names of files and folders; empty if the folder doesn't exist. */
export function ownEntries(dir: string): string[] {
  try {
    return readdirSync(dir).filter((name) => NAMES.has(name) || name.startsWith('millrace.'))
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return []
    throw error
  }
}

/** Deletes Millrace's entries, and then the folder if it is empty. */
export async function removeOwnEntries(dir: string): Promise<void> {
  for (const name of ownEntries(dir)) await removeFolder(join(dir, name))
  await removeEmptyFolder(dir)
}

/** Keeps a folder that isn't empty or doesn't exist. */
export async function removeEmptyFolder(dir: string): Promise<void> {
  await rmdir(dir).catch(() => undefined)
}
