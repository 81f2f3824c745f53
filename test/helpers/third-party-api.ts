import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface ReceivedRequest {
  readonly method: string
  /** Path and query as sent. */
  readonly target: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface ThirdPartyApi {
  /** Without a trailing slash. */
  readonly url: string
  readonly port: number
  readonly received: ReceivedRequest[]
}

/** A real HTTP server on a free port of loopback, closed when the test ends. `count` is 1 for the first request. */
export async function startThirdPartyApi(
  answer: (request: ReceivedRequest, response: ServerResponse, count: number) => void,
  { host = '127.0.0.1' } = {},
): Promise<ThirdPartyApi> {
  const received: ReceivedRequest[] = []
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const { method = '', url = '', headers } = incoming
      const request = { method, target: url, headers, body: Buffer.concat(chunks) }
      answer(request, response, received.push(request))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  const { port } = server.address() as AddressInfo
  return { url: `http://${host}:${port}`, port, received }
}
