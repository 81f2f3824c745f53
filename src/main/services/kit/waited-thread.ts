/** A thread that the calling thread waits for, where work is synchronous but must have limits. */
import { MessageChannel, type MessagePort, receiveMessageOnPort, type Worker } from 'node:worker_threads'

/** The value of `workerData.place` in the thread. */
export interface WaitedPlace {
  readonly port: MessagePort
  /** The number of replies so far, plus one for the start. */
  readonly replies: Int32Array
}

export interface WaitedThread<Request, Reply> {
  /** Null if it doesn't reply in time or has ended; the next call starts another. */
  ask(request: Request, ms: number): Reply | null
  end(): Promise<void>
}

/** @param mostUses number of uses after which the thread is replaced */
export function createWaitedThread<Request, Reply>(
  start: (place: WaitedPlace) => Worker,
  mostUses = Infinity,
): WaitedThread<Request, Reply> {
  let current: ReturnType<typeof startOne> | null = null

  function startOne() {
    const { port1: port, port2 } = new MessageChannel()
    const replies = new Int32Array(new SharedArrayBuffer(4))
    const worker = start({ port: port2, replies })
    worker.on('error', () => {}) // out of memory; `ask` then returns null
    worker.unref()
    port.unref()
    return { worker, port, replies, uses: 0 }
  }

  async function end(): Promise<void> {
    const ended = current?.worker.terminate()
    current?.port.close()
    current = null
    await ended
  }

  return {
    ask(request, ms) {
      current ??= startOne()
      const { port, replies } = current
      const isStarted = waitFor(replies, 1, START_MS)
      const before = Atomics.load(replies, 0)
      if (isStarted) port.postMessage(request)
      const isDone = isStarted && waitFor(replies, before + 1, ms)
      const received = isDone ? receiveMessageOnPort(port) : undefined
      if (received === undefined || ++current.uses === mostUses) void end()
      return received === undefined ? null : (received.message as Reply)
    },
    end,
  }
}

/** False if the count isn't reached in time. */
function waitFor(replies: Int32Array, count: number, ms: number): boolean {
  const end = performance.now() + ms
  for (;;) {
    const now = Atomics.load(replies, 0)
    if (now >= count) return true
    const left = end - performance.now()
    if (left <= 0) return false
    Atomics.wait(replies, 0, now, left)
  }
}

/** Call it in the thread; it replies to each request from now on. */
export function replyToEach({ port, replies }: WaitedPlace, answer: (request: never) => unknown): void {
  const count = () => {
    Atomics.add(replies, 0, 1)
    Atomics.notify(replies, 0)
  }
  const reply = async (request: unknown) => {
    port.postMessage(await answer(request as never))
    count()
  }
  port.on('message', (request: unknown) => void reply(request))
  count()
}

const START_MS = 5_000
