import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { AppError } from '../../../shared/contract/base/errors.ts'
import { say } from '../../../shared/contract/base/message.ts'
import type { Log, SecureRandom } from '../../services/kit/ports.ts'
import { headingOf } from '../gates/heading.ts'

export type HttpHandler = (request: IncomingMessage, response: ServerResponse) => void

/** Limits, under Node's names. */
export interface HttpLimits {
  /** Milliseconds until all headers must have arrived. */
  readonly headersTimeout: number
  /** Milliseconds until the whole request must have arrived. */
  readonly requestTimeout: number
  /** Milliseconds a connection stays open after a response. */
  readonly keepAliveTimeout: number
  /** Milliseconds between checks of the first two. */
  readonly connectionsCheckingInterval: number
  readonly maxConnections: number
}

export const HTTP_LIMITS: HttpLimits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // Longer than proxies and clients keep connections in their pools. They close a connection first, so no request hits
  // one that is closing.
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1_000,
  maxConnections: 512,
}

const MAX_HEADER_BYTES = 16 * 1024

export interface HttpServer {
  readonly server: Server
  /** Closes connections without a pending response, including those without any request yet. */
  readonly closeIdle: () => void
}

interface HttpServerOptions {
  readonly random: SecureRandom
  readonly log: Log
  readonly limits: HttpLimits
}

/**
 * An HTTP server with the contract's limits; input that isn't valid HTTP gets an error response in the API's format
 * too.
 */
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
  // A missing Host header is rejected by `checkForm`, in the API's error format.
  const options = { ...timeouts, maxHeaderSize: MAX_HEADER_BYTES, requireHostHeader: false }
  const server = createServer(options, receive)
  // For example, if file handles run out, that connection is lost, but the others and Millrace continue.
  server.on('error', (error) => {
    if (server.listening) log.error({ err: error }, "A connection couldn't be accepted")
  })
  server.on('connection', (socket) => {
    latest.set(socket, null)
    socket.once('close', () => latest.delete(socket))
  })
  server.maxConnections = maxConnections
  // The count is unlimited, because a second Host header must be seen even after 2,000 headers. All headers together
  // are limited to 16 KB.
  server.maxHeadersCount = 0
  // The handler responds to both: with 100 only once the body is needed, or with 417 in the API's error format.
  server.on('checkContinue', receive)
  server.on('checkExpectation', receive)
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    answerMalformed(error, socket, latest.get(socket), random)
  })
  server.on('connect', (_request, socket: Socket) => {
    const error = new AppError(
      'method_not_allowed',
      say("CONNECT isn't supported; this server isn't a proxy"),
    )
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
  // The previous request was complete and is still being processed, so its response goes first.
  else if (latest.request.complete) latest.response.once('finish', answer)
  // The fault is in the body of the request being processed.
  else if (latest.response.headersSent) socket.destroy()
  else answer()
}

/** A server, and the address or name to bind it to. */
export interface Binding {
  readonly server: Server
  readonly host: string
}

/**
 * Listens on one address, or on several with the same port; without IPv6 only on the first one.
 *
 * @throws the system's error, `EADDRINUSE` if the port is taken on one of them
 */
export async function listenOn(bindings: readonly Binding[], wanted: number): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await listenOnAll(bindings, wanted)
    } catch (error) {
      // A port that is free on one address can be taken on the other, so if any port will do, another one is tried.
      if (wanted !== 0 || codeOf(error) !== 'EADDRINUSE' || attempt === MAX_PORTS_TRIED) throw error
    }
  }
}

const MAX_PORTS_TRIED = 10

async function listenOnAll([first, ...others]: readonly Binding[], wanted: number): Promise<number> {
  const { server, host } = first!
  await listen(server, host, wanted)
  const { port } = server.address() as AddressInfo
  try {
    for (const other of others) await listen(other.server, other.host, port)
  } catch (error) {
    if (!NO_IPV6.has(codeOf(error))) {
      await new Promise((resolve) => server.close(resolve))
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
    // The IPv6 wildcard includes IPv4; any other address is either IPv4 or IPv6.
    server.listen({ host, port, ipv6Only: host !== '::' }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/** The API error for bytes that Node couldn't parse as a request. */
function toSocketError({ code }: NodeJS.ErrnoException): AppError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new AppError('headers_too_large', say('The headers are larger than the limit of 16 KB'))
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new AppError('timeout', say('The request was not complete in time'))
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new AppError('too_large', say('The chunk extensions of the body are too large'))
    default:
      return new AppError('validation', say('Malformed HTTP request'))
  }
}

/** Because the requested URL is unknown, the response is in the API's format. */
const ADDRESS = '/v1'

/** Time for the caller to read the response before the connection is closed. */
const LINGER_MS = 1_000

/** Responds on a connection without a valid request, and closes it. */
function answerAtSocket(socket: Socket, error: AppError, random: SecureRandom): void {
  if (!socket.writable) return
  const body = JSON.stringify(error.toEnvelope())
  const head = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    'connection: close',
    ...Object.entries(headingOf(ADDRESS, random)).map(([name, value]) => `${name}: ${value}`),
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `date: ${new Date().toUTCString()}`,
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  // Closing at once with unread bytes of the caller would reset the connection and lose the response.
  socket.on('error', () => {})
  socket.resume()
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}
