/** Fills the search index after runs have ended, in batches, and uses little CPU time while Millrace is busy. */
import type { Clock } from '../../../engine/ports.ts'
import type { Store } from '../../../store/index.ts'
import type { EventsService } from '../../kit/live-events.ts'
import type { Log } from '../../kit/ports.ts'

export interface RunIndexingOptions {
  readonly store: Pick<Store, 'runSearch' | 'write'>
  readonly settings: () => { readonly search_index: boolean }
  readonly events: Pick<EventsService, 'listen'>
  readonly clock: Pick<Clock, 'monotonic'>
  readonly log: Log
  /** Lets requests be served between two batches. */
  readonly yieldToEventLoop: () => Promise<void>
}

/** Runs that end shortly after each other share a batch. */
const LOOK_AFTER_MS = 1_000
const PORTION_MS = 4
/** Maximum number of merges after each batch; two are enough on average. */
const MOST_MERGES = 4
/** Share of the time spent on indexing. Runs take precedence if many are in progress. */
const SHARE = 1 / 4
const BUSY_SHARE = 1 / 200
const BUSY_EVENTS_PER_SECOND = 100

export function createRunIndexing(options: RunIndexingOptions) {
  const { store, settings, events, clock, log, yieldToEventLoop } = options
  let isStopped = true
  let timer: NodeJS.Timeout | null = null
  let underWay: Promise<unknown> = Promise.resolve()
  let seen = 0
  let lookedAt = clock.monotonic()

  /** False if nothing is left to do. */
  async function indexSome(): Promise<boolean> {
    if (!settings().search_index) return false
    const gathered = await store.runSearch.gather(PORTION_MS, yieldToEventLoop)
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
      // The disk may be full; in the meantime the search reads the newest runs directly.
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
    /** Indexes after each ended run until stopped. */
    start(): void {
      isStopped = false
      schedule(LOOK_AFTER_MS)
    },
    /** Resolves once the current work has ended. */
    async stop(): Promise<void> {
      isStopped = true
      if (timer !== null) clearTimeout(timer)
      await underWay
    },
    /** Indexes everything that exists now. */
    async runOnce(): Promise<void> {
      while (await indexSome()) await yieldToEventLoop()
    },
  }
}
