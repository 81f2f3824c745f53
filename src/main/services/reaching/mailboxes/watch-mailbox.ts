/** Waits for a mail server to report new emails (IDLE). Reconnects forever, after growing pauses. */
import type { Connection } from './open-mailbox.ts'

export interface MailboxWatchOptions {
  readonly open: (signal: AbortSignal) => Promise<Connection>
  /** Called when emails may have arrived. */
  readonly onSign: () => void
  /** Called when its state has changed. */
  readonly onChange: () => void
  readonly now: () => number
  readonly random: () => number
  /** Ends early if the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
}

export interface ListeningState {
  readonly connected: boolean
  /** When the server last responded. */
  readonly aliveAt: number | null
  /** The reason why it isn't connected. */
  readonly error: unknown
}

export type MailboxWatch = ReturnType<typeof watchMailbox>

export function watchMailbox(options: MailboxWatchOptions) {
  const { open, onSign, onChange, now, random, sleep } = options
  const controller = new AbortController()
  const { signal } = controller
  let state: ListeningState = { connected: false, aliveAt: null, error: null }
  const change = (next: Partial<ListeningState>) => {
    state = { ...state, ...next }
    if (!signal.aborted) onChange()
  }
  const alive = () => change({ connected: true, aliveAt: now(), error: null })

  async function listen({ opened: { client } }: Connection): Promise<void> {
    client.on('exists', () => {
      alive()
      onSign()
    })
    alive()
    // Emails can have arrived while it wasn't connected.
    onSign()
    while (!signal.aborted && client.usable) {
      // Ends the wait and checks that the server is still there, because a connection can be lost without notice.
      const timer = setTimeout(() => void client.noop().catch(() => client.close()), ASK_EVERY_MS)
      const ended: unknown = await client.idle().finally(() => clearTimeout(timer))
      if (ended === false || !client.usable) break
      alive()
      await sleep(SHORTEST_MS, signal)
    }
  }

  async function run(): Promise<void> {
    for (let failures = 0; !signal.aborted;) {
      let error: unknown = null
      try {
        const connection = await open(signal)
        const since = now()
        try {
          await listen(connection)
        } catch (cause) {
          error = connection.refusalOf(cause)
        } finally {
          connection.close()
          // A server that ends every connection at once isn't called more often than one that can't be reached.
          if (now() - since >= STABLE_MS) failures = 0
        }
      } catch (cause) {
        error = cause
      }
      if (signal.aborted) return
      change({ connected: false, error })
      await sleep(pauseAfter(failures++) * (0.5 + random() / 2), signal)
    }
  }

  void run()
  return {
    get state(): ListeningState {
      return state
    },
    close: () => controller.abort(),
  }
}

const pauseAfter = (failures: number) => Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS)

const FIRST_PAUSE_MS = 2_000
const LONGEST_PAUSE_MS = 15 * 60_000
/** Servers and routers end connections that are silent for longer. */
const ASK_EVERY_MS = 4 * 60_000
const SHORTEST_MS = 1_000
const STABLE_MS = 60_000
