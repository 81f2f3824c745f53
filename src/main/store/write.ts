/** Grouped commits: all that one turn of the event loop brings shares one transaction and one wait for the disk. */
import type { Database } from 'better-sqlite3'
import { StoreWriteError, writeErrorKind } from './errors.ts'
import { command } from './statement.ts'

export interface Writer {
  /**
   * Queues `work` for the commit at the end of this turn. The promise settles once it is on the disk; then it holds
   * what `work` returned. Work runs in the order given and must be synchronous. One that throws is undone and rejects
   * alone. Where the commit itself fails, all of the group reject with a `StoreWriteError`.
   */
  readonly write: <T>(work: () => T) => Promise<T>
  /** Commits what is queued and then `work`, at once. */
  readonly writeNow: <T>(work: () => T) => T
  /** Commits what is queued; later writes are refused. */
  readonly close: () => void
}

export interface WriterOptions {
  /** Runs inside each transaction, before its end: for counters that ride along with what is committed anyway. */
  readonly beforeCommit?: () => void
  /** Runs after each group, when its callers have been answered. */
  readonly afterCommit?: () => void
}

/** More than this would keep the event loop from everything else for too long; the rest goes in the next turn. */
const LARGEST_GROUP = 512

interface Pending {
  readonly work: () => unknown
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
}
type Settle = () => void

export function createWriter(
  db: Database,
  { beforeCommit = () => {}, afterCommit = () => {} }: WriterOptions = {},
): Writer {
  const statements = {
    begin: command(db, 'BEGIN IMMEDIATE'),
    commit: command(db, 'COMMIT'),
    rollback: command(db, 'ROLLBACK'),
    savepoint: command(db, 'SAVEPOINT work'),
    release: command(db, 'RELEASE work'),
    undo: command(db, 'ROLLBACK TO work'),
  }
  const queue: Pending[] = []
  let isScheduled = false
  let isClosed = false

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      commitGroup(queue.splice(0, LARGEST_GROUP))
      if (queue.length > 0) schedule()
      // The callers' own code runs before this: their answers leave first.
      setImmediate(afterCommit)
    })
  }

  function commitGroup(group: readonly Pending[]): void {
    if (group.length === 0) return
    let settled: readonly Settle[]
    try {
      statements.begin.run()
      settled = group.map((pending) => perform(pending))
      perform({ work: beforeCommit, resolve: () => {}, reject: throwLater })
      statements.commit.run()
    } catch (cause) {
      if (db.inTransaction) statements.rollback.run()
      const error = new StoreWriteError(writeErrorKind(cause) ?? 'io', cause)
      settled = group.map(
        ({ reject }) =>
          () =>
            reject(error),
      )
    }
    for (const settle of settled) settle()
  }

  /** Runs one work inside the open transaction; throws only where the whole transaction is spoiled. */
  function perform({ work, resolve, reject }: Pending): Settle {
    statements.savepoint.run()
    try {
      const value = work()
      if (isThenable(value)) throw new TypeError('Work inside a transaction must be synchronous')
      statements.release.run()
      return () => resolve(value as never)
    } catch (error) {
      if (!db.inTransaction || writeErrorKind(error) !== null) throw error
      statements.undo.run()
      statements.release.run()
      return () => reject(error)
    }
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
      const group = [...queue.splice(0), { work, ...keepIn(outcome) }]
      commitGroup(group)
      if (outcome.failed) throw outcome.error
      return outcome.value as T
    },
    close() {
      commitGroup(queue.splice(0))
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

/** A defect in a rider must not spoil the group it rides with, and must not go unseen. */
function throwLater(error: unknown): void {
  setImmediate(() => {
    throw error
  })
}

const isThenable = (value: unknown) => typeof (value as { then?: unknown } | null)?.then === 'function'
