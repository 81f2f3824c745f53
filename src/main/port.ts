/** The port chosen in the settings, in a file of its own because the server listens before the database is open. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EXIT, HostError } from './exit-codes.ts'
import { moveFileSync } from './store/index.ts'

/** Null if none was chosen, or the file contains something else. */
export function readPortFile(dataDir: string): number | null {
  try {
    const text = readFileSync(pathIn(dataDir), 'utf8').trim()
    const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
    return port >= 1 && port <= 65_535 ? port : null
  } catch {
    return null
  }
}

/** @throws the system's error if the folder can't be written */
export function writePortFile(dataDir: string, port: number): void {
  const path = pathIn(dataDir)
  writeFileSync(`${path}.new`, `${port}\n`, { mode: 0o600 })
  moveFileSync(`${path}.new`, path)
}

const pathIn = (dataDir: string) => join(dataDir, 'port')

const TRIES = 20

/** Tries the requested port and the next few; if all are taken, uses any free one. */
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
