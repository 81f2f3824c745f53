/** The port that was set on the settings screen: beside the database, since the address is opened before that is. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EXIT, HostError } from './exit-codes.ts'

/** Null where none was set, or the file holds something else. */
export function readPortFile(dataDir: string): number | null {
  try {
    const text = readFileSync(pathIn(dataDir), 'utf8').trim()
    const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
    return port >= 1 && port <= 65_535 ? port : null
  } catch {
    return null
  }
}

/** @throws the system's error where the folder cannot be written */
export function writePortFile(dataDir: string, port: number): void {
  const path = pathIn(dataDir)
  writeFileSync(`${path}.new`, `${port}\n`, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

const pathIn = (dataDir: string) => join(dataDir, 'port')

const TRIES = 20

/** The port asked for, or the next free one; after a row of taken ones, any. */
export async function startOnFreePort<T>(wanted: number, start: (port: number) => Promise<T>): Promise<T> {
  for (let port = wanted; port < wanted + TRIES && port <= 65_535; port++) {
    try {
      return await start(port)
    } catch (error) {
      if (!(error instanceof HostError) || error.exitCode !== EXIT.portTaken) throw error
    }
  }
  return start(0)
}
