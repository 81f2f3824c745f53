import { EXIT, HostError } from './exit-codes.ts'

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
