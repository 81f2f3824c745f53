import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ApiShape } from './shape.ts'

export interface ServedShape {
  readonly base: string
  /** How often it was called. */
  readonly calls: () => number
  readonly close: () => Promise<void>
}

/** Serves one API on its own port, so that links without a host lead back to it. */
export async function serveShape(shape: ApiShape): Promise<ServedShape> {
  let calls = 0
  const server = createServer((request, response) => {
    calls += 1
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const url = new URL(request.url ?? '/', base)
      const text = Buffer.concat(chunks).toString()
      const {
        status = 200,
        headers,
        body,
      } = shape.serve({
        method: request.method ?? '',
        path: url.pathname.slice(1),
        query: url.searchParams,
        headers: request.headers,
        body: text === '' ? {} : JSON.parse(text),
        base,
      })
      response.writeHead(status, { 'Content-Type': 'application/json', ...headers })
      response.end(typeof body === 'string' ? body : JSON.stringify(body))
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    base,
    calls: () => calls,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
