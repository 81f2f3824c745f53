/** Holds runs that somebody waits for in line where their flow may not run as often at one time. */
export interface FlowSlots {
  /**
   * Begins at once where the flow has a free place, else as soon as one comes free, in the order of the calls.
   *
   * @param limit runs of the flow at one time; null: any number
   * @param signal ends the wait: `begin` is then called at once, and is to see for itself that it has to stop
   */
  run<T>(
    flowId: string,
    limit: number | null,
    begin: (place: FlowPlace) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T>
  /** How many runs begun here go on, by flow. */
  readonly taken: ReadonlyMap<string, number>
  /** A run of the queue has ended. */
  freed(flowId: string): void
}

/** The place that a run has among those of its flow. */
export interface FlowPlace {
  /**
   * Does without it while something else goes on, and stands in line for one again behind that. A run that waits for
   * another one of its own flow would otherwise keep it from ever beginning.
   */
  lend<R>(work: () => Promise<R>): Promise<R>
}

export interface FlowSlotsOptions {
  /** How many of the flow's runs the queue has taken. */
  readonly takenByQueue: (flowId: string) => number
  /** A place of the flow came free, and nobody stood in line for it. */
  readonly onFree: () => void
}

interface Waiter {
  readonly limit: number
  readonly enter: () => void
}

export function createFlowSlots({ takenByQueue, onFree }: FlowSlotsOptions): FlowSlots {
  const taken = new Map<string, number>()
  const lines = new Map<string, Waiter[]>()

  function isFree(flowId: string, limit: number): boolean {
    return (taken.get(flowId) ?? 0) + takenByQueue(flowId) < limit
  }

  function take(flowId: string): void {
    taken.set(flowId, (taken.get(flowId) ?? 0) + 1)
  }

  function leave(flowId: string): void {
    const left = (taken.get(flowId) ?? 1) - 1
    if (left === 0) taken.delete(flowId)
    else taken.set(flowId, left)
    freed(flowId)
    if (!lines.has(flowId)) onFree()
  }

  function freed(flowId: string): void {
    const line = lines.get(flowId)
    if (!line) return
    for (let first = line[0]; first && isFree(flowId, first.limit); first = line[0]) {
      line.shift()
      take(flowId)
      first.enter()
    }
    if (line.length === 0) lines.delete(flowId)
  }

  /** Resolves to whether a place was taken. */
  function wait(flowId: string, limit: number, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const line = lines.get(flowId) ?? []
      lines.set(flowId, line)
      const waiter: Waiter = {
        limit,
        enter() {
          signal.removeEventListener('abort', giveUp)
          resolve(true)
        },
      }
      function giveUp() {
        line.splice(line.indexOf(waiter), 1)
        if (line.length === 0) lines.delete(flowId)
        resolve(false)
      }
      line.push(waiter)
      signal.addEventListener('abort', giveUp, { once: true })
    })
  }

  function takeIfFree(flowId: string, limit: number): boolean {
    const isThere = !lines.has(flowId) && isFree(flowId, limit)
    if (isThere) take(flowId)
    return isThere
  }

  function occupy<T>(
    { flowId, limit, signal }: Line,
    begin: (place: FlowPlace) => Promise<T>,
    hasPlace: boolean,
  ): Promise<T> {
    let isHeld = hasPlace
    const place: FlowPlace = {
      async lend(work) {
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
    return begin(place).finally(() => {
      if (isHeld) leave(flowId)
    })
  }

  return {
    taken,
    freed,
    run(flowId, limit, begin, signal) {
      if (limit === null) return begin(NO_PLACE)
      const line = { flowId, limit, signal }
      if (takeIfFree(flowId, limit)) return occupy(line, begin, true)
      return wait(flowId, limit, signal).then((hasPlace) => occupy(line, begin, hasPlace))
    },
  }
}

interface Line {
  readonly flowId: string
  readonly limit: number
  readonly signal: AbortSignal
}

const NO_PLACE: FlowPlace = { lend: (work) => work() }
