/** Runs the scripts of `code` steps on separate threads, so that none blocks the program. */
import { readFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { RunScript } from '../../engine/flow/model/ports.ts'
import { createThreads } from '../kit/threads.ts'
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

export function createScripts(): Scripts {
  const threads = createThreads(
    () => new Worker(WORKER, { workerData: { wasm: readWasm() }, name: 'millrace scripts', ...FROM_SOURCE }),
    MOST_THREADS,
  )
  return {
    run: (script, input, signal) =>
      threads.lend(async (worker) => {
        const { isSpent, ...result } = await ask(worker, { ...script, input, limits: LIMITS }, signal)
        return { result, isSpent }
      }),
    close: () => threads.close(),
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

/** There it removes types with a function that Node still calls experimental. */
const FROM_SOURCE = IS_BUILT ? {} : { execArgv: ['--disable-warning=ExperimentalWarning'] }

function readWasm(): Uint8Array | null {
  return IS_BUILT ? readFileSync(new URL('quickjs.wasm', import.meta.url)) : null
}

const MOST_THREADS = 2
/** Multiple of the limit in wall-clock time: on a busy machine a script takes longer than its CPU time. */
const LATEST = 4
