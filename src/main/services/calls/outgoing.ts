/** The one way out, with the time and chance its callers need: flows, the tester and remote search share it. */
import type { Socket } from 'node:net'
import type { Clock, Random, SendRequest, Sleep } from '../../engine/ports.ts'
import { openSocket } from '../../engine/request/open-socket.ts'
import { createRateBudget, type RateBudget } from '../../engine/request/rate-budget.ts'
import { createSendRequest } from '../../engine/request/send-request.ts'

export interface Outgoing {
  readonly clock: Clock
  readonly random: Random
  readonly sleep: Sleep
  readonly sendRequest: SendRequest
  /** A connection for protocols other than HTTP, under the same rules. */
  readonly openSocket: (
    host: string,
    port: number,
    options: { readonly timeoutMs: number },
  ) => Promise<Socket>
  /** Lets other work of the process go on for a moment. */
  readonly yieldToEventLoop: () => Promise<void>
  /** What is left of an API's rate limit, shared by all calls with one credential. */
  readonly budgetFor: (key: string) => RateBudget
  /** Ends all connections; calls under way fail. */
  close(): Promise<void>
}

export interface OutgoingOptions {
  readonly clock: Clock
  readonly random: Random
  readonly userAgent: string
  /** Ports that this program listens on: out of reach for calls, but for those meant for its own API. */
  readonly ownPorts: () => ReadonlySet<number>
}

export function createOutgoing({ clock, random, userAgent, ownPorts }: OutgoingOptions): Outgoing {
  const sender = createSendRequest({ clock, userAgent, ownPorts })
  const budgets = new Map<string, RateBudget>()
  return {
    clock,
    random,
    sleep,
    sendRequest: sender.sendRequest,
    openSocket: (host, port, { timeoutMs }) => openSocket(host, port, { timeoutMs, ownPorts }),
    yieldToEventLoop: () => new Promise((resolve) => setImmediate(resolve)),
    budgetFor(key) {
      const known = budgets.get(key) ?? createRateBudget(clock)
      budgets.delete(key)
      budgets.set(key, known)
      const [oldest] = budgets.keys()
      if (budgets.size > MOST_BUDGETS && oldest !== undefined) budgets.delete(oldest)
      return known
    },
    close: () => sender.close(),
  }
}

const MOST_BUDGETS = 1_000

/** Timers of Node end after about 25 days; a longer wait is slept in parts. */
const LONGEST_TIMER_MS = 2_000_000_000

async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  for (let left = ms; left > 0; left -= LONGEST_TIMER_MS)
    await timer(Math.min(left, LONGEST_TIMER_MS), signal)
  signal?.throwIfAborted()
}

function timer(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error)
    const handle = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', abort, { once: true })
    function abort() {
      clearTimeout(handle)
      reject(signal?.reason as Error)
    }
  })
}
