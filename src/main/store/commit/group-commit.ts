/** Group commit: writes that follow each other closely share one transaction and one sync to the disk. */
import type { Database } from 'better-sqlite3'
import { StoreWriteError } from '../sql/errors.ts'
import { type CommitHook, createCommit, type DiskSpace, type QueuedWrite } from './commit.ts'

export interface Writer {
  /**
   * Queues `work` for the next commit, which happens after the first event loop iteration that adds nothing. The
   * promise settles once the commit is on the disk and resolves to the return value of `work`. Work runs in the order
   * it was queued and must be synchronous. If one throws, only that one rejects; the others in its group are rolled
   * back and run again, so work must not do anything but use the store. If the commit itself fails, the whole group
   * rejects with a `StoreWriteError`.
   */
  readonly write: <T>(work: () => T) => Promise<T>
  /** Commits the queue and then `work`, synchronously. */
  readonly writeNow: <T>(work: () => T) => T
  /** Commits the queue and what the hooks write; later writes are rejected. */
  readonly close: () => void
}

export interface WriterOptions {
  readonly hooks?: readonly CommitHook[]
  readonly space?: DiskSpace
  /** Runs after each group, once its callers have their results. */
  readonly afterCommit?: () => void
  /** Monotonic clock in milliseconds; defaults to the machine's. */
  readonly monotonic?: () => number
}

/** A larger group would block the event loop for too long; the rest goes into the next iteration. */
const LARGEST_GROUP = 512
const systemMonotonic = () => performance.now()
/** Counted from the first write of a group, because a single iteration can do a lot of other work. */
const LONGEST_WAIT_MS = 1
const UNLIMITED_SPACE: DiskSpace = { isShort: () => false, noteFailure: () => {}, clearLog: () => {} }

export function createWriter(
  db: Database,
  {
    hooks = [],
    space = UNLIMITED_SPACE,
    afterCommit = () => {},
    monotonic = systemMonotonic,
  }: WriterOptions = {},
): Writer {
  const commit = createCommit(db, { hooks, space })
  const queue: QueuedWrite[] = []
  let isScheduled = false
  let isClosed = false

  /** Waits another iteration as long as each adds writes: half as many commits then carry twice as much each. */
  function schedule(seen: number, since: number): void {
    isScheduled = true
    setImmediate(() => {
      const isGrowing = queue.length > seen && queue.length < LARGEST_GROUP
      if (isGrowing && monotonic() - since < LONGEST_WAIT_MS) {
        schedule(queue.length, since)
        return
      }
      isScheduled = false
      commitQueued(LARGEST_GROUP)
      if (queue.length > 0) schedule(queue.length, -Infinity)
    })
  }

  function commitQueued(most: number): void {
    const group = queue.splice(0, most)
    if (group.length === 0) return
    for (const settle of commit(group)) settle()
    setImmediate(afterCommit) // the callers' own code runs first, so that their responses are sent before it
  }

  return {
    write(work) {
      if (isClosed) return Promise.reject(new StoreWriteError('closed'))
      return new Promise((resolve, reject) => {
        queue.push({ work, resolve, reject })
        if (!isScheduled) schedule(0, monotonic())
      })
    },
    writeNow<T>(work: () => T): T {
      if (isClosed) throw new StoreWriteError('closed')
      if (db.inTransaction) throw new Error('writeNow was called inside the work of another write')
      const outcome: { value?: T; error?: unknown; failed: boolean } = { failed: false }
      queue.push({ work, ...keepIn(outcome) })
      commitQueued(queue.length)
      if (outcome.failed) throw outcome.error
      return outcome.value as T
    },
    close() {
      queue.push({ work: () => {}, resolve: () => {}, reject: () => {} })
      commitQueued(queue.length)
      isClosed = true
    },
  }
}

function keepIn(outcome: { value?: unknown; error?: unknown; failed: boolean }): Omit<QueuedWrite, 'work'> {
  return {
    resolve(value) {
      outcome.value = value
    },
    reject(error) {
      outcome.failed = true
      outcome.error = error
    },
  }
}

interface WriteHealth {
  /** False from a failed commit until the next successful one. */
  readonly isWell: () => boolean
  readonly noteFailure: () => void
  /** Notified of each commit that reached the disk. */
  readonly commitHook: CommitHook
  readonly close: () => void
}

/** @param tryWrite writes a little; called now and then while commits fail, so that an idle program recovers as well */
export function createWriteHealth(tryWrite: () => void, tryEveryMs = TRY_EVERY_MS): WriteHealth {
  let timer: NodeJS.Timeout | null = null
  const stop = () => {
    if (timer !== null) clearInterval(timer)
    timer = null
  }
  return {
    isWell: () => timer === null,
    noteFailure() {
      timer ??= setInterval(tryWrite, tryEveryMs).unref()
    },
    commitHook: { writeInCommit: () => {}, onCommitted: stop },
    close: stop,
  }
}

const TRY_EVERY_MS = 2_000
