/** Moves what the log holds into the database file, between commits and never inside one. */
import { statSync } from 'node:fs'
import type { Database } from 'better-sqlite3'
import { writeErrorKind } from '../sql/errors.ts'
import { pragma, rows } from '../sql/statement.ts'

/**
 * 500 pages are 2 MB: large enough that pages written again and again (the ends of tables and indexes) are moved once,
 * small enough that moving them keeps nobody waiting for more than a few milliseconds; four times as many take as much
 * longer and save nothing in sum. The log itself stays near this size, because nobody else reads the database and so
 * each checkpoint is a whole one: commits write over room that the file has already, which is synced in half the time.
 */
const LOG_PAGES = 500

export interface Checkpointer {
  /** To be called after each commit; moves the log where it has grown enough. */
  readonly afterCommit: () => void
  /** Moves the log, so that the next commits use its room again. */
  readonly move: () => void
}

export function createCheckpointer(db: Database): Checkpointer {
  const measure = rows<{ log: number }>(db, 'PRAGMA wal_checkpoint(NOOP)')
  const move = rows(db, 'PRAGMA wal_checkpoint(PASSIVE)')
  return {
    afterCommit() {
      if (db.open && (measure.get()?.log ?? 0) >= LOG_PAGES) tolerate(() => move.get())
    },
    move: () => tolerate(() => move.get()),
  }
}

export interface DatabaseSize {
  readonly bytes: number
  /** Of these, pages of deleted rows, which later rows will fill. */
  readonly freeBytes: number
  /** Of the log, whose room later commits use again. */
  readonly logBytes: number
}

export function databaseSize(db: Database): DatabaseSize {
  const pageSize = Number(pragma(db, 'page_size'))
  return {
    bytes: Number(pragma(db, 'page_count')) * pageSize,
    freeBytes: Number(pragma(db, 'freelist_count')) * pageSize,
    logBytes: statSync(`${db.name}-wal`, { throwIfNoEntry: false })?.size ?? 0,
  }
}

/** A whole check reads the whole file, and the program waits for it; larger ones are checked while it does not run. */
const CHECKED_WHILE_OPEN_BYTES = 128 * 1024 * 1024

/** Null where the database is too large to be checked while it is in use. */
export function isSound(db: Database): boolean | null {
  if (databaseSize(db).bytes > CHECKED_WHILE_OPEN_BYTES) return null
  return pragma(db, 'quick_check(1)') === 'ok'
}

/** Gives pages of deleted rows back to the disk, at most this many. True while there are more. */
export function shrink(db: Database, pages: number): boolean {
  db.exec(`PRAGMA incremental_vacuum(${Math.trunc(pages)})`) // a prepared statement would stop after one page
  return Number(pragma(db, 'freelist_count')) > 0
}

/** A full disk is no reason to stop: the log stays whole and the next checkpoint moves it. */
function tolerate(work: () => void): void {
  try {
    work()
  } catch (error) {
    if (writeErrorKind(error) === null) throw error
  }
}
