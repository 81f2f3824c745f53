import { createStore } from 'zustand/vanilla'
import { AppError } from '../../shared/contract/base/errors.ts'
import { eventsRoute } from '../../shared/contract/host.ts'
import type { LiveEvent, Noun } from '../../shared/contract/host.ts'
import type { StreamEvent, StreamRoute } from '../../shared/contract/base/route.ts'

/** `refused`: the server responds, but doesn't know this page's session. `off`: the session may not follow changes. */
type Connection = 'connecting' | 'live' | 'lost' | 'refused' | 'off'

/** Changes on the server, from one stream that the whole page shares. */
export type Live = ReturnType<typeof createLive>

const WAITS_MS = [250, 500, 1_000, 2_000, 5_000] as const

type Stream = <R extends StreamRoute>(
  route: R,
  request?: object,
  signal?: AbortSignal,
) => AsyncGenerator<StreamEvent<R>>

export function createLive(stream: Stream, wait: typeof sleep = sleep) {
  const connection = createStore(() => ({ connection: 'connecting' as Connection }))
  const subscriptions = new Set<{ nouns: readonly Noun[]; listener: (event: LiveEvent) => void }>()

  function announce(event: LiveEvent): void {
    for (const { nouns, listener } of subscriptions) {
      if (event.noun === null || nouns.includes(event.noun)) listener(event)
    }
  }

  async function follow(signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        for await (const event of stream(eventsRoute, {}, signal)) {
          failures = 0
          connection.setState({ connection: 'live' })
          announce(event)
        }
        connection.setState({ connection: 'lost' })
      } catch (error) {
        // Whatever ended the stream, report it and connect again.
        if (signal.aborted) return
        const code = error instanceof AppError ? error.code : null
        if (code === 'forbidden') return connection.setState({ connection: 'off' })
        connection.setState({ connection: code === 'unauthorized' ? 'refused' : 'lost' })
      }
      if (signal.aborted) return
      await wait(WAITS_MS[Math.min(failures, WAITS_MS.length - 1)] ?? 5_000, signal)
    }
  }

  return {
    connection,
    /**
     * Calls back on every change of these nouns, and on `ready` after each connection, since changes may have been
     * missed before it. Returns a function that stops it.
     */
    subscribe(nouns: readonly Noun[], listener: (event: LiveEvent) => void): () => void {
      const subscription = { nouns, listener }
      subscriptions.add(subscription)
      return () => subscriptions.delete(subscription)
    },
    /** Connects and stays connected until the returned function is called. */
    start(): () => void {
      const controller = new AbortController()
      void follow(controller.signal)
      return () => controller.abort()
    },
  }
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
