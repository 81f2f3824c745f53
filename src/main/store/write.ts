/** Grouped commits: all that one turn of the event loop brings shares one transaction and one wait for the disk. */
import type { Database } from 'better-sqlite3'
import { createCommit, type Pending, type Rider, type Space } from './commit-group.ts'
import { StoreWriteError } from './errors.ts'

export interface Writer {
  /**
   * Queues `work` for the commit at the end of this turn. The promise settles once it is on the disk; then it holds
   * what `work` returned. Work runs in the order given and must be synchronous. One that throws is undone and rejects
   * alone; the others of its group are undone and run a second time, so work must do nothing but use the store. Where
   * the commit itself fails, all of the group reject with a `StoreWriteError`.
   */
  readonly write: <T>(work: () => T) => Promise<T>
  /** Commits what is queued and then `work`, at once. */
  readonly writeNow: <T>(work: () => T) => T
  /** Commits what is queued, and the riders; later writes are refused. */
  readonly close: () => void
}

export interface WriterOptions {
  readonly riders?: readonly Rider[]
  readonly space?: Space
  /** Runs after each group, when its callers have been answered. */
  readonly afterCommit?: () => void
}

/** More than this would keep the event loop from everything else for too long; the rest goes in the next turn. */
const LARGEST_GROUP = 512
const PLENTY: Space = { isShort: () => false, noteFailure: () => {}, clearLog: () => {} }

export function createWriter(
  db: Database,
  { riders = [], space = PLENTY, afterCommit = () => {} }: WriterOptions = {},
): Writer {
  const commit = createCommit(db, { riders, space })
  const queue: Pending[] = []
  let isScheduled = false
  let isClosed = false

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      commitQueued(LARGEST_GROUP)
      if (queue.length > 0) schedule()
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
        schedule()
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

function keepIn(outcome: { value?: unknown; error?: unknown; failed: boolean }): Omit<Pending, 'work'> {
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
