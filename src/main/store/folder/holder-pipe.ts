/**
 * Windows has no cheap way to tell a process from a later one with the same ID. So the process that has a folder open
 * listens on a named pipe, which only one process can create, and which disappears with that process.
 */
import { createHash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { dirname } from 'node:path'

/** The same for every spelling of the folder. */
export function pipeOf(lockFile: string): string {
  const folder = realpathSync.native(dirname(lockFile)).toLowerCase()
  return `\\\\.\\pipe\\millrace-${createHash('sha256').update(folder).digest('hex').slice(0, 32)}`
}

/** Sends the boot ID to whoever connects. Null if another process has the pipe. */
export function holdPipe(pipe: string, bootId: string): Promise<Server | null> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      socket.on('error', () => {}) // the asking process has ended
      socket.end(bootId)
    })
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(null)
      else reject(error)
    })
    server.listen(pipe, () => resolve(server.unref()))
  })
}

/** Long enough for a busy process; a process that accepts the connection holds the folder even if it doesn't reply. */
const ANSWER_WITHIN_MS = 2_000

/** The boot ID that the holder sends; empty if it can't be read, null if nobody holds the pipe. */
export function askPipe(pipe: string): Promise<string | null> {
  return new Promise((resolve) => {
    let bootId = ''
    const socket = connect(pipe)
    socket.setEncoding('utf8')
    socket.setTimeout(ANSWER_WITHIN_MS, () => socket.destroy())
    socket.on('data', (text) => (bootId += String(text)))
    socket.once('error', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'ENOENT' || code === 'ECONNREFUSED') resolve(null)
    })
    socket.once('close', () => resolve(bootId))
  })
}
