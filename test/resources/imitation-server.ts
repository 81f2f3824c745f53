import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Imitation } from './imitations.ts'

export interface ImitationServer {
  /** The URL that paths of the imitation are relative to. */
  readonly base: string
  /** The status of every request since the imitation was started, and whether it had the credential. */
  readonly seen: { status: number; credential: boolean }[]
  /** Responds as this imitation from now on. */
  imitate(imitation: Imitation): void
  close(): Promise<void>
}

/** One real HTTP server, which serves all imitations one after the other. */
export async function startImitationServer(): Promise<ImitationServer> {
  let current: Imitation | null = null
  const seen: { status: number; credential: boolean }[] = []
  const baseOf = ({ basePath = '' }: Imitation) =>
    `http://127.0.0.1:${(server.address() as AddressInfo).port}${basePath}`
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const imitation = current as Imitation
      const { basePath = '', credential, serve } = imitation
      const url = new URL(request.url ?? '/', 'http://imitation.invalid')
      const text = Buffer.concat(chunks).toString()
      const known = url.pathname.startsWith(`${basePath}/`) || url.pathname === basePath
      const answer = known
        ? serve({
            method: request.method ?? '',
            path: url.pathname.slice(basePath.length + 1),
            query: url.searchParams,
            headers: request.headers,
            body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
            base: baseOf(imitation),
          })
        : { status: 404, body: { error: `nothing at ${url.pathname}` } }
      seen.push({
        status: answer.status ?? 200,
        credential: credential === 'base path' ? known : request.headers[credential[0]] === credential[1],
      })
      response.writeHead(answer.status ?? 200, { 'Content-Type': 'application/json', ...answer.headers })
      response.end(JSON.stringify(answer.body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    seen,
    get base() {
      return baseOf(current as Imitation)
    },
    imitate(imitation) {
      current = imitation
      seen.length = 0
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
