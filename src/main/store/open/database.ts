/** Opens the database file with the settings that durability depends on; rejects the file if it can't be written. */
import type { Database } from 'better-sqlite3'
import { accessSync, closeSync, constants, openSync } from 'node:fs'
import { sqliteCode, StoreOpenError, unwritable, writeErrorKind } from '../sql/errors.ts'
import { syncFolder, type DataFolder } from '../folder/folder.ts'
import { moveFileSync, removeFileSync } from '../folder/move.ts'
import { APPLICATION_ID, databaseFiles } from '../folder/inspect-file.ts'
import { migrate, type Migration } from '../migrations/migrate.ts'
import { defineBins } from '../sql/bins.ts'
import { connect } from '../sql/connect.ts'
import { foldedLike } from '../sql/like.ts'
import { pragma, scalar } from '../sql/statement.ts'

/**
 * Opens an existing, inspected file: for several connections of this process if the system supports that, otherwise for
 * a single connection.
 */
export function openDatabase(path: string): Database {
  try {
    accessSync(path, constants.R_OK | constants.W_OK) // otherwise SQLite would silently open it read-only
    try {
      if (process.platform !== 'win32') return openConfigured(path, true)
    } catch (error) {
      if (writeErrorKind(error) !== 'io') throw error
    }
    return openConfigured(path, false)
  } catch (cause) {
    throw openError(path, cause)
  }
}

/** Whether the process can open further connections to the same file. */
export const isShared = (db: Database) => db.name.startsWith('file:')

/** A further connection, for the writer thread. */
export function openFurther(path: string): Database {
  const db = connect(path, { ofProcess: true })
  for (const setting of SETTINGS) db.pragma(setting, { simple: true })
  defineBins(db)
  return db
}

function openConfigured(path: string, ofProcess: boolean): Database {
  const db = connect(path, { ofProcess })
  try {
    configure(db)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Creates a new database under a temporary name and renames it once it is complete and on the disk. */
export function createDatabase(folder: DataFolder, migrations: readonly Migration[]): void {
  const { newDatabase } = folder
  try {
    for (const part of databaseFiles(newDatabase)) removeFileSync(part)
    closeSync(openSync(newDatabase, 'wx', 0o600)) // SQLite uses this file's mode for its log too
    const db = connect(newDatabase, { creates: true })
    try {
      db.pragma('auto_vacuum = INCREMENTAL') // can only be set while the file is empty
      configure(db)
      db.pragma(`application_id = ${APPLICATION_ID}`)
      migrate(db, migrations)
    } finally {
      db.close()
    }
    moveFileSync(newDatabase, folder.database)
    syncFolder(folder.dir)
  } catch (cause) {
    throw openError(folder.database, cause)
  }
}

/**
 * - `locking_mode=EXCLUSIVE` (unless the file is locked for the process, see connect.ts) means one process and one
 *   writer, enforced by the system. The log's index is in memory, so no `-shm` file is needed and no outside reader can
 *   hold up a checkpoint.
 * - `wal_autocheckpoint=0`: a checkpoint inside a commit would make the callers of that commit wait; checkpoints run
 *   between commits instead (checkpoint.ts).
 * - `journal_size_limit`: a log that a large transaction has grown is truncated at the next checkpoint.
 * - `temp_store=MEMORY`: sorting never writes history into files outside the data folder.
 */
const SETTINGS = [
  'synchronous = FULL',
  'foreign_keys = ON',
  'trusted_schema = OFF',
  'wal_autocheckpoint = 0',
  'journal_size_limit = 16777216',
  'temp_store = MEMORY',
]

function configure(db: Database): void {
  if (!isShared(db)) db.pragma('locking_mode = EXCLUSIVE', { simple: true })
  for (const setting of ['journal_mode = WAL', ...SETTINGS]) db.pragma(setting, { simple: true })
  if (pragma(db, 'journal_mode') !== 'wal')
    throw new Error("the file system doesn't support a write-ahead log")
  // The first read takes the exclusive lock and replays the log that a killed process left behind.
  scalar<number>(db, 'SELECT count(*) FROM sqlite_schema').get()
  db.function('folded_like', { deterministic: true, directOnly: true }, foldedLike)
  defineBins(db)
}

/** Checks the whole file. */
export function isSound(db: Database): boolean {
  return pragma(db, 'quick_check(1)') === 'ok'
}

/**
 * Turns a failure of the disk or the file into a `StoreOpenError`; any other error is a bug and is returned unchanged.
 */
export function openError(path: string, cause: unknown): unknown {
  if (cause instanceof StoreOpenError) return cause
  const code = sqliteCode(cause) ?? (cause instanceof Error && 'code' in cause ? String(cause.code) : null)
  if (code === null) return cause
  if (code === 'SQLITE_CORRUPT' || code === 'SQLITE_NOTADB') {
    return new StoreOpenError('damaged', `${path} is damaged (${String(cause)})`, { cause })
  }
  if (writeErrorKind(cause) === 'busy') {
    return new StoreOpenError('locked', `${path} is open in another program; close it and start again`, {
      cause,
    })
  }
  return unwritable(path, code, '; correct its permissions and start again', cause)
}
