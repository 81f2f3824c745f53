/**
 * The places of `concurrent_runs`. A queued run holds one while it works and returns it while it waits for something
 * outside the process, so that runs that wait for a slow API don't keep others from starting.
 */
export class WorkPlaces {
  readonly #limit: () => number
  readonly #onFree: () => void
  #held = 0
  /** Number of places of runs whose end is about to be stored; the next runs are claimed in the same commit. */
  #ending = 0
  #waiting = 0
  #extra = 0
  readonly #line: (() => void)[] = []

  /** @param onFree called when a place has become free and no started run wants it */
  constructor(limit: () => number, onFree: () => void) {
    this.#limit = limit
    this.#onFree = onFree
  }

  /** Number of runs that can start now: 0 while too many runs are waiting, because each of them needs memory. */
  get free(): number {
    if (this.#waiting >= MOST_WAITING) return 0
    const free = this.#limit() - this.#held + this.#ending - this.#line.length
    return Math.max(0, Math.min(free, MOST_WAITING - this.#waiting))
  }

  /** Number of overdue runs that can start although there is no free place. */
  get freeExtra(): number {
    return MOST_EXTRA - this.#extra
  }

  take(): WorkPlace {
    this.#held++
    return new RunPlace(this)
  }

  /** An additional place for a run that can't wait any longer. */
  takeExtra(): WorkPlace {
    this.#extra++
    return new ExtraPlace(() => this.#extra--)
  }

  /** @internal */
  beginEnding(): void {
    this.#ending++
  }

  /** @internal */
  leave(wasEnding: boolean): void {
    if (wasEnding) this.#ending--
    this.#held--
    this.#passOn()
  }

  /** @internal */
  beginWaiting(): void {
    this.#waiting++
    this.#held--
    this.#passOn()
  }

  /** @internal Resolves to true if the run has a place again; false if the signal aborts first. */
  endWaiting(signal: AbortSignal): boolean | Promise<boolean> {
    this.#waiting--
    if (signal.aborted) return false
    if (this.#held < this.#limit() && this.#line.length === 0) {
      this.#held++
      return true
    }
    return new Promise((resolve) => {
      const enter = () => {
        signal.removeEventListener('abort', leave)
        resolve(true)
      }
      const leave = () => {
        this.#line.splice(this.#line.indexOf(enter), 1)
        resolve(false)
      }
      this.#line.push(enter)
      signal.addEventListener('abort', leave, { once: true })
    })
  }

  #passOn(): void {
    while (this.#line.length > 0 && this.#held < this.#limit()) {
      this.#held++
      this.#line.shift()?.()
    }
    if (this.#line.length === 0) this.#onFree()
  }
}

/** The place held by one run. */
export interface WorkPlace {
  /** Returns the place during `work`, and waits for a free one afterwards unless the run has to stop. */
  giveBackDuring<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>
  /** Call when the run has ended and its end is about to be stored. */
  beginEnding(): void
  /** Call when the run is no longer being executed. */
  leave(): void
}

class RunPlace implements WorkPlace {
  readonly #places: WorkPlaces
  #state: 'held' | 'ending' | 'given back' | 'left' = 'held'

  constructor(places: WorkPlaces) {
    this.#places = places
  }

  async giveBackDuring<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    // A run that reads pages ahead waits for several things at once.
    if (this.#state !== 'held') return work()
    this.#state = 'given back'
    this.#places.beginWaiting()
    try {
      return await work()
    } finally {
      if (await this.#places.endWaiting(signal)) this.#holdAgain()
    }
  }

  /** A parallel wait of the same run can have given up the place in the meantime. */
  #holdAgain(): void {
    if (this.#state === 'left') this.#places.leave(false)
    else this.#state = 'held'
  }

  beginEnding(): void {
    if (this.#state !== 'held') return
    this.#state = 'ending'
    this.#places.beginEnding()
  }

  leave(): void {
    const state = this.#state
    this.#state = 'left'
    if (state === 'held' || state === 'ending') this.#places.leave(state === 'ending')
  }
}

class ExtraPlace implements WorkPlace {
  readonly leave: () => void

  constructor(leave: () => void) {
    this.leave = leave
  }

  giveBackDuring<T>(work: () => Promise<T>): Promise<T> {
    return work()
  }

  beginEnding(): void {}
}

/** The maximum number of runs that wait without a place. */
const MOST_WAITING = 500
const MOST_EXTRA = 100
