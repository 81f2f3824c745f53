/** The port chosen in the settings. It has its own file because the server listens before the database is open. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EXIT, HostError } from './exit-codes.ts'
import { moveFileSync } from '../../store/index.ts'

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

/** Null if the error isn't about this port. */
export function whyNoPort(
  port: number,
  code: string | undefined,
  platform: NodeJS.Platform = process.platform,
): string | null {
  if (code === 'EADDRINUSE') return `Port ${port} is in use by another program`
  if (code !== 'EACCES') return null
  return platform === 'win32'
    ? `Windows reserves port ${port}, for Hyper-V for example ("netsh int ipv4 show excludedportrange protocol=tcp" lists such ports)`
    : `This user isn't allowed to open port ${port}, only those above 1023`
}

const TRIES = 20
/** Windows reserves ports in blocks of a hundred. */
const RESERVED_IN_A_ROW = 100

/**
 * Tries the requested port and the next few, or ports further away if the system reserves it. If all are refused, uses
 * any free port.
 *
 * @param onRefused called with the reason why it isn't the requested port
 */
export async function startOnFreePort<T>(
  wanted: number,
  start: (port: number) => Promise<T>,
  onRefused: (why: string) => void = () => {},
): Promise<T> {
  let port = wanted
  for (let tries = 0; tries < TRIES && port <= 65_535; tries++) {
    try {
      return await start(port)
    } catch (error) {
      if (!(error instanceof HostError) || error.exitCode !== EXIT.portTaken) throw error
      const code = (error.cause as NodeJS.ErrnoException | undefined)?.code
      if (port === wanted) onRefused(whyNoPort(port, code) ?? error.message)
      port += code === 'EACCES' ? RESERVED_IN_A_ROW : 1
    }
  }
  return start(0)
}
