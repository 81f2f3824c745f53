/** Polls a URL from a separate thread and reports how long each response took. */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

export interface Polling {
  /** Stops polling; returns the milliseconds of each response. */
  stop(): Promise<readonly number[]>
}

export async function poll(url: string, everyMs: number): Promise<Polling> {
  const worker = new Worker(new URL(import.meta.url), { workerData: { url, everyMs } })
  const times: number[] = []
  await new Promise<void>((resolve, reject) => {
    worker.once('error', reject)
    worker.on('message', (ms: number) => {
      times.push(ms)
      resolve()
    })
  })
  return {
    async stop() {
      await worker.terminate()
      return times
    },
  }
}

/** Requests are due at fixed intervals, however late the previous response was. */
function askAgainAndAgain(): void {
  const { url, everyMs } = workerData as { url: string; everyMs: number }
  setInterval(() => void ask(url), everyMs)
}

async function ask(url: string): Promise<void> {
  const start = performance.now()
  const response = await fetch(url)
  await response.arrayBuffer()
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port has no origins
  parentPort?.postMessage(performance.now() - start)
}

if (!isMainThread) askAgainAndAgain()
