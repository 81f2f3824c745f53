/** Writes the search's index behind the runs: in portions, and with little of the processor while much is going on. */
import type { Clock } from '../../engine/ports.ts'
import type { Store } from '../../store/index.ts'
import type { EventsService } from '../kit/live-events.ts'
import type { Log } from '../kit/ports.ts'

export interface RunIndexing {
  /** Looks after runs have ended, until stopped. */
  start(): void
  /** Resolves once what is under way has ended. */
  stop(): Promise<void>
  /** All that is there now. */
  runOnce(): Promise<void>
}

export interface RunIndexingOptions {
  readonly store: Pick<Store, 'runSearch' | 'write'>
  readonly settings: () => { readonly search_index: boolean }
  readonly events: Pick<EventsService, 'listen'>
  readonly clock: Pick<Clock, 'monotonic'>
  readonly log: Log
  /** Lets requests be answered between two portions. */
  readonly yieldToEventLoop: () => Promise<void>
}

/** Runs that end close behind each other share a portion. */
const LOOK_AFTER_MS = 1_000
const PORTION_MS = 4
/** After each portion; two are enough on average. */
const MOST_MERGES = 4
/** Of the time. Where many runs are under way they go first. */
const SHARE = 1 / 4
const BUSY_SHARE = 1 / 200
const BUSY_EVENTS_PER_SECOND = 100

export function createRunIndexing(options: RunIndexingOptions): RunIndexing {
  const { store, settings, events, clock, log, yieldToEventLoop } = options
  let isStopped = true
  let timer: NodeJS.Timeout | null = null
  let underWay: Promise<unknown> = Promise.resolve()
  let seen = 0
  let lookedAt = clock.monotonic()

  /** False where nothing is left to do. */
  async function indexSome(): Promise<boolean> {
    if (!settings().search_index) return false
    const gathered = store.runSearch.gather(PORTION_MS)
    if (gathered === null) return false
    await store.write(() => store.runSearch.add(gathered))
    for (let merges = 0; merges < MOST_MERGES; merges++) {
      await yieldToEventLoop()
      if (!(await store.write(() => store.runSearch.merge()))) break
    }
    return true
  }

  function share(): number {
    const now = clock.monotonic()
    const perSecond = (seen * 1_000) / Math.max(1, now - lookedAt)
    seen = 0
    lookedAt = now
    return perSecond > BUSY_EVENTS_PER_SECOND ? BUSY_SHARE : SHARE
  }

  async function look(): Promise<void> {
    const began = clock.monotonic()
    try {
      const isMore = await indexSome()
      const took = clock.monotonic() - began
      if (isMore) schedule(took / share() - took)
    } catch (error) {
      // The disk may be full; the search reads the newest runs themselves meanwhile.
      log.error({ err: error }, "The search index can't be written")
    }
  }

  function schedule(afterMs: number): void {
    if (isStopped || timer !== null) return
    timer = setTimeout(() => {
      timer = null
      underWay = look()
    }, afterMs).unref()
  }

  events.listen(({ noun }) => {
    if (noun !== 'flow_run' && noun !== 'settings') return
    seen++
    if (timer === null) schedule(LOOK_AFTER_MS)
    if (noun === 'settings' && !isStopped) underWay = forgetWhereUnwanted()
  })

  async function forgetWhereUnwanted(): Promise<void> {
    if (settings().search_index || store.runSearch.isEmpty()) return
    await store
      .write(() => store.runSearch.clear())
      .catch((error: unknown) => log.error({ err: error }, "The search index can't be deleted"))
  }

  return {
    start() {
      isStopped = false
      schedule(LOOK_AFTER_MS)
    },
    async stop() {
      isStopped = true
      if (timer !== null) clearTimeout(timer)
      await underWay
    },
    async runOnce() {
      while (await indexSome()) await yieldToEventLoop()
    },
  }
}
