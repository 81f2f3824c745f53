/** Grouped commits: what turns of the event loop bring close behind each other shares one transaction and one wait. */
import type { Database } from 'better-sqlite3'
import { StoreWriteError } from '../sql/errors.ts'
import { type CommitHook, createCommit, type DiskSpace, type QueuedWrite } from './commit.ts'

export interface Writer {
  /**
   * Queues `work` for the next commit, which comes with the first turn that brings nothing more. The promise settles
   * once it is on the disk; then it holds what `work` returned. Work runs in the order given and must be synchronous.
   * One that throws is undone and rejects alone; the others of its group are undone and run a second time, so work must
   * do nothing but use the store. Where the commit itself fails, all of the group reject with a `StoreWriteError`.
   */
  readonly write: <T>(work: () => T) => Promise<T>
  /** Commits what is queued and then `work`, at once. */
  readonly writeNow: <T>(work: () => T) => T
  /** Commits what is queued, and what the hooks write; later writes are refused. */
  readonly close: () => void
}

export interface WriterOptions {
  readonly hooks?: readonly CommitHook[]
  readonly space?: DiskSpace
  /** Runs after each group, when its callers have been answered. */
  readonly afterCommit?: () => void
  /** Milliseconds, monotonic; absent: the machine's. */
  readonly monotonic?: () => number
}

/** More than this would keep the event loop from everything else for too long; the rest goes in the next turn. */
const LARGEST_GROUP = 512
const systemMonotonic = () => performance.now()
/** From the first work of a group on: a turn may bring very much besides. */
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

  /** Another turn is waited for as long as each brings more: half as many commits carry twice as much each. */
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
    setImmediate(afterCommit) // the callers' own code runs before it: their answers leave first
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
  /** False from a commit that failed until one that did not. */
  readonly isWell: () => boolean
  readonly noteFailure: () => void
  /** Learns of each commit that reached the disk. */
  readonly commitHook: CommitHook
  readonly close: () => void
}

/** @param tryWrite writes a little; called now and then while commits fail, so that a quiet program recovers as well */
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
