import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { AppError } from '../../../shared/contract/base/errors.ts'
import type { Log, SecureRandom } from '../../services/kit/ports.ts'
import { answerAtSocket, toSocketError } from './socket-answer.ts'

export type HttpHandler = (request: IncomingMessage, response: ServerResponse) => void

/** As Node names them. */
export interface HttpLimits {
  /** Milliseconds until all headers are there. */
  readonly headersTimeout: number
  /** Milliseconds until the whole request is there. */
  readonly requestTimeout: number
  /** Milliseconds a connection stays open after an answer. */
  readonly keepAliveTimeout: number
  /** How often the first two are looked at. */
  readonly connectionsCheckingInterval: number
  readonly maxConnections: number
}

export const HTTP_LIMITS: HttpLimits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // Longer than the pools of proxies and clients keep a connection: they close it first, and no request meets a closing one.
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1_000,
  maxConnections: 512,
}

const MAX_HEADER_BYTES = 16 * 1024

export interface HttpServer {
  readonly server: Server
  /** Closes the connections on which no answer is due, those included on which nothing was asked yet. */
  readonly closeIdle: () => void
}

interface HttpServerOptions {
  readonly random: SecureRandom
  readonly log: Log
  readonly limits: HttpLimits
}

/** An HTTP server with the contract's limits; whatever cannot be read as HTTP is answered in the envelope too. */
export function createHttpServer(
  handler: HttpHandler,
  { random, log, limits }: HttpServerOptions,
): HttpServer {
  const latest = new Map<Socket, Exchange | null>()
  const receive: HttpHandler = (request, response) => {
    latest.set(request.socket, { request, response })
    handler(request, response)
  }
  const { maxConnections, ...timeouts } = limits
  // A missing Host is answered by our own check of the form, in the envelope.
  const options = { ...timeouts, maxHeaderSize: MAX_HEADER_BYTES, requireHostHeader: false }
  const server = createServer(options, receive)
  // Out of file handles, say: that connection is lost, the others and the program go on.
  server.on('error', (error) => {
    if (server.listening) log.error({ err: error }, "A connection couldn't be accepted")
  })
  server.on('connection', (socket) => {
    latest.set(socket, null)
    socket.once('close', () => latest.delete(socket))
  })
  server.maxConnections = maxConnections
  // Without a limit of its own: a second Host header behind the 2,000th header must be seen. 16 KB hold them all.
  server.maxHeadersCount = 0
  // Both are answered by the handler: 100 only once the body is wanted, 417 in the envelope.
  server.on('checkContinue', receive)
  server.on('checkExpectation', receive)
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    answerMalformed(error, socket, latest.get(socket), random)
  })
  server.on('connect', (_request, socket: Socket) => {
    const error = new AppError('method_not_allowed', "CONNECT isn't supported; this server isn't a proxy")
    answerAtSocket(socket, error, random)
  })
  return {
    server,
    closeIdle() {
      for (const [socket, exchange] of latest) {
        if (exchange === null || exchange.response.writableFinished) socket.destroy()
      }
    },
  }
}

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

function answerMalformed(
  error: NodeJS.ErrnoException,
  socket: Socket,
  latest: Exchange | null | undefined,
  random: SecureRandom,
): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const answer = () => answerAtSocket(socket, toSocketError(error), random)
  if (!latest || latest.response.writableFinished) answer()
  // The request before was whole and is still being answered: its answer goes first.
  else if (latest.request.complete) latest.response.once('finish', answer)
  // The fault is in the body of the request being answered.
  else if (latest.response.headersSent) socket.destroy()
  else answer()
}

/**
 * Listens on both loopback addresses, on one port; a machine without IPv6 has the one.
 *
 * @throws the system's error, `EADDRINUSE` where the port is taken on either
 */
export async function listenOnLoopback(servers: readonly [Server, Server], wanted: number): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await listenOnBoth(servers, wanted)
    } catch (error) {
      // A port that was free on one address may be taken on the other: where any will do, another is tried.
      if (wanted !== 0 || codeOf(error) !== 'EADDRINUSE' || attempt === MAX_PORTS_TRIED) throw error
    }
  }
}

const MAX_PORTS_TRIED = 10

async function listenOnBoth([v4, v6]: readonly [Server, Server], wanted: number): Promise<number> {
  await listen(v4, '127.0.0.1', wanted)
  const { port } = v4.address() as AddressInfo
  try {
    await listen(v6, '::1', port)
  } catch (error) {
    if (!NO_IPV6.has(codeOf(error))) {
      await new Promise((resolve) => v4.close(resolve))
      throw error
    }
  }
  return port
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? ''
}

const NO_IPV6 = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EPROTONOSUPPORT'])

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port, ipv6Only: true }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}
