/** Checkpoints: moves the log's content into the database file, between commits and never inside one. */
import { statSync } from 'node:fs'
import type { Database } from 'better-sqlite3'
import { writeErrorKind } from '../sql/errors.ts'
import { pragma, rows } from '../sql/statement.ts'

/**
 * 500 pages are 2 MB: large enough that pages written repeatedly (the ends of tables and indexes) are moved only once,
 * small enough that a checkpoint blocks others for a few milliseconds at most. Four times as many pages take
 * proportionally longer and save nothing overall. The log stays near this size because nobody else reads the database,
 * so every checkpoint is complete: commits then overwrite space the file already has, which syncs in half the time.
 */
const LOG_PAGES = 500

export interface Checkpointer {
  /** Call after each commit; runs a checkpoint if the log has grown enough. */
  readonly afterCommit: () => void
  /** Whether the log has grown enough. */
  readonly isDue: () => boolean
  /** Runs a checkpoint, so that later commits reuse the log's space. */
  readonly move: () => void
}

export function createCheckpointer(db: Database): Checkpointer {
  const measure = rows<{ log: number }>(db, 'PRAGMA wal_checkpoint(NOOP)')
  const move = rows(db, 'PRAGMA wal_checkpoint(PASSIVE)')
  const isDue = () => db.open && (measure.get()?.log ?? 0) >= LOG_PAGES
  return {
    afterCommit() {
      if (isDue()) tolerate(() => move.get())
    },
    isDue,
    move: () => tolerate(() => move.get()),
  }
}

export interface DatabaseSize {
  readonly bytes: number
  /** Size of the pages of deleted rows, which is part of the size above; new rows fill them. */
  readonly freeBytes: number
  /** Size of the log, whose space later commits reuse. */
  readonly logBytes: number
}

/** @param path the path of its file */
export function databaseSize(db: Database, path: string): DatabaseSize {
  const pageSize = Number(pragma(db, 'page_size'))
  return {
    bytes: Number(pragma(db, 'page_count')) * pageSize,
    freeBytes: Number(pragma(db, 'freelist_count')) * pageSize,
    logBytes: statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0,
  }
}

/** A full check reads the whole file and blocks the program; larger files are checked while it isn't running. */
const CHECKED_WHILE_OPEN_BYTES = 128 * 1024 * 1024

/** Null if the database is too large to be checked while it is in use. */
export function isSound(db: Database): boolean | null {
  if (Number(pragma(db, 'page_count')) * Number(pragma(db, 'page_size')) > CHECKED_WHILE_OPEN_BYTES)
    return null
  return pragma(db, 'quick_check(1)') === 'ok'
}

/** Returns up to this many pages of deleted rows to the file system. True if there are more. */
export function shrink(db: Database, pages: number): boolean {
  db.exec(`PRAGMA incremental_vacuum(${Math.trunc(pages)})`) // a prepared statement would stop after one page
  return Number(pragma(db, 'freelist_count')) > 0
}

/** A full disk is not fatal: the log stays intact and the next checkpoint moves it. */
function tolerate(work: () => void): void {
  try {
    work()
  } catch (error) {
    if (writeErrorKind(error) === null) throw error
  }
}
