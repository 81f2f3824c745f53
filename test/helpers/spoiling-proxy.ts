/** Passes bytes between a client and a real server, and corrupts what the server sends from a certain byte on. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type Spoil = 'end' | 'flip' | 'insert' | 'repeat' | 'noise'

export interface SpoilingProxy {
  readonly port: number
  /** Takes effect with the next connection. Null corrupts nothing. */
  spoil: { readonly kind: Spoil; readonly from: number; readonly random: () => number } | null
  close(): Promise<void>
}

export async function startSpoilingProxy(target: number): Promise<SpoilingProxy> {
  const sockets = new Set<Socket>()
  const proxy: { spoil: SpoilingProxy['spoil'] } = { spoil: null }
  const server = createServer((client) => {
    const { spoil } = proxy
    const upstream = connect(target, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    client.pipe(upstream)
    let passed = 0
    upstream.on('data', (chunk) => {
      const at = spoil === null ? chunk.length : Math.max(0, spoil.from - passed)
      passed += chunk.length
      if (spoil === null || at >= chunk.length) client.write(chunk)
      else if (spoil.kind === 'end') client.end(chunk.subarray(0, at))
      else client.write(Buffer.concat([chunk.subarray(0, at), spoilt(chunk.subarray(at), spoil)]))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return Object.assign(proxy, {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  })
}

function spoilt(
  bytes: Buffer,
  { kind, random }: { readonly kind: Spoil; readonly random: () => number },
): Buffer {
  const noise = (size: number) => Buffer.from(Array.from({ length: size }, () => Math.floor(random() * 256)))
  if (kind === 'repeat') return Buffer.concat([bytes, bytes])
  if (kind === 'noise') return noise(bytes.length)
  if (kind === 'insert') return Buffer.concat([noise(1 + Math.floor(random() * 8)), bytes])
  const flipped = Buffer.from(bytes)
  for (let count = 0; count < 3; count++) {
    const at = Math.floor(random() * flipped.length)
    flipped[at] = (flipped[at] ?? 0) ^ (1 << Math.floor(random() * 8))
  }
  return flipped
}
