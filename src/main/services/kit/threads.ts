/** Threads or processes of one kind, started when they are needed and kept for a while for the next use. */
import type { Worker } from 'node:worker_threads'

/** The common interface of threads and processes. */
export interface Lendable {
  ref(): void
  unref(): void
  terminate(): Promise<unknown>
  on(event: 'error', listener: (error: Error) => void): unknown
  once(event: 'exit', listener: () => void): unknown
}

export interface Threads<W extends Lendable = Worker> {
  /**
   * Lends out a free thread for one use at a time, and waits until there is one. Ends a thread that is spent, or whose
   * use failed.
   */
  lend<T>(use: (worker: W) => Promise<Used<T>>): Promise<T>
  /** Ends all threads, used ones included. */
  close(): Promise<void>
}

export interface Used<T> {
  readonly result: T
  /** True if the thread has used a lot of memory, which it can't return, so that the next use needs a new thread. */
  readonly isSpent: boolean
}

export function createThreads<W extends Lendable = Worker>(start: () => W, most: number): Threads<W> {
  const idle: W[] = []
  const all = new Set<W>()
  const waiting: (() => void)[] = []
  let sweeper: NodeJS.Timeout | undefined

  async function take(): Promise<W> {
    while (idle.length === 0 && all.size >= most) await new Promise<void>((resolve) => waiting.push(resolve))
    const worker = idle.pop() ?? startOne()
    worker.ref()
    return worker
  }

  function startOne(): W {
    const worker = start()
    all.add(worker)
    // The user of the thread gets the error; without a listener it would be uncaught.
    worker.on('error', () => undefined)
    worker.once('exit', () => {
      all.delete(worker)
      const at = idle.indexOf(worker)
      if (at !== -1) idle.splice(at, 1)
      waiting.shift()?.()
    })
    return worker
  }

  function giveBack(worker: W): void {
    worker.unref()
    idle.push(worker)
    waiting.shift()?.()
    clearTimeout(sweeper)
    sweeper = setTimeout(() => {
      for (const one of idle) void one.terminate()
    }, IDLE_MS).unref()
  }

  return {
    async lend(use) {
      const worker = await take()
      let isSpent = true
      try {
        const used = await use(worker)
        isSpent = used.isSpent
        return used.result
      } finally {
        if (isSpent) await worker.terminate()
        // The thread may have ended in the meantime.
        else if (all.has(worker)) giveBack(worker)
      }
    },
    async close() {
      clearTimeout(sweeper)
      await Promise.all([...all].map((worker) => worker.terminate()))
    },
  }
}

const IDLE_MS = 30_000
