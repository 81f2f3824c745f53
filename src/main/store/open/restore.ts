/** Replaces the database with a backup. */
import { say, withSaid } from '../../../shared/contract/base/message.ts'
import { randomUUID } from 'node:crypto'
import { copyFileSync, statSync } from 'node:fs'
import type { Database } from 'better-sqlite3'
import { unpackFiles } from '../backup/backup-files.ts'
import { isSealedFile, openSealedFile } from '../backup/sealed-file.ts'
import { dataFolder, type DataFolder, prepareFolder, syncFile, syncFolder } from '../folder/folder.ts'
import { databaseFiles, inspectFile } from '../folder/inspect-file.ts'
import { acquireLock } from '../folder/lock.ts'
import { moveFileSync, removeFileSync } from '../folder/move.ts'
import { createEndSteps, INTERRUPTED } from '../history/end-steps.ts'
import { createHistoryParts } from '../history/history-parts.ts'
import { MIGRATIONS } from '../migrations/index.ts'
import { type Migration, newestVersion } from '../migrations/migrate.ts'
import { type JsonCodec, PLAIN_JSON } from '../sql/codec.ts'
import { StoreOpenError } from '../sql/errors.ts'
import { command, scalar } from '../sql/statement.ts'
import { openError } from './database.ts'
import { type EndedTokens, endTokens, readEndedTokens } from './ended-tokens.ts'
import { openFolder } from './open-folder.ts'

export interface RestoreOptions {
  readonly dataDir: string
  /** The backup; it is only read. */
  readonly file: string
  readonly now: number
  /** Opens a sealed backup. */
  readonly passphrase?: string | null
  /** Serializes values of runs; defaults to JavaScript's JSON, which rounds large numbers. */
  readonly json?: JsonCodec
  readonly migrations?: readonly Migration[]
}

export interface Restored {
  /** The path at which the previous database is kept; null if there was none. */
  readonly kept: string | null
  /**
   * False if the previous database couldn't list the tokens revoked since the backup, which are therefore valid again.
   */
  readonly endsRevokedTokens: boolean
  /** Keys from a sealed backup, to be imported. */
  readonly keys: readonly Uint8Array[]
}

/**
 * Restores a backup and keeps the previous database under another name. Runs that were in progress when the backup was
 * taken end as interrupted: they continued long ago in the original database and must not run again. Tokens that were
 * revoked or replaced since stay invalid.
 *
 * If it is killed, it can be run again.
 *
 * @throws StoreOpenError if the folder is in use, or the backup is not sound, foreign or newer than this build
 */
export async function restoreBackup({
  dataDir,
  file,
  now,
  passphrase = null,
  json = PLAIN_JSON,
  migrations = MIGRATIONS,
}: RestoreOptions): Promise<Restored> {
  const folder = dataFolder(dataDir)
  prepareFolder(folder.dir)
  const lock = await acquireLock(folder.lock, randomUUID())
  try {
    const keys = await stage(folder, { file, passphrase, newest: newestVersion(migrations) })
    const ended = readEndedTokens(folder.database, newestVersion(migrations))
    const kept = swap(folder, now, ended)
    const db = await openFolder(folder, migrations, now)
    try {
      command(db, 'BEGIN').run()
      endRuns(db, json, now)
      endPageSessions(db)
      turnTunnelOff(db)
      command(db, 'COMMIT').run()
    } finally {
      db.close()
    }
    return { kept, endsRevokedTokens: ended !== null, keys }
  } catch (error) {
    throw openError(folder.database, error)
  } finally {
    lock.release()
  }
}

/** Ends the runs and their steps. */
function endRuns(db: Database, json: JsonCodec, now: number): void {
  const endSteps = createEndSteps(json, createHistoryParts(db))
  const inProgress = scalar<number>(
    db,
    `SELECT key FROM flow_runs WHERE status <> 'success' AND status IN ('queued', 'running', 'retrying')`,
  )
  const end = command(db, `UPDATE flow_runs SET status = 'error', finished_at = ?, error = ? WHERE key = ?`)
  for (const key of inProgress.all()) {
    end.run(now, json.stringify(withSaid(INTERRUPTED)), key)
    endSteps(key, INTERRUPTED, null)
  }
  command(db, 'DELETE FROM run_queue').run()
}

