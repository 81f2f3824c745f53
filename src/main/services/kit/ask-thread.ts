import type { Worker } from 'node:worker_threads'

export interface AskOptions {
  readonly timeMs: number
  readonly signal?: AbortSignal
  /** The error to fail with. */
  readonly onLate: () => Error
  readonly onFull: () => Error
}

/** Sends a request to a thread and returns its reply. After an error the thread must not be used again. */
export function askThread<Reply>(
  worker: Worker,
  request: unknown,
  { timeMs, signal, onLate, onFull }: AskOptions,
): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>()
  const onError = (error: NodeJS.ErrnoException) =>
    reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? onFull() : error)
  const onExit = () => reject(new Error('A thread ended unexpectedly'))
  const onAbort = () => reject(signal?.reason as Error)
  const timer = setTimeout(() => reject(onLate()), timeMs)
  worker.once('message', resolve)
  worker.once('error', onError)
  worker.once('exit', onExit)
  signal?.addEventListener('abort', onAbort, { once: true })
  if (signal?.aborted) onAbort()
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  else worker.postMessage(request)
  return promise.finally(() => {
    clearTimeout(timer)
    worker.off('message', resolve)
    worker.off('error', onError)
    worker.off('exit', onExit)
    signal?.removeEventListener('abort', onAbort)
  })
}
