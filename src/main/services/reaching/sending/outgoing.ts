/**
 * All outgoing calls, with the clock and randomness their callers need; shared by flows, the tester and remote search.
 */
import type { Socket } from 'node:net'
import type { Clock, Random, SendRequest, Sleep } from '../../../engine/ports.ts'
import { openSocket } from '../../../engine/request/open-socket.ts'
import {
  createRateBudget,
  originOf,
  type RateBudget,
  type RateReading,
  type WatchedRateBudget,
} from '../../../engine/request/rate-budget.ts'
import type { RatePolicy } from '../../../engine/request/rate-limit.ts'
import { createSendRequest } from '../../../engine/request/send-request.ts'
import { createProgramSender, type ProgramSender } from './to-program.ts'

export interface Outgoing {
  readonly clock: Clock
  readonly random: Random
  readonly sleep: Sleep
  readonly sendRequest: SendRequest
  /** Opens a connection for protocols other than HTTP, under the same rules. */
  readonly openSocket: (
    host: string,
    port: number,
    options: { readonly timeoutMs: number },
  ) => Promise<Socket>
  /** Sends requests to programs on this computer, such as the one that webhooks are forwarded to. */
  readonly localPrograms: ProgramSender
  /** Lets other work of the process continue for a moment. */
  readonly yieldToEventLoop: () => Promise<void>
  /**
   * The rate budget of an API, shared by all calls to its host with the same credentials.
   *
   * @param limit the limit of its connector, if it is a connector's call
   */
  readonly budgetFor: (key: string, limit?: RatePolicy | null) => RateBudget
  /** The known limits of the APIs that were called with these credentials since the program started. */
  readonly limitsOf: (authId: string) => readonly (RateReading & { readonly origin: string })[]
  /** Closes all connections; calls in progress fail. */
  close(): Promise<void>
}

export interface OutgoingOptions {
  readonly clock: Clock
  readonly random: Random
  readonly userAgent: string
  /** Ports this program listens on: blocked, except for calls meant for its own API. */
  readonly ownPorts: () => ReadonlySet<number>
}

export function createOutgoing({ clock, random, userAgent, ownPorts }: OutgoingOptions): Outgoing {
  const sender = createSendRequest({ clock, userAgent, ownPorts })
  const budgets = new Map<string, WatchedRateBudget>()
  return {
    clock,
    random,
    sleep,
    sendRequest: sender.sendRequest,
    openSocket: (host, port, { timeoutMs }) => openSocket(host, port, { timeoutMs, ownPorts }),
    localPrograms: createProgramSender(ownPorts),
    yieldToEventLoop: () => new Promise((resolve) => setImmediate(resolve)),
    budgetFor(key, limit) {
      const known = budgets.get(key) ?? createRateBudget(clock)
      if (limit !== undefined) known.limitTo(limit)
      budgets.delete(key)
      budgets.set(key, known)
      const [oldest] = budgets.keys()
      if (budgets.size > MOST_BUDGETS && oldest !== undefined) budgets.delete(oldest)
      return known
    },
    limitsOf: (authId) =>
      [...budgets].flatMap(([key, budget]) => {
        const origin = originOf(key, authId)
        return origin === null ? [] : [{ origin, ...budget.read() }]
      }),
    close: () => sender.close(),
  }
}

const MOST_BUDGETS = 1_000

/** Node's timers are limited to about 25 days; a longer wait is split. */
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
