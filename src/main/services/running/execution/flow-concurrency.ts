/** Delays runs with a waiting caller while their flow is at its concurrency limit. */
export interface FlowConcurrency {
  /**
   * Starts at once if the flow has a free slot, otherwise when one becomes free, in the order of the calls.
   *
   * @param limit concurrent runs of the flow; null for any number
   * @param signal ends the wait: `begin` is then called at once and has to check itself whether it must stop
   */
  run<T>(
    flowId: string,
    limit: number | null,
    begin: (slot: ConcurrencySlot) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T>
  /** Number of slots held by runs that were started here, by flow. */
  readonly inUse: ReadonlyMap<string, number>
  /** Call when a queued run has ended. */
  released(flowId: string): void
}

/** A run's slot within its flow's concurrency. */
export interface ConcurrencySlot {
  /**
   * Releases the slot during `work` and waits for a free one afterwards. Otherwise a run that waits for another run of
   * its own flow would keep that run from starting.
   */
  releaseDuring<R>(work: () => Promise<R>): Promise<R>
}

export interface FlowConcurrencyOptions {
  /** Number of the flow's runs that the queue has claimed. */
  readonly claimedByQueue: (flowId: string) => number
  /** Called when a slot of the flow becomes free and nobody is waiting for it. */
  readonly onFree: () => void
}

interface Waiter {
  readonly limit: number
  readonly enter: () => void
}

export function createFlowConcurrency({ claimedByQueue, onFree }: FlowConcurrencyOptions): FlowConcurrency {
  const inUse = new Map<string, number>()
  const lines = new Map<string, Waiter[]>()

  function isFree(flowId: string, limit: number): boolean {
    return (inUse.get(flowId) ?? 0) + claimedByQueue(flowId) < limit
  }

  function take(flowId: string): void {
    inUse.set(flowId, (inUse.get(flowId) ?? 0) + 1)
  }

  function leave(flowId: string): void {
    const left = (inUse.get(flowId) ?? 1) - 1
    if (left === 0) inUse.delete(flowId)
    else inUse.set(flowId, left)
    released(flowId)
    if (!lines.has(flowId)) onFree()
  }

  function released(flowId: string): void {
    const line = lines.get(flowId)
    if (!line) return
    for (let first = line[0]; first && isFree(flowId, first.limit); first = line[0]) {
      line.shift()
      take(flowId)
      first.enter()
    }
    if (line.length === 0) lines.delete(flowId)
  }

  /** Resolves to true if the run got a slot. */
  function wait(flowId: string, limit: number, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const line = lines.get(flowId) ?? []
      lines.set(flowId, line)
      const waiter: Waiter = {
        limit,
        enter() {
          signal.removeEventListener('abort', stopWaiting)
          resolve(true)
        },
      }
      function stopWaiting() {
        line.splice(line.indexOf(waiter), 1)
        if (line.length === 0) lines.delete(flowId)
        resolve(false)
      }
      line.push(waiter)
      signal.addEventListener('abort', stopWaiting, { once: true })
    })
  }

  function takeIfFree(flowId: string, limit: number): boolean {
    const isThere = !lines.has(flowId) && isFree(flowId, limit)
    if (isThere) take(flowId)
    return isThere
  }

  function occupy<T>(
    { flowId, limit, signal }: Line,
    begin: (slot: ConcurrencySlot) => Promise<T>,
    hasSlot: boolean,
  ): Promise<T> {
    let isHeld = hasSlot
    const slot: ConcurrencySlot = {
      async releaseDuring(work) {
        if (!isHeld) return work()
        isHeld = false
        leave(flowId)
        try {
          return await work()
        } finally {
          isHeld = takeIfFree(flowId, limit) || (!signal.aborted && (await wait(flowId, limit, signal)))
        }
      },
    }
    return begin(slot).finally(() => {
      if (isHeld) leave(flowId)
    })
  }

  return {
    inUse,
    released,
    run(flowId, limit, begin, signal) {
      if (limit === null) return begin(NO_SLOT)
      const line = { flowId, limit, signal }
      if (takeIfFree(flowId, limit)) return occupy(line, begin, true)
      return wait(flowId, limit, signal).then((hasSlot) => occupy(line, begin, hasSlot))
    },
  }
}

interface Line {
  readonly flowId: string
  readonly limit: number
  readonly signal: AbortSignal
}

const NO_SLOT: ConcurrencySlot = { releaseDuring: (work) => work() }
