/** Commits a group of writes in one transaction and reports the result of each. */
import type { Database } from 'better-sqlite3'
import { StoreWriteError, writeErrorKind } from '../sql/errors.ts'
import { command, pragma } from '../sql/statement.ts'

/** A write and its caller. */
export interface QueuedWrite {
  readonly work: () => unknown
  /** Its size in memory if it needs no stored data; null if it might need some. */
  readonly appended: number | null
  /** Position among all writes. */
  readonly order: number
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
}

/** Resolves or rejects one caller's promise. */
export type Settle = () => void

/** In-memory counters that are saved together with the next commit. */
export interface CommitHook {
  /** Writes the counters that have changed; called inside the transaction. */
  readonly writeInCommit: () => void
  /** Called once the last data from `writeInCommit` is on the disk; there can be more to write by then. */
  readonly onCommitted: () => void
  /** Whether the main thread has to commit its next write. */
  readonly needsMainThread?: () => boolean
}

/** Watches the free space on the disk. */
export interface DiskSpace {
  /** True while only writes that don't grow the file can be committed. */
  readonly isShort: () => boolean
  /** Called after a failed commit. */
  readonly noteFailure: () => void
  /** Frees space in the log; called after each commit while space is short. */
  readonly clearLog: () => void
}

export interface CommitOptions {
  readonly hooks: readonly CommitHook[]
  readonly space: DiskSpace
}

export interface Commit {
  /** Performs a group; call the returned functions afterwards. */
  readonly perform: (group: readonly QueuedWrite[]) => readonly Settle[]
  /** Rejects a group whose commit failed. */
  readonly refuse: (group: readonly QueuedWrite[], error: StoreWriteError) => readonly Settle[]
}

export function createCommit(db: Database, { hooks, space }: CommitOptions): Commit {
  const statements = {
    begin: command(db, 'BEGIN IMMEDIATE'),
    commit: command(db, 'COMMIT'),
    rollback: command(db, 'ROLLBACK'),
    savepoint: command(db, 'SAVEPOINT work'),
    release: command(db, 'RELEASE work'),
    undo: command(db, 'ROLLBACK TO work'),
  }
  /**
   * The usual case: nothing throws, so no savepoints are needed. Null if a write threw and everything is rolled back.
   */
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

  /** Used if one write throws: each gets a savepoint, so that it only undoes itself. */
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

  /**
   * Performs each write in its own transaction, so that one that frees space isn't blocked by others that need space.
   */
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

  const refuseAll = (group: readonly QueuedWrite[], cause: unknown) =>
    refuse(group, new StoreWriteError(writeErrorKind(cause) ?? 'io', cause))

  function refuse(group: readonly QueuedWrite[], error: StoreWriteError): readonly Settle[] {
    space.noteFailure()
    return group.map((queued) => () => queued.reject(error))
  }

  function finish(): void {
    for (const { writeInCommit } of hooks) writeInCommit()
    statements.commit.run()
    for (const { onCommitted } of hooks) onCommitted()
  }

  return {
    perform: (group) =>
      space.isShort() ? performSparingly(group) : (performTogether(group) ?? performApart(group)),
    refuse,
  }
}

function perform({ work, resolve }: QueuedWrite): Settle {
  const value = work()
  if (isThenable(value)) throw new TypeError('Work inside a transaction must be synchronous')
  // The result goes to the caller of this write, whose `write` call typed both.
  return () => resolve(value as never)
}

/** Pages of the file, including free ones. */
const pages = (db: Database) => Number(pragma(db, 'page_count'))
const isThenable = (value: unknown) => typeof (value as { then?: unknown } | null)?.then === 'function'
