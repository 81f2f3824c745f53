/**
 * The places of `concurrent_runs`. A run of the queue holds one while it works, and gives it back while it waits for
 * something outside of the process: runs that wait for a slow API must not keep others from beginning.
 */
export class WorkPlaces {
  readonly #limit: () => number
  readonly #onFree: () => void
  #held = 0
  /** Held by runs whose end is about to be stored: the runs that take over are claimed in the same commit. */
  #ending = 0
  #waiting = 0
  #extra = 0
  readonly #line: (() => void)[] = []

  /** @param onFree a place has become free, and no run that has begun wants it */
  constructor(limit: () => number, onFree: () => void) {
    this.#limit = limit
    this.#onFree = onFree
  }

  /** How many runs may begin now. None while as many wait as may: each of them holds memory. */
  get free(): number {
    if (this.#waiting >= MOST_WAITING) return 0
    const free = this.#limit() - this.#held + this.#ending - this.#line.length
    return Math.max(0, Math.min(free, MOST_WAITING - this.#waiting))
  }

  /** How many overdue runs may begin although there is no free place. */
  get freeExtra(): number {
    return MOST_EXTRA - this.#extra
  }

  take(): WorkPlace {
    this.#held++
    return new RunPlace(this)
  }

  /** Of a run that may wait for a place no longer. */
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

  /** @internal Resolves to whether the run holds a place again; not if the signal aborts first. */
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

/** The place that one run holds. */
export interface WorkPlace {
  /** Gives the place back during `work`, and waits for a free one afterwards unless the run is to stop. */
  giveBackDuring<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>
  /** The run has ended, which is about to be stored. */
  beginEnding(): void
  /** The run is no longer executed. */
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

  /** The run may have been left meanwhile by what waited beside it. */
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

/** Runs that wait without a place. */
const MOST_WAITING = 500
const MOST_EXTRA = 100
