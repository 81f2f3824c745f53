import { mkdirSync } from 'node:fs'
import { isAbsolute, relative } from 'node:path'
import { app } from 'electron'
import { EXIT, HostError } from '../host/machine/exit-codes.ts'

/**
 * Gives Electron its own folder. By default it is named after the app, which makes it the data folder on a disk that
 * ignores case. The single-instance lock is in this folder, so this has to run first.
 */
export function useOwnFolder(folder: string): void {
  // Electron refuses a folder that doesn't exist.
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  app.setPath('userData', folder)
}

/** @throws HostError `usage` if one of the two folders is, or contains, the other one */
export function requireApart(dataDir: string, ownFolder: string): void {
  const [data, own] = [dataDir.toLowerCase(), ownFolder.toLowerCase()]
  if (!isWithin(data, own) && !isWithin(own, data)) return
  throw new HostError(
    EXIT.usage,
    `The data folder ${dataDir} and the folder of the app's window, ${ownFolder}, must not contain each other; choose another one with --data-dir`,
  )
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return !way.startsWith('..') && !isAbsolute(way)
}
