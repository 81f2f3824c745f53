import { createServer } from 'node:net'

/**
 * A free port of this machine. It is below the range from which systems assign ports (32768 and up on Linux, 49152
 * and up elsewhere), so that nobody else gets it before it is used.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000)
    if ((await isFree(port, '127.0.0.1')) && (await isFree(port, '::1'))) return port
  }
}

function isFree(port: number, host: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    // A machine without IPv6 has no such address.
    server.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code !== 'EADDRINUSE'))
    server.listen(port, host, () => server.close((error) => (error ? reject(error) : resolve(true))))
  })
}
