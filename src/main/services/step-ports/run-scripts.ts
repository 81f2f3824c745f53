/** Runs the scripts of `code` steps on separate threads, so that none blocks the program. */
import { readFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { RunScript } from '../../engine/flow/model/ports.ts'
import type { ScriptReply, ScriptRequest } from './messages.ts'

export interface Scripts {
  readonly run: RunScript
  /** Ends running scripts. */
  close(): Promise<void>
}

const LIMITS: ScriptRequest['limits'] = {
  timeMs: 5_000,
  memoryBytes: 64 * 1024 * 1024,
  outputCharacters: 10_000_000,
  logLines: 200,
}

/** A thread is created for the first script and kept for a while for the next one. */
export function createScripts(): Scripts {
  const idle: Worker[] = []
  const all = new Set<Worker>()
  const waiting: (() => void)[] = []
  let sweeper: NodeJS.Timeout | undefined

  async function take(): Promise<Worker> {
    while (idle.length === 0 && all.size >= MOST_THREADS) {
      await new Promise<void>((resolve) => waiting.push(resolve))
    }
    const worker = idle.pop() ?? start()
    worker.ref()
    return worker
  }

  function start(): Worker {
    const worker = new Worker(WORKER, { workerData: { wasm: readWasm() }, name: 'millrace scripts' })
    all.add(worker)
    // The caller gets the error through its promise; without a listener it would be uncaught.
    worker.on('error', () => undefined)
    worker.once('exit', () => {
      all.delete(worker)
      const at = idle.indexOf(worker)
      if (at !== -1) idle.splice(at, 1)
      waiting.shift()?.()
    })
    return worker
  }

  function giveBack(worker: Worker): void {
    worker.unref()
    idle.push(worker)
    waiting.shift()?.()
    clearTimeout(sweeper)
    sweeper = setTimeout(() => {
      for (const one of idle) void one.terminate()
    }, IDLE_MS).unref()
  }

  return {
    async run(source, input, signal) {
      const worker = await take()
      const request: ScriptRequest = { source, input, limits: LIMITS }
      try {
        const { isSpent, ...result } = await ask(worker, request, signal)
        if (isSpent) await worker.terminate()
        else giveBack(worker)
        return result
      } catch (error) {
        await worker.terminate()
        throw error
      }
    },
    async close() {
      clearTimeout(sweeper)
      await Promise.all([...all].map((worker) => worker.terminate()))
    },
  }
}

function ask(worker: Worker, request: ScriptRequest, signal: AbortSignal): Promise<ScriptReply> {
  const { promise, resolve, reject } = Promise.withResolvers<ScriptReply>()
  const onExit = () => reject(new Error('The thread of a script ended unexpectedly'))
  const onAbort = () => reject(signal.reason as Error)
  const onLate = () =>
    resolve({
      isSpent: true,
      log: [],
      outcome: {
        kind: 'stopped',
        limit: 'time',
        message: `the code ran longer than ${request.limits.timeMs / 1000} s, its limit; make it do less at a time`,
      },
    })
  // The sandbox measures its time itself, but can't interrupt a single long native call.
  const timer = setTimeout(onLate, LATEST * request.limits.timeMs)
  worker.once('message', resolve)
  worker.once('error', reject)
  worker.once('exit', onExit)
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  else worker.postMessage(request)
  return promise.finally(() => {
    clearTimeout(timer)
    worker.off('message', resolve)
    worker.off('error', reject)
    worker.off('exit', onExit)
    signal.removeEventListener('abort', onAbort)
  })
}

/** From source, Node runs the worker directly; the build puts it and QuickJS next to this file. */
const IS_BUILT = !import.meta.url.endsWith('.ts')
const WORKER = new URL(IS_BUILT ? 'script-worker.js' : 'script-worker.ts', import.meta.url)

function readWasm(): Uint8Array | null {
  return IS_BUILT ? readFileSync(new URL('quickjs.wasm', import.meta.url)) : null
}

const MOST_THREADS = 2
/** Multiple of the limit in wall-clock time: on a busy machine a script takes longer than its CPU time. */
const LATEST = 4
const IDLE_MS = 30_000
