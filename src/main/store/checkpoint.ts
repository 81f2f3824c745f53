/** Moves what the log holds into the database file, between commits and never inside one. */
import type { Database } from 'better-sqlite3'
import { writeErrorKind } from './errors.ts'
import { command, rows } from './statement.ts'

/**
 * 2,000 pages are 8 MB: large enough that pages written again and again (the ends of tables and indexes) are moved
 * once, small enough that moving them takes a few milliseconds. The log itself stays near this size, because nobody
 * else reads the database and so each checkpoint is a whole one.
 */
const LOG_PAGES = 2_000

export interface Checkpointer {
  /** To be called after each commit; moves the log where it has grown enough. */
  readonly afterCommit: () => void
  /** Moves the log and cuts it to nothing. */
  readonly truncate: () => void
}

export function createCheckpointer(db: Database): Checkpointer {
  const measure = rows<{ log: number }>(db, 'PRAGMA wal_checkpoint(NOOP)')
  const move = rows(db, 'PRAGMA wal_checkpoint(PASSIVE)')
  const truncate = rows(db, 'PRAGMA wal_checkpoint(TRUNCATE)')
  return {
    afterCommit() {
      if (db.open && (measure.get()?.log ?? 0) >= LOG_PAGES) tolerate(() => move.get())
    },
    truncate: () => tolerate(() => truncate.get()),
  }
}

/** Gives pages of deleted rows back to the disk, a portion at a time. True while there are more. */
export function createVacuum(db: Database): (pages: number) => boolean {
  const free = rows<{ freelist_count: number }>(db, 'PRAGMA freelist_count')
  return (pages) => {
    command(db, `PRAGMA incremental_vacuum(${Math.trunc(pages)})`).run()
    return (free.get()?.freelist_count ?? 0) > 0
  }
}

/** A full disk is no reason to stop: the log stays whole and the next checkpoint moves it. */
function tolerate(work: () => void): void {
  try {
    work()
  } catch (error) {
    if (writeErrorKind(error) === null) throw error
  }
}
