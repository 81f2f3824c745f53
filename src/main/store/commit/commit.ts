/** Commits a group of works in one transaction and says how to answer each of them. */
import type { Database } from 'better-sqlite3'
import { StoreWriteError, writeErrorKind } from '../sql/errors.ts'
import { command, pragma } from '../sql/statement.ts'

/** One work and its caller. */
export interface QueuedWrite {
  readonly work: () => unknown
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
}

/** Answers one caller. */
export type Settle = () => void

/** Counters in memory that are written along with what is committed anyway. */
export interface CommitHook {
  /** Writes what has changed; runs inside the transaction. */
  readonly writeInCommit: () => void
  /** What `writeInCommit` wrote is on the disk. */
  readonly onCommitted: () => void
}

/** Watches over the room on the disk. */
export interface DiskSpace {
  /** True while only work is to be committed that lets the file be as long as it is. */
  readonly isShort: () => boolean
  /** A commit has failed. */
  readonly noteFailure: () => void
  /** Makes room in the log, after each commit while space is short. */
  readonly clearLog: () => void
}

export interface CommitOptions {
  readonly hooks: readonly CommitHook[]
  readonly space: DiskSpace
}

/** The answers are to be given once it has returned. */
export function createCommit(
  db: Database,
  { hooks, space }: CommitOptions,
): (group: readonly QueuedWrite[]) => readonly Settle[] {
  const statements = {
    begin: command(db, 'BEGIN IMMEDIATE'),
    commit: command(db, 'COMMIT'),
    rollback: command(db, 'ROLLBACK'),
    savepoint: command(db, 'SAVEPOINT work'),
    release: command(db, 'RELEASE work'),
    undo: command(db, 'ROLLBACK TO work'),
  }
  /** The usual case: nothing throws, and the works need no savepoints. Null where one threw and all is undone. */
  function performTogether(group: readonly QueuedWrite[]): readonly Settle[] | null {
    try {
      statements.begin.run()
      const settled = group.map((queued) => perform(queued))
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
  function performApart(group: readonly QueuedWrite[]): readonly Settle[] {
    try {
      statements.begin.run()
      const settled = group.map((queued) => performAlone(queued))
      finish()
      return settled
    } catch (error) {
      if (db.inTransaction) statements.rollback.run()
      return refuseAll(group, error)
    }
  }

  function performAlone(queued: QueuedWrite): Settle {
    statements.savepoint.run()
    try {
      const settle = perform(queued)
      statements.release.run()
      return settle
    } catch (error) {
      if (!db.inTransaction || writeErrorKind(error) !== null) throw error
      statements.undo.run()
      statements.release.run()
      return () => queued.reject(error)
    }
  }

  /** Each in a transaction of its own: one that frees room is not held up by others that need some. */
  function performSparingly(group: readonly QueuedWrite[]): readonly Settle[] {
    return group.map((queued) => {
      try {
        statements.begin.run()
        const before = pages(db)
        const settle = perform(queued)
        if (pages(db) > before) throw new StoreWriteError('full')
        statements.commit.run()
        space.clearLog()
        return settle
      } catch (error) {
        if (db.inTransaction) statements.rollback.run()
        const kind = writeErrorKind(error)
        return () => queued.reject(kind === null ? error : new StoreWriteError(kind, error))
      }
    })
  }

  function refuseAll(group: readonly QueuedWrite[], cause: unknown): readonly Settle[] {
    space.noteFailure()
    const error = new StoreWriteError(writeErrorKind(cause) ?? 'io', cause)
    return group.map((queued) => () => queued.reject(error))
  }

  function finish(): void {
    for (const { writeInCommit } of hooks) writeInCommit()
    statements.commit.run()
    for (const { onCommitted } of hooks) onCommitted()
  }

  return (group) =>
    space.isShort() ? performSparingly(group) : (performTogether(group) ?? performApart(group))
}

function perform({ work, resolve }: QueuedWrite): Settle {
  const value = work()
  if (isThenable(value)) throw new TypeError('Work inside a transaction must be synchronous')
  // The result goes to the caller of this work: one call of `write` typed both.
  return () => resolve(value as never)
}

/** Of the file, those free for new rows included. */
const pages = (db: Database) => Number(pragma(db, 'page_count'))
const isThenable = (value: unknown) => typeof (value as { then?: unknown } | null)?.then === 'function'
