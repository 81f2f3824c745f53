/** Grouped commits: all that one turn of the event loop brings shares one transaction and one wait for the disk. */
import type { Database } from 'better-sqlite3'
import { StoreWriteError, writeErrorKind } from './errors.ts'
import { command } from './statement.ts'

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

/** Counters in memory that are written along with what is committed anyway. */
export interface Rider {
  /** Writes what has changed; runs inside the transaction. */
  readonly save: () => void
  /** What `save` wrote is on the disk. */
  readonly saved: () => void
}

export interface WriterOptions {
  readonly riders?: readonly Rider[]
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
  { riders = [], afterCommit = () => {} }: WriterOptions = {},
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
    for (const settle of performTogether(group) ?? performApart(group)) settle()
  }

  /** The usual case: nothing throws, and the works need no savepoints. Null where one threw and all is undone. */
  function performTogether(group: readonly Pending[]): readonly Settle[] | null {
    try {
      statements.begin.run()
      const settled = group.map((pending) => perform(pending))
      finish()
      return settled
    } catch (error) {
      if (db.inTransaction) statements.rollback.run()
      if (writeErrorKind(error) !== null) return refuseAll(group, error)
      const [only] = group
      return group.length === 1 && only !== undefined ? [() => only.reject(error)] : null
    }
  }

  /** One of them throws: each gets a savepoint, so that it takes nothing but itself back. */
  function performApart(group: readonly Pending[]): readonly Settle[] {
    try {
      statements.begin.run()
      const settled = group.map((pending) => performAlone(pending))
      finish()
      return settled
    } catch (error) {
      if (db.inTransaction) statements.rollback.run()
      return refuseAll(group, error)
    }
  }

  function performAlone(pending: Pending): Settle {
    statements.savepoint.run()
    try {
      const settle = perform(pending)
      statements.release.run()
      return settle
    } catch (error) {
      if (!db.inTransaction || writeErrorKind(error) !== null) throw error
      statements.undo.run()
      statements.release.run()
      return () => pending.reject(error)
    }
  }

  function finish(): void {
    for (const { save } of riders) save()
    statements.commit.run()
    for (const { saved } of riders) saved()
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
      commitGroup([...queue.splice(0), { work: () => {}, resolve: () => {}, reject: () => {} }])
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

function perform({ work, resolve }: Pending): Settle {
  const value = work()
  if (isThenable(value)) throw new TypeError('Work inside a transaction must be synchronous')
  return () => resolve(value as never)
}

function refuseAll(group: readonly Pending[], cause: unknown): readonly Settle[] {
  const error = new StoreWriteError(writeErrorKind(cause) ?? 'io', cause)
  return group.map((pending) => () => pending.reject(error))
}

const isThenable = (value: unknown) => typeof (value as { then?: unknown } | null)?.then === 'function'