/** It is unknown which browsers were signed out since the backup, so all of them have to sign in again. */
function endPageSessions(db: Database): void {
  if (hasTable(db, 'page_sessions')) command(db, 'DELETE FROM page_sessions').run()
}

/** A user who restores a backup, perhaps on another computer, hasn't asked for a public URL there. */
function turnTunnelOff(db: Database): void {
  if (hasTable(db, 'tunnel')) command(db, 'UPDATE tunnel SET is_wanted = 0').run()
}

function hasTable(db: Database, name: string): boolean {
  return scalar(db, 'SELECT 1 FROM sqlite_schema WHERE name = ?').get(name) === 1
}

interface Staging {
  readonly file: string
  readonly passphrase: string | null
  readonly newest: number
}

/** Puts the backup's database next to the current one. If that fails, nothing of it remains. */
async function stage({ newDatabase }: DataFolder, { file, passphrase, newest }: Staging) {
  if (!isSealedFile(file)) {
    checkBackup(file, newest)
    copyFileSync(file, newDatabase)
    return []
  }
  if (passphrase === null) throw sealed(file)
  try {
    const keys = await openSealedFile(file, passphrase, newDatabase)
    checkBackup(newDatabase, newest, file)
    return keys
  } catch (error) {
    for (const part of databaseFiles(newDatabase)) removeFileSync(part)
    throw error
  }
}

/**
 * Checks a backup without restoring it. Doesn't inspect the database in a sealed backup, but makes sure that no byte of
 * it has changed since it was written.
 *
 * @throws StoreOpenError
 */
export async function checkRestorable(
  file: string,
  passphrase: string | null,
  newest: number,
): Promise<void> {
  if (!isSealedFile(file)) checkBackup(file, newest)
  else if (passphrase === null) throw sealed(file)
  else await openSealedFile(file, passphrase, null)
}

function sealed(file: string): StoreOpenError {
  return new StoreOpenError(
    'passphrase',
    say('{{file}} has a passphrase; nothing was restored. Enter the passphrase.', { file }),
  )
}

/**
 * @param file its name in messages
 * @throws StoreOpenError if the file is not sound, foreign or newer than this build
 */
function checkBackup(path: string, newest: number, file = path): void {
  const verdict = inspectFile(path, { newestVersion: newest, check: 'full' })
  if (verdict.kind === 'good') return
  const [kind, why] =
    verdict.kind === 'absent' ? (['foreign', say("doesn't exist")] as const) : [verdict.kind, verdict.why]
  throw new StoreOpenError(
    kind,
    say('{{file}} {{why}}; nothing was restored. Choose another backup.', { file, why }),
  )
}

/**
 * The log of the old database must be removed before the backup takes its place, because SQLite would apply it to the
 * backup.
 */
function swap(folder: DataFolder, now: number, ended: EndedTokens | null): string | null {
  const { database, newDatabase } = folder
  unpackFiles(newDatabase, folder.dir)
  // Done before the swap, because a restore that is killed and run again couldn't find these tokens anywhere else.
  if (ended !== null) endTokens(newDatabase, ended)
  syncFile(newDatabase)
  const kept = `${database}.replaced-${new Date(now).toISOString().replaceAll(/[:.]/g, '-')}`
  const wasThere = isThere(database)
  if (wasThere) moveFileSync(database, kept)
  if (isThere(`${database}-wal`)) moveFileSync(`${database}-wal`, `${kept}-wal`)
  moveFileSync(newDatabase, database)
  syncFolder(folder.dir)
  return wasThere ? kept : null
}

const isThere = (path: string) => statSync(path, { throwIfNoEntry: false }) !== undefined
