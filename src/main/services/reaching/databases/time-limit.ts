import { say } from '../../../../shared/contract/base/message.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'

export function timedOut(timeoutMs: number): AppError {
  return new AppError(
    'timeout',
    say(
      'the statement exceeded the limit of {{seconds}} s for this step and was interrupted; simplify it, or raise "timeout_seconds"',
      { seconds: timeoutMs / 1000 },
    ),
  )
}

/** Fails work on a connection at the time limit or when the signal aborts, and then calls `interrupt`. */
export async function withinTime<T>(
  work: Promise<T>,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
  interrupt: () => void,
  /** The limit named in the message, which differs from the time left if it began earlier. */
  limitMs = timeoutMs,
): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  promise.catch(() => {})
  const stop = (reason: unknown) => {
    reject(reason)
    interrupt()
  }
  const timer = setTimeout(() => stop(timedOut(limitMs)), timeoutMs)
  const onAbort = () => stop(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
    work.catch(() => {})
  }
}
