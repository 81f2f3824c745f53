import { AppError } from '../../shared/contract/errors.ts'
import { createApp, type AppOptions, type CoreServices } from './app.ts'
import type { Gate } from './gates/gate.ts'
import {
  createListener,
  LISTENER_LIMITS,
  listenOnLoopback,
  type HttpListener,
  type ListenerLimits,
} from './listeners.ts'

export interface ServerOptions<S extends CoreServices> extends Omit<
  AppOptions<S>,
  'availability' | 'stopping'
> {
  /** In place of the ordinary ones, where a test cannot wait for them. */
  readonly limits?: Partial<ListenerLimits>
}

export interface Server {
  /** Binds 127.0.0.1 and ::1; port 0 takes any free one. Every request is 503 until `ready`. Resolves to the port. */
  listen(port: number): Promise<number>
  /** From now on requests are served. */
  ready(): void
  /** The address on which the server listens. */
  readonly url: string
  /**
   * Takes no more requests and ends the streams; requests being served have `graceMs` to end before their lines are
   * cut. Resolves once every connection is closed.
   */
  close(options?: { readonly graceMs?: number }): Promise<void>
}

export function createServer<S extends CoreServices>(options: ServerOptions<S>): Server {
  const stopping = new AbortController()
  let state: State = 'starting'
  let port = 0
  const app = createApp({ ...options, availability: availability(() => state), stopping: stopping.signal })
  const { random, log } = options
  const listening = { random, log, limits: { ...LISTENER_LIMITS, ...options.limits } }
  const [v4, v6] = [createListener(app, listening), createListener(app, listening)]
  return {
    async listen(wanted) {
      port = await listenOnLoopback([v4.server, v6.server], wanted)
      return port
    },
    ready() {
      if (state === 'starting') state = 'ready'
    },
    get url() {
      return `http://127.0.0.1:${port}`
    },
    async close({ graceMs = 10_000 } = {}) {
      state = 'stopping'
      stopping.abort()
      await Promise.all([closeListener(v4, graceMs), closeListener(v6, graceMs)])
    },
  }
}

type State = 'starting' | 'ready' | 'stopping'

const RETRY_AFTER_SECONDS = { starting: '1', stopping: '5' } as const

function availability(stateNow: () => State): Gate {
  return (_request, response) => {
    const state = stateNow()
    if (state === 'ready') return
    response.setHeader('Connection', 'close')
    throw new AppError('unavailable', `Millrace is ${state}; try again in a moment`, {
      headers: { 'Retry-After': RETRY_AFTER_SECONDS[state] },
    })
  }
}

/** How often connections on which the last answer went out are closed. */
const IDLE_CHECK_MS = 20

function closeListener({ server, closeIdle }: HttpListener, graceMs: number): Promise<void> {
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
