/**
 * Keeps the data folder small and safe while the program runs: deletes old history, takes backups, returns free pages
 * to the disk.
 */
import { IDEMPOTENCY_HOURS } from '../../../../shared/contract/base/conventions.ts'
import type { Settings } from '../../../../shared/contract/settings.ts'
import type { Clock } from '../../../engine/ports.ts'
import type { Store } from '../../../store/index.ts'
import type { FilesService } from '../../keeping/files/files.ts'
import type { DataFolderService } from './data-folder.ts'
import type { Log } from '../../kit/ports.ts'
import type { RecordFilesService } from '../../keeping/files/record-files.ts'

export interface HousekeepingOptions {
  readonly store: Pick<
    Store,
    | 'backups'
    | 'dataTables'
    | 'webhookAttempts'
    | 'figures'
    | 'flowRuns'
    | 'formerSecrets'
    | 'idempotencyKeys'
    | 'maintenance'
    | 'retention'
    | 'runSearch'
    | 'seenDeliveries'
    | 'write'
  >
  readonly settings: () => Pick<Settings, 'history_limit_mb'>
  readonly dataFolder: Pick<DataFolderService, 'sizes'>
  readonly files: Pick<FilesService, 'sweep'>
  readonly recordFiles: Pick<RecordFilesService, 'sweep'>
  /** Whether a run is being executed; its first rows may not be stored yet. */
  readonly isExecuting: (runId: string) => boolean
  /** Called when former secrets are no longer needed. */
  readonly forgetSecrets: () => void
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
  /** Lets requests be served between two batches. */
  readonly yieldToEventLoop: () => Promise<void>
}

/** Late enough not to slow down the start. */
const FIRST_AFTER_MS = 30_000
const EVERY_MS = 10 * 60_000
/** Senders retry for up to three days. */
const DELIVERIES_KEPT_MS = 7 * 24 * 60 * 60_000
/** Pages returned to the disk at a time: about two megabytes, which takes a few milliseconds. */
const PAGES_AT_ONCE = 500
const HOUR_MS = 60 * 60_000
const DAY_MS = 24 * HOUR_MS
const PRUNE_EVERY_MS = DAY_MS / 4
/** Much longer than it takes until a request is listed, which is at most a minute after its first attempt. */
const ORPHANS_KEPT_MS = 60 * 60_000
const KEYS_LIVE_MS = IDEMPOTENCY_HOURS * 3_600_000

export function createHousekeeping(options: HousekeepingOptions) {
  const {
    store,
    settings,
    dataFolder,
    files,
    recordFiles,
    isExecuting,
    forgetSecrets,
    clock,
    log,
    yieldToEventLoop,
  } = options
  let timer: NodeJS.Timeout | null = null
  const stopped = new AbortController()
  let underWay: Promise<void> = Promise.resolve()

  /** Runs one batch per commit, with a pause after each. */
  async function inPortions(portion: () => boolean): Promise<void> {
    while (!stopped.signal.aborted && (await store.write(portion))) await yieldToEventLoop()
  }

  const isThere = (runId: string) => isExecuting(runId) || store.flowRuns.get(runId) !== null

  /**
   * Ignores free pages of deleted data, which the file can still contain, and growth that only callers without
   * credentials caused.
   */
  function isTooLarge(): boolean {
    const { history_limit_mb: limit } = settings()
    if (limit === null) return false
    const { bytes, freeBytes } = store.maintenance.size()
    const excess = bytes - freeBytes - limit * 1024 * 1024
    return excess > 0 && excess > store.retention.strangersBytes()
  }

  /** The newest run of more than a day ago. Runs of that age have been stored by now, or never will be. */
  let newest = { at: clock.now(), key: store.formerSecrets.lastHistoryKey() }
  let settled = newest

  async function forgetFormerSecrets(): Promise<void> {
    const at = clock.now()
    if (at - newest.at >= DAY_MS) {
      settled = newest
      newest = { at, key: store.formerSecrets.lastHistoryKey() }
    }
    if (await store.write(() => store.formerSecrets.forgetUnneeded(settled.key))) forgetSecrets()
  }

  let prunedAt = -Infinity
  /** Runs rarely, because it reads all figures and there is little to delete. */
  async function pruneFigures(): Promise<void> {
    if (clock.now() - prunedAt < PRUNE_EVERY_MS) return
    await inPortions(() => store.figures.prune(clock.now()))
    prunedAt = clock.now()
  }

  let measuredAt = -Infinity
  /** Measures only once an hour, because it has to read all folders with files. */
  async function sizesIfDue(): Promise<Readonly<Record<string, number>> | null> {
    const now = clock.now()
    if (Math.floor(now / HOUR_MS) <= Math.floor(measuredAt / HOUR_MS)) return null
    measuredAt = now
    try {
      const { database_bytes, files_bytes, backups_bytes } = await dataFolder.sizes()
      const { bytes: tables } = store.dataTables.totals()
      return { database: database_bytes, tables, files: files_bytes, backups: backups_bytes }
    } catch (error) {
      log.error({ err: error }, "The data folder can't be measured")
      return null
    }
  }

  /** Does everything that is due, once. */
  async function runOnce(): Promise<void> {
    await attempt("Old history can't be deleted", async () => {
      await inPortions(() => store.retention.deleteExpired(clock.now()))
      await inPortions(() => store.retention.deleteRemains())
      await inPortions(() => isTooLarge() && store.retention.deleteOldest())
      await inPortions(() => store.seenDeliveries.forget(clock.now() - DELIVERIES_KEPT_MS))
      await inPortions(() => store.idempotencyKeys.deleteBefore(clock.now() - KEYS_LIVE_MS))
      const sizes = await sizesIfDue()
      await store.write(() => {
        store.webhookAttempts.deleteOrphans(clock.now() - ORPHANS_KEPT_MS)
        if (sizes !== null) store.figures.measure(clock.now(), sizes)
      })
      await pruneFigures()
      await forgetFormerSecrets()
      // Deleted data stays in the search index until its segments are merged.
      await inPortions(() => store.runSearch.merge())
      while (!stopped.signal.aborted && store.maintenance.shrink(PAGES_AT_ONCE)) await yieldToEventLoop()
    })
    await attempt("Files of deleted runs can't be deleted", () => files.sweep(isThere))
    await attempt("Records of deleted runs can't be deleted", () => recordFiles.sweep(isThere))
    await attempt('The daily backup failed', async () => {
      if (!stopped.signal.aborted) await store.backups.takeIfDue()
    })
  }

  /** The disk may be full; that is logged and retried next time. */
  async function attempt(failure: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      log.error({ err: error }, failure)
    }
  }

  function schedule(afterMs: number): void {
    timer = setTimeout(() => {
      underWay = underWay.then(runAgainLater)
    }, afterMs).unref()
  }

  async function runAgainLater(): Promise<void> {
    await runOnce()
    if (!stopped.signal.aborted) schedule(EVERY_MS)
  }

  return {
    /** Runs periodically until stopped. */
    start(): void {
      underWay = attempt("The history can't be counted", () => inPortions(() => store.figures.fill()))
      schedule(FIRST_AFTER_MS)
    },
    /** Resolves once the current work has ended. */
    stop(): Promise<void> {
      stopped.abort()
      if (timer !== null) clearTimeout(timer)
      return underWay
    },
    runOnce,
  }
}
