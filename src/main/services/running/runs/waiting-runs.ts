export interface WaitingRun {
  readonly id: string
  readonly flowId: string
  /** Time at which it was accepted, in milliseconds. */
  readonly at: number
}

interface Line {
  readonly runs: WaitingRun[]
  /** Index of the first run that hasn't been taken. */
  first: number
}

/**
 * Runs that this process accepted and that haven't started, in the order in which they start. On the disk, they are
 * only marked as queued, so no transaction has to look for the next one.
 */
export class WaitingRuns {
  readonly #lines = new Map<string, Line>()
  #size = 0

  get size(): number {
    return this.#size
  }

  add(run: WaitingRun): void {
    this.#lineOf(run).runs.push(run)
    this.#size++
  }

  /** The runs start before all others of their flows, in this order. */
  putBack(runs: readonly WaitingRun[]): void {
    for (const run of runs.toReversed()) {
      const line = this.#lineOf(run)
      line.runs.splice(line.first, 0, run)
      this.#size++
    }
  }

  /**
   * Takes the oldest run of the flow with the fewest runs in progress.
   *
   * @param inProgress how many of the flow's runs are in progress; null if no more can start
   * @param since takes only a run that has waited since then
   */
  take(inProgress: (flowId: string) => number | null, since = Infinity): WaitingRun | null {
    let best: WaitingRun | null = null
    let fewest = Infinity
    for (const [flowId, { runs, first }] of this.#lines) {
      const head = runs[first]
      const running = head === undefined || head.at > since ? null : inProgress(flowId)
      if (head === undefined || running === null) continue
      const isBetter = running < fewest || (running === fewest && best !== null && head.at < best.at)
      if (!isBetter) continue
      best = head
      fewest = running
    }
    if (best !== null) this.#remove(best)
    return best
  }

  #lineOf({ flowId }: WaitingRun): Line {
    const line = this.#lines.get(flowId) ?? { runs: [], first: 0 }
    this.#lines.set(flowId, line)
    return line
  }

  #remove({ flowId }: WaitingRun): void {
    const line = this.#lines.get(flowId)
    if (line === undefined) return
    this.#size--
    line.first++
    if (line.first === line.runs.length) this.#lines.delete(flowId)
    if (line.first < SHORTENED_FROM || 2 * line.first < line.runs.length) return
    line.runs.splice(0, line.first)
    line.first = 0
  }
}

const SHORTENED_FROM = 1_024
