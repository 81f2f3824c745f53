/** Millrace's listening socket, which stays open from start to end, whichever handler serves the requests. */
import { say, type Said } from '../../../shared/contract/base/message.ts'
import type { IncomingMessage } from 'node:http'
import { AppError } from '../../../shared/contract/base/errors.ts'
import type { Log, SecureRandom } from '../../services/kit/ports.ts'
import { answerError } from '../answer/errors.ts'
import type { Gate } from '../gates/gate.ts'
import { headingOf } from '../gates/heading.ts'
import {
  createHttpServer,
  HTTP_LIMITS,
  type HttpHandler,
  type HttpLimits,
  type HttpServer,
  listenOn,
} from './http-server.ts'

export interface HostServer {
  /** Binds its addresses; port 0 takes any free one. Every request gets 503 until `open`. Resolves to the port. */
  listen(port: number): Promise<number>
  /**
   * Moves to another port, updates `url`, and accepts no more requests on the old port; those in progress get
   * `MOVE_GRACE_MS`.
   *
   * @throws the system's error if the port isn't available; nothing changes then
   */
  move(port: number): Promise<void>
  /** From now on, this handler serves requests. */
  open(handler: HttpHandler): void
  readonly url: string
  /** Throws the error for a 503 unless requests are served. */
  readonly availability: Gate
  /** Aborts when it starts to close. */
  readonly closing: AbortSignal
  /** Called for each request rejected because nothing serves it yet; earlier ones are kept for the first listener. */
  onRefused(listener: (refused: RefusedRequest) => void): void
  /**
   * Accepts no more requests; those in progress have `graceMs` to end before their connections are closed. Resolves
   * once every connection is closed.
   */
  close(options?: { readonly graceMs?: number }): Promise<void>
}

export interface RefusedRequest {
  readonly request: IncomingMessage
  /** Unix time in milliseconds. */
  readonly at: number
  readonly reason: Said
}

export interface HostServerOptions {
  /** The address or name to bind; defaults to both loopback addresses. */
  readonly host?: string
  /** Checked before a request gets 503. */
  readonly gate?: Gate
  readonly log: Log
  readonly random: SecureRandom
  /** Overrides of the default limits, for tests that can't wait for them. */
  readonly limits?: Partial<HttpLimits> | undefined
}

export function createHostServer({ host, gate, log, random, limits }: HostServerOptions): HostServer {
  const closing = new AbortController()
  let state: State = 'starting'
  let port = 0
  const kept: RefusedRequest[] = []
  let tell = (refused: RefusedRequest): void => {
    if (kept.length < MOST_KEPT) kept.push(refused)
  }

  const availability: Gate = (request) => {
    if (state === 'ready') return
    const reason = UNAVAILABLE[state]
    tell({ request, at: Date.now(), reason })
    throw new AppError('unavailable', reason, {
      headers: { 'Retry-After': RETRY_AFTER_SECONDS[state], Connection: 'close' },
    })
  }

  let answer: HttpHandler = (request, response) => {
    try {
      gate?.(request)
      availability(request)
    } catch (error) {
      answerError(log, error, request, response, headingOf(request.url ?? '', random))
    }
  }

  const listening = { random, log, limits: { ...HTTP_LIMITS, ...limits } }
  const forward: HttpHandler = (request, response) => answer(request, response)
  const hosts = host === undefined ? LOOPBACK : [host]
  const createServers = () => hosts.map(() => createHttpServer(forward, listening))
  const bind = (created: readonly HttpServer[], wanted: number) =>
    listenOn(
      created.map(({ server }, at) => ({ server, host: hosts[at]! })),
      wanted,
    )
  let servers = createServers()
  let left: Promise<unknown> = Promise.resolve()
  return {
    availability,
    closing: closing.signal,
    async listen(wanted) {
      port = await bind(servers, wanted)
      return port
    },
    async move(wanted) {
      if (wanted === port) return
      const next = createServers()
      port = await bind(next, wanted)
      const before = servers
      servers = next
      left = Promise.all([left, ...before.map((server) => closeServer(server, MOVE_GRACE_MS))])
    },
    open(handler) {
      answer = handler
      if (state === 'starting') state = 'ready'
    },
    get url() {
      return `http://${urlHost(host ?? LOOPBACK[0])}:${port}`
    },
    onRefused(listener) {
      tell = listener
      for (const refused of kept.splice(0)) listener(refused)
    },
    async close({ graceMs = 10_000 } = {}) {
      state = 'stopping'
      closing.abort()
      await Promise.all([left, ...servers.map((server) => closeServer(server, graceMs))])
    },
  }
}

const LOOPBACK = ['127.0.0.1', '::1'] as const

const urlHost = (host: string) => (host.includes(':') ? `[${host}]` : host)

type State = 'starting' | 'ready' | 'stopping'

const UNAVAILABLE = {
  starting: say('Millrace is starting; try again in a moment'),
  stopping: say('Millrace is stopping; try again in a moment'),
} as const
const RETRY_AFTER_SECONDS = { starting: '1', stopping: '5' } as const

/**
 * Time limit for responses in progress when the server moves to another port; then a page's event stream is cut off.
 */
const MOVE_GRACE_MS = 2_000

/** Maximum number of rejected requests that are kept until they can be listed. */
const MOST_KEPT = 1_000

/** Interval at which connections whose last response is finished are closed. */
const IDLE_CHECK_MS = 20

function closeServer({ server, closeIdle }: HttpServer, graceMs: number): Promise<void> {
  if (!server.listening) return Promise.resolve()
  return new Promise((resolve) => {
    const idle = setInterval(closeIdle, IDLE_CHECK_MS)
    const grace = setTimeout(() => server.closeAllConnections(), graceMs)
    server.close(() => {
      clearInterval(idle)
      clearTimeout(grace)
      resolve()
    })
    closeIdle()
  })
}
