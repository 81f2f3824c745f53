/** Wakes runs that keep their worker while they wait for something from outside. */
export function createWakers() {
  const waiting = new Map<string, Set<() => void>>()
  return {
    wake(id: string): void {
      for (const look of waiting.get(id) ?? []) look()
    },
    /** Resolves when the run is woken, after that time, or at once if the event has already happened. */
    wait(id: string, ms: number, signal: AbortSignal, hasHappened: () => boolean): Promise<void> {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, Math.min(Math.max(ms, 0), LONGEST_TIMER_MS))
      const looks = waiting.get(id) ?? new Set()
      const abort = () => reject(signal.reason as Error)
      waiting.set(id, looks.add(resolve))
      signal.addEventListener('abort', abort, { once: true })
      if (signal.aborted) abort()
      if (hasHappened()) resolve()
      return promise.finally(() => {
        clearTimeout(timer)
        signal.removeEventListener('abort', abort)
        looks.delete(resolve)
        if (looks.size === 0) waiting.delete(id)
      })
    },
  }
}

/** Longer timers would overflow. The run checks again after this time. */
const LONGEST_TIMER_MS = 3_600_000
